/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed form of claims, little-endian: private to lib/formats.
 *
 *   offset 0     struct claims_binary
 *   offset 192   records_cnt × struct claim, in the order of the JSON lines
 *   then         words 1 … strings_cnt-1, each with its NUL, and nothing after them
 *
 * The words stand last because a writer knows them last. `complete` is written after all else, so
 * that a file whose writer died is told from a finished one. A big-endian reader sees a version
 * that it doesn't know.
 */
#ifndef ASSAY_LIB_FORMATS_CLAIMS_BINARY_H
#define ASSAY_LIB_FORMATS_CLAIMS_BINARY_H

#include "lib/formats/claims.h"

/* No JSON text and no UTF-8 text begins with 0x89. */
#define CLAIMS_MAGIC                                                                               \
	"\x89"                                                                                     \
	"ASCLMS\n"
enum { CLAIMS_BINARY_VERSION = 1 };

struct claims_binary {
	char magic[8];
	uint32_t version;
	uint32_t complete; /* 1 once finished */
	uint64_t records_cnt;
	uint64_t strings_bytes;
	uint32_t strings_cnt; /* including id 0, which has no bytes */
	uint32_t declares;
	char profiler[64];
	char profiler_version[32];
	uint8_t pad[56];
};
_Static_assert(sizeof(struct claims_binary) == 192, "records stay aligned to their size");

/* Where loaded claims live; struct claims.priv. */
struct claims_storage {
	struct strtab *strings;
	struct claim *records; /* of a JSON file */
	void *map;	       /* of a binary file */
	size_t map_bytes;
};

/* Maps and checks; the descriptor stays the caller's. Fills s on success only. */
int claims_binary_load(int fd, const char *path, struct claims_storage *s, struct claims *ret,
		       struct diag *d);

#endif
