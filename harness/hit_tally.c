/* SPDX-License-Identifier: BSD-2-Clause */
/* One instance of bpf/tally.bpf.c a tracepoint. */
#include "harness/hit_tally.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "bpf/tally.h"
#include "bpf/tally.skel.h"

struct hit_tally {
	struct tally *skel;
	struct bpf_link *link;
	int cpus;
	uint64_t *scratch; /* a value a CPU */
};

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

static int load(struct hit_tally *t, const char *tracepoint, uint64_t group)
{
	t->skel = tally__open();
	t->cpus = libbpf_num_possible_cpus();
	t->scratch = t->cpus > 0 ? calloc((size_t)t->cpus, sizeof(*t->scratch)) : NULL;
	if (!t->skel || !t->scratch)
		return -1;
	t->skel->rodata->group = group;
	if (tally__load(t->skel))
		return -1;
	t->link = bpf_program__attach_raw_tracepoint(t->skel->progs.count, tracepoint);
	return t->link ? 0 : -1;
}

struct hit_tally *hit_tally_new(const char *tracepoint, uint64_t group)
{
	struct hit_tally *t = calloc(1, sizeof(*t));
	libbpf_print_fn_t loud = libbpf_set_print(silent);
	int err = t ? load(t, tracepoint, group) : -1;

	libbpf_set_print(loud);
	if (!err)
		return t;
	hit_tally_free(t);
	return NULL;
}

void hit_tally_free(struct hit_tally *t)
{
	if (!t)
		return;
	bpf_link__destroy(t->link);
	tally__destroy(t->skel);
	free(t->scratch);
	free(t);
}

static double sum(const struct hit_tally *t, uint32_t key)
{
	double all = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.hits), &key, t->scratch))
		return 0;
	for (int i = 0; i < t->cpus; i++)
		all += (double)t->scratch[i];
	return all;
}

void hit_tally_read(const struct hit_tally *t, double *ret_group, double *ret_others)
{
	*ret_group = sum(t, TALLY_GROUP);
	*ret_others = sum(t, TALLY_OTHERS);
}
