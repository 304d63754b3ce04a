/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan: which cells a run consists of, in the order in which they are made.
 *
 * A plan is a tab-separated file with a header line (columns: PLAN_HEADER). A cell that needs
 * another's evidence or truth names it in `from`, and that cell comes earlier. The run's folder is
 * the folder in which its plan lies. Owned by the caller; not thread-safe.
 */
#ifndef ASSAY_HARNESS_PLAN_H
#define ASSAY_HARNESS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/programs.h"
#include "lib/diag.h"

#define PLAN_HEADER                                                                                \
	"cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams"

enum cell_kind {
	KIND_RECORD = 0,    /* workload and collector: truth and evidence */
	KIND_REFERENCE = 1, /* stored truth and evidence, where none can be recorded */
	KIND_JOIN = 2,	    /* joiner over the evidence of `from` */
	KIND_LIVE = 3,	    /* workload and profiler */
	KIND_TRUTH = 4,	    /* claims made from the truth of `from` */
	KIND_OVERHEAD = 5,  /* many runs of workload and profiler, for what watching costs */
	KIND_CNT = 6,
};

const char *cell_kind_name(unsigned kind);

enum { CELL_NAME_LEN = 200, PARAMS_LEN = 512 };

struct cell {
	char name[CELL_NAME_LEN];
	enum cell_kind kind;
	char workload[NAME_LEN], variant[NAME_LEN];
	char profiler[PATH_LEN]; /* a name, or the path of a stranger */
	char division[16], regime[32], binding[16];
	uint64_t seed;
	char from[CELL_NAME_LEN]; /* "-": none */
	char params[PARAMS_LEN];  /* "name=value name=value", "-": none */
};

/* Name of the cell in whose folder its truth stands: under a regime its own, with what was lost. */
const char *cell_truth(const struct cell *c);

struct plan {
	struct cell *v;
	size_t cnt;
};

/* Appends a cell and gives it its name WORKLOAD.VARIANT.PROFILER.KIND.REGIME.sSEED, with .BINDING
 * behind the regime where it is not stamped. */
int plan_add(struct plan *p, const struct cell *c, struct diag *d);
void plan_free(struct plan *p);

const struct cell *plan_find(const struct plan *p, const char *cell);

/* Leaves the cells that are wanted, and those that they come from. */
void plan_narrow(struct plan *p, bool (*wanted)(const struct cell *c, void *arg), void *arg);

/* Both check the whole: unique names that are file names, known kinds, regimes, bindings and
 * parameters, `from` earlier and of a kind that has what is needed. -EINVAL with file and line. */
int plan_load(const char *path, struct plan *ret, struct diag *d);
int plan_save(const struct plan *p, const char *path, struct diag *d);

/* The names that a parameter may have: all that cell_param is asked for. */
extern const char *const cell_params[];
extern const size_t cell_params_cnt;
bool cell_has_param(const char *name);

/* A number among the parameters; fallback where it is not there. Numbers were checked by load. */
uint64_t cell_param(const struct cell *c, const char *name, uint64_t fallback);

/* Index of the shard (0 … n-1) that makes a cell: a cell goes where its `from` goes, and groups
 * are dealt in turn. */
unsigned plan_shard(const struct plan *p, size_t cell, unsigned n);

/* "k/n" with 1 <= k <= n; -EINVAL otherwise. */
int shard_parse(const char *word, unsigned *ret_k, unsigned *ret_n, struct diag *d);

/* Seconds that a cell takes, estimated from its operations and rate. */
double cell_estimate(const struct cell *c);

#endif
