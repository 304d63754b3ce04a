/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches from the logs of bpf/oncpu.bpf.c, one a CPU, in mapped memory. */
#include "harness/switches_source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/oncpu.h"
#include "bpf/oncpu.skel.h"

struct logs {
	struct oncpu *skel;
	const struct switch_log *v; /* mapped; one a CPU */
	size_t bytes;
	int cpus;
	uint64_t read[]; /* of each */
};

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

static int load(struct logs *x, pid_t pid)
{
	int err;

	x->skel = oncpu__open();
	if (!x->skel)
		return -errno;
	x->skel->rodata->group = getpgid(pid);
	err = bpf_map__set_max_entries(x->skel->maps.logs, (uint32_t)x->cpus);
	return err ? err : oncpu__load(x->skel);
}

static int map(struct logs *x)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *v;

	x->bytes = ((size_t)x->cpus * sizeof(struct switch_log) + page - 1) / page * page;
	v = mmap(NULL, x->bytes, PROT_READ, MAP_SHARED, bpf_map__fd(x->skel->maps.logs), 0);
	if (v == MAP_FAILED)
		return -errno;
	x->v = v;
	return oncpu__attach(x->skel);
}

static void close_logs(void *state)
{
	struct logs *x = state;

	if (x->v)
		munmap((void *)x->v, x->bytes);
	oncpu__destroy(x->skel);
	free(x);
}

static int open_logs(pid_t pid, void **ret)
{
	libbpf_print_fn_t before = libbpf_set_print(silent);
	int cpus = libbpf_num_possible_cpus(), err = cpus < 0 ? cpus : 0;
	struct logs *x = err ? NULL : calloc(1, sizeof(*x) + (size_t)cpus * sizeof(x->read[0]));

	if (!err && !x)
		err = -ENOMEM;
	if (!err) {
		x->cpus = cpus;
		err = load(x, pid);
	}
	if (!err)
		err = map(x);
	libbpf_set_print(before);
	if (!err)
		*ret = x;
	else if (x)
		close_logs(x);
	return err;
}

/* Acquire: what is loaded afterwards, the count above all, is as new as this or newer. */
static struct switch_rec copy(const struct switch_rec *r)
{
	return (struct switch_rec){.t = __atomic_load_n(&r->t, __ATOMIC_ACQUIRE),
				   .ran = __atomic_load_n(&r->ran, __ATOMIC_ACQUIRE),
				   .delayed = __atomic_load_n(&r->delayed, __ATOMIC_ACQUIRE),
				   .prev = __atomic_load_n(&r->prev, __ATOMIC_ACQUIRE),
				   .next = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE)};
}

/* What is read may be written over meanwhile, if the writer has come round. */
static void drain_one(const struct switch_log *log, uint64_t *read, struct switches *to)
{
	/* pairs with the exchange in the program: the records up to here are written */
	uint64_t end = __atomic_load_n(&log->cnt, __ATOMIC_ACQUIRE), from = *read;

	for (; *read < end; ++*read) {
		struct switch_rec r = copy(&log->v[*read % SWITCHES_KEPT]);

		switches_add(to,
			     (struct timeline_switch){
				     .t = r.t, .ran = r.ran, .delayed = r.delayed, .tid = r.prev});
		switches_add(to, (struct timeline_switch){.t = r.t, .tid = r.next, .in = true});
	}
	if (__atomic_load_n(&log->cnt, __ATOMIC_RELAXED) - from >= SWITCHES_KEPT)
		switches_lost(to);
}

static void drain(void *state, struct switches *to)
{
	struct logs *x = state;

	for (int i = 0; i < x->cpus; i++)
		drain_one(&x->v[i], &x->read[i], to);
}

static void stop(void *state)
{
	struct logs *x = state;

	oncpu__detach(x->skel);
}

const struct switch_source switches_bpf = {
	.open = open_logs, .drain = drain, .stop = stop, .close = close_logs};
