/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The resource manifest: what a team says that its probe sites mean (contracts §4).
 *
 * YAML, one file per application version. Parsed whole into one immutable struct; every word that
 * stands in the file is kept with the line and column on which it stood, so that a later step
 * (resolving against a binary) can still point at it. Descriptors are kept in file order and found
 * by id. Not thread-safe while parsing; a parsed manifest may be shared.
 *
 * Limits, each with its own error: 1 MiB a file, 256 resources, 1,024 descriptors, 1,024
 * invariants; aliases and anchors are refused (a manifest needs none, and a loop of them is a
 * trap).
 */
#ifndef ASSAY_LIB_FORMATS_MANIFEST_H
#define ASSAY_LIB_FORMATS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/descriptor.h"
#include "lib/diag.h"
#include "lib/vocab.h"

enum manifest_owner { OWNER_OPERATION = 0, OWNER_THREAD = 1, OWNER_SHARED = 2, OWNER_EXTERNAL = 3 };
enum manifest_generation { GENERATION_NONE = 0, GENERATION_ACQUIRE = 1, GENERATION_CREATE = 2 };
enum manifest_confidence { CONFIDENCE_VALIDATED = 0, CONFIDENCE_CANDIDATE = 1 };
enum manifest_evidence { EVIDENCE_WARNING = 0, EVIDENCE_PROOF = 1 };

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
	INV_KIND_CNT = 13,
};

enum site_kind { SITE_SYMBOL = 0, SITE_RETURN = 1, SITE_USDT = 2 };

struct manifest_site {
	enum site_kind kind;
	char symbol[128];	     /* SITE_SYMBOL, SITE_RETURN */
	uint64_t offset;	     /* symbol+0x1a4 */
	char provider[64], name[64]; /* SITE_USDT */
	uint32_t line, column;
};

struct manifest_resource {
	char name[64], unit[32];
	bool has_capacity;
	struct manifest_site capacity_site;
	uint8_t capacity_arg;
	enum manifest_owner owner;
	char lifetime[16][16]; /* words such as "USE*" */
	uint32_t lifetime_cnt;
	uint32_t line;
};

struct manifest_descriptor {
	uint32_t id;
	uint32_t resource; /* index */
	uint8_t event;	   /* enum event_kind */
	struct manifest_site site;
	struct desc_expr instance_key, unit_key, target_id; /* kind EXPR_NONE: not given */
	struct desc_when when;				    /* op WHEN_ALWAYS: not given */
	enum manifest_generation generation;
	enum manifest_confidence confidence;
	uint32_t line;
};

struct manifest_invariant {
	char id[64];
	enum invariant_kind kind;
	uint32_t of[16]; /* descriptor ids */
	uint32_t of_cnt;
	enum manifest_evidence evidence;
	bool has_at_least, has_at_most, has_min, has_max, has_within, has_value;
	double at_least, at_most; /* ratio */
	uint64_t min, max, value; /* range, known-value */
	uint64_t within_ns;	  /* balance, system-effect */
	uint32_t many;		  /* actor */
	uint8_t effect;		  /* enum effect_kind; EFFECT_KIND_CNT: not given */
	uint32_t line;
};

struct manifest {
	char application[64];
	char build_id[65]; /* lower-case hex, "" where not stamped */
	const struct manifest_resource *resources;
	uint32_t resources_cnt;
	const struct manifest_descriptor *descriptors;
	uint32_t descriptors_cnt;
	const struct manifest_invariant *invariants;
	uint32_t invariants_cnt;
	void *priv; /* storage; owned */
};

/*
 * Reads and validates. -EINVAL with file, line (and column in the reason) and cure for anything
 * that contracts §4 does not allow: unknown keys, numbers with trailing letters, an id twice, an
 * invariant that names no descriptor, an expression that cannot be evaluated at its site.
 * *ret untouched on failure.
 */
int manifest_load(const char *path, struct manifest *ret, struct diag *d);
void manifest_free(struct manifest *m);

const struct manifest_descriptor *manifest_descriptor_by_id(const struct manifest *m, uint32_t id);
const char *invariant_kind_name(unsigned v);
int invariant_kind_parse(const char *s, size_t len);

#endif
