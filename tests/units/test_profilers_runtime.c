/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs that a manifest's runtime adapters say: which ends belong together, and across what. */
#include "profilers/causal/runtime.h"
#include "lib/formats/manifest.h"
#include "tests/units/test_profilers.h"

enum { PUSH = 1, POP, SUBMIT, HANDLE, SPAWN, PARK, RUN, BEGIN, CALLED, END, STAGE };
enum { ITEM = 0x1000, STRAND = 0x2000, STRAND_TWO = 0x2040 };

static const char text[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.queue, unit: item, owner: external}\n"
	"  - {resource: t.waiter, unit: waiter, owner: external}\n"
	"  - {resource: t.task, unit: run, owner: external}\n"
	"  - {resource: t.call, unit: call, owner: operation}\n"
	"  - {resource: t.stage, unit: stage, owner: external}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.queue, event: PUSH, site: a, instance_key: arg0}\n"
	"  - {id: 2, resource: t.queue, event: POP, site: b, instance_key: arg0}\n"
	"  - {id: 3, resource: t.waiter, event: SUBMIT, site: c, instance_key: arg0}\n"
	"  - {id: 4, resource: t.waiter, event: HANDLE, site: d, instance_key: arg0}\n"
	"  - {id: 5, resource: t.task, event: SPAWN, site: e, instance_key: arg0, target_id: "
	"arg1}\n"
	"  - {id: 6, resource: t.task, event: PARK, site: f, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 7, resource: t.task, event: RUN, site: g, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 8, resource: t.call, event: BEGIN, site: h, instance_key: arg0}\n"
	"  - {id: 9, resource: t.call, event: RUN, site: i, instance_key: arg0}\n"
	"  - {id: 10, resource: t.call, event: END, site: j, instance_key: arg0}\n"
	"  - {id: 11, resource: t.stage, event: RUN, site: k, instance_key: arg0}\n"
	"invariants:\n  - {id: pops-per-push, kind: ratio, of: [2, 1], at_most: 1000}\n";

static struct manifest m;
static struct stream s;

static void open_causal(void)
{
	struct join_setup setup = {.manifest = &m};
	struct diag d = {0};

	cr_assert_eq(manifest_parse(text, sizeof(text) - 1, "test", &m, &d), 0, "line %lu: %s",
		     d.line, d.reason);
	stream_open_with(&s, &joiner_causal, &setup);
}

static void close_causal(void)
{
	manifest_free(&m);
}

static uint64_t hit_of(uint32_t tid, unsigned desc, uint64_t instance, uint64_t target,
		       unsigned seq)
{
	static const uint8_t events[] = {
		0,	    EVENT_PUSH, EVENT_POP,   EVENT_SUBMIT, EVENT_HANDLE, EVENT_SPAWN,
		EVENT_PARK, EVENT_RUN,	EVENT_BEGIN, EVENT_RUN,	   EVENT_END,	 EVENT_RUN};

	return feed(&s, (struct ev_rec){.kind = EV_APP,
					.tid = tid,
					.a = instance,
					.c = target,
					.e = desc | (uint64_t)events[desc] << 32 |
					     (uint64_t)seq << 40});
}

static uint64_t hit(uint32_t tid, unsigned desc, unsigned seq)
{
	return hit_of(tid, desc, ITEM, 0, seq);
}

/* The n-th claim of a kind: events and states of descriptors stand between. */
static const struct claim *claim_of(unsigned kind, size_t n)
{
	for (size_t i = 0; i < s.cnt; i++)
		if (s.claims[i].kind == kind && !n--)
			return &s.claims[i];
	return NULL;
}

static const struct claim *handoff(size_t n)
{
	return claim_of(CLAIM_HANDOFF, n);
}

static void expect_handoffs(size_t cnt)
{
	cr_assert_null(handoff(cnt), "more than %zu", cnt);
	cr_assert(!cnt || handoff(cnt - 1), "fewer than %zu", cnt);
}

static void expect(size_t n, unsigned type, uint32_t src, uint64_t src_t, uint32_t dst,
		   uint64_t dst_t)
{
	cr_expect_eq(handoff(n)->type, type);
	cr_expect_eq(handoff(n)->source, SOURCE_RUNTIME);
	expect_ends(handoff(n), src, src_t, dst, dst_t);
}

TestSuite(runtime, .init = open_causal, .fini = close_causal);

Test(runtime, joins_what_is_pushed_and_popped_and_names_it)
{
	uint64_t src = hit(APP, PUSH, 1), dst = hit(REAPER, POP, 2);

	stream_finish(&s);
	expect_handoffs(1);
	expect(0, HANDOFF_QUEUE, APP, src, REAPER, dst);
	expect_key(handoff(0), KEY_TASK, ITEM, 0);
}

/* 255 events later the number is the same again. */
Test(runtime, joins_nothing_where_numbers_may_have_gone_round)
{
	uint64_t src = hit(APP, PUSH, 1), dst;

	lost(&s, 255);
	dst = hit(REAPER, POP, 2);
	stream_finish(&s);
	expect_handoffs(2);
	expect(0, HANDOFF_QUEUE, APP, src, 0, 0);
	expect(1, HANDOFF_QUEUE, 0, 0, REAPER, dst);
}

Test(runtime, joins_across_losses_that_are_fewer_than_the_numbers)
{
	uint64_t src = hit(APP, PUSH, 1), dst;

	lost(&s, 254);
	dst = hit(REAPER, POP, 2);
	src = hit(APP, PUSH, 3);
	lost(&s, 254);
	dst = hit(REAPER, POP, 4);
	stream_finish(&s);
	expect_handoffs(2);
	expect(1, HANDOFF_QUEUE, APP, src, REAPER, dst);
}

/* The queue has no lifetime: nothing that happens to it is an event of a resource. */
Test(runtime, claims_no_events_of_what_has_no_lives)
{
	hit(APP, PUSH, 1);
	hit(REAPER, POP, 2);
	stream_finish(&s);
	cr_expect_null(claim_of(CLAIM_EVENT, 0));
}

Test(runtime, joins_a_grant_without_a_key)
{
	uint64_t src = hit(APP, SUBMIT, 1), dst = hit(REAPER, HANDLE, 2);

	stream_finish(&s);
	expect_handoffs(1);
	expect(0, HANDOFF_GRANT, APP, src, REAPER, dst);
	cr_expect_eq(handoff(0)->has & HAS_KEY, 0);
}

Test(runtime, tells_a_first_run_from_a_later_one)
{
	uint64_t spawned = hit_of(APP, SPAWN, ITEM, STRAND, 1), ran, parked, again;

	ran = hit_of(REAPER, RUN, ITEM, STRAND, 2);
	parked = hit_of(REAPER, PARK, ITEM, STRAND, 3);
	again = hit_of(OTHER, RUN, ITEM, STRAND, 4);
	stream_finish(&s);
	expect_handoffs(2);
	expect(0, HANDOFF_SPAWN, APP, spawned, REAPER, ran);
	expect(1, HANDOFF_RESUME, REAPER, parked, OTHER, again);
}

Test(runtime, keeps_the_strands_of_one_task_apart)
{
	uint64_t a = hit_of(APP, PARK, ITEM, STRAND, 1),
		 b = hit_of(REAPER, PARK, ITEM, STRAND_TWO, 2);
	uint64_t two = hit_of(OTHER, RUN, ITEM, STRAND_TWO, 3),
		 one = hit_of(APP, RUN, ITEM, STRAND, 4);

	stream_finish(&s);
	expect_handoffs(2);
	expect(0, HANDOFF_RESUME, REAPER, b, OTHER, two);
	expect(1, HANDOFF_RESUME, APP, a, APP, one);
}

Test(runtime, takes_an_entry_of_which_nothing_else_is_said_for_both_ends_of_a_call)
{
	uint64_t first = hit(APP, STAGE, 1), second = hit(REAPER, STAGE, 2);

	hit(APP, STAGE, 5); /* what is missing between is no end of this one */
	hit(APP, PUSH, 1);
	stream_finish(&s);
	expect_handoffs(3);
	expect(0, HANDOFF_CALL, APP, first, APP, first);
	expect(1, HANDOFF_CALL, REAPER, second, REAPER, second);
}

Test(runtime, joins_a_call_on_its_own_thread_and_forgets_one_that_failed)
{
	uint64_t src, dst;

	hit(APP, BEGIN, 1);
	hit(APP, END, 2);
	src = hit(APP, BEGIN, 3);
	dst = hit(APP, CALLED, 4);
	stream_finish(&s);
	expect_handoffs(1);
	expect(0, HANDOFF_CALL, APP, src, APP, dst);
}

/* The pop of one use of an address and the push of the next were lost. */
Test(runtime, makes_orphans_across_numbers_that_are_missing)
{
	uint64_t src = hit(APP, PUSH, 1), dst = hit(REAPER, POP, 4);

	stream_finish(&s);
	expect_handoffs(2);
	expect(0, HANDOFF_QUEUE, APP, src, 0, 0);
	expect(1, HANDOFF_QUEUE, 0, 0, REAPER, dst);
}

Test(runtime, puts_events_of_two_cpus_in_order)
{
	uint64_t dst, src;

	hit(APP, PUSH, 1);
	hit(REAPER, POP, 2);
	dst = hit(REAPER, POP, 4);
	src = hit(OTHER, PUSH, 3);
	stream_finish(&s);
	expect_handoffs(2);
	expect(1, HANDOFF_QUEUE, OTHER, src, REAPER, dst);
}

Test(runtime, waits_no_longer_than_it_says)
{
	hit(APP, PUSH, 1);
	hit(REAPER, POP, 4);
	expect_handoffs(0);
	s.now += CAUSAL_RUNTIME_NS;
	hit(APP, PUSH, 5);
	expect_handoffs(2);
	stream_finish(&s);
}

Test(runtime, goes_round_with_the_numbers)
{
	for (unsigned i = 0; i < 600; i += 2) {
		hit(APP, PUSH, 1 + i % 255);
		hit(REAPER, POP, 1 + (i + 1) % 255);
		expect_handoffs(1);
		cr_assert(handoff(0)->has & HAS_SRC && handoff(0)->has & HAS_DST, "%u", i);
		s.cnt = 0;
	}
	stream_finish(&s);
}

Test(runtime, joins_what_has_no_number_but_not_across_a_loss)
{
	uint64_t src = hit(APP, PUSH, 0), dst = hit(REAPER, POP, 0);

	expect_handoffs(1);
	expect(0, HANDOFF_QUEUE, APP, src, REAPER, dst);
	hit(APP, PUSH, 0);
	lost(&s, 2);
	dst = hit(REAPER, POP, 0);
	stream_finish(&s);
	expect_handoffs(2);
	expect(1, HANDOFF_QUEUE, 0, 0, REAPER, dst);
}

/* The collector's table forgot the instance between events that it had numbered. */
Test(runtime, joins_nothing_to_an_event_whose_number_is_forgotten)
{
	uint64_t src, dst;

	hit(APP, PUSH, 1);
	hit(REAPER, POP, 2);
	src = hit(APP, PUSH, 3);
	dst = hit(REAPER, POP, 0);
	expect_handoffs(3);
	expect(1, HANDOFF_QUEUE, APP, src, 0, 0);
	expect(2, HANDOFF_QUEUE, 0, 0, REAPER, dst);
	src = hit(OTHER, PUSH, 0);
	expect_handoffs(4);
	expect(3, HANDOFF_QUEUE, OTHER, src, 0, 0);
	dst = hit(REAPER, POP, 5);
	expect_handoffs(5);
	expect(4, HANDOFF_QUEUE, 0, 0, REAPER, dst);
	src = hit(APP, PUSH, 6);
	dst = hit(REAPER, POP, 7);
	stream_finish(&s);
	expect_handoffs(6);
	expect(5, HANDOFF_QUEUE, APP, src, REAPER, dst);
}

/* Some go on without having waited: then a grant's end alone, seen after a loss, proves nothing. */
Test(runtime, claims_no_orphan_where_ends_come_without_a_send)
{
	hit_of(REAPER, HANDLE, ITEM, 0, 1);
	hit_of(APP, SUBMIT, ITEM, 0, 2);
	hit_of(REAPER, HANDLE, ITEM, 0, 3);
	expect_handoffs(1);
	hit_of(REAPER, HANDLE, ITEM, 0, 6);
	s.now += CAUSAL_RUNTIME_NS;
	hit_of(APP, SUBMIT, ITEM, 0, 7);
	stream_finish(&s);
	expect_handoffs(1);
}

/* Some submissions come to nothing: nor does one alone prove anything. */
Test(runtime, claims_no_orphan_where_sends_come_to_nothing)
{
	hit_of(APP, SUBMIT, ITEM, 0, 1);
	hit_of(APP, SUBMIT, ITEM, 0, 2);
	hit_of(REAPER, HANDLE, ITEM, 0, 3);
	expect_handoffs(1);
	hit_of(APP, SUBMIT, ITEM, 0, 4);
	hit_of(REAPER, HANDLE, ITEM, 0, 7);
	s.now += CAUSAL_RUNTIME_NS;
	hit_of(APP, SUBMIT, ITEM, 0, 8);
	stream_finish(&s);
	expect_handoffs(2);
	cr_expect(!(handoff(1)->has & HAS_SRC));
}

/* ---- effects ---- */

Test(effects, name_the_submission_inside_whose_call_a_block_request_starts, .init = open_causal,
     .fini = close_causal)
{
	const struct claim *c;
	uint64_t src, t;

	feed(&s, (struct ev_rec){.kind = EV_BLOCK_ISSUE, .tid = APP, .c = 4096});
	src = submit(&s, APP, RING_A, REQ(1), 5);
	t = feed(&s, (struct ev_rec){.kind = EV_BLOCK_ISSUE, .tid = APP, .c = 8192});
	feed(&s, (struct ev_rec){.kind = EV_IO_EXIT, .tid = APP});
	feed(&s, (struct ev_rec){.kind = EV_BLOCK_ISSUE, .tid = APP, .c = 4096});
	c = claim_of(CLAIM_EFFECT, 0);
	cr_assert(c && !claim_of(CLAIM_EFFECT, 1));
	cr_expect_eq(c->effect.cause_tid, APP);
	cr_expect_eq(c->effect.cause_t, src);
	cr_expect_eq(c->effect.t, t);
	cr_expect_eq(c->effect.v, 8192);
	stream_finish(&s);
}
