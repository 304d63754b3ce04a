/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways into another process's memory, all of them shut to who may not look. */
#include "tests/cheats/truth_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "tests/cheats/peek.h"
#include "tests/cheats/peek.skel.h"

enum { NUMBERS = 64 };

_Static_assert(sizeof(struct peek_slot) == sizeof(struct log_slot) &&
		       offsetof(struct peek_slot, cnt) == offsetof(struct log_slot, cnt) &&
		       offsetof(struct peek_slot, recs_off) ==
			       offsetof(struct log_slot, recs_off) &&
		       PEEK_REC_BYTES == sizeof(struct log_rec),
	       "it is the same layout");

static int find(struct truth_memory *m)
{
	unsigned long from, to;
	char path[64], line[512];
	int err = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", m->pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f))
		if (strstr(line, "rw-s") &&
		    (strstr(line, "/memfd:") || strstr(line, "/secretmem")) &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2) {
			m->addr = from;
			m->bytes = to - from;
			err = 0;
		}
	fclose(f);
	return err;
}

/* ---- a descriptor of somebody's ---- */

static bool take_fd(struct truth_memory *m, pid_t of, int number)
{
	int pidfd = (int)syscall(SYS_pidfd_open, of, 0);
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	struct stat s;
	char *map;

	close(pidfd);
	map = fstat(fd, &s) || (uint64_t)s.st_size != m->bytes
		      ? MAP_FAILED
		      : mmap(NULL, m->bytes, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED || ((struct log_channel *)map)->magic != LOG_MAGIC)
		return false;
	m->map = map;
	return true;
}

static int open_fd(struct truth_memory *m)
{
	for (int number = 0; number < NUMBERS; number++)
		if (take_fd(m, m->pid, number) || take_fd(m, getppid(), number))
			return 0;
	return -ENOENT;
}

/* ---- a program in its context ---- */

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int take_piece(void *arg, void *data, size_t len)
{
	struct truth_memory *m = arg;
	const struct peek_piece *p = data;

	if (len == sizeof(*p) && p->at < m->bytes)
		memcpy(m->copy + p->at, p->bytes, MIN(m->bytes - p->at, sizeof(p->bytes)));
	return 0;
}

static int open_bpf(struct truth_memory *m)
{
	libbpf_set_print(silent);
	m->skel = peek__open();
	if (!m->skel)
		return -errno;
	m->skel->rodata->tgid = (uint32_t)m->pid;
	m->skel->rodata->base = m->addr;
	m->skel->rodata->bytes = m->bytes;
	m->skel->rodata->slots_off = (sizeof(struct log_channel) + sizeof(struct log_slot) - 1) /
				     sizeof(struct log_slot) * sizeof(struct log_slot);
	if (peek__load(m->skel) || peek__attach(m->skel))
		return -errno;
	m->ring = ring_buffer__new(bpf_map__fd(m->skel->maps.ring), take_piece, m, NULL);
	return m->ring ? 0 : -errno;
}

static int open_route(struct truth_memory *m)
{
	char path[128];

	if (m->route == ROUTE_VM)
		return 0;
	if (m->route == ROUTE_FD)
		return open_fd(m);
	if (m->route == ROUTE_BPF)
		return open_bpf(m);
	if (m->route == ROUTE_MEM)
		snprintf(path, sizeof(path), "/proc/%d/mem", m->pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", m->pid,
			 (unsigned long)m->addr, (unsigned long)(m->addr + m->bytes));
	m->fd = open(path, (m->route == ROUTE_MEM ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	return m->fd < 0 ? -errno : 0;
}

static ssize_t read_some(const struct truth_memory *m, uint64_t at, uint64_t bytes)
{
	struct iovec to = {m->copy + at, bytes}, from = {(void *)(m->addr + at), bytes};

	if (m->map) {
		memcpy(m->copy + at, m->map + at, bytes);
		return (ssize_t)bytes;
	}
	if (m->route == ROUTE_VM)
		return process_vm_readv(m->pid, &to, 1, &from, 1, 0);
	return pread(m->fd, m->copy + at, bytes,
		     (off_t)(m->route == ROUTE_MEM ? m->addr + at : at));
}

static int read_at(const struct truth_memory *m, uint64_t at, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = read_some(m, at, bytes);

		if (n <= 0)
			return n ? -errno : -EIO;
		at += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

int truth_memory_open(pid_t pid, enum truth_route route, struct truth_memory *ret)
{
	int err;

	*ret = (struct truth_memory){.pid = pid, .route = route, .fd = -1};
	err = find(ret);
	if (!err)
		err = open_route(ret);
	if (!err) {
		ret->copy = calloc(1, ret->bytes);
		err = !ret->copy ? -ENOMEM : ret->ring ? 0 : read_at(ret, 0, ret->bytes);
	}
	if (err)
		truth_memory_close(ret);
	return err;
}

int truth_memory_update(struct truth_memory *m)
{
	const struct log_channel *head = truth_memory_head(m);
	int err = 0;

	if (m->ring)
		return MIN(0, ring_buffer__consume(m->ring));
	for (uint32_t i = 0; !err && i < head->slots_cnt; i++) {
		const struct log_slot *s = truth_memory_slot(m, i);
		uint64_t had = s->cnt;

		err = read_at(m, head->slots_off + i * sizeof(*s), sizeof(*s));
		if (!err && s->cnt > had)
			err = read_at(m, s->recs_off + had * sizeof(struct log_rec),
				      (s->cnt - had) * sizeof(struct log_rec));
	}
	return err;
}

int truth_memory_write(const struct truth_memory *m, uint64_t at, uint32_t v)
{
	return pwrite(m->fd, &v, sizeof(v), (off_t)(m->addr + at)) == sizeof(v) ? 0 : -errno;
}

void truth_memory_close(struct truth_memory *m)
{
	ring_buffer__free(m->ring);
	peek__destroy(m->skel);
	if (m->map)
		munmap(m->map, m->bytes);
	free(m->copy);
	m->copy = m->map = NULL;
	m->ring = NULL;
	m->skel = NULL;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
