/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed form of truth: its header, and the check of what a mapped file holds; private to
 * groundtruth.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_PACK_H
#define ASSAY_GROUNDTRUTH_TRUTH_PACK_H

#include "groundtruth/truth_build.h"

enum { PACK_VERSION = 3 };

struct pack_array {
	uint64_t off, cnt, size; /* size of an element */
};

struct pack_header {
	uint64_t magic;
	uint32_t version;
	uint32_t keys;
	uint64_t bytes;	   /* of the file */
	uint64_t checksum; /* pack_checksum */
	uint64_t words_off, words_bytes;
	uint32_t words_cnt;
	uint32_t workload_str, variant_str;
	uint8_t closed, full;
	uint8_t pad[2];
	uint64_t seed;
	struct window scored;
	struct truth_counts counts;
	struct pack_array arrays[ARRAY_CNT];
};

/*
 * XXH3 of the header with a checksum of 0, seeded with the XXH3 of all bytes behind it, the padding
 * included: no byte of the file can change unseen. The parts are apart because a stream writes its
 * header last.
 */
uint64_t pack_checksum(const struct pack_header *h, uint64_t rest);

/* Gives a packed file in memory the checksum of what it holds; for tests and fuzzers that changed
 * it. Does nothing to what is shorter than a header. */
void pack_seal(void *file, size_t len);

/*
 * Every number that indexes something or names a word of a vocabulary is in its range, windows are
 * not reversed, and `order` names every record once. -EINVAL with array and index in the diag.
 */
int pack_validate(const struct truth *t, const char *path, struct diag *d);

#endif
