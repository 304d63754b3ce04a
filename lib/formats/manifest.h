/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The resource manifest: what a team says that its probe sites mean (contracts §4).
 *
 * YAML, one file per application version. Parsed whole into one struct that nobody changes; every
 * thing that a later step may complain about (resolving against a binary) keeps the line and column
 * on which it stood. Descriptors, resources and invariants are kept in file order and found by id.
 * Not thread-safe while parsing; a parsed manifest may be shared. The manifest owns its arrays.
 *
 * Limits, each with its own error: 1 MiB a file, 256 resources, 1,024 descriptors, 1,024
 * invariants; aliases, anchors and tags are refused (manifest_tree.h).
 */
#ifndef ASSAY_LIB_FORMATS_MANIFEST_H
#define ASSAY_LIB_FORMATS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bpf/descriptor.h"
#include "lib/diag.h"
#include "lib/vocab.h"

enum {
	MANIFEST_BYTES_MAX = 1 << 20,
	MANIFEST_RESOURCES_MAX = 256,
	MANIFEST_DESCRIPTORS_MAX = 1024,
	MANIFEST_INVARIANTS_MAX = 1024,
	MANIFEST_OF_MAX = 16,
	MANIFEST_LIFETIME_MAX = 16,
	MANIFEST_WARNINGS_MAX = 256,
};

enum manifest_owner {
	OWNER_OPERATION = 0,
	OWNER_THREAD = 1,
	OWNER_SHARED = 2,
	OWNER_EXTERNAL = 3,
	OWNER_CNT = 4,
};
enum manifest_generation {
	GENERATION_NONE = 0,
	GENERATION_ACQUIRE = 1,
	GENERATION_CREATE = 2,
	GENERATION_CNT = 3,
};
enum manifest_confidence { CONFIDENCE_VALIDATED = 0, CONFIDENCE_CANDIDATE = 1, CONFIDENCE_CNT = 2 };
enum manifest_evidence { EVIDENCE_WARNING = 0, EVIDENCE_PROOF = 1, EVIDENCE_CNT = 2 };

enum invariant_kind {
	INV_PAIRING = 0,
	INV_MEMBERSHIP = 1,
	INV_GENERATION = 2,
	INV_BALANCE = 3,
	INV_RATIO = 4,
	INV_ORDER = 5,
	INV_RANGE = 6,
	INV_MONOTONE = 7,
	INV_SILENCE = 8,
	INV_EMIT_RATE = 9,
	INV_ACTOR = 10,
	INV_SYSTEM_EFFECT = 11,
	INV_KNOWN_VALUE = 12,
	INV_EXCLUSION = 13,
	INV_COUNT = 14,
	INV_KIND_CNT = 15,
};

/*
 * Which descriptors of an invariant testify, and are not what it judges: of exclusion all but the
 * first, of count the last. i: index in of.
 */
bool manifest_invariant_judges(uint8_t kind, uint32_t of_cnt, uint32_t i);

enum site_kind { SITE_SYMBOL = 0, SITE_RETURN = 1, SITE_USDT = 2 };

struct manifest_site {
	uint8_t kind;		     /* enum site_kind */
	char symbol[128];	     /* SITE_SYMBOL, SITE_RETURN */
	uint64_t offset;	     /* SITE_SYMBOL: symbol+0x1a4 */
	char provider[64], name[64]; /* SITE_USDT */
	uint32_t line, column;
};

struct manifest_resource {
	char name[64], unit[32];
	bool has_capacity;
	struct manifest_site capacity_site;
	uint8_t capacity_arg;			  /* 0…5 */
	uint8_t owner;				  /* enum manifest_owner */
	char lifetime[MANIFEST_LIFETIME_MAX][16]; /* words such as "USE*" */
	uint32_t lifetime_cnt;
	uint32_t line, column;
};

struct manifest_descriptor {
	uint32_t id;	    /* 1 … 2^32-1 */
	uint32_t resource;  /* index */
	uint8_t event;	    /* enum event_kind */
	uint8_t generation; /* enum manifest_generation */
	uint8_t confidence; /* enum manifest_confidence */
	struct manifest_site site;
	struct desc_expr instance_key, unit_key, target_id; /* kind EXPR_NONE: not given */
	struct desc_when when;				    /* op WHEN_ALWAYS: not given */
	char by[32], source[128];			    /* provenance; "" where not given */
	uint32_t line, column;
};

struct manifest_invariant {
	char id[64];
	uint8_t kind;		      /* enum invariant_kind */
	uint8_t evidence;	      /* enum manifest_evidence */
	uint8_t effect;		      /* enum effect_kind; EFFECT_KIND_CNT: not given */
	uint32_t of[MANIFEST_OF_MAX]; /* descriptor ids */
	uint32_t of_cnt;
	bool has_at_least, has_at_most; /* ratio; balance: at_least */
	bool has_min, has_max;		/* range, monotone */
	bool has_within;		/* balance; system-effect always has it */
	double at_least, at_most; /* ratio: of[0] hits per of[1] hit; balance: of the capacity */
	uint64_t min, max;
	uint64_t value;	    /* known-value */
	uint64_t within_ns; /* balance, system-effect */
	uint32_t many;	    /* actor: at least as many threads, 2 or more */
	uint32_t line, column;
};

/* What is allowed and yet likely wrong. */
struct manifest_warning {
	uint32_t line, column;
	char text[256]; /* one sentence, no full stop */
};

struct manifest {
	char application[64];
	char build_id[65]; /* lower-case hex, "" where not stamped */
	struct manifest_resource *resources;
	uint32_t resources_cnt;
	struct manifest_descriptor *descriptors;
	uint32_t descriptors_cnt;
	struct manifest_invariant *invariants;
	uint32_t invariants_cnt;
	struct manifest_warning *warnings; /* in file order within a kind */
	uint32_t warnings_cnt;
	struct manifest_warning build_id_place; /* line 0: the file has no such key */
	char path[512];				/* for messages */
};

/*
 * Reads and validates. -EINVAL with file, line (and column in the reason) and cure for anything
 * that contracts §4 does not allow: unknown keys, numbers with trailing letters, an id twice, an
 * invariant that names no descriptor, an expression that cannot be evaluated at its site. Other
 * errors are those of reading a file. *ret untouched on failure.
 */
int manifest_load(const char *path, struct manifest *ret, struct diag *d);
/* The same from memory; path is for messages. */
int manifest_parse(const char *bytes, size_t len, const char *path, struct manifest *ret,
		   struct diag *d);
void manifest_free(struct manifest *m); /* fine on zeros */

const struct manifest_descriptor *manifest_descriptor_by_id(const struct manifest *m, uint32_t id);
const struct manifest_resource *manifest_resource_of(const struct manifest *m,
						     const struct manifest_descriptor *d);

/* An expression of a :return site that needs the arguments of the call, saved at its entry. */
bool manifest_needs_args(const struct manifest_descriptor *d);

/* What the BPF side evaluates; of a capacity: DESC_EVENT_CAPACITY. */
struct desc_prog manifest_prog(const struct manifest_descriptor *d);
struct desc_prog manifest_capacity_prog(const struct manifest *m, uint32_t resource);

/*
 * The text of a manifest with another build_id and nothing else changed: the line is edited, or one
 * put behind that of application. The caller frees. -EINVAL where the text is no manifest or has
 * no place for it.
 */
int manifest_stamp(const char *bytes, size_t len, const char *path, const char *build_id,
		   char **ret, size_t *ret_len, struct diag *d);

/* The same of the manifest in a file, written to another; its -EINVAL, or the files' errors. */
int manifest_stamp_file(const char *from, const char *build_id, const char *to, struct diag *d);

/*
 * Prints what differs in meaning, a line a difference ("+ descriptor 4: …", "- …", "~ …"); order,
 * comments, places, build-ids (build_id aside) and layout mean nothing. Returns the number of
 * differences, or a negative errno of writing.
 */
int manifest_diff(const struct manifest *a, const struct manifest *b, FILE *out);

/* ---- words; the X_name functions return static strings, the X_parse functions -1 on others ----
 */
const char *invariant_kind_name(unsigned v);
const char *manifest_owner_name(unsigned v);
const char *manifest_generation_name(unsigned v);
const char *manifest_confidence_name(unsigned v);
const char *manifest_evidence_name(unsigned v);
int invariant_kind_parse(const char *s, size_t len);
int manifest_owner_parse(const char *s, size_t len);
int manifest_generation_parse(const char *s, size_t len);
int manifest_confidence_parse(const char *s, size_t len);
int manifest_evidence_parse(const char *s, size_t len);

/* ---- expressions, guards, sites as text; the printed form parses to the same ---- */
enum { MANIFEST_TEXT_MAX = 224 };
struct manifest_text {
	char s[MANIFEST_TEXT_MAX];
};
struct manifest_text manifest_expr_text(const struct desc_expr *e);
struct manifest_text manifest_when_text(const struct desc_when *w);
struct manifest_text manifest_site_text(const struct manifest_site *s);

/* Where and why a text is none; at counts bytes from its beginning. */
struct manifest_fault {
	size_t at;
	char reason[200];
	char cure[160];
};
/* 0 or -EINVAL; *ret untouched on failure. Pure, thread-safe. */
int manifest_expr_parse(const char *s, struct desc_expr *ret, struct manifest_fault *f);
int manifest_when_parse(const char *s, struct desc_when *ret, struct manifest_fault *f);
int manifest_site_parse(const char *s, struct manifest_site *ret, struct manifest_fault *f);

#endif
