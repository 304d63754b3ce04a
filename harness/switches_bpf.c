/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches and wake-ups from the logs of bpf/oncpu.bpf.c, one a CPU, in mapped memory. */
#include "harness/switches_source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/oncpu.h"
#include "bpf/oncpu.skel.h"

/* A map of logs, one a CPU. */
struct mapped {
	const void *v;
	size_t bytes;
};

struct logs {
	struct oncpu *skel;
	struct mapped switches, wakes; /* wakes.v NULL: they are not seen */
	int no_wakes;		       /* negative errno: why not all of them are */
	int cpus;
	struct {
		uint64_t switches, wakes;
	} read[]; /* of each CPU */
};

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* Tells wake-ups of threads from those of interrupts by more tracepoints than a kernel need have;
 * when threads switch is known without. */
static int load(struct logs *x, pid_t pid, bool wakes)
{
	struct bpf_program *p;
	int err;

	x->skel = oncpu__open();
	if (!x->skel)
		return -errno;
	x->skel->rodata->group = getpgid(pid);
	x->skel->rodata->wakes_asked = wakes;
	err = bpf_map__set_max_entries(x->skel->maps.logs, (uint32_t)x->cpus);
	if (!err && wakes)
		err = bpf_map__set_max_entries(x->skel->maps.wakes, (uint32_t)x->cpus);
	bpf_object__for_each_program(p, x->skel->obj) if (p != x->skel->progs.switched && !err)
		err = bpf_program__set_autoload(p, wakes);
	return err ? err : oncpu__load(x->skel);
}

static int map(const struct logs *x, const struct bpf_map *from, size_t log_bytes,
	       struct mapped *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = ((size_t)x->cpus * log_bytes + page - 1) / page * page;
	void *v = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(from), 0);

	if (v == MAP_FAILED)
		return -errno;
	*ret = (struct mapped){v, bytes};
	return 0;
}

static void unmap(struct mapped *m)
{
	if (m->v)
		munmap((void *)m->v, m->bytes);
	*m = (struct mapped){0};
}

static void unload(struct logs *x)
{
	unmap(&x->switches);
	unmap(&x->wakes);
	oncpu__destroy(x->skel);
	x->skel = NULL;
}

static int watch(struct logs *x, pid_t pid, bool wakes)
{
	int err = load(x, pid, wakes);

	if (!err)
		err = map(x, x->skel->maps.logs, sizeof(struct switch_log), &x->switches);
	if (!err && wakes)
		err = map(x, x->skel->maps.wakes, sizeof(struct wake_log), &x->wakes);
	if (!err)
		err = oncpu__attach(x->skel);
	if (err)
		unload(x);
	return err;
}

/* Whatever keeps wake-ups from being seen keeps no switches. */
static int watch_what_can_be(struct logs *x, pid_t pid, bool wakes)
{
	if (wakes) {
		x->no_wakes = watch(x, pid, true);
		if (!x->no_wakes)
			return 0;
	}
	return watch(x, pid, false);
}

static void close_logs(void *state)
{
	struct logs *x = state;

	unload(x);
	free(x);
}

static int open_logs(pid_t pid, bool wakes, void **ret)
{
	libbpf_print_fn_t before = libbpf_set_print(silent);
	int cpus = libbpf_num_possible_cpus(), err = cpus < 0 ? cpus : 0;
	struct logs *x = err ? NULL : calloc(1, sizeof(*x) + (size_t)cpus * sizeof(x->read[0]));

	if (!err && !x)
		err = -ENOMEM;
	if (!err) {
		x->cpus = cpus;
		err = watch_what_can_be(x, pid, wakes);
	}
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
static void drain_switches(const struct switch_log *log, uint64_t *read, struct switches *to)
{
	/* pairs with the exchange in the program: the records up to here are written */
	uint64_t end = __atomic_load_n(&log->cnt, __ATOMIC_ACQUIRE), from = *read;

	for (; *read < end; ++*read) {
		struct switch_rec r = copy(&log->v[*read % SWITCHES_KEPT]);

		switches_add(to, (struct timeline_switch){.t = r.t,
							  .ran = r.ran,
							  .delayed = r.delayed,
							  .tid = r.prev & ~SWITCH_SLEEPS,
							  .sleeps = r.prev & SWITCH_SLEEPS});
		switches_add(to, (struct timeline_switch){.t = r.t, .tid = r.next, .in = true});
	}
	if (__atomic_load_n(&log->cnt, __ATOMIC_RELAXED) - from >= SWITCHES_KEPT)
		switches_lost(to);
}

static struct wake copy_wake(const struct wake_rec *r)
{
	struct wake w = {.t = __atomic_load_n(&r->t, __ATOMIC_ACQUIRE),
			 .waker = __atomic_load_n(&r->waker, __ATOMIC_ACQUIRE),
			 .woken = __atomic_load_n(&r->woken, __ATOMIC_ACQUIRE)};

	for (unsigned i = 0; i + 1 < WAKES_NAME_LEN; i++) {
		w.waker_name[i] = __atomic_load_n(&r->waker_name[i], __ATOMIC_ACQUIRE);
		w.woken_name[i] = __atomic_load_n(&r->woken_name[i], __ATOMIC_ACQUIRE);
	}
	return w;
}

/* As above. */
static void drain_wakes(const struct wake_log *log, uint64_t *read, struct switches *to)
{
	uint64_t end = __atomic_load_n(&log->cnt, __ATOMIC_ACQUIRE), from = *read;

	for (; *read < end; ++*read) {
		struct wake w = copy_wake(&log->v[*read % WAKES_KEPT]);

		switches_add_wake(to, &w);
	}
	if (__atomic_load_n(&log->cnt, __ATOMIC_RELAXED) - from >= WAKES_KEPT)
		switches_lost_wakes(to);
}

static void drain(void *state, struct switches *to)
{
	struct logs *x = state;
	const struct switch_log *switches = x->switches.v;
	const struct wake_log *wakes = x->wakes.v;

	for (int i = 0; i < x->cpus; i++) {
		drain_switches(&switches[i], &x->read[i].switches, to);
		if (wakes)
			drain_wakes(&wakes[i], &x->read[i].wakes, to);
	}
}

/* How often the kernel kept a program from an event, since it was under way on this CPU; 0 also
 * where it does not count them (before 5.12). */
static uint64_t kept_from(const struct bpf_program *p)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_program__fd(p);

	return fd < 0 || bpf_prog_get_info_by_fd(fd, &info, &len) ? 0 : info.recursion_misses;
}

/* A miss leaves the depth of interrupts wrong until the next switch, or one wake-up out. */
static int no_wakes(const void *state)
{
	const struct logs *x = state;
	const struct bpf_program *p = NULL;

	if (!x->wakes.v)
		return x->no_wakes;
	while ((p = bpf_object__next_program(x->skel->obj, (struct bpf_program *)p)))
		if (kept_from(p))
			return -EAGAIN;
	return 0;
}

static void stop(void *state)
{
	struct logs *x = state;

	oncpu__detach(x->skel);
}

const struct switch_source switches_bpf = {
	.open = open_logs, .no_wakes = no_wakes, .drain = drain, .stop = stop, .close = close_logs};
