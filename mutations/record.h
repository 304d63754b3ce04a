/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mutation's record: what changes, in which forms, what becomes invalid, and how it would show.
 *
 * One folder a mutation, record.yaml in it; the folder's name is the mutation's id. The record is
 * read strictly and whole; a parsed record is plain data, owned by the caller, safe to share. Files
 * that it names (patches, configurations, the repaired manifest) lie beside it and are checked to
 * be there. assay-mutation(5) describes every key.
 */
#ifndef ASSAY_MUTATIONS_RECORD_H
#define ASSAY_MUTATIONS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/vocab.h"
#include "mutations/words.h"

enum {
	RECORD_PATH = 1024,
	RECORD_WORD = 64,
	RECORD_TEXT = 512,
	RECORD_FLAGS_MAX = 8,
	RECORD_INVALID_MAX = 16,
	RECORD_CHANGES_MAX = 16,
	RECORD_WORKLOADS_MAX = 4,
	RECORD_CASES_MAX = 8,
	RECORD_CHAIN_MAX = 4,
	WITNESS_OF_MAX = 3,
};

/* How one form is made from the sources of the workload. */
struct form_spec {
	char patch[RECORD_WORD]; /* .patch (unified, -p1) or .cocci; "": none */
	char flags[RECORD_FLAGS_MAX][RECORD_WORD];
	uint32_t flags_cnt;
	char config[RECORD_WORD]; /* given with --config; "": none */
};

enum way { WAY_FEWER, WAY_MORE, WAY_CNT };

/* One figure of a serial run that the mutant changes; all others stay. */
struct change_spec {
	bool is_event, is_handoff;
	uint8_t event;		 /* enum event_kind */
	uint8_t handoff;	 /* enum handoff_type */
	char class[RECORD_WORD]; /* of events */
	bool units;		 /* the sum of units, not the count */
	uint8_t way;		 /* enum way */
};

/* Hits of a descriptor, something that the kernel shows, or the capacity of the first resource. */
enum seen_kind { SEEN_HIT, SEEN_IO, SEEN_WAKE, SEEN_CAPACITY, SEEN_KIND_CNT };
struct seen_name {
	uint8_t kind; /* enum seen_kind */
	uint32_t descriptor;
};

struct witness_spec {
	uint8_t measure; /* enum measure */
	struct seen_name of[WITNESS_OF_MAX];
	uint32_t of_cnt; /* 0: the mutant has no witness */
	bool has_above, has_below;
	double above, below; /* fires outside */
};

/* An act that can be counted in truth: an event of a class, or a handoff of a type. */
struct act_spec {
	bool is_event, is_handoff;
	uint8_t event, handoff;
	char class[RECORD_WORD];
};

struct invalid_spec {
	uint32_t descriptor; /* id in the workload's manifest */
	char why[RECORD_TEXT];
	struct act_spec shown; /* the first of these contradicts it; neither: its own events do */
};

/* A figure of the score of the reference that trusts everything, and where it is wrong. */
struct reading_spec {
	char figure[RECORD_WORD], of[RECORD_WORD]; /* "" for figure: none declared */
	bool has_above, has_below;
	double above, below;
};

/* One before it in its chain: this one's base has its patch, this one's manifest its repair. */
struct chain_link {
	char id[RECORD_WORD], patch[RECORD_WORD], repaired[RECORD_WORD];
};

struct mutation {
	char folder[RECORD_PATH];
	char id[RECORD_WORD];
	uint8_t class; /* enum mutation_class */
	uint8_t kind;  /* enum mutation_kind */
	char workloads[RECORD_WORKLOADS_MAX][RECORD_WORD];
	uint32_t workloads_cnt;
	char after[RECORD_WORD]; /* whose mutant this one's base is; "": the sources as they are */
	struct chain_link before[RECORD_CHAIN_MAX]; /* from the first on, `after` the last */
	uint32_t before_cnt;
	char what[RECORD_TEXT], naive[RECORD_TEXT];
	struct form_spec forms[FORM_CNT];
	char repaired[RECORD_WORD]; /* patch of the manifest; "": the old one still holds */
	struct invalid_spec invalid[RECORD_INVALID_MAX];
	uint32_t invalid_cnt;
	uint64_t onset; /* number of the operation, from 1; 0: from the start */
	uint32_t share; /* percent of the traffic that moves */
	bool canon_differs;
	struct change_spec changes[RECORD_CHANGES_MAX];
	uint32_t changes_cnt;
	struct witness_spec witness;
	struct reading_spec reading; /* of attach-only on the mutant, not on base and twin */
	struct act_spec reached;     /* by the mutant, often enough */
	bool clang, gcc;	     /* compilers; gcc compiles base in any case */
	bool o0, o2;		     /* levels */
	bool symbols_change;	     /* the class does not preserve them */
	char absent[RECORD_TEXT];    /* why it is not in all builds; "": nothing to say */
	char cases[RECORD_CASES_MAX][RECORD_TEXT];
	uint32_t cases_cnt;
	char acceptance[8]; /* the acceptance case whose second version it is; "": of none */
	char deprecated[RECORD_TEXT]; /* why; "": in use */
	uint64_t ops;		      /* of a run that certifies; 0: the verifier's default */
};

/* folder/record.yaml, and beside it those of its chain. -EINVAL with file, line and cure; *ret
 * untouched on failure. */
int mutation_load(const char *folder, struct mutation *ret, struct diag *d);

/* The same from memory, without looking for what it names: before is empty. Exposed for tests. */
int mutation_parse(const char *bytes, size_t len, const char *path, struct mutation *ret,
		   struct diag *d);

/* Every mutation under a folder, by id. A folder without record.yaml is none. */
struct mutation_list {
	struct mutation *v;
	size_t cnt;
};
int mutation_scan(const char *folder, struct mutation_list *ret, struct diag *d);
void mutation_list_free(struct mutation_list *l);

/* -ENOENT with a suggestion. */
int mutation_find(const struct mutation_list *l, const char *id, const struct mutation **ret,
		  struct diag *d);

/* A file of one before it in its chain, "": its folder. -ENAMETOOLONG. */
int mutation_beside(const struct mutation *m, const struct chain_link *l, const char *file,
		    char ret[RECORD_PATH], struct diag *d);

bool mutation_on(const struct mutation *m, const char *workload);

/* All that describes it: every file of its folder, in the order of their names, and of those of
 * its chain. */
int mutation_hash(const struct mutation *m, uint64_t *ret, struct diag *d);

#endif
