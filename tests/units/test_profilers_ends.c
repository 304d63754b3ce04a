/* SPDX-License-Identifier: BSD-2-Clause */
/* What floors guess over where a manifest names the ends of a runtime's handoffs. */
#include "lib/formats/manifest.h"
#include "profilers/adapter/ends.h"
#include "tests/units/test_profilers.h"

enum { PUSH = 1, POP, SUBMIT, HANDLE, SPAWN, PARK, RUN, BEGIN, CALLED, OPENS };
enum { ITEM = 0x1000, STRAND = 0x2000 };

static const char text[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.queue, unit: item, owner: external}\n"
	"  - {resource: t.waiter, unit: waiter, owner: external}\n"
	"  - {resource: t.task, unit: run, owner: external}\n"
	"  - {resource: t.call, unit: call, owner: operation}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.queue, event: PUSH, site: a, instance_key: arg0, target_id: "
	"arg1}\n"
	"  - {id: 2, resource: t.queue, event: POP, site: b, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 3, resource: t.waiter, event: SUBMIT, site: c, instance_key: arg0}\n"
	"  - {id: 4, resource: t.waiter, event: HANDLE, site: d, instance_key: arg0}\n"
	"  - {id: 5, resource: t.task, event: SPAWN, site: e, instance_key: arg0, target_id: "
	"arg1}\n"
	"  - {id: 6, resource: t.task, event: PARK, site: f, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 7, resource: t.task, event: RUN, site: g, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 8, resource: t.call, event: BEGIN, site: h, instance_key: arg0}\n"
	"  - {id: 9, resource: t.call, event: RUN, site: i, instance_key: arg0}\n"
	"  - {id: 10, resource: t.task, event: BEGIN, site: j, instance_key: arg0}\n"
	"invariants:\n  - {id: pops-per-push, kind: ratio, of: [2, 1], at_most: 1000}\n";

static struct manifest m;
static struct join_setup setup;
static struct stream s;

static void open_manifest(void)
{
	struct diag d = {0};

	cr_assert_eq(manifest_parse(text, sizeof(text) - 1, "test", &m, &d), 0, "line %lu: %s",
		     d.line, d.reason);
	setup.manifest = &m;
}

static void close_manifest(void)
{
	manifest_free(&m);
}

static uint64_t hit(uint32_t tid, unsigned desc, uint64_t instance, uint64_t target)
{
	static const uint8_t events[] = {
		0,	    EVENT_PUSH, EVENT_POP,   EVENT_SUBMIT, EVENT_HANDLE, EVENT_SPAWN,
		EVENT_PARK, EVENT_RUN,	EVENT_BEGIN, EVENT_RUN,	   EVENT_BEGIN};

	return feed(&s, (struct ev_rec){.kind = EV_APP,
					.tid = tid,
					.a = instance,
					.c = target,
					.e = desc | (uint64_t)events[desc] << 32});
}

static void expect(size_t n, unsigned type, uint32_t src, uint64_t src_t, uint32_t dst,
		   uint64_t dst_t)
{
	cr_assert_lt(n, s.cnt);
	cr_expect_eq(s.claims[n].type, type);
	cr_expect_eq(s.claims[n].source, SOURCE_RUNTIME);
	expect_ends(&s.claims[n], src, src_t, dst, dst_t);
}

TestSuite(ends, .init = open_manifest, .fini = close_manifest);

/* What the target tells apart, pointers do not: two items of one instance are one to them. */
Test(ends, pointer_and_fifo_know_the_instance_alone)
{
	const struct joiner *const guess[] = {&joiner_pointer, &joiner_fifo};

	for (unsigned i = 0; i < 2; i++) {
		uint64_t src[2], dst[2];

		stream_open_with(&s, guess[i], &setup);
		src[0] = hit(APP, PUSH, ITEM, 1);
		src[1] = hit(APP, PUSH, ITEM, 2);
		dst[0] = hit(REAPER, POP, ITEM, 2);
		dst[1] = hit(REAPER, POP, ITEM, 1);
		stream_finish(&s);
		cr_assert_eq(s.cnt, 2);
		expect(0, HANDOFF_QUEUE, APP, src[i == 0], REAPER, dst[0]);
		expect(1, HANDOFF_QUEUE, APP, src[1], REAPER, dst[1]);
		expect_key(&s.claims[0], KEY_TASK, ITEM, 0);
	}
}

Test(ends, nearest_names_the_last_of_the_type)
{
	uint64_t src, dst;

	stream_open_with(&s, &joiner_nearest, &setup);
	hit(APP, PUSH, ITEM, 1);
	src = hit(OTHER, PUSH, ITEM + 64, 2);
	hit(APP, SUBMIT, ITEM, 0);
	dst = hit(REAPER, POP, ITEM, 1);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect(0, HANDOFF_QUEUE, OTHER, src, REAPER, dst);
}

Test(ends, a_run_goes_on_from_what_was_seen_last_of_its_strand)
{
	uint64_t first, parked, again;

	stream_open_with(&s, &joiner_pointer, &setup);
	first = hit(APP, SPAWN, STRAND, 1);
	hit(APP, SPAWN, STRAND, 2);
	hit(REAPER, RUN, STRAND, 2);
	parked = hit(REAPER, PARK, STRAND, 2);
	again = hit(OTHER, RUN, STRAND, 2);
	hit(OTHER, RUN, STRAND, 1);
	hit(OTHER, RUN, STRAND, 3);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 3, "what nobody was seen to send is no end");
	cr_expect_eq(s.claims[0].type, HANDOFF_SPAWN);
	expect(1, HANDOFF_RESUME, REAPER, parked, OTHER, again);
	cr_expect_eq(s.claims[2].type, HANDOFF_SPAWN);
	cr_expect_neq(s.claims[2].handoff.src_t, first, "two share the address");
}

Test(ends, grants_and_calls_have_no_key)
{
	uint64_t src, dst;

	stream_open_with(&s, &joiner_thread, &setup);
	src = hit(APP, BEGIN, ITEM, 0);
	dst = hit(APP, CALLED, ITEM, 0);
	hit(APP, SUBMIT, ITEM, 0);
	hit(REAPER, HANDLE, ITEM, 0);
	hit(APP, OPENS, STRAND, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2, "an operation that begins is no call");
	expect(0, HANDOFF_CALL, APP, src, APP, dst);
	cr_expect_not(s.claims[0].has & HAS_KEY);
	cr_expect_eq(s.claims[1].type, HANDOFF_GRANT);
	cr_expect_not(s.claims[1].has & HAS_SRC, "the thread that takes has sent nothing");
}

Test(ends, what_floors_declare_is_what_the_sites_show)
{
	uint32_t all = (1u << HANDOFF_TYPE_CNT) - 1;
	static const struct join_setup nothing;

	cr_expect_eq(joiner_fifo.declares_of(&joiner_fifo, &setup), all);
	cr_expect_eq(joiner_fifo.declares_of(&joiner_fifo, &nothing),
		     all & ~(1u << HANDOFF_QUEUE | 1u << HANDOFF_SPAWN | 1u << HANDOFF_RESUME |
			     1u << HANDOFF_GRANT | 1u << HANDOFF_CALL));
}
