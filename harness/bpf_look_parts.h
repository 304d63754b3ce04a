/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bpf_look.c, which counts, and bpf_look_find.c, which finds, know of each other; private to
 * them.
 */
#ifndef ASSAY_HARNESS_BPF_LOOK_PARTS_H
#define ASSAY_HARNESS_BPF_LOOK_PARTS_H

#include <sys/stat.h>

#include "harness/bpf_look.h"
#include "harness/hit_tally.h"

/* What stands in the counters of a program, and of the tally beside it. */
struct counters {
	double hits, run_ns, group, others;
};

struct program {
	uint32_t id;
	uint32_t type;
	double in[OVERHEAD_CLASS_CNT]; /* its places by class; their sum is 1 after settle */
	struct hit_tally *tally;       /* of its tracepoint; NULL: only the workload hits it */
	struct counters first, then;   /* when it was found, when the stretch began */
};

struct bpf_look {
	struct program *v;
	size_t cnt;
	const volatile uint64_t **rings; /* mapped: what was ever put in */
	size_t rings_cnt;
	int *maps; /* descriptors, each map once */
	uint32_t *map_ids;
	size_t maps_cnt;
	uint64_t *sites;
	size_t sites_cnt, places;
	double ring_then;
	struct stat exe;
	uint64_t group;
	int err; /* sticks */
};

/* Room for one more; NULL and l->err. */
void *look_grow(struct bpf_look *l, void *v, size_t cnt, size_t size);
/* NULL: it is not one of theirs. */
struct program *look_program(const struct bpf_look *l, uint32_t id);
/* A program and its maps, if it is not there yet. */
void look_add_program(struct bpf_look *l, uint32_t id);

/* The programs that these processes hold, and all their places. In bpf_look_find.c. */
void look_find(struct bpf_look *l, const pid_t *watchers, const char *exe);

#endif
