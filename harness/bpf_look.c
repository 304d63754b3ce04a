/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs, their maps, their counters. */
#include "harness/bpf_look.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/bpf_look_parts.h"

enum { MAPS_MOST = 64 };

void *look_grow(struct bpf_look *l, void *v, size_t cnt, size_t size)
{
	void *more = reallocarray(v, cnt + 1, size);

	if (!more)
		l->err = -ENOMEM;
	return more;
}

/* ---- maps ---- */

static const volatile uint64_t *map_ring(int fd)
{
	long page = sysconf(_SC_PAGESIZE);
	void *v = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, page);

	return v == MAP_FAILED ? NULL : v;
}

static void add_ring(struct bpf_look *l, int fd)
{
	const volatile uint64_t **v = look_grow(l, l->rings, l->rings_cnt, sizeof(*v));

	if (!v)
		return;
	l->rings = v;
	v[l->rings_cnt] = map_ring(fd);
	l->rings_cnt += v[l->rings_cnt] != NULL;
}

static bool has_map(const struct bpf_look *l, uint32_t id)
{
	for (size_t i = 0; i < l->maps_cnt; i++)
		if (l->map_ids[i] == id)
			return true;
	return false;
}

static void add_map(struct bpf_look *l, uint32_t id)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info), *ids;
	int *v, fd = has_map(l, id) ? -1 : bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return;
	v = look_grow(l, l->maps, l->maps_cnt, sizeof(*v));
	if (v)
		l->maps = v;
	ids = v ? look_grow(l, l->map_ids, l->maps_cnt, sizeof(*ids)) : NULL;
	if (!ids) {
		close(fd);
		return;
	}
	l->map_ids = ids;
	v[l->maps_cnt] = fd;
	ids[l->maps_cnt++] = id;
	if (!bpf_map_get_info_by_fd(fd, &info, &len) && info.type == BPF_MAP_TYPE_RINGBUF)
		add_ring(l, fd);
}

/* "memlock:\t4096" of /proc/self/fdinfo/FD. */
static double map_bytes(int fd)
{
	char path[64], line[128];
	double bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "memlock:", 8))
			bytes = strtod(line + 8, NULL);
	if (f)
		fclose(f);
	return bytes;
}

/* ---- programs ---- */

struct program *look_program(const struct bpf_look *l, uint32_t id)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (l->v[i].id == id)
			return &l->v[i];
	return NULL;
}

void look_add_program(struct bpf_look *l, uint32_t id)
{
	uint32_t maps[MAPS_MOST], len = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MOST, .map_ids = (uintptr_t)maps};
	int fd = look_program(l, id) ? -1 : bpf_prog_get_fd_by_id(id);
	struct program *v;

	if (fd < 0)
		return;
	v = bpf_prog_get_info_by_fd(fd, &info, &len) ? NULL
						     : look_grow(l, l->v, l->cnt, sizeof(*v));
	close(fd);
	if (!v)
		return;
	l->v = v;
	v[l->cnt++] = (struct program){.id = id, .type = info.type};
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MOST; i++)
		add_map(l, maps[i]);
}

/* ---- counters ---- */

static void read_counters(const struct program *p, struct counters *ret)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(p->id);
	struct counters c = {0};

	if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &len)) {
		c.hits = (double)info.run_cnt;
		c.run_ns = (double)info.run_time_ns;
	}
	if (fd >= 0)
		close(fd);
	if (p->tally)
		hit_tally_read(p->tally, &c.group, &c.others);
	*ret = c;
}

/* ---- the whole ---- */

/* Of a program whose place nobody tells: at what it stands, and who hits it, is not known. */
static enum overhead_class class_by_type(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_KPROBE:
		return CLASS_UPROBE;
	case BPF_PROG_TYPE_PERF_EVENT:
		return CLASS_SAMPLE;
	default:
		return CLASS_OTHER;
	}
}

static void settle(struct program *p)
{
	double sum = 0;

	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++)
		sum += p->in[i];
	if (sum <= 0)
		p->in[class_by_type(p->type)] = sum = 1;
	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++)
		p->in[i] /= sum;
}

struct bpf_look *bpf_look_new(const pid_t *watchers, const char *exe, uint64_t group)
{
	struct bpf_look *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->group = group;
	if (stat(exe, &l->exe))
		l->exe = (struct stat){0};
	look_find(l, watchers, exe);
	for (size_t i = 0; i < l->cnt; i++) {
		settle(&l->v[i]);
		read_counters(&l->v[i], &l->v[i].first);
	}
	if (!l->err)
		return l;
	bpf_look_free(l);
	return NULL;
}

void bpf_look_free(struct bpf_look *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->rings_cnt; i++)
		munmap((void *)l->rings[i], (size_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < l->maps_cnt; i++)
		close(l->maps[i]);
	for (size_t i = 0; i < l->cnt; i++)
		hit_tally_free(l->v[i].tally);
	free((void *)l->rings);
	free(l->maps);
	free(l->map_ids);
	free(l->sites);
	free(l->v);
	free(l);
}

static double produced(const struct bpf_look *l)
{
	double bytes = 0;

	for (size_t i = 0; i < l->rings_cnt; i++)
		bytes += (double)*l->rings[i];
	return bytes;
}

void bpf_look_begin(struct bpf_look *l)
{
	for (size_t i = 0; i < l->cnt; i++)
		read_counters(&l->v[i], &l->v[i].then);
	l->ring_then = produced(l);
}

/*
 * The workload's share of the hits is that of the tally. Runs for others are mostly shorter, since
 * programs that look at one process leave at once: theirs take what runs took before the stretch,
 * when the workload stood still.
 */
static void end_program(const struct program *p, struct bpf_counts *ret)
{
	struct counters now;
	double hits, run_ns, group, others, idle, a_run, theirs = 0;

	read_counters(p, &now);
	hits = now.hits - p->then.hits;
	run_ns = now.run_ns - p->then.run_ns;
	group = now.group - p->then.group;
	others = now.others - p->then.others;
	idle = p->then.hits - p->first.hits;
	if (p->tally && group + others > 0)
		theirs = hits * others / (group + others);
	a_run = idle > 0 ? (p->then.run_ns - p->first.run_ns) / idle : hits > 0 ? run_ns / hits : 0;
	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++) {
		ret->hits[i] += p->in[i] * (hits - theirs);
		ret->others[i] += p->in[i] * theirs;
		ret->run_ns[i] += p->in[i] * fmax(run_ns - theirs * a_run, 0);
	}
}

void bpf_look_end(struct bpf_look *l, struct bpf_counts *ret)
{
	struct bpf_counts c = {.ring_bytes = l->rings_cnt ? produced(l) - l->ring_then : -1,
			       .kernel_bytes = l->maps_cnt ? 0 : -1};

	for (size_t i = 0; i < l->cnt; i++)
		end_program(&l->v[i], &c);
	for (size_t i = 0; i < l->maps_cnt; i++)
		c.kernel_bytes += map_bytes(l->maps[i]);
	*ret = c;
}

double bpf_look_programs(const struct bpf_look *l, unsigned class)
{
	double n = 0;

	for (size_t i = 0; i < l->cnt; i++)
		n += l->v[i].in[class];
	return n;
}

size_t bpf_look_places(const struct bpf_look *l)
{
	return l->places;
}

size_t bpf_look_sites(const struct bpf_look *l, const uint64_t **ret)
{
	*ret = l->sites;
	return l->sites_cnt;
}
