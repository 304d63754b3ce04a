/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of perf events. */
#include "lib/perf_rings.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
	int fd;
	struct perf_event_mmap_page *head;
};

struct perf_rings {
	struct ring *v;
	struct pollfd *polled; /* the rings', then the stop */
	unsigned cnt;
	size_t page, bytes; /* of a page, of a ring's data */
	/* a record that lies across the end of its ring */
	uint64_t whole[(UINT16_MAX + 1) / sizeof(uint64_t)];
};

static int map_ring(struct perf_rings *r, struct ring *ring, size_t least)
{
	void *map;

	for (;;) {
		map = mmap(NULL, r->page + r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			   0);
		if (map != MAP_FAILED)
			break;
		/* all rings are of the size that the first could have */
		if (errno != EPERM || r->cnt || r->bytes / 2 < least)
			return -errno;
		r->bytes /= 2;
	}
	ring->head = map;
	return 0;
}

static int open_ring(struct perf_rings *r, const struct perf_event_attr *a, pid_t pid, int cpu,
		     size_t least)
{
	struct perf_event_attr attr = *a;
	struct ring *ring = &r->v[r->cnt];
	int err;

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV && cpu >= 0 ? 0 : -errno;
	err = map_ring(r, ring, least);
	if (err) {
		close(ring->fd);
		return err;
	}
	r->polled[r->cnt++] = (struct pollfd){.fd = ring->fd, .events = POLLIN};
	return 0;
}

int perf_rings_open(const struct perf_event_attr *a, pid_t pid, bool each_cpu,
		    struct perf_rings_size size, struct perf_rings **ret)
{
	long rings = each_cpu ? sysconf(_SC_NPROCESSORS_CONF) : 1;
	struct perf_rings *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->bytes = size.most;
	r->v = calloc((size_t)rings, sizeof(*r->v));
	r->polled = calloc((size_t)rings + 1, sizeof(*r->polled));
	if (!r->v || !r->polled)
		err = -ENOMEM;
	for (long i = 0; i < rings && !err; i++)
		err = open_ring(r, a, pid, each_cpu ? (int)i : -1, size.least);
	if (!err && !r->cnt)
		err = -ENODEV;
	if (!err)
		*ret = r;
	else
		perf_rings_free(r);
	return err;
}

void perf_rings_free(struct perf_rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->cnt; i++) {
		munmap(r->v[i].head, r->page + r->bytes);
		close(r->v[i].fd);
	}
	free(r->v);
	free(r->polled);
	free(r);
}

bool perf_rings_wait(struct perf_rings *r, int stop_fd, int timeout_ms)
{
	r->polled[r->cnt] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
	return poll(r->polled, r->cnt + 1, timeout_ms) > 0 && r->polled[r->cnt].revents;
}

/* Records are multiples of 8 bytes, as is the ring: a header is never split. */
static const struct perf_event_header *record_at(struct perf_rings *r, const struct ring *ring,
						 uint64_t at)
{
	const char *data = (const char *)ring->head + r->page;
	size_t from = at % r->bytes, first;
	struct perf_event_header h;

	memcpy(&h, data + from, sizeof(h));
	if (from + h.size <= r->bytes)
		return (const void *)(data + from);
	first = r->bytes - from;
	memcpy(r->whole, data + from, first);
	memcpy((char *)r->whole + first, data, h.size - first);
	return (const void *)r->whole;
}

static void drain(struct perf_rings *r, const struct ring *ring, perf_rings_fn *fn, void *arg)
{
	/* pairs with the kernel's barrier after it wrote the records */
	uint64_t end = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->head->data_tail;

	while (at < end) {
		const struct perf_event_header *h = record_at(r, ring, at);

		if (h->size < sizeof(*h)) { /* the kernel writes none */
			at = end;
			break;
		}
		at += h->size;
		fn(arg, h);
	}
	/* the kernel may write over what was read */
	__atomic_store_n(&ring->head->data_tail, at, __ATOMIC_RELEASE);
}

void perf_rings_drain(struct perf_rings *r, perf_rings_fn *fn, void *arg)
{
	for (unsigned i = 0; i < r->cnt; i++)
		drain(r, &r->v[i], fn, arg);
}

void perf_rings_stop(struct perf_rings *r)
{
	for (unsigned i = 0; i < r->cnt; i++)
		ioctl(r->v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}
