/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches of a process, from perf rings that a thread empties. */
#include "harness/switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * 43,000 switches a CPU; a user without rights may lock less. Woken at half of it, the thread has
 * as long again until one is lost.
 */
enum { RING_MOST = 1 << 20, RING_LEAST = 1 << 16 };

/* PERF_RECORD_SWITCH with sample_id_all: what sample_type asks for follows. */
struct switch_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t t;
};

struct ring {
	int fd;
	struct perf_event_mmap_page *head;
};

struct switches {
	struct ring *rings;
	struct pollfd *polled; /* the rings', then the stop */
	unsigned rings_cnt;
	size_t page, bytes; /* of a page, of a ring's data */
	int stop_fd;
	pthread_t reader;
	/* the reader's until it has been joined */
	struct timeline_switch *v;
	size_t cnt, cap;
	uint64_t lost;
	int failed;
};

/* ---- reading ---- */

static void add(struct switches *s, const struct switch_record *r)
{
	if (s->cnt == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 4096;
		struct timeline_switch *v = realloc(s->v, cap * sizeof(*v));

		if (!v) {
			s->failed = -ENOMEM;
			return;
		}
		s->v = v;
		s->cap = cap;
	}
	s->v[s->cnt++] = (struct timeline_switch){
		.t = r->t,
		.tid = r->tid,
		.in = !(r->header.misc & PERF_RECORD_MISC_SWITCH_OUT),
		.preempted = r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};
}

/* Records are multiples of 8 bytes, as is the ring: only whole words lie across its end. */
static void copy_out(const struct switches *s, const struct ring *r, uint64_t at, void *to,
		     size_t len)
{
	const char *data = (const char *)r->head + s->page;

	for (size_t i = 0; i < len; i += sizeof(uint64_t))
		memcpy((char *)to + i, data + (at + i) % s->bytes, sizeof(uint64_t));
}

static void drain(struct switches *s, const struct ring *r)
{
	/* pairs with the kernel's barrier after it wrote the records */
	uint64_t end = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = r->head->data_tail;

	while (at < end) {
		struct switch_record record;
		struct perf_event_header header;

		copy_out(s, r, at, &header, sizeof(header));
		if (header.type == PERF_RECORD_SWITCH && header.size == sizeof(record)) {
			copy_out(s, r, at, &record, sizeof(record));
			add(s, &record);
		} else if (header.type == PERF_RECORD_LOST) {
			s->lost++;
		}
		at += header.size ? header.size : end - at;
	}
	__atomic_store_n(&r->head->data_tail, at, __ATOMIC_RELEASE);
}

static void drain_all(struct switches *s)
{
	for (unsigned i = 0; i < s->rings_cnt; i++)
		drain(s, &s->rings[i]);
}

static void *reader_main(void *arg)
{
	struct switches *s = arg;

	while (poll(s->polled, s->rings_cnt + 1, -1) < 0 || !s->polled[s->rings_cnt].revents)
		drain_all(s);
	return NULL;
}

/* ---- opening ---- */

static int map_ring(struct switches *s, struct ring *r)
{
	void *map = MAP_FAILED;

	/* all rings are of the size that the first could have */
	for (; map == MAP_FAILED; s->bytes /= 2) {
		map = mmap(NULL, s->page + s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
		if (map != MAP_FAILED)
			break;
		if (errno != EPERM || s->rings_cnt || s->bytes == RING_LEAST)
			return -errno;
	}
	r->head = map;
	return 0;
}

static int open_ring(struct switches *s, pid_t pid, int cpu)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_LEAST / 2,
	};
	struct ring *r = &s->rings[s->rings_cnt];
	int err;

	r->fd = (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return errno == ENODEV ? 0 : -errno; /* the CPU is off */
	err = map_ring(s, r);
	if (err) {
		close(r->fd);
		return err;
	}
	s->polled[s->rings_cnt++] = (struct pollfd){.fd = r->fd, .events = POLLIN};
	return 0;
}

static int open_all(struct switches *s, pid_t pid)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	s->rings = calloc((size_t)cpus, sizeof(*s->rings));
	s->polled = calloc((size_t)cpus + 1, sizeof(*s->polled));
	if (!s->rings || !s->polled)
		return -ENOMEM;
	for (long i = 0; i < cpus && !err; i++)
		err = open_ring(s, pid, (int)i);
	if (err)
		return err;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0)
		return -errno;
	s->polled[s->rings_cnt] = (struct pollfd){.fd = s->stop_fd, .events = POLLIN};
	return -pthread_create(&s->reader, NULL, reader_main, s);
}

static void switches_free(struct switches *s)
{
	for (unsigned i = 0; i < s->rings_cnt; i++) {
		munmap(s->rings[i].head, s->page + s->bytes);
		close(s->rings[i].fd);
	}
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	free(s->rings);
	free(s->polled);
	free(s->v);
	free(s);
}

int switches_open(pid_t pid, struct switches **ret, struct diag *d)
{
	struct switches *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	s->stop_fd = -1;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->bytes = RING_MOST;
	err = open_all(s, pid);
	if (!err) {
		*ret = s;
		return 0;
	}
	switches_free(s);
	return diag_set(d, err, NULL, 0, "be root, or set kernel.perf_event_paranoid to 2 or less",
			"context switches cannot be watched: %s", strerror(-err));
}

/* ---- closing ---- */

static void stop_reader(struct switches *s)
{
	uint64_t one = 1;

	while (write(s->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	pthread_join(s->reader, NULL);
	for (unsigned i = 0; i < s->rings_cnt; i++)
		ioctl(s->rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	drain_all(s);
}

int switches_close(struct switches *s, struct timeline **ret, struct diag *d)
{
	int err;

	stop_reader(s);
	err = s->failed;
	if (err)
		diag_set(d, err, NULL, 0, NULL, "out of memory");
	else if (s->lost)
		err = diag_set(d, -ENODATA, NULL, 0, "run it on a machine that is less busy",
			       "records of context switches were lost");
	else
		err = timeline_make(s->v, s->cnt, ret, d);
	switches_free(s);
	return err;
}
