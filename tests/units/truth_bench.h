/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of a channel in one process: recorders that pose as threads, and what is collected.
 *
 * Header only, for the programs tests/units/test_truth_*.c. Everything asserts; bench_truth and
 * bench_broken close the recorders and free the channel.
 */
#ifndef ASSAY_TESTS_TRUTH_BENCH_H
#define ASSAY_TESTS_TRUTH_BENCH_H

#include "groundtruth/channel.h"
#include "groundtruth/recorder.h"
#include "tests/units/truth_help.h"

/* The recorders are of threads 101, 102… */
struct bench {
	struct channel *ch;
	struct recorder_channel c;
	struct recorder r[4];
};

TRUTH_HELP void bench_open(struct bench *b, const struct channel_options *o, unsigned threads)
{
	struct diag d = {0};

	memset(b, 0, sizeof(*b));
	b->ch = channel_new(o, &d);
	cr_assert(b->ch != NULL, "%s", d.reason);
	cr_assert(recorder_map_fd(&b->c, dup(channel_fd(b->ch))) == 0 && b->c.map != NULL);
	recorder_name_kind(&b->c, 0, "get");
	recorder_name_class(&b->c, 0, "pool.frame");
	recorder_name_class(&b->c, 1, "pool-thrash");
	recorder_keys(&b->c, 1u << KEY_USER_DATA | 1u << KEY_UADDR);
	for (unsigned i = 0; i < threads; i++)
		cr_assert(recorder_open(&b->r[i], &b->c, 101 + i));
}

TRUTH_HELP void bench_small(struct bench *b, unsigned threads)
{
	struct channel_options o = {.slots = 4, .records = 64, .decoy_ppm = 10000};

	bench_open(b, &o, threads);
}

TRUTH_HELP void bench_close(struct bench *b, struct truth_counts n)
{
	for (unsigned i = 0; i < 4; i++)
		recorder_close(&b->r[i]);
	recorder_unmap(&b->c, n.begin, n.end, n.segment, n.handoff, n.event);
}

TRUTH_HELP int bench_collect(struct bench *b, struct truth *t, struct diag *d)
{
	static const struct collect_descriptor wrong = {
		.id = 3, .resource = "pool.frame", .valid = false, .has_since = true, .since = 5};
	struct collect_info info = {.workload = "w",
				    .variant = "base",
				    .seed = 9,
				    .scored = {1, 10000},
				    .descriptors = &wrong,
				    .descriptors_cnt = 1};

	memset(d, 0, sizeof(*d));
	return channel_collect(b->ch, &info, t, d);
}

/* Collects what must be sound. */
TRUTH_HELP void bench_truth(struct bench *b, struct truth_counts n, struct truth *t)
{
	struct diag d;

	bench_close(b, n);
	cr_assert(bench_collect(b, t, &d) == 0, "%s", d.reason);
	cr_assert(truth_check(t, "", &d) == 0, "line %llu: %s", (unsigned long long)d.line,
		  d.reason);
	channel_free(b->ch);
}

/* Collects what must be found broken. */
TRUTH_HELP void bench_broken(struct bench *b, const char *says)
{
	struct truth t = {.seed = 77};
	struct diag d;

	bench_close(b, (struct truth_counts){0});
	cr_assert(bench_collect(b, &t, &d) == -EINVAL);
	cr_assert(strstr(d.reason, says) != NULL, "says %s and not %s", d.reason, says);
	cr_assert(d.cure[0] && t.seed == 77);
	channel_free(b->ch);
}

static const struct rec_key key = {.v = 0x7f10, .scope = 2, .ns = KEY_USER_DATA, .has_scope = true};

TRUTH_HELP void op_begin(struct recorder *r, uint64_t op, uint64_t t)
{
	recorder_begin(r, op, 0, t, t + 10);
}

#endif
