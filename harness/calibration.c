/* SPDX-License-Identifier: BSD-2-Clause */
/* Which work items a process queued, by a perf event on the kernel's tracepoint. */
#include "harness/calibration.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perf_rings.h"

/* 1,400 hits of some 90 bytes and more fit. */
static const struct perf_rings_size size = {.most = 1 << 19, .least = 1 << 17};

struct calibration {
	struct perf_rings *rings;
	unsigned work_at, function_at; /* offsets in a hit's raw bytes */
};

/* ---- the tracepoint, as tracefs describes it ---- */

static FILE *event_file(const char *name)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (unsigned i = 0; i < 2; i++) {
		char path[128];
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/workqueue/workqueue_queue_work/%s",
			 roots[i], name);
		f = fopen(path, "re");
		if (f || errno != ENOENT)
			return f;
	}
	return NULL;
}

static int event_id(uint64_t *ret)
{
	FILE *f = event_file("id");
	int err = f ? 0 : -errno;

	if (f && fscanf(f, "%lu", ret) != 1)
		err = -EINVAL;
	if (f)
		fclose(f);
	return err;
}

/* "\tfield:void * work;\toffset:8;\tsize:8;\tsigned:0;" */
static void event_field(const char *line, struct calibration *c)
{
	const char *at = strstr(line, "offset:");
	unsigned *to = strstr(line, " work;")	    ? &c->work_at
		       : strstr(line, " function;") ? &c->function_at
						    : NULL;

	if (to && at)
		*to = (unsigned)strtoul(at + strlen("offset:"), NULL, 10);
}

static int event_format(struct calibration *c)
{
	FILE *f = event_file("format");
	char line[256];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		event_field(line, c);
	fclose(f);
	return c->work_at && c->function_at ? 0 : -EINVAL;
}

/* ---- opening ---- */

static int open_ring(struct calibration *c, pid_t pid, uint64_t id)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};

	return perf_rings_open(&a, pid, false, size, &c->rings);
}

int calibration_open(pid_t pid, struct calibration **ret, struct diag *d)
{
	struct calibration *c = calloc(1, sizeof(*c));
	uint64_t id = 0;
	int err;

	if (!c)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	err = event_id(&id);
	if (!err)
		err = event_format(c);
	if (!err)
		err = open_ring(c, pid, id);
	if (!err) {
		*ret = c;
		return 0;
	}
	calibration_free(c);
	return diag_set(d, err, NULL, 0, "be root, and mount tracefs",
			"cannot watch workqueue_queue_work: %s", strerror(-err));
}

void calibration_free(struct calibration *c)
{
	if (!c)
		return;
	perf_rings_free(c->rings);
	free(c);
}

/* ---- reading ---- */

struct hits {
	struct calibration_hit v[CALIBRATION_MOST * CALIBRATION_SHOWN];
	size_t cnt;
	bool incomplete;
	const struct calibration *of;
};

static void add_hit(const struct calibration *c, struct hits *h,
		    const struct perf_event_header *record)
{
	const uint8_t *raw = (const uint8_t *)(record + 1) + sizeof(uint32_t);
	unsigned last = c->work_at > c->function_at ? c->work_at : c->function_at;
	struct calibration_hit *hit = &h->v[h->cnt];

	if (h->cnt == sizeof(h->v) / sizeof(h->v[0]) ||
	    record->size < sizeof(*record) + sizeof(uint32_t) + last + sizeof(uint64_t)) {
		h->incomplete = true;
		return;
	}
	memcpy(&hit->work, raw + c->work_at, sizeof(hit->work));
	memcpy(&hit->function, raw + c->function_at, sizeof(hit->function));
	h->cnt++;
}

static void on_record(void *arg, const struct perf_event_header *record)
{
	struct hits *h = arg;

	if (record->type == PERF_RECORD_SAMPLE)
		add_hit(h->of, h, record);
	else if (record->type == PERF_RECORD_LOST)
		h->incomplete = true;
}

static int not_learned(struct diag *d, const char *what)
{
	return diag_set(d, -EINVAL, NULL, 0, "run it again on a machine that is less busy",
			"work items cannot be told apart: %s", what);
}

static bool seen_before(const uint64_t *v, size_t cnt, uint64_t work)
{
	for (size_t i = 0; i < cnt; i++)
		if (v[i] == work)
			return true;
	return false;
}

/* Other work that the thread queued has another function than what is shown last. */
int calibration_runs(const struct calibration_hit *v, size_t cnt, uint64_t ret[CALIBRATION_MOST],
		     size_t *ret_cnt, struct diag *d)
{
	uint64_t of = cnt ? v[cnt - 1].function : 0, found[CALIBRATION_MOST];
	size_t n = 0, run = 0;

	for (size_t i = 0; i < cnt; i++) {
		if (v[i].function != of)
			continue;
		if (run && v[i].work == found[n - 1]) {
			run++;
			continue;
		}
		if (run && run != CALIBRATION_SHOWN)
			return not_learned(d, "one was queued more or less often than shown");
		if (n == CALIBRATION_MOST || seen_before(found, n, v[i].work))
			return not_learned(d, "one came out of turn");
		found[n++] = v[i].work;
		run = 1;
	}
	if (run != CALIBRATION_SHOWN)
		return not_learned(d, run ? "the last was queued more or less often than shown"
					  : "none was seen");
	memcpy(ret, found, n * sizeof(*ret));
	*ret_cnt = n;
	return 0;
}

int calibration_read(struct calibration *c, uint64_t ret[CALIBRATION_MOST], size_t *ret_cnt,
		     struct diag *d)
{
	struct hits *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	h->of = c;
	perf_rings_drain(c->rings, on_record, h);
	err = h->incomplete ? not_learned(d, "records were lost")
			    : calibration_runs(h->v, h->cnt, ret, ret_cnt, d);
	free(h);
	return err;
}
