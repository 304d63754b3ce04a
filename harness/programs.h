/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies beside the command: workloads and profilers, as their own `describe` tells.
 *
 * Found under the folder of /proc/self/exe (workloads/NAME/NAME, profilers/NAME/NAME), sorted by
 * name, so that the same tree gives the same plan. A program whose describe fails is listed with
 * its trouble and costs only its own cells. Owned by the caller; not thread-safe.
 */
#ifndef ASSAY_HARNESS_PROGRAMS_H
#define ASSAY_HARNESS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"

enum { NAME_LEN = 64, PATH_LEN = 1024, NEEDS_MAX = 8, OUTCOMES_MAX = 16 };

struct workload {
	char name[NAME_LEN], path[PATH_LEN], models[256];
	uint64_t ops, rate, depth, workers, queue_depth, fanout; /* defaults */
	char needs[NEEDS_MAX][NAME_LEN];
	unsigned needs_cnt;
	uint32_t keys, handoffs, marks;	       /* bits 1u << key_ns, handoff_type, mark */
	uint32_t ailments;		       /* bits 1u << diagnosis: what it can suffer from */
	char outcomes[OUTCOMES_MAX][NAME_LEN]; /* what else a default run exercises */
	unsigned outcomes_cnt;
	uint64_t records;    /* of truth that an operation is worth by default; 0: not said */
	struct diag trouble; /* err != 0: describe failed, nothing but name and path is set */
};

enum launch {
	LAUNCH_ATTACH = 1u << 0,
	LAUNCH_JOIN = 1u << 1,
	LAUNCH_WRAP = 1u << 2,
	LAUNCH_ENV = 1u << 3,
	LAUNCH_BUILD = 1u << 4,
	LAUNCH_LIVE =
		LAUNCH_ATTACH | LAUNCH_WRAP | LAUNCH_ENV | LAUNCH_BUILD, /* any beside a run */
};

/* What else it takes. */
enum accepts {
	ACCEPTS_CONTROL = 1u << 0, /* --control-fd */
	ACCEPTS_BUDGET = 1u << 1,  /* --budget */
	ACCEPTS_PACKED = 1u << 2,  /* a --claims that ends in .bin: it writes the packed form */
};

struct profiler {
	char name[NAME_LEN], path[PATH_LEN], version[32], division[16];
	char called[NAME_LEN];	/* by its describe; rows and cells bear name, that of the file */
	char unknown[NAME_LEN]; /* a word of "declares" that nobody knows; "": none */
	unsigned launch;	/* enum launch */
	uint32_t accepts;	/* enum accepts */
	uint32_t declares;	/* enum declares of lib/formats/claims.h */
	char needs[NEEDS_MAX][NAME_LEN];
	unsigned needs_cnt;
	struct diag trouble;
};

/* What the file of its claims is called in its working folder. */
static inline const char *profiler_claims_name(const struct profiler *p)
{
	return p->accepts & ACCEPTS_PACKED ? "claims.bin" : "claims";
}

/* The form in which it is started beside a run, of those that it has: attach if it can, or else
 * env, wrap, build. 0: it has none. */
enum launch profiler_launch(const struct profiler *p);
/* Whether it says so in its describe. */
bool profiler_needs(const struct profiler *p, const char *word);
/* "attach", and so on. */
const char *launch_name(enum launch l);

struct programs {
	char folder[PATH_LEN]; /* of the command */
	const char *records;   /* folder of mutations, NULL: that of the sources */
	struct workload *workloads;
	size_t workloads_cnt;
	struct profiler *profilers;
	size_t profilers_cnt;
	char collector[PATH_LEN]; /* program of the one collector; "": not built */
};

/* Scans and describes everything; *ret is freed with programs_free. */
int programs_scan(struct programs *ret, struct diag *d);
void programs_free(struct programs *t);

/* A workload by name; -ENOENT with a suggestion in the diag. */
int programs_workload(const struct programs *t, const char *name, const struct workload **ret,
		      struct diag *d);

/* A profiler by name, or, if the name holds a slash, by path: such a stranger is described and
 * added to the tree (earlier pointers into t->profilers become invalid). */
int programs_profiler(struct programs *t, const char *name, const struct profiler **ret,
		      struct diag *d);

/* The JSON Schema (draft 7) of what a profiler's describe prints. */
void describe_schema(FILE *out);

/* One describe object; exposed for tests. -EINVAL with the reason in *d. */
int describe_workload(const char *json, size_t len, struct workload *ret, struct diag *d);
int describe_profiler(const char *json, size_t len, struct profiler *ret, struct diag *d);

#endif
