/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs, their places, their maps. */
#include "harness/bpf_look.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/hit_tally.h"
#include "lib/insn.h"

enum { NAME_MAX_LEN = 4096, MAPS_MOST = 64, SITE_BYTES = 16 };

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
	int err;
};

/* Room for one more; NULL and l->err. */
static void *grow(struct bpf_look *l, void *v, size_t cnt, size_t size)
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
	const volatile uint64_t **v = grow(l, l->rings, l->rings_cnt, sizeof(*v));

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
	v = grow(l, l->maps, l->maps_cnt, sizeof(*v));
	if (v)
		l->maps = v;
	ids = v ? grow(l, l->map_ids, l->maps_cnt, sizeof(*ids)) : NULL;
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

static struct program *program_of(const struct bpf_look *l, uint32_t id)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (l->v[i].id == id)
			return &l->v[i];
	return NULL;
}

static void add_program(struct bpf_look *l, uint32_t id)
{
	uint32_t maps[MAPS_MOST], len = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MOST, .map_ids = (uintptr_t)maps};
	int fd = program_of(l, id) ? -1 : bpf_prog_get_fd_by_id(id);
	struct program *v;

	if (fd < 0)
		return;
	v = bpf_prog_get_info_by_fd(fd, &info, &len) ? NULL : grow(l, l->v, l->cnt, sizeof(*v));
	close(fd);
	if (!v)
		return;
	l->v = v;
	v[l->cnt++] = (struct program){.id = id, .type = info.type};
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MOST; i++)
		add_map(l, maps[i]);
}

/* ---- places ---- */

static void add_place(struct bpf_look *l, struct program *p, enum overhead_class class)
{
	p->in[class]++;
	l->places++;
}

static void add_tracepoint(struct bpf_look *l, struct program *p, const char *name,
			   enum overhead_class class)
{
	add_place(l, p, class);
	if (!p->tally)
		p->tally = hit_tally_new(name, l->group);
}

static enum overhead_class site_class(const uint8_t *bytes, size_t len)
{
	switch (insn_cost(bytes, len)) {
	case COST_NOP5:
		return CLASS_NOP5;
	case COST_STEPPED:
		return CLASS_STEPPED;
	case COST_EMULATED: /* push of a register: 50+r, behind a prefix for r8 and up */
		return (bytes[0] & 0xf8) == 0x50 || (bytes[0] == 0x41 && (bytes[1] & 0xf8) == 0x50)
			       ? CLASS_PUSH
			       : CLASS_NOP;
	default:
		return CLASS_UPROBE;
	}
}

static void add_site(struct bpf_look *l, uint64_t offset)
{
	uint64_t *v;

	for (size_t i = 0; i < l->sites_cnt; i++)
		if (l->sites[i] == offset)
			return;
	v = grow(l, l->sites, l->sites_cnt, sizeof(*v));
	if (!v)
		return;
	l->sites = v;
	v[l->sites_cnt++] = offset;
}

/* Paths are those of the watcher, which may see other mounts; what cannot be opened is taken for
 * the workload's program, by a path that it calls its own. */
static int open_probed(const struct bpf_look *l, const char *path, const char *exe, bool *ret_own)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*ret_own = fd < 0 ||
		   (!fstat(fd, &st) && st.st_ino == l->exe.st_ino && st.st_dev == l->exe.st_dev);
	return fd < 0 ? open(exe, O_RDONLY | O_CLOEXEC) : fd;
}

static void add_sites(struct bpf_look *l, struct program *p, const char *path, const char *exe,
		      const uint64_t *offsets, size_t cnt, bool on_return)
{
	bool own;
	int fd = open_probed(l, path, exe, &own);

	for (size_t i = 0; i < cnt; i++) {
		uint8_t bytes[SITE_BYTES];
		ssize_t n = fd < 0 ? 0 : pread(fd, bytes, sizeof(bytes), (off_t)offsets[i]);
		enum overhead_class class = n > 1 ? site_class(bytes, (size_t)n) : CLASS_UPROBE;

		add_place(l, p, on_return ? CLASS_RETURN : class);
		if (own)
			add_site(l, offsets[i]);
	}
	if (fd >= 0)
		close(fd);
}

/* ---- links ---- */

static void look_at_multi(struct bpf_look *l, int fd, struct program *p, const char *exe)
{
	char path[NAME_MAX_LEN] = "";
	struct bpf_link_info info = {0};
	uint32_t len = sizeof(info);
	uint64_t *offsets;

	if (bpf_link_get_info_by_fd(fd, &info, &len) || !info.uprobe_multi.count)
		return;
	offsets = calloc(info.uprobe_multi.count, sizeof(*offsets));
	if (!offsets) {
		l->err = -ENOMEM;
		return;
	}
	len = info.uprobe_multi.count;
	info = (struct bpf_link_info){0};
	info.uprobe_multi.offsets = (uintptr_t)offsets;
	info.uprobe_multi.count = len;
	info.uprobe_multi.path = (uintptr_t)path;
	info.uprobe_multi.path_size = sizeof(path);
	len = sizeof(info);
	if (!bpf_link_get_info_by_fd(fd, &info, &len))
		add_sites(l, p, path, exe, offsets, info.uprobe_multi.count,
			  info.uprobe_multi.flags & BPF_F_UPROBE_MULTI_RETURN);
	free(offsets);
}

static void look_at_tracepoint(struct bpf_look *l, int fd, struct program *p)
{
	char name[128] = "";
	struct bpf_link_info info = {
		.raw_tracepoint = {.tp_name = (uintptr_t)name, .tp_name_len = sizeof(name)}};
	uint32_t len = sizeof(info);
	bool call = !bpf_link_get_info_by_fd(fd, &info, &len) &&
		    (!strcmp(name, "sys_enter") || !strcmp(name, "sys_exit"));

	add_tracepoint(l, p, name, call ? CLASS_SYSCALL : CLASS_TRACEPOINT);
}

static void look_at_links(struct bpf_look *l, const char *exe)
{
	uint32_t id = 0;

	while (!l->err && !bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {0};
		uint32_t len = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);
		struct program *p = NULL;

		if (fd >= 0 && !bpf_link_get_info_by_fd(fd, &info, &len))
			p = program_of(l, info.prog_id);
		if (p && info.type == BPF_LINK_TYPE_RAW_TRACEPOINT)
			look_at_tracepoint(l, fd, p);
		else if (p && info.type == BPF_LINK_TYPE_UPROBE_MULTI)
			look_at_multi(l, fd, p, exe);
		if (fd >= 0)
			close(fd);
	}
}

/* ---- perf events ---- */

/* "prog_id:\t7", which programs and links have. */
static uint32_t program_in_fdinfo(pid_t pid, int fd)
{
	char path[64], line[128];
	unsigned id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)pid, fd);
	f = fopen(path, "re");
	while (f && !id && fgets(line, sizeof(line), f))
		if (sscanf(line, "prog_id: %u", &id) != 1)
			id = 0;
	if (f)
		fclose(f);
	return id;
}

/* What a descriptor holds, if it is a perf event with a program. */
struct event {
	char name[NAME_MAX_LEN];
	uint32_t prog, type;
	uint64_t offset;
};

static bool query(pid_t pid, int fd, struct event *ret)
{
	uint32_t len = sizeof(ret->name);
	__u64 offset = 0, addr = 0;

	ret->name[0] = '\0';
	if (bpf_task_fd_query(pid, fd, 0, ret->name, &len, &ret->prog, &ret->type, &offset, &addr))
		return false;
	ret->offset = offset;
	return true;
}

static void find_program(struct bpf_look *l, pid_t pid, int fd, const char *exe)
{
	uint32_t id = program_in_fdinfo(pid, fd);
	struct event e;

	(void)exe;
	if (!id && query(pid, fd, &e))
		id = e.prog;
	if (id)
		add_program(l, id);
}

static void find_place(struct bpf_look *l, pid_t pid, int fd, const char *exe)
{
	struct program *p;
	struct event e;

	if (!query(pid, fd, &e))
		return;
	p = program_of(l, e.prog);
	if (!p)
		return;
	switch (e.type) {
	case BPF_FD_TYPE_TRACEPOINT:
		add_tracepoint(l, p, e.name, CLASS_PERF_TRACEPOINT);
		break;
	case BPF_FD_TYPE_UPROBE:
	case BPF_FD_TYPE_URETPROBE:
		add_sites(l, p, e.name, exe, &e.offset, 1, e.type == BPF_FD_TYPE_URETPROBE);
		break;
	case BPF_FD_TYPE_RAW_TRACEPOINT: /* is a link */
		break;
	default:
		add_place(l, p, CLASS_UPROBE);
	}
}

static void each_fd(struct bpf_look *l, const pid_t *pids, const char *exe,
		    void (*fn)(struct bpf_look *l, pid_t pid, int fd, const char *exe))
{
	for (; !l->err && *pids; pids++) {
		struct dirent *e;
		char path[64];
		DIR *dir;

		snprintf(path, sizeof(path), "/proc/%d/fd", (int)*pids);
		dir = opendir(path);
		while (dir && (e = readdir(dir)))
			if (e->d_name[0] != '.')
				fn(l, *pids, atoi(e->d_name), exe);
		if (dir)
			closedir(dir);
	}
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

/* Of a program whose place nobody tells. */
static enum overhead_class class_by_type(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_TRACING:
		return CLASS_TRACEPOINT;
	case BPF_PROG_TYPE_TRACEPOINT:
		return CLASS_PERF_TRACEPOINT;
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
	each_fd(l, watchers, exe, find_program);
	look_at_links(l, exe);
	each_fd(l, watchers, exe, find_place);
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
