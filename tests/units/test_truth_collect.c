/* SPDX-License-Identifier: BSD-2-Clause */
/* From the recorder's calls to truth: ends are joined, windows derived, records put in order. */
#include "tests/units/truth_bench.h"

Test(truth_collect, joins_the_ends_and_derives_their_windows)
{
	struct bench b;
	struct truth t;
	const struct truth_handoff *h;
	uint64_t op, id;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	recorder_src(&b.r[0], id, op, HANDOFF_IO, key, 17, 1u << MARK_PUNTED, 200, 230);
	recorder_segment(&b.r[0], op, 110, 400);
	recorder_segment(&b.r[1], op, 120, 560);
	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 9, 1u << MARK_LATE, 0, 640);
	recorder_segment(&b.r[1], op, 650, 700);
	recorder_mark(&b.r[0], id, 1u << MARK_CROSS);
	recorder_amb(&b.r[1], id, 0xabc);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 3, 1, 0}, &t);
	h = &t.handoffs[0];
	cr_assert(h->id == id && h->type == HANDOFF_IO && h->seq == 17 && h->take == 9);
	cr_assert(h->has == (TH_SRC | TH_DST | TH_SEQ | TH_TAKE | TH_AMB | TH_MARKS));
	cr_assert(h->src_op == op && h->src_tid == 101 && h->dst_op == op && h->dst_tid == 102);
	cr_assert(h->src_t.t0 == 200 && h->src_t.t1 == 230);
	cr_assert(h->dst_ready.t0 == 200 && h->dst_ready.t1 == 640, "never looked: from the src");
	cr_assert(h->dst_t.t0 == 560 && h->dst_t.t1 == 700, "free since 560, segment ends 700");
	cr_assert(h->marks == (1u << MARK_PUNTED | 1u << MARK_LATE | 1u << MARK_CROSS));
	cr_assert(h->amb == 0xabc);
	cr_assert(h->key.ns == KEY_USER_DATA && h->key.v == 0x7f10 && h->key.has_scope &&
		  h->key.scope == 2);
	truth_free(&t);
}

/* One handoff of a type, received with these moments; its windows. */
static struct truth_handoff receive(unsigned type, uint64_t free_since, uint64_t ready0,
				    uint64_t ready1, uint64_t consumed)
{
	struct bench b;
	struct truth t;
	struct truth_handoff h;
	uint64_t op, id;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 10);
	recorder_src(&b.r[0], id, op, type, key, RECORDER_NO_SEQ, 0, 200, 230);
	if (free_since)
		recorder_segment(&b.r[1], op, 20, free_since);
	recorder_dst_consumed(&b.r[1], id, op, type, key, RECORDER_NO_SEQ, 0, ready0, ready1,
			      consumed);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, free_since ? 1 : 0, 1, 0}, &t);
	h = t.handoffs[0];
	truth_free(&t);
	return h;
}

Test(truth_collect, clamps_windows_to_the_src)
{
	struct truth_handoff h = receive(HANDOFF_WAKE, 0, 150, 300, 310);

	cr_assert(h.dst_ready.t0 == 200 && h.dst_ready.t1 == 300, "not before the src");
	cr_assert(h.dst_t.t0 == 200 && h.dst_t.t1 == 310, "to the moment it was consumed");
	cr_assert(!(h.has & (TH_SEQ | TH_TAKE)));
	h = receive(HANDOFF_WAKE, 180, 250, 300, 300);
	cr_assert(h.dst_ready.t0 == 250, "from the last moment it was not there");
	cr_assert(h.dst_t.t0 == 200 && h.dst_t.t1 == 300, "free before the src");
	h = receive(HANDOFF_WAKE, 260, 250, 300, 305);
	cr_assert(h.dst_t.t0 == 260, "free since the end of the segment before");
	h = receive(HANDOFF_WORK, 0, 250, 300, 305);
	cr_assert(h.dst_ready.t0 == 200, "kernel work may be ready from its src on");
}

Test(truth_collect, lets_several_handoffs_start_one_segment)
{
	struct bench b;
	struct truth t;
	uint64_t op, id[2];

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	for (int i = 0; i < 2; i++) {
		id[i] = recorder_token(&b.r[0]);
		recorder_src(&b.r[0], id[i], op, HANDOFF_MSG, key, RECORDER_NO_SEQ, 0, 200, 230);
		recorder_dst(&b.r[1], id[i], op, HANDOFF_MSG, key, RECORDER_NO_SEQ, 0, 240, 300);
	}
	recorder_segment(&b.r[1], op, 310, 400);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 1, 2, 0}, &t);
	cr_assert(t.handoffs[0].dst_t.t1 == 400 && t.handoffs[1].dst_t.t1 == 400);
	truth_free(&t);
}

Test(truth_collect, keeps_one_ended_handoffs)
{
	struct bench b;
	struct truth t;
	uint64_t op, id[2];
	char *text;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id[0] = recorder_token(&b.r[0]);
	id[1] = recorder_token(&b.r[1]);
	op_begin(&b.r[0], op, 100);
	recorder_src(&b.r[0], id[0], op, HANDOFF_IO, key, 1, 0, 200, 230);
	recorder_mark(&b.r[1], id[0], 1u << MARK_CANCELLED);
	recorder_dst_consumed(&b.r[1], id[1], op, HANDOFF_IO, key, 1, 1u << MARK_LOST, 0, 300, 320);
	recorder_end(&b.r[0], op, 900, 905, true);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 2, 0}, &t);
	text = export_text(&t);
	cr_assert(strstr(text, "\"dst\":null,\"marks\":[\"cancelled\"]") != NULL);
	cr_assert(strstr(text, "\"src\":null,\"dst\":{") != NULL);
	cr_assert(strstr(text, "\"ready\":[300,300],\"t\":[300,320]},\"marks\":[\"lost\"]") != NULL,
		  "%s", text);
	cr_assert(t.ops[0].open == 1);
	free(text);
	truth_free(&t);
}

Test(truth_collect, takes_one_sides_key_for_both)
{
	struct bench b;
	struct truth t;
	struct rec_key bare = {.v = 0x7f10, .ns = KEY_USER_DATA};
	uint64_t op, id[2];

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	for (int i = 0; i < 2; i++) {
		id[i] = recorder_token(&b.r[0]);
		recorder_src(&b.r[0], id[i], op, HANDOFF_IO, i ? bare : (struct rec_key){0},
			     RECORDER_NO_SEQ, 0, 200 + i, 230);
		recorder_dst_consumed(&b.r[1], id[i], op, HANDOFF_IO, key, RECORDER_NO_SEQ, 0, 240,
				      300, 310);
	}
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 2, 0}, &t);
	for (int i = 0; i < 2; i++)
		cr_assert(t.handoffs[i].key.v == 0x7f10 && t.handoffs[i].key.has_scope &&
			  t.handoffs[i].key.scope == 2);
	truth_free(&t);
}

Test(truth_collect, carries_events_lives_effects_diagnoses_and_contradictions)
{
	struct bench b;
	struct truth t;
	uint64_t op, life, old;
	struct recorder *r = &b.r[0];

	bench_small(&b, 1);
	op = recorder_token(r);
	life = recorder_token(r);
	old = recorder_token(r);
	op_begin(r, op, 100);
	recorder_live(r, old, 2, true);
	recorder_event(r, EVENT_ACQUIRE, 0, 0x55, life, 4, op, 3, 300, 360);
	recorder_event(r, EVENT_RELEASE, 0, 0x56, old, 2, op, 0, 370, 380);
	recorder_effect(r, life, EFFECT_BLOCK_IO, 4096, 400, 500);
	recorder_diagnosis(r, 1, 0, 600, 700);
	recorder_contradicted(r, 3, 999);
	recorder_contradicted(r, 3, 450);
	recorder_live(r, life, 4, false);
	recorder_end(r, op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 0, 2}, &t);
	cr_assert(t.events[0].instance == 0x55 && t.events[0].life == life &&
		  t.events[0].units == 4 && t.events[0].desc == 3 && t.events[0].tid == 101);
	cr_assert(!(t.events[1].has & TE_DESC));
	cr_assert(t.effects[0].cause == life && t.effects[0].v == 4096);
	cr_assert(strcmp(strtab_get(t.strings, t.diagnoses[0].label_str), "pool-thrash") == 0);
	cr_assert(t.descriptors[0].has_contradicted && t.descriptors[0].contradicted == 450);
	cr_assert(t.lives[0].at_start && !t.lives[1].at_start);
	cr_assert(t.seed == 9 && t.threads_cnt == 1 && t.threads[0] == 101);
	cr_assert(t.keys == (1u << KEY_USER_DATA | 1u << KEY_UADDR) && t.key_strs_cnt == 2);
	truth_free(&t);
}

Test(truth_collect, writes_records_in_the_order_of_their_first_time)
{
	struct bench b;
	struct truth t, again;
	struct diag d;
	uint64_t op;
	char *one, *two;
	static const enum truth_record order[] = {REC_LIVE,  REC_BEGIN, REC_SEGMENT, REC_EVENT,
						  REC_EVENT, REC_END,	REC_CLOSE};

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	recorder_event(&b.r[1], EVENT_USE, 0, 5, op, 1, op, 0, 300, 310);
	recorder_event(&b.r[0], EVENT_USE, 0, 5, op, 1, op, 0, 200, 210);
	recorder_segment(&b.r[0], op, 110, 400);
	recorder_live(&b.r[0], recorder_token(&b.r[0]), 0, true);
	op_begin(&b.r[0], op, 100);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_close(&b, (struct truth_counts){1, 1, 1, 0, 2});
	cr_assert(bench_collect(&b, &t, &d) == 0 && bench_collect(&b, &again, &d) == 0);
	cr_assert(t.order_cnt == sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < t.order_cnt; i++)
		cr_assert(truth_order_record(t.order[i]) == order[i], "record %zu", i);
	one = export_text(&t);
	two = export_text(&again);
	cr_assert(strcmp(one, two) == 0);
	free(one);
	free(two);
	truth_free(&t);
	truth_free(&again);
	channel_free(b.ch);
}
