/* SPDX-License-Identifier: BSD-2-Clause */
/* Which programs somebody holds, and where they are attached. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/bpf_look_parts.h"
#include "lib/insn.h"

enum { NAME_MAX_LEN = 4096, SITE_BYTES = 16 };

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
	v = look_grow(l, l->sites, l->sites_cnt, sizeof(*v));
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
			p = look_program(l, info.prog_id);
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
		look_add_program(l, id);
}

static void find_place(struct bpf_look *l, pid_t pid, int fd, const char *exe)
{
	struct program *p;
	struct event e;

	if (!query(pid, fd, &e))
		return;
	p = look_program(l, e.prog);
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

void look_find(struct bpf_look *l, const pid_t *watchers, const char *exe)
{
	each_fd(l, watchers, exe, find_program);
	look_at_links(l, exe);
	each_fd(l, watchers, exe, find_place);
}
