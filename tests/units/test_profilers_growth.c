/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a joiner that watches for long: what has ended leaves nothing behind. Ten times as many
 * short-lived things of one kind, no more than a few alive at a time, take no more memory.
 */
#include <criterion/criterion.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <malloc.h>
#include <string.h>

#include "lib/formats/manifest.h"
#include "profilers/adapter/adapter.h"
#include "profilers/adapter/joiners.h"

#if defined(__SANITIZE_ADDRESS__)
size_t __sanitizer_get_current_allocated_bytes(void); /* mallinfo2 counts nothing there */
#endif

enum { FEW = 2500, MANY = 10 * FEW, PID = 100, TID = 101 };
enum { ROOM = 64 << 10 };	  /* bytes: tables of buckets do not shrink, nor keep to one size */
#define STEP_NS UINT64_C(2000000) /* from one to the next */

static const char text[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.slot, unit: slot, lifetime: [ACQUIRE, USE*, RELEASE], owner: shared}\n"
	"  - {resource: t.queue, unit: item, owner: external}\n"
	"  - {resource: t.call, unit: call, owner: operation}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.slot, event: ACQUIRE, site: a, instance_key: arg0}\n"
	"  - {id: 2, resource: t.slot, event: RELEASE, site: b, instance_key: arg0}\n"
	"  - {id: 3, resource: t.queue, event: PUSH, site: c, instance_key: arg0, target_id: "
	"arg1}\n"
	"  - {id: 4, resource: t.queue, event: POP, site: d, instance_key: arg0, target_id: arg1}\n"
	"  - {id: 5, resource: t.call, event: BEGIN, site: e, instance_key: arg0}\n"
	"  - {id: 6, resource: t.call, event: END, site: f, instance_key: arg0}\n"
	"invariants:\n  - {id: pops-per-push, kind: ratio, of: [4, 3], at_most: 1000}\n";

struct rig {
	const struct joiner *joiner;
	void *state;
	struct manifest m;
	struct join_setup setup;
	struct outlet out;
	uint64_t now, claims;
};

static int put(void *arg, const struct claim *c)
{
	struct rig *g = arg;

	g->claims += c != NULL;
	return 0;
}

static int64_t str(void *arg, const char *word)
{
	return arg && *word ? 1 : -1;
}

static void rig_open(struct rig *g, const struct joiner *j)
{
	struct diag d = {0};

	*g = (struct rig){.joiner = j, .setup = {.manifest = &g->m}};
	cr_assert_eq(manifest_parse(text, sizeof(text) - 1, "test", &g->m, &d), 0, "line %lu: %s",
		     d.line, d.reason);
	g->out = (struct outlet){.put = put, .str = str, .arg = g};
	g->state = j->open(j, &g->setup, &g->out);
	cr_assert_not_null(g->state);
}

static void rig_close(struct rig *g)
{
	cr_assert_eq(g->joiner->finish(g->state), 0);
	manifest_free(&g->m);
}

static void feed(struct rig *g, struct ev_rec r)
{
	r.t = g->now += 1000;
	r.tgid = r.tgid ? r.tgid : PID;
	r.tid = r.tid ? r.tid : TID;
	cr_assert_eq(g->joiner->record(g->state, &r), 0);
}

static void ends(struct rig *g, uint32_t tid, uint32_t tgid, bool last)
{
	feed(g, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = tid, .tgid = tgid, .a = last});
}

static uint32_t thread_of(uint64_t n)
{
	return (uint32_t)(1000 + n);
}

/* ---- things that come and go ---- */

static void moves(struct rig *g, uint64_t name, uint64_t bits)
{
	const uint64_t what = EV_STREAM_PIPE | bits << 8 | UINT64_C(7) << 32;

	for (unsigned kind = EV_STREAM_WRITE; kind <= EV_STREAM_READ; kind++)
		feed(g, (struct ev_rec){.kind = (uint8_t)kind,
					.a = name,
					.c = 8,
					.d = 5 | name << 32,
					.e = what});
}

static void pipe_once(struct rig *g, uint64_t n)
{
	moves(g, 5000 + n, EV_STREAM_BORN);
}

static uint64_t far_away(uint64_t n)
{
	return UINT64_C(0xffff888100000000) + n * 4096;
}

static void ring_once(struct rig *g, uint64_t n, uint32_t tgid)
{
	feed(g, (struct ev_rec){.kind = EV_IO_CREATE, .tgid = tgid, .a = far_away(n), .b = 4});
	feed(g, (struct ev_rec){.kind = EV_IO_SUBMIT, .tgid = tgid, .a = far_away(n), .b = 77});
	feed(g, (struct ev_rec){.kind = EV_IO_COMPLETE, .tgid = tgid, .a = far_away(n), .b = 77});
}

static void process_with_a_ring(struct rig *g, uint64_t n)
{
	ring_once(g, n, thread_of(n));
	ends(g, thread_of(n), thread_of(n), true);
}

static void ring_at_one_address(struct rig *g, uint64_t n)
{
	ring_once(g, n % 4, PID);
}

static void request(struct rig *g, uint64_t n)
{
	feed(g,
	     (struct ev_rec){
		     .kind = EV_IO_ENTER, .c = 1, .d = IORING_ENTER_GETEVENTS, .e = far_away(0)});
	for (unsigned kind = EV_IO_SUBMIT; kind <= EV_IO_COMPLETE; kind++)
		feed(g, (struct ev_rec){.kind = (uint8_t)kind, .a = far_away(0), .b = far_away(n)});
}

static void thread_that_is_woken(struct rig *g, uint64_t n)
{
	const uint64_t wait = FUTEX_WAIT | FUTEX_PRIVATE_FLAG,
		       wake = FUTEX_WAKE | FUTEX_PRIVATE_FLAG;
	const uint32_t tid = thread_of(n);

	feed(g, (struct ev_rec){.kind = EV_FUTEX_ENTER, .tid = tid, .a = 64, .b = wait});
	feed(g, (struct ev_rec){.kind = EV_FUTEX_ENTER, .a = 64, .b = wake, .c = 1});
	feed(g, (struct ev_rec){.kind = EV_SCHED_WAKING, .a = tid, .b = PID});
	feed(g, (struct ev_rec){.kind = EV_FUTEX_EXIT, .a = 64, .b = wake, .c = 1});
	feed(g, (struct ev_rec){.kind = EV_FUTEX_EXIT, .tid = tid, .a = 64, .b = wait});
	ends(g, tid, PID, false);
}

static void thread_that_runs(struct rig *g, uint64_t n)
{
	const uint32_t tid = thread_of(n);

	feed(g, (struct ev_rec){.kind = EV_SCHED_SWITCH, .a = tid, .c = PID});
	ends(g, tid, PID, false);
	feed(g,
	     (struct ev_rec){.kind = EV_SCHED_SWITCH, .tid = tid, .a = TID, .b = 0x80, .c = PID});
}

static void thread_that_ends_in_a_submission(struct rig *g, uint64_t n)
{
	feed(g,
	     (struct ev_rec){.kind = EV_IO_SUBMIT, .tid = thread_of(n), .a = far_away(0), .b = 7});
	ends(g, thread_of(n), PID, false);
}

static void hit_of(struct rig *g, uint32_t tgid, unsigned desc, uint8_t event, uint64_t target,
		   uint64_t seq)
{
	feed(g, (struct ev_rec){.kind = EV_APP,
				.tgid = tgid,
				.a = 0x1000,
				.c = target,
				.e = desc | (uint64_t)event << 32 | seq << 40});
}

static void hit(struct rig *g, uint32_t tgid, unsigned desc, uint8_t event)
{
	hit_of(g, tgid, desc, event, 0, 1);
}

static void process_with_a_life(struct rig *g, uint64_t n)
{
	hit(g, thread_of(n), 1, EVENT_ACQUIRE);
	ends(g, thread_of(n), thread_of(n), true);
}

static void process_with_a_queue(struct rig *g, uint64_t n)
{
	hit(g, thread_of(n), 3, EVENT_PUSH);
	ends(g, thread_of(n), thread_of(n), true);
}

static void send_that_nobody_takes(struct rig *g, uint64_t n)
{
	hit_of(g, PID, 3, EVENT_PUSH, n, 1 + n % 255);
}

static void process_in_an_operation(struct rig *g, uint64_t n)
{
	hit(g, thread_of(n), 5, EVENT_BEGIN);
	ends(g, thread_of(n), thread_of(n), true);
}

/* ---- how much they leave ---- */

static size_t in_use(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return __sanitizer_get_current_allocated_bytes();
#else
	return mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
}

typedef void once_fn(struct rig *g, uint64_t n);

static size_t after(struct rig *g, once_fn *once, uint64_t from, uint64_t until)
{
	for (uint64_t n = from; n < until; n++) {
		g->now += STEP_NS;
		once(g, n);
	}
	return in_use();
}

static void compare(once_fn *once)
{
	static const struct joiner *const live[] = {&joiner_causal, &joiner_attach_only};

	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
		size_t few, many;
		struct rig g;

		rig_open(&g, live[i]);
		few = after(&g, once, 0, FEW);
		many = after(&g, once, FEW, MANY);
		cr_expect_leq(many, few + ROOM, "%s: %zu bytes after %d, %zu after %d",
			      live[i]->name, few, FEW, many, MANY);
		rig_close(&g);
	}
}

#define LEAVES_NOTHING(what)                                                                       \
	Test(profilers_growth, what##_leaves_nothing, .timeout = 120)                              \
	{                                                                                          \
		compare(what);                                                                     \
	}

LEAVES_NOTHING(pipe_once)
LEAVES_NOTHING(process_with_a_ring)
LEAVES_NOTHING(ring_at_one_address)
LEAVES_NOTHING(request)
LEAVES_NOTHING(thread_that_is_woken)
LEAVES_NOTHING(thread_that_runs)
LEAVES_NOTHING(thread_that_ends_in_a_submission)
LEAVES_NOTHING(process_with_a_life)
LEAVES_NOTHING(process_with_a_queue)
LEAVES_NOTHING(send_that_nobody_takes)
LEAVES_NOTHING(process_in_an_operation)

/* Their numbers are words of the claims. */
static size_t after_threads(struct adapter_join *join, uint32_t from, uint32_t until)
{
	struct ev_rec r = {.kind = EV_PROC_EXIT, .tgid = PID, .b = 1000};

	for (uint32_t n = from; n < until; n++) {
		r.t = n;
		r.tid = thread_of(n);
		cr_assert_eq(adapter_join_record(join, &r), 0);
	}
	return in_use();
}

Test(profilers_growth, threads_leave_no_words)
{
	static const struct join_setup nothing;
	struct adapter_join *join;
	struct diag d = {0};
	size_t few, many;

	join = adapter_join_open(&joiner_causal, &nothing, "/dev/null", &d);
	cr_assert_not_null(join);
	few = after_threads(join, 0, FEW);
	many = after_threads(join, FEW, MANY);
	cr_expect_leq(many, few + ROOM, "%zu bytes after %d, %zu after %d", few, FEW, many, MANY);
	cr_expect_eq(adapter_join_close(join, 0, &d), 0, "%s", d.reason);
}
