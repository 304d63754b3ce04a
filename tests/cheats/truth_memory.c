/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways into another process's memory, all of them shut to who may not look. */
#include "tests/cheats/truth_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

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
		if (strstr(line, "rw-s") && strstr(line, "/memfd:") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2) {
			m->addr = from;
			m->bytes = to - from;
			err = 0;
		}
	fclose(f);
	return err;
}

static int open_route(struct truth_memory *m)
{
	char path[128];

	if (m->route == ROUTE_VM)
		return 0;
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
	struct truth_memory m = {.pid = pid, .route = route, .fd = -1};
	int err = find(&m);

	if (!err)
		err = open_route(&m);
	if (!err) {
		m.copy = calloc(1, m.bytes);
		err = m.copy ? read_at(&m, 0, m.bytes) : -ENOMEM;
	}
	if (err)
		truth_memory_close(&m);
	else
		*ret = m;
	return err;
}

int truth_memory_update(struct truth_memory *m)
{
	const struct log_channel *head = truth_memory_head(m);
	int err = 0;

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
	free(m->copy);
	m->copy = NULL;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
