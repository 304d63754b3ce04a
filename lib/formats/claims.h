/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims: what a profiler says that it saw (contracts §3).
 *
 * Two forms with one content: JSON Lines, and a packed binary file (header, 64-byte records in the
 * order of the JSON lines, words). `claims_load` takes either and tells them apart by the first
 * byte. In memory a set of claims is one const array of fixed-size records plus a string
 * table; a binary file is mapped, not copied. Loaded claims are immutable and may be read from any
 * number of threads. Times are ns of CLOCK_MONOTONIC, tids are of the initial pid namespace.
 *
 * A reader that meets a malformed line fills a diag with file, line, reason and cure and returns
 * -EINVAL: the cell is `invalid`. Unknown fields are ignored at every depth.
 *
 * Where the contract leaves a choice, the reader is strict:
 * - the header needs all of claims, profiler, version, clock and declares;
 * - null stands only for an end of a handoff and for a cost's root: an optional field that is null
 *   is malformed (a missing conf counts as 1, and a NaN that was printed as null must not);
 * - a field of the table that is there twice is malformed, at every depth; required words are not
 *   empty, an optional word that is empty is absent; ids of threads and descriptors fit 32 bits;
 * - a key has ns and v; "kernel" is read inside the ends, where the contract's examples have it;
 * - a last line without its line end is taken if it is whole: a cut one is no JSON and is refused;
 * - lines have at most 16 MiB.
 * Of what the contract doesn't know nothing is kept: unknown fields and declarations, and the name
 * of a foreign key space, which becomes "other".
 */
#ifndef ASSAY_LIB_FORMATS_CLAIMS_H
#define ASSAY_LIB_FORMATS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"
#include "lib/strtab.h"
#include "lib/vocab.h"

enum claim_kind {
	CLAIM_HANDOFF = 0,
	CLAIM_EVENT = 1,
	CLAIM_HEALTH = 2,
	CLAIM_EFFECT = 3,
	CLAIM_COST = 4,
	CLAIM_PROFILE = 5,
	CLAIM_GAP = 6,
	CLAIM_DIAGNOSIS = 7,
	CLAIM_KIND_CNT = 8,
};

/*
 * Presence of optional fields, and of the ends of a handoff. Required fields have no bit, but an
 * effect's cause, whose HAS_SRC is always set (the writer sets and clears these by itself).
 */
enum claim_has {
	HAS_SRC = 1u << 0,	  /* handoff: src is known; effect: always; cost: root is known */
	HAS_DST = 1u << 1,	  /* handoff */
	HAS_SRC_KERNEL = 1u << 2, /* src said "kernel":true */
	HAS_DST_KERNEL = 1u << 3,
	HAS_KEY = 1u << 4,   /* key.ns != KEY_NONE; a word outside the contract is KEY_OTHER */
	HAS_SCOPE = 1u << 5, /* the key gave its scope; gap: scope word is in str1 */
	HAS_GEN = 1u << 6,
	HAS_CONF = 1u << 7, /* absent conf counts as 1 */
	HAS_UNITS = 1u << 8,
	HAS_INSTANCE = 1u << 9,
	HAS_DESC = 1u << 10,
	HAS_EVIDENCE = 1u << 11,
	HAS_P_STALE = 1u << 12,
	HAS_V = 1u << 13,
	HAS_IP = 1u << 14, /* absent ip counts as 1 */
	HAS_LOST = 1u << 15,
};

/*
 * One claim. Which member of the union holds is told by `kind`. Absent optional fields are zero,
 * so that equal claims have equal bytes. strN are ids in the string table, 0: absent.
 */
struct claim {
	uint8_t kind;	/* enum claim_kind */
	uint8_t type;	/* handoff: handoff_type; event: event_kind; effect: effect_kind;
			   health: health_state; profile: profile_by */
	uint8_t how;	/* handoff: enum how */
	uint8_t source; /* handoff: enum source */
	uint8_t ns;	/* handoff: enum key_ns */
	uint8_t pad[1];
	uint16_t has; /* enum claim_has */
	union {
		struct {
			uint64_t src_t, dst_t;
			uint64_t key_v, key_scope;
			uint32_t src_tid, dst_tid;
			uint64_t gen;
			double conf;
		} handoff;
		struct {
			uint64_t t;
			uint64_t instance, gen;
			uint64_t units;
			uint32_t tid;
			uint32_t desc;
			uint32_t class_str; /* required */
			uint32_t pad;
			double conf;
		} event;
		struct {
			uint64_t t;
			uint64_t evidence;
			double p_stale;
			uint32_t desc;
			uint32_t why_str;
		} health;
		struct {
			uint64_t cause_t, t, v;
			uint32_t cause_tid, tid;
			double conf;
		} effect;
		struct {
			uint64_t root_t, v;
			double ip;
			uint32_t root_tid;
			uint32_t kind_str; /* cpu, wall, wait:TYPE, io_bytes, hold:CLASS */
		} cost;
		struct {
			uint64_t v;
			double ip;
			uint32_t key_str, kind_str;
		} profile;
		struct {
			uint64_t from, to, lost;
			uint32_t scope_str;
		} gap;
		struct {
			uint64_t t;
			double conf;
			uint32_t label_str, subject_str;
		} diagnosis;
		uint64_t raw[7];
	};
};
_Static_assert(sizeof(struct claim) == 64, "claims are packed records of 64 bytes");

/* Bits of `declares`: 1u << HANDOFF_X for handoff:X, then these. Unknown words are ignored. */
enum declares {
	DECLARES_EVENT = 1u << 10,
	DECLARES_HEALTH = 1u << 11,
	DECLARES_EFFECT = 1u << 12,
	DECLARES_COST = 1u << 13,
	DECLARES_PROFILE = 1u << 14,
	DECLARES_GAP = 1u << 15,
	DECLARES_DIAGNOSIS = 1u << 16,
	DECLARES_HANDOFFS = (1u << 10) - 1, /* mask of the ten types */
};

enum { DECLARES_CNT = 17 };

/* The word of a bit, "handoff:io" … "diagnosis". */
const char *declares_name(unsigned bit);
/* The bit of a word. -ENOENT: nobody knows it; -EINVAL: a bare "handoff", or one of no type. */
int declares_parse(const char *s, size_t len);

struct claims_header {
	char profiler[64];
	char version[32];
	uint32_t declares;
};

/* The bit that a claim needs to be declared. */
static inline uint32_t claim_declares(const struct claim *c)
{
	return 1u << (c->kind == CLAIM_HANDOFF ? c->type
					       : HANDOFF_TYPE_CNT + c->kind - CLAIM_EVENT);
}

struct claims {
	struct claims_header header;
	const struct claim *v; /* in file order; claim i stands on line i + 2 of the JSON form */
	size_t cnt;
	const struct strtab *strings;
	void *priv; /* storage; owned */
};

/*
 * Reads a whole file of either form. On failure returns a negative errno, fills *d, and leaves
 * *ret untouched. -EINVAL: the content is malformed (cell invalid); others: the file could not be
 * read. The result is freed with claims_free.
 */
int claims_load(const char *path, struct claims *ret, struct diag *d);
void claims_free(struct claims *c);

/* ---- writing: used by every built-in profiler and by `assay claims convert` ---- */

enum claims_form { CLAIMS_JSON = 0, CLAIMS_BINARY = 1 };

/* What the name of a file asks for: binary if it ends in ".bin". */
enum claims_form claims_form_of(const char *path);

struct claims_writer;

/*
 * Writes the header at once. The file appears under `path` at once (a profiler killed half-way
 * leaves whole lines, a readable JSON prefix); a binary file is complete only after
 * claims_writer_close, and refused by the reader before. JSON goes to pipes as well.
 * NULL and *d on failure.
 */
struct claims_writer *claims_writer_open(const char *path, enum claims_form form,
					 const struct claims_header *h, struct diag *d);

/* Interns a word for use as strN in claims of this writer; negative errno on failure. */
int64_t claims_writer_str(struct claims_writer *w, const char *s);
/* The word is for no claim to come. Of JSON Lines it is forgotten if it is the last that was new;
 * the packed form keeps all. */
void claims_writer_forget(struct claims_writer *w, uint32_t id);

/* Checks values as the reader would; -EINVAL for an impossible claim, which is not written. Errors
 * of the disk stick. close returns the first error of either kind. */
int claims_writer_put(struct claims_writer *w, const struct claim *c);

/* Flushes, finishes, frees; returns the first error of the writer's life, with *d filled. */
int claims_writer_close(struct claims_writer *w, struct diag *d);

/* One claim as its JSON line (with '\n') on out; strings resolves strN. For explain and convert. */
int claim_print(FILE *out, const struct claim *c, const struct strtab *strings);

/* The JSON Schema (draft 7) of one line, from the reader's own table. It is weaker than the reader:
 * that from is not after to, that an end of a handoff is known, or that a field stands there once,
 * it cannot say. */
void claims_schema(FILE *out);

struct json_out;
/* The part of a schema that is about a list of declarations. */
void declares_schema(struct json_out *o, const char *name);

#endif
