/* SPDX-License-Identifier: BSD-2-Clause */
/* Every way in which a run can be broken, as the collection of truth finds it. */
#include "tests/units/truth_bench.h"

static struct log_rec *raw(struct bench *b, unsigned slot, unsigned rec)
{
	return (struct log_rec *)(uintptr_t)&b->ch->slots[slot].recs[rec];
}

Test(truth_broken, finds_a_run_without_close_block)
{
	struct bench b;
	struct truth t;
	struct diag d;

	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	cr_assert(bench_collect(&b, &t, &d) == -EINVAL);
	cr_assert(strstr(d.reason, "no close block") != NULL);
	channel_free(b.ch);
}

Test(truth_broken, finds_a_full_log)
{
	struct channel_options o = {.slots = 1, .records = 3, .decoy_ppm = 10000};
	struct bench b;

	bench_open(&b, &o, 1);
	for (int i = 0; i < 4; i++)
		recorder_segment(&b.r[0], 1, 1, 2);
	bench_broken(&b, "full log: thread 101 had no room after 3 records");
}

Test(truth_broken, finds_too_few_tokens_and_figures_that_do_not_fit)
{
	struct channel_options o = {.slots = 1, .records = 2, .decoy_ppm = 10000};
	struct bench b;

	bench_open(&b, &o, 1);
	for (int i = 0; i < 3; i++)
		recorder_token(&b.r[0]);
	bench_broken(&b, "ran out of dealt tokens");
	bench_small(&b, 1);
	recorder_dst_consumed(&b.r[0], recorder_token(&b.r[0]), 1, HANDOFF_IO, key, 0, 0, 1, 2,
			      UINT64_C(1) << 33);
	bench_broken(&b, "does not fit 32 bits");
}

Test(truth_broken, finds_threads_without_a_slot_or_an_id)
{
	struct channel_options o = {.slots = 1, .records = 2, .decoy_ppm = 10000};
	struct bench b;
	struct recorder extra;

	bench_open(&b, &o, 1);
	cr_assert(!recorder_open(&extra, &b.c, 104));
	recorder_segment(&extra, 1, 2, 3);
	bench_broken(&b, "missing log: 2 threads wanted to record, 1 slots");
	bench_small(&b, 0);
	cr_assert(recorder_open(&b.r[0], &b.c, 0));
	bench_broken(&b, "missing log: slot 0");
}

Test(truth_broken, finds_torn_records_and_logs)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	raw(&b, 0, 1)->kind = LOG_NONE;
	bench_broken(&b, "thread 101, raw record 1: torn record: kind 0");
	bench_small(&b, 1);
	b.r[0].slot->cnt = 65;
	bench_broken(&b, "torn log: thread 101 says 65 records where 64 fit");
	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	raw(&b, 0, 0)->t0 = 99;
	bench_broken(&b, "a window that ends before it begins");
}

Test(truth_broken, finds_unknown_tokens_words_and_handoffs)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], 0x1234, 1);
	bench_broken(&b, "unknown token");
	bench_small(&b, 1);
	recorder_src(&b.r[0], 0x1234, 1, HANDOFF_IO, key, 0, 0, 1, 2);
	bench_broken(&b, "unknown token");
	bench_small(&b, 1);
	recorder_begin(&b.r[0], recorder_token(&b.r[0]), 5, 1, 2);
	bench_broken(&b, "an operation kind without a name");
	bench_small(&b, 1);
	recorder_src(&b.r[0], recorder_token(&b.r[0]), 1, 10, key, 0, 0, 1, 2);
	bench_broken(&b, "unknown handoff type");
	bench_small(&b, 1);
	recorder_event(&b.r[0], EVENT_USE, 7, 1, recorder_token(&b.r[0]), 1, 1, 0, 1, 2);
	bench_broken(&b, "a class without a name");
	bench_small(&b, 1);
	recorder_mark(&b.r[0], recorder_token(&b.r[0]), 1);
	bench_broken(&b, "not recorded");
	bench_small(&b, 1);
	recorder_contradicted(&b.r[0], 8, 1);
	bench_broken(&b, "contradicts descriptor 8");
}

Test(truth_broken, finds_a_decoys_token_where_none_may_be)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], b.ch->slots[0].decoys[0].token, 1);
	bench_broken(&b, "unknown token");
}

static uint64_t broken_handoff(struct bench *b, uint64_t *id)
{
	uint64_t op;

	bench_small(b, 2);
	op = recorder_token(&b->r[0]);
	*id = recorder_token(&b->r[0]);
	recorder_src(&b->r[0], *id, op, HANDOFF_IO, key, 0, 0, 200, 230);
	return op;
}

Test(truth_broken, finds_ends_that_do_not_belong_together)
{
	struct rec_key other = {.v = 0x7f11, .scope = 2, .ns = KEY_USER_DATA, .has_scope = true};
	struct bench b;
	uint64_t id, op = broken_handoff(&b, &id);

	recorder_src(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	bench_broken(&b, "has two src records");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_MSG, key, 0, 0, 300, 301, 302);
	bench_broken(&b, "is io at one end and msg at the other");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, other, 0, 0, 300, 301, 302);
	bench_broken(&b, "have two keys");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 100, 150, 160);
	bench_broken(&b, "received before it was sent");
	op = broken_handoff(&b, &id);
	recorder_amb(&b.r[1], id, 1);
	recorder_amb(&b.r[1], id, 2);
	bench_broken(&b, "in two amb groups");
}

Test(truth_broken, finds_segments_that_a_handoff_did_not_start)
{
	struct bench b;
	uint64_t id, op = broken_handoff(&b, &id);

	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	bench_broken(&b, "starts a segment that was never recorded");
	op = broken_handoff(&b, &id);
	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	recorder_segment(&b.r[1], recorder_token(&b.r[1]), 310, 320);
	bench_broken(&b, "starts a segment of 0x");
	op = broken_handoff(&b, &id);
	recorder_segment(&b.r[1], op, 1, 400);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301, 310);
	bench_broken(&b, "over before its receiver was free");
}
