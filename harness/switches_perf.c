/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches from rings of perf, for whoever may not load BPF programs. */
#include "harness/switches_source.h"

#include <errno.h>
#include <time.h>

#include "lib/perf_rings.h"

/* 43,000 switches a CPU, if the user may lock that much. */
static const struct perf_rings_size size = {.most = 1 << 20, .least = 1 << 16};

/* What sample_type asks for, at the end of every record (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t t;
};

static void on_record(void *arg, const struct perf_event_header *h)
{
	const char *end = (const char *)h + h->size;
	const struct sample_id *id = (const void *)(end - sizeof(struct sample_id));

	if (h->type == PERF_RECORD_LOST)
		switches_lost(arg);
	/* of what is dead the kernel gives no number */
	if (h->type == PERF_RECORD_SWITCH && id->tid != UINT32_MAX)
		switches_add(arg,
			     (struct timeline_switch){
				     .t = id->t,
				     .tid = id->tid,
				     .in = !(h->misc & PERF_RECORD_MISC_SWITCH_OUT),
				     .sleeps = !(h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)});
}

static int open_perf(pid_t pid, bool wakes, void **ret)
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
		.wakeup_watermark = 1 << 30, /* the reader looks by itself */
	};
	struct perf_rings *rings;
	int err = perf_rings_open(&a, pid, true, size, &rings);

	if (!err)
		*ret = rings;
	return err;
}

static void drain(void *state, struct switches *to)
{
	perf_rings_drain(state, on_record, to);
}

static int no_wakes(const void *state)
{
	(void)state;
	return -EOPNOTSUPP;
}

static void stop(void *state)
{
	perf_rings_stop(state);
}

static void close_perf(void *state)
{
	perf_rings_free(state);
}

const struct switch_source switches_perf = {
	.open = open_perf, .no_wakes = no_wakes, .drain = drain, .stop = stop, .close = close_perf};
