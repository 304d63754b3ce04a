/* SPDX-License-Identifier: BSD-2-Clause */
/* What watching costs (contracts §5.6), where a figure has no value, or only just has one. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lib/formats/claims.h"
#include "lib/vocab.h"
#include "scoring/overhead.h"

struct asked {
	const char *metric, *scope;
	unsigned met, named; /* named: figures of that metric, whatever the scope */
	struct overhead_figure f;
};

static int keep(const struct overhead_figure *f, void *arg)
{
	struct asked *a = arg;

	/* whoever prints it must not have to look whether it is there */
	cr_expect(f->has || (fabs(f->value) < 1e-12 && !f->n && !f->has_interval));
	a->named += !strcmp(f->metric, a->metric);
	if (strcmp(f->metric, a->metric) || strcmp(f->scope, a->scope))
		return 0;
	a->f = *f;
	a->met++;
	return 0;
}

/* The runs as an array of their own, so that a look behind its end is seen. */
static struct asked ask(const struct overhead *o, const char *metric, const char *scope)
{
	struct asked a = {.metric = metric, .scope = scope};
	size_t len = o->cnt * sizeof(*o->runs);
	struct overhead exact = *o;

	exact.runs = malloc(len ? len : 1);
	cr_assert(exact.runs);
	if (len)
		memcpy(exact.runs, o->runs, len);
	cr_assert(!overhead_each(&exact, keep, &a));
	free(exact.runs);
	cr_expect(a.met <= 1, "once at most");
	return a;
}

static bool is(const struct overhead *o, const char *metric, const char *scope, double value,
	       uint64_t n)
{
	struct asked a = ask(o, metric, scope);

	return a.met && a.f.has && fabs(a.f.value - value) < 1e-9 * (1 + fabs(value)) && a.f.n == n;
}

/* A figure that stands there without a value. */
static bool is_none(const struct overhead *o, const char *metric, const char *scope)
{
	struct asked a = ask(o, metric, scope);

	return a.met && !a.f.has;
}

static bool is_absent(const struct overhead *o, const char *metric)
{
	return !ask(o, metric, "all").named;
}

/* Of classes nothing is known, and nothing was seen from outside. */
static struct overhead nothing(void)
{
	struct overhead o = {.seen = OVERHEAD_SEEN_NOTHING};

	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++)
		o.hits[i].empty_ns = -1;
	return o;
}

Test(score_overhead_edges, knows_the_first_and_the_last_word)
{
	cr_expect(overhead_arm_parse("plain") == ARM_PLAIN);
	cr_expect(overhead_class_parse("tracepoint") == CLASS_TRACEPOINT);
	cr_expect(overhead_class_parse("uprobe-return") == CLASS_RETURN);
}

/* 1, 2, 3 of four: mean 2, s = 1. */
Test(score_overhead_edges, an_effect_is_of_as_many_as_are_given)
{
	const double v[] = {1, 2, 3, 1000};
	struct effect e;

	cr_assert(effect_of(v, 3, &e));
	cr_expect(fabs(e.mean - 2) < 1e-12 && e.n == 3);
	/* t(0.975, 2) = 4.302653 */
	cr_expect(fabs(e.hi - (2 + 4.302653 / sqrt(3))) < 1e-5);
}

Test(score_overhead_edges, an_effect_of_more_pairs_than_can_be_permuted_has_no_p)
{
	struct overhead_run v[84];
	struct overhead o = nothing();
	double sum = 0;

	o.runs = v;
	/* no two patterns have the same sum */
	for (uint32_t i = 0; i < 42; i++) {
		double ns = exp2(i / 43.0);

		v[o.cnt++] = (struct overhead_run){.pair = i, .ops = 1};
		v[o.cnt++] = (struct overhead_run){
			.arm = ARM_WATCHED, .pair = i, .ops = 1, .user = ns * 1e-9};
		sum += ns;
	}
	cr_expect(is(&o, "overhead.cpu_added", "all", sum / 42, 42));
	cr_expect(is_none(&o, "overhead.cpu_added_p", "all"));
}

Test(score_overhead_edges, no_run_at_all_gives_no_value)
{
	struct overhead o = nothing();

	cr_expect(is_none(&o, "overhead.cpu_plain", "all"));
	cr_expect(is_none(&o, "overhead.cpu_added", "all"));
	cr_expect(is_none(&o, "overhead.cpu_added_mde", "all"));
	cr_expect(is_none(&o, "overhead.cpu_added_p", "all"));
	cr_expect(is_none(&o, "overhead.cpu_share", "all"));
	cr_expect(is_none(&o, "overhead.load_ns", "all"));
	cr_expect(is_none(&o, "overhead.probes", "all"));
	cr_expect(is_none(&o, "overhead.sites_share", "all"));
	cr_expect(is_none(&o, "overhead.ring_bytes", "all"));
	cr_expect(is_absent(&o, "overhead.capacity_plain"), "no closed loop was run");
	cr_expect(is_absent(&o, "overhead.truth_share"), "nor a third arm");
	cr_expect(is_absent(&o, "overhead.counted") && is_absent(&o, "overhead.programs"));
	cr_expect(is_absent(&o, "overhead.declares"));
}

/* Watched first; plain 10 and 30 ns an operation, so 20 in the mean, watched 15 and 45: 5 and 15
 * more, a quarter and three quarters of it. */
static struct overhead_run uneven[] = {
	{.arm = ARM_WATCHED, .ops = 2, .user = 30e-9, .peak_bytes = 100, .load = 7},
	{.ops = 2, .user = 20e-9},
	{.arm = ARM_WATCHED, .pair = 1, .ops = 2, .user = 90e-9, .peak_bytes = 300, .load = 3},
	{.pair = 1, .ops = 2, .user = 60e-9},
};

Test(score_overhead_edges, no_run_is_left_out_wherever_it_stands)
{
	struct overhead o = nothing();
	struct overhead_run other[4];
	struct asked peak;

	o.runs = uneven;
	o.cnt = 4;
	cr_expect(is(&o, "overhead.cpu_plain", "all", 20, 2));
	cr_expect(is(&o, "overhead.cpu_added", "all", 10, 2));
	cr_expect(is(&o, "overhead.cpu_share", "all", 0.5, 2));
	cr_expect(is(&o, "overhead.cpu_added_p", "all", 2.0 / 4, 2), "all of one sign: 2 of 4");
	peak = ask(&o, "overhead.peak_bytes", "all");
	cr_expect(peak.f.has_interval && fabs(peak.f.value - 200) < 1e-9 && peak.f.n == 2);
	cr_expect(fabs(peak.f.lo - 100) < 1e-9 && fabs(peak.f.hi - 300) < 1e-9);
	peak = ask(&o, "overhead.load_ns", "all");
	cr_expect(fabs(peak.f.lo - 3e9) < 1 && fabs(peak.f.hi - 7e9) < 1);
	for (int i = 0; i < 4; i++)
		other[i] = uneven[i ^ 1];
	o.runs = other;
	cr_expect(is(&o, "overhead.cpu_plain", "all", 20, 2));
	cr_expect(is(&o, "overhead.cpu_added", "all", 10, 2));
}

Test(score_overhead_edges, what_took_nothing_has_no_share)
{
	struct overhead_run v[4];
	struct overhead o = nothing();

	memcpy(v, uneven, sizeof(v));
	o.runs = v;
	o.cnt = 4;
	v[1].user = v[3].user = 0;
	cr_expect(is(&o, "overhead.cpu_plain", "all", 0, 2));
	cr_expect(is(&o, "overhead.cpu_added", "all", 30, 2));
	cr_expect(is_none(&o, "overhead.cpu_share", "all"));
	cr_expect(is_none(&o, "overhead.cpu_share_mde", "all"));
	v[0].ops = v[2].ops = 0;
	cr_expect(is(&o, "overhead.cpu_added", "all", 0, 2), "nor has a run of no operations");
}

/* Closed loops of 5 and 10 operations a second, 4 and 8 watched: 1.5 of 7.5 lost. */
Test(score_overhead_edges, capacity_is_of_closed_loops_that_took_time)
{
	struct overhead_run v[] = {
		{.closed = true, .ops = 5, .wall = 1},
		{.closed = true, .ops = 4, .wall = 1, .arm = ARM_WATCHED},
		{.closed = true, .ops = 8, .wall = 1, .arm = ARM_WATCHED, .pair = 1},
		{.closed = true, .ops = 10, .wall = 1, .pair = 1},
	};
	struct overhead o = nothing();

	o.runs = v;
	o.cnt = 4;
	cr_expect(is(&o, "overhead.capacity_plain", "all", 7.5, 2));
	cr_expect(is(&o, "overhead.capacity_lost", "all", 0.2, 2));
	cr_expect(is_none(&o, "overhead.cpu_plain", "all"), "they count for themselves");
	for (int i = 0; i < 4; i++)
		v[i].wall = 0;
	cr_expect(is(&o, "overhead.capacity_plain", "all", 0, 2));
	cr_expect(is_none(&o, "overhead.capacity_lost", "all"));
}

/* One pair of the third arm: nothing can be said, and nobody is flagged. */
Test(score_overhead_edges, nobody_is_flagged_by_one_pair)
{
	struct overhead_run v[] = {{.ops = 1, .user = 1e-9},
				   {.arm = ARM_WATCHED, .ops = 1, .user = 1e-9, .watch = 9e-9},
				   {.arm = ARM_BARE, .ops = 1, .user = 1e-9}};
	struct overhead o = nothing();

	o.runs = v;
	o.cnt = 3;
	cr_expect(is_none(&o, "overhead.arms_differ", "profiler"));
	cr_expect(is_none(&o, "overhead.flagged", "all"));
}

/* ---- counted ---- */

/* 4 operations of `uneven`; a program on a tracepoint, 8 hits of 5 ns, and 12 ns of its own. */
static struct overhead counted(void)
{
	struct overhead o = nothing();

	o.runs = uneven;
	o.cnt = 4;
	o.counted = true;
	o.counted_ops = 4;
	o.hits[CLASS_TRACEPOINT] = (struct overhead_hits){
		.programs = 1, .hits = 8, .run_ns = 12, .others = 2, .empty_ns = 5};
	return o;
}

Test(score_overhead_edges, counts_every_class_an_operation)
{
	struct overhead o = counted();

	cr_expect(is(&o, "overhead.empty_ns", "tracepoint", 5, 1));
	cr_expect(is(&o, "overhead.programs", "tracepoint", 1, 1));
	cr_expect(is(&o, "overhead.hits", "tracepoint", 2, 4));
	cr_expect(is(&o, "overhead.hits_of_others", "tracepoint", 0.5, 4));
	cr_expect(is(&o, "overhead.ns_a_hit", "tracepoint", 6.5, 8));
	cr_expect(is(&o, "overhead.counted", "entering", 10, 4));
	cr_expect(is(&o, "overhead.counted", "programs", 3, 4));
	cr_expect(is(&o, "overhead.counted", "profiler", 0, 2));
	cr_expect(is(&o, "overhead.counted", "all", 13, 4));
	cr_expect(is(&o, "overhead.counted_share", "all", 0.65, 4));
	cr_expect(is(&o, "overhead.uncounted", "all", 0, 1));
	o.counted = false;
	cr_expect(is_absent(&o, "overhead.counted") && is_absent(&o, "overhead.hits"));
	o.counted = true;
	o.counted_ops = 0;
	cr_expect(is_absent(&o, "overhead.counted") && is_absent(&o, "overhead.hits"));
}

Test(score_overhead_edges, a_hit_that_costs_nothing_is_counted)
{
	struct overhead o = counted();
	struct overhead_hits *h = &o.hits[CLASS_TRACEPOINT];

	h->empty_ns = 0;
	cr_expect(is(&o, "overhead.empty_ns", "tracepoint", 0, 1));
	cr_expect(is(&o, "overhead.uncounted", "all", 0, 1));
	cr_expect(is(&o, "overhead.counted", "all", 3, 4));
}

Test(score_overhead_edges, what_never_hit_is_not_missed)
{
	struct overhead o = counted();
	struct overhead_hits *h = &o.hits[CLASS_TRACEPOINT];

	*h = (struct overhead_hits){.programs = 1, .empty_ns = -1};
	cr_expect(is_none(&o, "overhead.ns_a_hit", "tracepoint"));
	cr_expect(is(&o, "overhead.uncounted", "all", 0, 1));
	h->hits = 1;
	h->run_ns = 7;
	cr_expect(is(&o, "overhead.ns_a_hit", "tracepoint", 7, 1));
	cr_expect(is(&o, "overhead.uncounted", "all", 1, 1), "of one hit the way is not known");
}

Test(score_overhead_edges, without_programs_nothing_is_counted)
{
	struct overhead o = counted();

	o.hits[CLASS_TRACEPOINT] = (struct overhead_hits){.empty_ns = 5};
	cr_expect(is(&o, "overhead.uncounted", "all", 1, 1));
	cr_expect(is_none(&o, "overhead.counted", "all"));
	cr_expect(is_none(&o, "overhead.counted_share", "all"));
	cr_expect(is(&o, "overhead.counted", "profiler", 0, 2));
	cr_expect(is(&o, "overhead.empty_ns", "tracepoint", 5, 1), "it was measured all the same");
}

Test(score_overhead_edges, without_watched_runs_the_profilers_own_part_is_not_known)
{
	struct overhead o = counted();

	o.runs = uneven + 3;
	o.cnt = 1;
	cr_expect(is(&o, "overhead.counted", "entering", 10, 4));
	cr_expect(is_none(&o, "overhead.counted", "profiler"));
	cr_expect(is_none(&o, "overhead.counted", "all"));
	cr_expect(is_none(&o, "overhead.counted_share", "all"));
}

Test(score_overhead_edges, a_share_is_of_what_took_some_time)
{
	struct overhead o = counted();
	struct overhead_run v[4];

	memcpy(v, uneven, sizeof(v));
	o.runs = v;
	v[1].user = v[3].user = 1e-9; /* half a nanosecond an operation */
	cr_expect(is(&o, "overhead.counted_share", "all", 26, 4));
	v[1].user = v[3].user = 0;
	cr_expect(is_none(&o, "overhead.counted_share", "all"));
	cr_expect(is(&o, "overhead.counted", "all", 13, 4));
}

/* ---- seen from outside ---- */

Test(score_overhead_edges, none_is_a_number_and_unseen_is_not)
{
	struct overhead o = nothing();

	o.counted_ops = 4;
	o.seen = (struct overhead_seen){0, 1, 0, 0, 0, 0, 0, 0};
	cr_expect(is(&o, "overhead.probes", "all", 0, 1));
	cr_expect(is(&o, "overhead.sites", "all", 1, 1));
	cr_expect(is(&o, "overhead.sites_attached", "all", 0, 1));
	cr_expect(is(&o, "overhead.sites_share", "all", 0, 1));
	cr_expect(is(&o, "overhead.ring_bytes", "all", 0, 4));
	cr_expect(is(&o, "overhead.kernel_bytes", "all", 0, 1));
	cr_expect(is(&o, "overhead.claims", "all", 0, 1));
	cr_expect(is(&o, "overhead.claims_bytes", "all", 0, 1));
	cr_expect(is(&o, "overhead.lost", "all", 0, 1));
	o.seen.attached = 1;
	cr_expect(is(&o, "overhead.sites_share", "all", 1, 1));
	o.seen.attached = -1;
	cr_expect(is_none(&o, "overhead.sites_share", "all"));
	o.seen.sites = 0;
	o.seen.attached = 0;
	cr_expect(is_none(&o, "overhead.sites_share", "all"), "0 of 0");
	o.seen.ring_bytes = -1;
	cr_expect(is_none(&o, "overhead.ring_bytes", "all"));
	o.seen.ring_bytes = 8;
	o.counted_ops = 0;
	cr_expect(is_none(&o, "overhead.ring_bytes", "all"), "nobody knows of how many operations");
}

Test(score_overhead_edges, says_what_is_declared_word_by_word)
{
	struct overhead o = nothing();

	o.declares = 1u << HANDOFF_IO;
	cr_expect(is(&o, "overhead.declares", "handoff:io", 1, 1));
	cr_expect(ask(&o, "overhead.declares", "").named == 1);
	o.declares = UINT32_MAX;
	cr_expect(ask(&o, "overhead.declares", "").named == DECLARES_CNT);
}
