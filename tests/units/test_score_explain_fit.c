/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain rules by which `assay explain` shows candidates: one end against one handoff. */
#include <criterion/criterion.h>

#include "scoring/explain_parts.h"
#include "tests/units/score_world.h"

/* Handoff 0 of type io from thread 101 [200, 230] to 102, dst.t [500, 700], ready [300, 400]. */
static struct explain *rules(struct world *w)
{
	static const uint32_t threads[] = {101, 102, 103};
	struct explain *x = calloc(1, sizeof(*x));

	w->t.threads = threads;
	w->t.threads_cnt = 3;
	w->t.keys = 1u << KEY_USER_DATA;
	add_handoff(w, (struct truth_handoff){.id = 0xa1,
					      .type = HANDOFF_IO,
					      .key = {.v = 7, .ns = KEY_USER_DATA},
					      .src_tid = 101,
					      .src_t = {200, 230},
					      .dst_tid = 102,
					      .dst_t = {500, 700},
					      .dst_ready = {300, 400}});
	x->t = w->t;
	x->c = w->c;
	return x;
}

static struct claim claim_at(uint32_t src_tid, uint64_t src_t, uint32_t dst_tid, uint64_t dst_t)
{
	return (struct claim){.kind = CLAIM_HANDOFF,
			      .type = HANDOFF_IO,
			      .ns = KEY_USER_DATA,
			      .has = HAS_SRC | HAS_DST | HAS_KEY,
			      .handoff = {.src_tid = src_tid,
					  .src_t = src_t,
					  .dst_tid = dst_tid,
					  .dst_t = dst_t,
					  .key_v = 7}};
}

static void fits(const struct explain *x, struct claim c, enum end_side side, enum fit_kind kind,
		 uint64_t off)
{
	struct fit f = fit_end(x, &c, side, &x->t.handoffs[0]);

	cr_expect_eq(f.kind, kind, "fit %d, not %d", f.kind, kind);
	cr_expect_eq(f.off, off, "off by %lu, not %lu", f.off, off);
}

Test(explain_fit, holds_a_near_end_to_the_nanosecond)
{
	struct world *w = world_new();
	struct explain *x = rules(w);

	fits(x, claim_at(101, 199, 102, 0), END_SRC, FIT_BEFORE, 1);
	fits(x, claim_at(101, 200, 102, 0), END_SRC, FIT_WINDOW, 0);
	fits(x, claim_at(101, 230, 102, 0), END_SRC, FIT_WINDOW, 0);
	fits(x, claim_at(101, 231, 102, 0), END_SRC, FIT_AFTER, 1);
	free(x);
	world_free(w);
}

Test(explain_fit, holds_a_far_end_in_dst_and_ready)
{
	struct world *w = world_new();
	struct explain *x = rules(w);

	fits(x, claim_at(101, 0, 102, 299), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(101, 0, 102, 300), END_DST, FIT_READY, 0);
	fits(x, claim_at(101, 0, 102, 400), END_DST, FIT_READY, 0);
	fits(x, claim_at(101, 0, 102, 401), END_DST, FIT_AFTER, 1);
	fits(x, claim_at(101, 0, 102, 450), END_DST, FIT_BEFORE, 50); /* of dst.t first */
	fits(x, claim_at(101, 0, 102, 499), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(101, 0, 102, 500), END_DST, FIT_WINDOW, 0);
	fits(x, claim_at(101, 0, 102, 700), END_DST, FIT_WINDOW, 0);
	fits(x, claim_at(101, 0, 102, 701), END_DST, FIT_AFTER, 1);
	free(x);
	world_free(w);
}

Test(explain_fit, asks_a_keyless_end_in_ready_to_be_alone_there)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 0, 102, 400);

	c.has &= (uint16_t)~HAS_KEY;
	fits(x, c, END_DST, FIT_READY, 0);
	/* another type or thread does not count, nor does an end that is not scored */
	add_handoff(w, w->handoffs[0]);
	w->handoffs[1].type = HANDOFF_MSG;
	x->t = w->t;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].type = HANDOFF_IO;
	w->handoffs[1].dst_tid = 103;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].dst_tid = 102;
	w->handoffs[1].dst_t.t1 = 10001;
	fits(x, c, END_DST, FIT_READY, 0);
	w->handoffs[1].dst_t.t1 = 700;
	fits(x, c, END_DST, FIT_READY_SHARED, 0);
	w->handoffs[1].dst_ready.t1 = 399;
	fits(x, c, END_DST, FIT_READY, 0);
	free(x);
	world_free(w);
}

/* Whichever of two comes first in truth. */
Test(explain_fit, asks_all_others_whether_it_is_alone)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 0, 102, 400);
	struct fit f;

	c.has &= (uint16_t)~HAS_KEY;
	add_handoff(w, w->handoffs[0]);
	x->t = w->t;
	f = fit_end(x, &c, END_DST, &x->t.handoffs[1]);
	cr_expect_eq(f.kind, FIT_READY_SHARED);
	free(x);
	world_free(w);
}

Test(explain_fit, counts_another_thread_at_identity_level_alone)
{
	for (unsigned kind = FIT_WINDOW; kind <= FIT_NOTHING; kind++) {
		struct fit f = {.kind = kind};

		cr_expect_eq(fit_at_level(f, LEVEL_CONTEXT), kind <= FIT_READY);
		cr_expect_eq(fit_at_level(f, LEVEL_IDENTITY), kind <= FIT_ELSEWHERE);
	}
}

Test(explain_fit, compares_keys_only_where_both_are_comparable)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 210, 102, 600);

	c.handoff.key_v = 8;
	fits(x, c, END_SRC, FIT_KEY, 0);
	fits(x, c, END_DST, FIT_KEY, 0);
	c.ns = KEY_UADDR; /* not in the header: read as absent */
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	c.ns = KEY_OTHER;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	c.ns = KEY_USER_DATA;
	c.handoff.key_v = 7;
	w->handoffs[0].key.has_scope = 1;
	w->handoffs[0].key.scope = 1;
	fits(x, c, END_SRC, FIT_WINDOW, 0); /* the claim gives no scope */
	c.has |= HAS_SCOPE;
	fits(x, c, END_SRC, FIT_KEY, 0);
	c.handoff.key_scope = 1;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	w->handoffs[0].key.ns = KEY_NONE;
	c.handoff.key_v = 9;
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, matches_elsewhere_by_key_and_time)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(103, 200, 103, 300);

	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	fits(x, c, END_DST, FIT_ELSEWHERE, 0);
	fits(x, claim_at(103, 199, 103, 299), END_SRC, FIT_BEFORE, 1);
	fits(x, claim_at(103, 400, 103, 400), END_SRC, FIT_ELSEWHERE, 0); /* to ready[1] */
	fits(x, claim_at(103, 401, 103, 401), END_SRC, FIT_AFTER, 1);
	fits(x, claim_at(103, 401, 103, 299), END_DST, FIT_BEFORE, 1);
	fits(x, claim_at(103, 401, 103, 401), END_DST, FIT_AFTER, 1);
	fits(x, claim_at(103, 401, 103, 700), END_DST, FIT_ELSEWHERE, 0);
	c.has &= (uint16_t)~HAS_KEY;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.has |= HAS_KEY;
	c.handoff.key_v = 8;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, asks_strange_threads_to_be_the_kernels)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(9, 200, 9, 300);

	fits(x, c, END_SRC, FIT_MUTE, 0);
	fits(x, c, END_DST, FIT_MUTE, 0);
	c.has |= HAS_DST_KERNEL;
	fits(x, c, END_SRC, FIT_MUTE, 0);
	fits(x, c, END_DST, FIT_ELSEWHERE, 0);
	c.has |= HAS_SRC_KERNEL;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	w->handoffs[0].type = c.type = HANDOFF_WAKE; /* a type without identity level */
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	w->handoffs[0].type = c.type = HANDOFF_WORK;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	w->handoffs[0].type = c.type = HANDOFF_TIMER;
	fits(x, c, END_SRC, FIT_ELSEWHERE, 0);
	free(x);
	world_free(w);
}

Test(explain_fit, has_no_end_outside_scored_nor_of_another_type)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim c = claim_at(101, 210, 102, 600);

	c.type = HANDOFF_MSG;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.type = HANDOFF_IO;
	x->t.scored = (struct window){201, 700};
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	fits(x, c, END_DST, FIT_WINDOW, 0);
	x->t.scored = (struct window){200, 699};
	fits(x, c, END_SRC, FIT_WINDOW, 0);
	fits(x, c, END_DST, FIT_NOTHING, 0);
	fits(x, claim_at(103, 210, 102, 600), END_SRC, FIT_NOTHING,
	     0); /* a src elsewhere needs dst */
	x->t.scored = (struct window){0, 10000};
	w->handoffs[0].has = TH_DST;
	fits(x, c, END_SRC, FIT_NOTHING, 0);
	c.has = HAS_SRC;
	fits(x, c, END_DST, FIT_NOTHING, 0);
	free(x);
	world_free(w);
}

/* Every array ends where its count says; a sanitizer sees whoever reads on. */
Test(explain_fit, reads_no_further_than_the_records)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct claim keyless = claim_at(101, 210, 102, 310);
	struct sealed s;
	struct handoff_score score;
	FILE *out = fopen("/dev/null", "w");

	w->handoffs[0].has |= TH_AMB;
	add_op(w,
	       (struct truth_op){.id = 1,
				 .begin = {10, 12},
				 .end = {90, 95},
				 .begin_tid = 101,
				 .end_tid = 101},
	       "get");
	add_event(w, (struct truth_event){
			     .life = 1, .tid = 101, .t = {20, 22}, .class_str = said(w, "frame")});
	add_descriptor(w, (struct truth_descriptor){.id = 1, .valid = 1}, "frame");
	/* one that sends to itself: its thread has three lines of it */
	add_handoff(w, (struct truth_handoff){.id = 0xa2,
					      .type = HANDOFF_IO,
					      .src_tid = 103,
					      .dst_tid = 103,
					      .src_t = {200, 230},
					      .dst_t = {500, 700},
					      .dst_ready = {300, 400}});
	keyless.has &= (uint16_t)~HAS_KEY;
	add_claim(w, keyless);
	add_claim(w, claim_at(101, 210, 102, 600));
	add_claim(w, claim_at(101, 3000, 102, 310));
	add_claim(w, claim_at(9, 3000, 102, 310));
	add_claim(w,
		  (struct claim){.kind = CLAIM_EVENT,
				 .event = {.t = 30, .tid = 101, .class_str = claimed(w, "frame")}});
	add_claim(w, (struct claim){.kind = CLAIM_HEALTH, .health = {.desc = 9}});
	add_claim(w, (struct claim){.kind = CLAIM_COST, .has = HAS_SRC, .cost = {.root_t = 11}});
	s = seal(w);
	x->t = s.t;
	x->c = s.c;
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		x->v.outcome[i] = calloc(x->c.cnt, sizeof(uint8_t));
		x->v.credited[i] = malloc(x->c.cnt * sizeof(uint32_t));
		memset(x->v.credited[i], 0xff, x->c.cnt * sizeof(uint32_t));
		x->v.spoken[i] = calloc(x->t.handoffs_cnt, sizeof(uint8_t));
	}
	cr_assert_eq(score_handoffs(&x->t, &x->c, &score, &x->v), 0);
	for (size_t i = 1; i <= x->c.cnt; i++)
		cr_assert_eq(explain_claim(x, i, out), 0);
	cr_assert_eq(explain_cell(x, out), 0);
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		free(x->v.outcome[i]);
		free(x->v.credited[i]);
		free(x->v.spoken[i]);
	}
	fclose(out);
	unseal(&s);
	free(x);
	world_free(w);
}

/* A thread that has every record of truth: the lines fill what was asked for them. */
Test(explain_fit, has_room_for_every_line_of_a_thread)
{
	struct world *w = world_new();
	struct explain *x = rules(w);
	struct sealed s;
	FILE *out = fopen("/dev/null", "w");

	w->handoffs[0].dst_tid = 101;
	add_op(w,
	       (struct truth_op){.id = 1,
				 .begin = {10, 12},
				 .end = {90, 95},
				 .begin_tid = 101,
				 .end_tid = 101},
	       "get");
	add_event(w, (struct truth_event){
			     .life = 1, .tid = 101, .t = {20, 22}, .class_str = said(w, "frame")});
	s = seal(w);
	x->t = s.t;
	cr_assert_eq(print_timeline(x, 101, 50, out), 0);
	fclose(out);
	unseal(&s);
	free(x);
	world_free(w);
}
