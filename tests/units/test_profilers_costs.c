/* SPDX-License-Identifier: BSD-2-Clause */
/* Wall time of operations, from BEGIN to END, and never across something that is missing. */
#include "lib/formats/manifest.h"
#include "tests/units/test_profilers.h"

enum { BEGIN = 1, SPAWN, END, CALL, CALLED, RETURNED };
enum { TASK = 0x1000, TASK_TWO = 0x1040 };

static const char text[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.task, unit: run, owner: external}\n"
	"  - {resource: t.call, unit: call, owner: operation}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.task, event: BEGIN, site: a, instance_key: arg0}\n"
	"  - {id: 2, resource: t.task, event: SPAWN, site: b, instance_key: arg0}\n"
	"  - {id: 3, resource: t.task, event: END, site: c, instance_key: arg0}\n"
	"  - {id: 4, resource: t.call, event: BEGIN, site: d, instance_key: arg0}\n"
	"  - {id: 5, resource: t.call, event: RUN, site: e, instance_key: arg0}\n"
	"  - {id: 6, resource: t.call, event: END, site: f, instance_key: arg0}\n"
	"invariants:\n  - {id: ends-per-begin, kind: ratio, of: [3, 1], at_most: 1000}\n";

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

static uint64_t hit(uint32_t tid, unsigned desc, uint64_t instance, unsigned seq)
{
	static const uint8_t events[] = {0,	      EVENT_BEGIN, EVENT_SPAWN, EVENT_END,
					 EVENT_BEGIN, EVENT_RUN,   EVENT_END};

	return feed(&s, (struct ev_rec){.kind = EV_APP,
					.tid = tid,
					.a = instance,
					.e = desc | (uint64_t)events[desc] << 32 |
					     (uint64_t)seq << 40});
}

/* The n-th claim of cost, or NULL. */
static const struct claim *cost(size_t n)
{
	for (size_t i = 0; i < s.cnt; i++)
		if (s.claims[i].kind == CLAIM_COST && !n--)
			return &s.claims[i];
	return NULL;
}

static void expect(size_t n, uint32_t tid, uint64_t begin, uint64_t end)
{
	cr_assert_not_null(cost(n));
	cr_expect_eq(cost(n)->cost.root_tid, tid);
	cr_expect_eq(cost(n)->cost.root_t, begin);
	cr_expect_eq(cost(n)->cost.v, end - begin);
}

TestSuite(costs, .init = open_causal, .fini = close_causal);

Test(costs, operations_take_from_their_begin_to_their_end)
{
	uint64_t begin = hit(APP, BEGIN, TASK, 255), other = hit(OTHER, BEGIN, TASK_TWO, 7), end;

	hit(APP, SPAWN, TASK, 1);
	end = hit(REAPER, END, TASK, 2);
	expect(0, APP, begin, end);
	end = hit(REAPER, END, TASK_TWO, 8);
	expect(1, OTHER, other, end);
	begin = hit(APP, BEGIN, TASK, 3);
	end = hit(APP, END, TASK, 4);
	expect(2, APP, begin, end);
	stream_finish(&s);
	cr_expect_null(cost(3));
}

Test(costs, nothing_is_claimed_across_an_event_that_is_missing)
{
	uint64_t begin, end;

	hit(APP, BEGIN, TASK, 1);
	hit(APP, END, TASK, 3);
	hit(APP, BEGIN, TASK, 4); /* its end is lost, and the next begin */
	hit(APP, END, TASK, 7);
	hit(APP, END, TASK_TWO, 2);
	begin = hit(APP, BEGIN, TASK, 8);
	end = hit(APP, END, TASK, 9);
	stream_finish(&s);
	expect(0, APP, begin, end);
	cr_expect_null(cost(1));
}

Test(costs, what_has_no_numbers_is_not_claimed_across_a_loss)
{
	uint64_t begin, end;

	hit(APP, BEGIN, TASK, 0);
	feed(&s, (struct ev_rec){.kind = EV_LOST, .a = 1, .b = s.now});
	hit(APP, END, TASK, 0);
	begin = hit(APP, BEGIN, TASK, 0);
	end = hit(APP, END, TASK, 0);
	stream_finish(&s);
	expect(0, APP, begin, end);
	cr_expect_null(cost(1));
}

Test(costs, a_call_is_no_operation)
{
	hit(APP, CALL, TASK, 1);
	hit(APP, CALLED, TASK, 2);
	hit(APP, RETURNED, TASK, 3);
	stream_finish(&s);
	cr_expect_null(cost(0));
}
