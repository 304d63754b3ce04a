/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches of a process, from perf rings that a thread empties. */
#include "harness/switches.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/perf_rings.h"

/* 43,000 switches a CPU, if the user may lock that much. The reader is woken when there are 1,300
 * and has until the ring is full. */
static const struct perf_rings_size size = {.most = 1 << 20, .least = 1 << 16};
enum { WAKE_BYTES = 1 << 15 };

/* What sample_type asks for, at the end of every record (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t t;
};

struct switches {
	struct perf_rings *rings;
	int stop_fd;
	pthread_t reader;
	/* the reader's until it has been joined */
	struct timeline_switch *v;
	size_t cnt, cap;
	uint64_t lost;
	int failed;
};

/* Not of the idle tasks, of which each CPU has one of the same number, nor of what is dead. */
static void add(struct switches *s, uint16_t misc, const struct sample_id *id)
{
	if (!id->tid || id->tid == UINT32_MAX)
		return;
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
		.t = id->t,
		.tid = id->tid,
		.in = !(misc & PERF_RECORD_MISC_SWITCH_OUT),
	};
}

static void on_record(void *arg, const struct perf_event_header *h)
{
	struct switches *s = arg;

	const char *end = (const char *)h + h->size;

	if (h->type == PERF_RECORD_SWITCH || h->type == PERF_RECORD_SWITCH_CPU_WIDE)
		add(s, h->misc, (const void *)(end - sizeof(struct sample_id)));
	else if (h->type == PERF_RECORD_LOST)
		s->lost++;
}

static void *reader_main(void *arg)
{
	struct switches *s = arg;

	while (!perf_rings_wait(s->rings, s->stop_fd, -1))
		perf_rings_drain(s->rings, on_record, s);
	return NULL;
}

/*
 * Of a whole CPU a switch costs what its two records cost. An event of one process is taken on and
 * off the CPU with each of its threads beside that, 1 µs and more a switch, but may be had with
 * fewer rights.
 */
static int open_rings(struct switches *s, pid_t pid)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = WAKE_BYTES,
	};
	int err = perf_rings_open(&a, -1, true, size, &s->rings);

	if (err != -EACCES && err != -EPERM)
		return err;
	a.inherit = 1;
	return perf_rings_open(&a, pid, true, size, &s->rings);
}

static int watch(struct switches *s, pid_t pid)
{
	int err = open_rings(s, pid);

	if (err)
		return err;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0)
		return -errno;
	return -pthread_create(&s->reader, NULL, reader_main, s);
}

static void switches_free(struct switches *s)
{
	perf_rings_free(s->rings);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
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
	err = watch(s, pid);
	if (!err) {
		*ret = s;
		return 0;
	}
	switches_free(s);
	return diag_set(d, err, NULL, 0, "be root, or set kernel.perf_event_paranoid to 2 or less",
			"context switches cannot be watched: %s", strerror(-err));
}

static void end_watch(struct switches *s)
{
	uint64_t one = 1;

	while (write(s->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	pthread_join(s->reader, NULL);
	perf_rings_stop(s->rings);
	perf_rings_drain(s->rings, on_record, s);
}

int switches_close(struct switches *s, struct timeline **ret, struct diag *d)
{
	int err;

	end_watch(s);
	err = s->failed;
	if (err)
		diag_set(d, err, NULL, 0, NULL, "out of memory");
	else if (s->lost)
		err = diag_set(d, -ENODATA, NULL, 0, "run it on a machine that is less busy",
			       "records of context switches were lost");
	else
		*ret = timeline_make(s->v, s->cnt);
	if (!err && !*ret)
		err = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	switches_free(s);
	return err;
}
