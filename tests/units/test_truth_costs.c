/* SPDX-License-Identifier: BSD-2-Clause */
/* What operations cost, derived from segments, switches, handoffs, effects and lives. */
#include "tests/units/truth_help.h"

#include <sys/mman.h>

#include "groundtruth/channel.h"
#include "groundtruth/recorder.h"
#include "groundtruth/timeline.h"
#include "groundtruth/wakes.h"

/* A channel whose recorders pose as threads 101 and 102. */
struct bench {
	struct channel *ch;
	struct recorder_channel c;
	struct recorder r[2];
	struct timeline *when;
	struct wakes *wakes;
	struct truth t;
	struct diag no_cpu, no_off_cpu;
};

static const struct rec_key no_key = {.ns = KEY_NONE};

static void bench_open(struct bench *b)
{
	struct channel_options o = {.slots = 2, .records = 64, .decoy_ppm = 10000};
	struct diag d = {0};

	memset(b, 0, sizeof(*b));
	b->ch = channel_new(&o, &d);
	cr_assert(b->ch != NULL, "%s", d.reason);
	cr_assert(recorder_map_fd(&b->c, dup(channel_fd(b->ch))) == 0 && b->c.map != NULL);
	recorder_name_kind(&b->c, 0, "get");
	recorder_name_class(&b->c, 0, "pool.frame");
	for (unsigned i = 0; i < 2; i++)
		cr_assert(recorder_open(&b->r[i], &b->c, 101 + i));
}

static void bench_truth(struct bench *b, struct truth_counts n)
{
	struct collect_info info = {.workload = "w",
				    .variant = "base",
				    .scored = {1, 10000},
				    .timeline = b->when,
				    .no_cpu = &b->no_cpu,
				    .wakes = b->wakes,
				    .no_off_cpu = &b->no_off_cpu};
	struct diag d = {0};

	recorder_unmap(&b->c, n.begin, n.end, n.segment, n.handoff, n.event);
	cr_assert(channel_collect(b->ch, &info, &b->t, &d) == 0, "%s", d.reason);
	cr_assert(truth_check(&b->t, "", &d) == 0, "line %llu: %s", (unsigned long long)d.line,
		  d.reason);
}

static void bench_free(struct bench *b)
{
	truth_free(&b->t);
	timeline_free(b->when);
	wakes_free(b->wakes);
	channel_free(b->ch);
}

/* What truth says of one kind, of a thread (0: of none); the number of such records in *cnt. */
static uint64_t cost(const struct truth *t, uint64_t op, const char *kind, uint32_t tid,
		     unsigned *cnt)
{
	uint64_t v = 0;

	*cnt = 0;
	for (size_t i = 0; i < t->costs_cnt; i++) {
		const struct truth_cost *c = &t->costs[i];

		if (c->of != (op ? COST_OF_OP : COST_OF_THREAD) || c->op != op ||
		    strcmp(strtab_get(t->strings, c->kind_str), kind) != 0 ||
		    c->has_tid != (tid != 0) || c->tid != tid)
			continue;
		v += c->v;
		++*cnt;
	}
	return v;
}

#define EXPECT_COST(b, op, kind, tid, wanted)                                                      \
	do {                                                                                       \
		unsigned n_;                                                                       \
		uint64_t v_ = cost(&(b)->t, op, kind, tid, &n_);                                   \
		cr_expect(n_ == 1 && v_ == (wanted), "%s of %u: %llu in %u", kind, tid,            \
			  (unsigned long long)v_, n_);                                             \
	} while (0)

/* One operation: on 101 in two pieces, then on 102, which a message started, then on 101 again. */
static uint64_t one_op(struct bench *b)
{
	uint64_t op = recorder_token(&b->r[0]), there = recorder_token(&b->r[0]);
	uint64_t back = recorder_token(&b->r[1]);

	recorder_begin(&b->r[0], op, 0, 100, 110);
	recorder_segment(&b->r[0], op, 110, 200);
	recorder_segment(&b->r[0], op, 200, 300);
	recorder_src(&b->r[0], there, op, HANDOFF_MSG, no_key, RECORDER_NO_SEQ, 0, 250, 260);
	recorder_dst(&b->r[1], there, op, HANDOFF_MSG, no_key, RECORDER_NO_SEQ, 0, 250, 500);
	recorder_segment(&b->r[1], op, 505, 600);
	recorder_src(&b->r[1], back, op, HANDOFF_QUEUE, no_key, RECORDER_NO_SEQ, 0, 560, 570);
	recorder_dst(&b->r[0], back, op, HANDOFF_QUEUE, no_key, RECORDER_NO_SEQ, 0, 560, 590);
	recorder_segment(&b->r[0], op, 700, 800);
	recorder_end(&b->r[0], op, 800, 805, false);
	return op;
}

static const struct timeline_switch ran[] = {
	{.t = 50, .tid = 101, .in = true},
	{.t = 240, .tid = 101},
	{.t = 270, .tid = 101, .in = true},
	{.t = 480, .tid = 102, .in = true},
};

static void bench_ran(struct bench *b, size_t cnt)
{
	struct timeline_switch v[4];

	memcpy(v, ran, sizeof(v));
	b->when = timeline_make(v, cnt);
	cr_assert_not_null(b->when);
}

Test(truth_costs, cpu_is_what_the_thread_ran_in_segments_of_the_operation)
{
	struct bench b;
	uint64_t op;

	bench_open(&b);
	op = one_op(&b);
	bench_ran(&b, 4);
	bench_truth(&b, (struct truth_counts){1, 1, 4, 2, 0});
	EXPECT_COST(&b, op, "cpu", 101, 90u + 100 - 30 + 100);
	EXPECT_COST(&b, op, "cpu", 102, 95u);
	cr_assert(!b.no_cpu.err);
	bench_free(&b);
}

Test(truth_costs, waits_are_charged_to_the_handoff_that_ends_them)
{
	struct bench b;
	uint64_t op;

	bench_open(&b);
	op = one_op(&b);
	bench_truth(&b, (struct truth_counts){1, 1, 4, 2, 0});
	EXPECT_COST(&b, op, "wait:msg", 0, 205u);
	EXPECT_COST(&b, op, "wait:queue", 0, 100u);
	cr_assert(b.t.costs_cnt == 2, "without switches there is no cpu");
	bench_free(&b);
}

Test(truth_costs, what_runs_side_by_side_waits_for_nothing)
{
	struct bench b;
	uint64_t op, id;

	bench_open(&b);
	op = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	recorder_begin(&b.r[0], op, 0, 100, 110);
	recorder_src(&b.r[0], id, op, HANDOFF_SPAWN, no_key, RECORDER_NO_SEQ, 0, 120, 130);
	recorder_segment(&b.r[0], op, 110, 900);
	recorder_dst(&b.r[1], id, op, HANDOFF_SPAWN, no_key, RECORDER_NO_SEQ, 0, 0, 300);
	recorder_segment(&b.r[1], op, 300, 400);
	recorder_end(&b.r[0], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 2, 1, 0});
	cr_assert(b.t.costs_cnt == 0);
	bench_free(&b);
}

/* A thread that read the clock was on a CPU then. */
Test(truth_costs, a_run_whose_switches_are_not_all_there_has_no_cpu_at_all)
{
	struct bench b;
	unsigned cnt;
	uint64_t op;

	bench_open(&b);
	op = one_op(&b);
	bench_ran(&b, 3);
	bench_truth(&b, (struct truth_counts){1, 1, 4, 2, 0});
	cost(&b.t, op, "cpu", 101, &cnt);
	cr_assert(cnt == 0 && b.no_cpu.err == -ENODATA);
	cr_assert(strstr(b.no_cpu.reason, "thread 102"), "%s", b.no_cpu.reason);
	EXPECT_COST(&b, op, "wait:msg", 0, 205u);
	bench_free(&b);
}

Test(truth_costs, a_life_is_held_from_the_first_acquire_to_the_last_release)
{
	struct bench b;
	uint64_t op, other, life, old, id;

	bench_open(&b);
	op = recorder_token(&b.r[0]);
	other = recorder_token(&b.r[1]);
	life = recorder_token(&b.r[0]);
	old = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	recorder_live(&b.r[0], old, 1, true);
	recorder_begin(&b.r[0], op, 0, 100, 110);
	recorder_segment(&b.r[0], op, 110, 600);
	recorder_event(&b.r[0], EVENT_ACQUIRE, 0, 0x10, life, 1, op, 1, 200, 220);
	recorder_event(&b.r[0], EVENT_ACQUIRE, 0, 0x10, life, 1, op, 1, 230, 240);
	recorder_event(&b.r[0], EVENT_RELEASE, 0, 0x10, life, 1, op, 2, 300, 310);
	recorder_event(&b.r[0], EVENT_RELEASE, 0, 0x20, old, 1, op, 2, 320, 330);
	recorder_src(&b.r[0], id, op, HANDOFF_IO, no_key, RECORDER_NO_SEQ, 0, 400, 410);
	recorder_mark(&b.r[0], id, 1u << MARK_LOST);
	recorder_effect(&b.r[0], id, EFFECT_BLOCK_IO, 4096, 410, 500);
	recorder_effect(&b.r[0], life, EFFECT_BLOCK_IO, 512, 410, 500);
	recorder_effect(&b.r[0], life, EFFECT_PAGE_FAULT, 1, 410, 500);
	recorder_end(&b.r[0], op, 600, 605, false);
	recorder_begin(&b.r[1], other, 0, 500, 510);
	recorder_segment(&b.r[1], other, 510, 900);
	recorder_event(&b.r[1], EVENT_RELEASE, 0, 0x10, life, 1, other, 2, 820, 840);
	recorder_end(&b.r[1], other, 900, 905, false);
	bench_truth(&b, (struct truth_counts){2, 2, 2, 1, 5});
	EXPECT_COST(&b, op, "hold:pool.frame", 0, 820u - 220);
	EXPECT_COST(&b, op, "io_bytes", 0, 4096u + 512);
	cr_assert(b.t.costs_cnt == 2, "what was there at the start is nobody's");
	bench_free(&b);
}

static const char *name_of(const void *program, uint64_t addr)
{
	return addr == 0x40 ? program : NULL;
}

static int collect_named(struct bench *b, struct diag *d)
{
	struct collect_info info = {.workload = "w",
				    .variant = "base",
				    .scored = {1, 10000},
				    .function_at = name_of,
				    .program = "mix"};

	recorder_unmap(&b->c, 1, 1, 1, 0, 0);
	return channel_collect(b->ch, &info, &b->t, d);
}

/* Two threads that ran one function; `addr` of the second. */
static void two_threads(struct bench *b, uint64_t addr)
{
	uint64_t op;

	bench_open(b);
	op = recorder_token(&b->r[0]);
	recorder_begin(&b->r[0], op, 0, 100, 110);
	recorder_segment(&b->r[0], op, 110, 200);
	recorder_end(&b->r[0], op, 200, 205, false);
	recorder_function(&b->r[0], 0x40, 700);
	recorder_function(&b->r[1], addr, 11);
}

Test(truth_costs, functions_cost_what_all_threads_say_under_their_names)
{
	struct bench b;
	struct diag d = {0};

	two_threads(&b, 0x40);
	cr_assert(collect_named(&b, &d) == 0, "%s", d.reason);
	cr_assert(truth_check(&b.t, "", &d) == 0, "%s", d.reason);
	cr_assert(b.t.costs_cnt == 1 && b.t.costs[0].v == 711 && !b.t.costs[0].op);
	cr_assert_str_eq(strtab_get(b.t.strings, b.t.costs[0].name_str), "mix");
	bench_free(&b);
}

Test(truth_costs, an_address_without_a_function_is_a_fault_of_the_recording)
{
	struct bench b;
	struct diag d = {0};

	two_threads(&b, 0x41);
	cr_assert(collect_named(&b, &d) == -EINVAL);
	cr_assert(strstr(d.reason, "no function of the program lies at 0x41"), "%s", d.reason);
	bench_free(&b);
}

/* An operation whose only transfer moved 4096 bytes by its effect, and `says` by the workload. */
static int moved(struct bench *b, uint64_t says, uint64_t *ret_op, struct diag *d)
{
	uint64_t op, id;

	bench_open(b);
	op = recorder_token(&b->r[0]);
	id = recorder_token(&b->r[0]);
	recorder_begin(&b->r[0], op, 0, 100, 110);
	recorder_segment(&b->r[0], op, 110, 200);
	recorder_src(&b->r[0], id, op, HANDOFF_IO, no_key, RECORDER_NO_SEQ, 0, 120, 130);
	recorder_mark(&b->r[0], id, 1u << MARK_LOST);
	recorder_effect(&b->r[0], id, EFFECT_BLOCK_IO, 4096, 130, 190);
	recorder_bytes(&b->r[0], op, says);
	recorder_end(&b->r[0], op, 200, 205, false);
	*ret_op = op;
	return collect_named(b, d);
}

Test(truth_costs, bytes_that_the_workload_knows_hold_those_of_its_effects)
{
	struct bench b;
	struct diag d = {0};
	uint64_t op;

	cr_assert(moved(&b, 5000, &op, &d) == 0, "%s", d.reason);
	EXPECT_COST(&b, op, "io_bytes", 0, 5000u);
	bench_free(&b);
	cr_assert(moved(&b, 4095, &op, &d) == -EINVAL);
	cr_assert(strstr(d.reason, "block I/O moved 4096 bytes"), "%s", d.reason);
	bench_free(&b);
}

Test(truth_costs, what_else_costs_stands_in_the_text_in_place_of_an_operation)
{
	static const char text[] =
		HEADER "{\"r\":\"cost\",\"function\":\"mix\",\"kind\":\"cpu\",\"v\":7}\n"
		       "{\"r\":\"cost\",\"function\":\"mix\",\"tid\":101,\"kind\":\"cpu\","
		       "\"v\":8}\n"
		       "{\"r\":\"cost\",\"tid\":101,\"kind\":\"off-cpu\",\"v\":9}\n"
		       "{\"r\":\"cost\",\"pair\":\"0>102\",\"kind\":\"blocked\",\"v\":10}\n"
		       "{\"r\":\"cost\",\"names\":\"0>w \\\"w\",\"kind\":\"blocked\","
		       "\"v\":11}\n" CLOSE(0, 0, 0, 0, 0);
	const char *path = scratch("jsonl"), *packed = scratch("bin"), *again = scratch("again");
	struct diag d = {0};
	struct truth t;
	char *back;
	size_t len;
	FILE *f;

	write_bytes(path, text, sizeof(text) - 1);
	cr_assert(truth_load(path, &t, &d) == 0, "%s", d.reason);
	cr_assert(truth_check(&t, path, &d) == 0, "%s", d.reason);
	cr_assert(truth_save(&t, packed, &d) == 0);
	truth_free(&t);
	cr_assert(truth_load(packed, &t, &d) == 0, "%s", d.reason);
	f = fopen(again, "w");
	cr_assert(truth_export(&t, f) == 0 && fclose(f) == 0);
	truth_free(&t);
	back = read_bytes(again, &len);
	cr_assert_str_eq(back, text);
	free(back);
	unlink(path);
	unlink(packed);
	unlink(again);
}

/* ---- threads that do not run ---- */

/* Scored is 1 to 10000. */
static const struct timeline_switch apart[] = {
	{.t = 50, .tid = 101, .in = true},
	{.t = 1000, .tid = 101, .sleeps = true}, /* 2000 asleep, 500 more until it runs */
	{.t = 3500, .tid = 101, .in = true},
	{.t = 4000, .tid = 101}, /* preempted */
	{.t = 4300, .tid = 101, .in = true},
	{.t = 9000, .tid = 101, .sleeps = true}, /* 1000 of it is scored */
	{.t = 12000, .tid = 101, .in = true},
	{.t = 60, .tid = 102, .in = true},
	{.t = 2000, .tid = 102, .sleeps = true}, /* 1000 asleep */
	{.t = 3000, .tid = 102, .in = true},
	{.t = 3100, .tid = 102, .sleeps = true}, /* woken as it fell asleep */
	{.t = 3150, .tid = 102, .in = true},
	{.t = 3200, .tid = 102, .sleeps = true}, /* it never comes back */
};

static const struct wake ended[] = {
	{.t = 900, .waker = 102, .woken = 101, .waker_name = "pool", .woken_name = "pool"},
	{.t = 3000, .waker = 102, .woken = 101, .waker_name = "pool", .woken_name = "pool"},
	{.t = 3100, .waker = 7, .woken = 101, .waker_name = "late", .woken_name = "pool"},
	{.t = 4100, .waker = 7, .woken = 101, .waker_name = "vain", .woken_name = "pool"},
	{.t = 11000, .waker = 0, .woken = 101, .waker_name = "hit", .woken_name = "pool"},
	{.t = 3000, .waker = 9, .woken = 102, .waker_name = "k\n\xff", .woken_name = "pool"},
	{.t = 3099, .waker = 9, .woken = 102, .waker_name = "k", .woken_name = "pool"},
};

static void bench_apart(struct bench *b, size_t switches, size_t wakes)
{
	struct timeline_switch v[sizeof(apart) / sizeof(apart[0])];
	struct wake w[sizeof(ended) / sizeof(ended[0])];

	bench_open(b);
	memcpy(v, apart, sizeof(v));
	memcpy(w, ended, sizeof(w));
	b->when = timeline_make(v, switches);
	b->wakes = wakes ? wakes_make(w, wakes) : NULL;
	bench_truth(b, (struct truth_counts){0});
}

/* What truth says of a pair or of names; UINT64_MAX: nothing. */
static uint64_t named(const struct truth *t, enum truth_cost_of of, const char *name)
{
	for (size_t i = 0; i < t->costs_cnt; i++)
		if (t->costs[i].of == of &&
		    !strcmp(strtab_get(t->strings, t->costs[i].name_str), name) &&
		    !strcmp(strtab_get(t->strings, t->costs[i].kind_str), "blocked"))
			return t->costs[i].v;
	return UINT64_MAX;
}

Test(truth_costs, threads_are_off_the_cpu_asleep_or_preempted)
{
	struct bench b;

	bench_apart(&b, sizeof(apart) / sizeof(apart[0]), sizeof(ended) / sizeof(ended[0]));
	EXPECT_COST(&b, 0, "off-cpu", 101, 2500u + 300 + 1000);
	EXPECT_COST(&b, 0, "off-cpu", 102, 1000u + 50);
	EXPECT_COST(&b, 0, "blocked", 101, 2000u + 1000);
	EXPECT_COST(&b, 0, "blocked", 102, 1000u);
	bench_free(&b);
}

Test(truth_costs, who_wakes_first_has_ended_the_sleep)
{
	struct bench b;

	bench_apart(&b, sizeof(apart) / sizeof(apart[0]), sizeof(ended) / sizeof(ended[0]));
	cr_expect(named(&b.t, COST_OF_PAIR, "102>101") == 2000);
	cr_expect(named(&b.t, COST_OF_PAIR, "0>101") == 1000, "an interrupt is nobody");
	cr_expect(named(&b.t, COST_OF_PAIR, "9>102") == 1000);
	cr_expect(named(&b.t, COST_OF_PAIR, "7>101") == UINT64_MAX, "too late, or in vain");
	cr_expect(named(&b.t, COST_OF_NAMES, "pool>pool") == 2000);
	cr_expect(named(&b.t, COST_OF_NAMES, "0>pool") == 1000, "whom it hit does not matter");
	cr_expect(named(&b.t, COST_OF_NAMES, "k\?\?>pool") == 1000);
	cr_expect(b.t.costs_cnt == 4 + 3 + 3);
	bench_free(&b);
}

Test(truth_costs, without_wakes_nobody_knows_who_was_blocked)
{
	struct bench b;

	bench_apart(&b, sizeof(apart) / sizeof(apart[0]), 0);
	EXPECT_COST(&b, 0, "off-cpu", 101, 3800u);
	cr_assert(b.t.costs_cnt == 2);
	bench_free(&b);
}

Test(truth_costs, without_the_switches_of_a_thread_there_is_no_off_cpu)
{
	struct bench b;

	bench_apart(&b, 7, 7);
	cr_assert(b.t.costs_cnt == 0 && b.no_off_cpu.err == -ENODATA);
	cr_assert(strstr(b.no_off_cpu.reason, "thread 102"), "%s", b.no_off_cpu.reason);
	bench_free(&b);
}
