/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at the Nth allocation, for every N, in every part of the scorer: -ENOMEM,
 * results untouched, nothing leaked.
 *
 * The program is linked with --wrap for malloc, calloc, realloc(array) and free
 * (scoring/module.mk).
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>

#include "scoring/attribution.h"
#include "scoring/diagnosis.h"
#include "scoring/events.h"
#include "scoring/explain.h"
#include "scoring/handoff.h"
#include "scoring/loss.h"
#include "scoring/match.h"
#include "scoring/matching.h"
#include "scoring/score.h"
#include "scoring/stale.h"
#include "scoring/statistics.h"
#include "tests/naive/long_run.h"

#define WRAP(type, fn, ...)                                                                        \
	type __real_##fn(__VA_ARGS__);                                                             \
	type __wrap_##fn(__VA_ARGS__)

/* Handoffs are judged by several threads. */
static bool counting;
static atomic_long until_failure, live;

static bool fails(void)
{
	if (!counting || until_failure-- != 0)
		return false;
	errno = ENOMEM;
	return true;
}

WRAP(void *, malloc, size_t bytes);
WRAP(void *, calloc, size_t cnt, size_t bytes);
WRAP(void *, realloc, void *p, size_t bytes);
WRAP(void *, reallocarray, void *p, size_t cnt, size_t bytes);
WRAP(void, free, void *p);

void *__wrap_malloc(size_t bytes)
{
	void *p = fails() ? NULL : __real_malloc(bytes);

	live += p != NULL;
	return p;
}

void *__wrap_calloc(size_t cnt, size_t bytes)
{
	void *p = fails() ? NULL : __real_calloc(cnt, bytes);

	live += p != NULL;
	return p;
}

void *__wrap_realloc(void *p, size_t bytes)
{
	void *q = fails() ? NULL : __real_realloc(p, bytes);

	live += !p && q;
	return q;
}

void *__wrap_reallocarray(void *p, size_t cnt, size_t bytes)
{
	void *q = fails() ? NULL : __real_reallocarray(p, cnt, bytes);

	live += !p && q;
	return q;
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

#define EXAMPLE "docs/examples/scoring/"

static struct truth truth;
static struct claims claims;
static struct words words;

static void load(void)
{
	struct diag d = {0};

	cr_assert_eq(truth_load(EXAMPLE "truth.jsonl", &truth, &d), 0, "%s", d.reason);
	cr_assert_eq(claims_load(EXAMPLE "claims.jsonl", &claims, &d), 0, "%s", d.reason);
	cr_assert_eq(words_map(&truth, &claims, &words), 0);
}

static void unload(void)
{
	free(words.of);
	claims_free(&claims);
	truth_free(&truth);
}

TestSuite(score_faults, .init = load, .fini = unload);

/* A part of the scorer: its error; it frees what it made. */
typedef int (*part_fn)(void);

/* Fails each allocation in turn until none is left to fail; there must be at least one. */
static void starve(const char *name, part_fn part)
{
	for (long n = 0;; n++) {
		long before = live;
		int err;

		until_failure = n;
		counting = true;
		err = part();
		counting = false;
		cr_assert_eq(live, before, "%s leaks %ld when allocation %ld fails", name,
			     live - before, n);
		if (until_failure >= 0) {
			cr_assert_eq(err, 0, "%s fails with memory", name);
			cr_assert_gt(n, 0, "%s asks for no memory", name);
			return;
		}
		/* an array that could not be made smaller is no failure */
		cr_assert(err == -ENOMEM || !err, "%s gives %d when allocation %ld fails", name,
			  err, n);
	}
}

/* Results are untouched where the error says that there are none. */
#define PART(name, type, call, release)                                                            \
	static int part_##name(void)                                                               \
	{                                                                                          \
		type s, pattern;                                                                   \
		int err;                                                                           \
                                                                                                   \
		memset(&s, 0xa5, sizeof(s));                                                       \
		memset(&pattern, 0xa5, sizeof(pattern));                                           \
		err = call;                                                                        \
		if (err)                                                                           \
			cr_assert_eq(memcmp(&s, &pattern, sizeof(s)), 0, #name);                   \
		else                                                                               \
			release;                                                                   \
		return err;                                                                        \
	}                                                                                          \
	Test(score_faults, name)                                                                   \
	{                                                                                          \
		starve(#name, part_##name);                                                        \
	}

PART(words, struct words, words_map(&truth, &claims, &s), free(s.of))
PART(events, struct event_score, score_events(&truth, &claims, &words, &s), event_score_free(&s))
PART(attribution, struct attribution_score, score_attribution(&truth, &claims, &s),
     attribution_score_free(&s))
PART(stale, struct stale_score, score_stale(&truth, &claims, HEALTH_VALIDATED, NULL, &s),
     stale_score_free(&s))
PART(diagnosis, struct diagnosis_score, score_diagnoses(&truth, &claims, &s),
     diagnosis_score_free(&s))

static int part_loss(void)
{
	uint8_t spoken[64] = {0};
	struct loss_score s;

	return score_loss(&truth, &claims, spoken, &s);
}

Test(score_faults, loss)
{
	starve("loss", part_loss);
}

static int part_forecasts(void)
{
	struct forecasts f = {0};
	int err = stale_forecasts(&truth, &claims, HEALTH_VALIDATED, &f);

	for (unsigned i = 0; !err && i < 1000; i++)
		err = forecasts_add(&f, i / 1000.0, true);
	forecasts_free(&f);
	return err;
}

Test(score_faults, forecasts)
{
	starve("forecasts", part_forecasts);
}

static void draw_nothing(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	*ret = (double)cnt;
}

static int part_statistics(void)
{
	struct boot_unit units[] = {{.of = {1, 2, 3}, .index = 0}, {.of = {2, 3, 4}, .index = 1}};
	struct boot_options o = {.levels = 3, .rounds = 2, .level = 0.9};
	double v[] = {1, 2, 3}, p = 7;
	struct interval r;
	int err = paired_permutation(v, 3, &p);

	if (err)
		cr_assert_eq(p, 7);
	if (!err)
		err = holm(v, 3);
	return err ? err : boot_intervals(units, 2, &o, draw_nothing, NULL, 1, &r);
}

Test(score_faults, statistics)
{
	starve("statistics", part_statistics);
}

/* Claims 0 and 1 are of one group, claim 2 of another; two handoffs, two confs. */
static int part_match(void)
{
	static const struct match_claim c[] = {
		{.conf = 1, .group = 0, .edge_cnt = 2, .edge = 0},
		{.conf = 0.5, .group = 0, .edge_cnt = 1, .edge = 2},
		{.conf = 0.5, .group = 1, .edge_cnt = 1, .edge = 3},
	};
	static const uint32_t to[] = {0, 1, 1, 0};
	struct match_problem p = {
		.claims = c, .claims_cnt = 3, .groups_cnt = 2, .handoffs_cnt = 2, .to = to};
	uint32_t got[3];
	int err = match_solve(&p, got);

	if (!err) {
		cr_assert_eq(got[0], 1);
		cr_assert_eq(got[1], MATCH_NONE);
		cr_assert_eq(got[2], 0);
	}
	return err;
}

Test(score_faults, match)
{
	starve("match", part_match);
}

/* Two handoffs that cannot be told apart, one of a group, one of them twice in a batch of a key; a
 * claim that hits a decoy, one of a key that nobody uses: whatever handoffs ask memory for. */
static struct score_shape shape;

static int part_handoffs(void)
{
	static uint32_t threads[] = {1, 2};
	static struct truth_handoff h[] = {
		{.has = TH_SRC | TH_DST, .src_t = {10, 20}, .dst_ready = {30, 40}},
		{.has = TH_SRC | TH_DST, .src_t = {10, 20}, .dst_ready = {30, 40}},
		{.has = TH_SRC | TH_DST | TH_AMB, .src_t = {110, 120}, .dst_ready = {130, 140}},
		{.has = TH_SRC | TH_DST, .src_t = {210, 220}, .key = {.ns = KEY_FD, .v = 1}},
		{.has = TH_SRC | TH_DST, .src_t = {210, 220}, .key = {.ns = KEY_FD, .v = 1}},
	};
	static struct truth_decoy decoy = {.type = HANDOFF_MSG, .tid = 1, .t = {500, 510}};
	static struct claim c[6];
	struct truth t = {.scored = {0, 1000},
			  .threads = threads,
			  .threads_cnt = 2,
			  .keys = 1u << KEY_FD,
			  .handoffs = h,
			  .handoffs_cnt = 5,
			  .decoys = &decoy,
			  .decoys_cnt = 1};
	struct score_options o = {.threads = 2};
	struct handoff_score s;
	int err;

	for (uint32_t i = 0; i < 5; i++) {
		h[i].type = HANDOFF_MSG;
		h[i].src_tid = 1;
		h[i].dst_tid = 2;
		h[i].dst_t = (struct window){h[i].src_t.t0 + 20, h[i].src_t.t1 + 20};
		c[i] = (struct claim){.kind = CLAIM_HANDOFF,
				      .type = HANDOFF_MSG,
				      .has = HAS_SRC | HAS_DST | (h[i].key.ns ? HAS_KEY : 0),
				      .ns = h[i].key.ns,
				      .handoff = {.key_v = 1 + i / 4,
						  .src_tid = 1,
						  .dst_tid = 2,
						  .src_t = h[i].src_t.t0 + i % 2,
						  .dst_t = h[i].src_t.t0 + 25}};
	}
	c[5] = c[0];
	c[5].handoff.src_t = c[5].handoff.dst_t = 505;
	err = score_handoffs_shaped(&t, &(struct claims){.v = c, .cnt = 6}, &o, &shape, &s, NULL);
	if (!err) {
		const struct handoff_counts *k = &s.level[LEVEL_CONTEXT].all;

		cr_assert_eq(k->right, 4);
		cr_assert_eq(k->out_of_scope, 1);
		cr_assert_eq(k->decoy_hits, 1);
	}
	return err;
}

Test(score_faults, handoffs)
{
	starve("handoffs", part_handoffs);
}

/* One after the other, with an index. */
Test(score_faults, handoffs_in_stretches)
{
	shape = (struct score_shape){.epoch = 1, .stretch = 1};
	starve("handoffs in stretches", part_handoffs);
}

/* Runs of which much reaches from stretch to stretch, each scored in its own way. */
static struct long_run crossing;

static int part_crossing(void)
{
	struct score_options o = {.threads = 1};
	struct handoff_score s;

	return score_handoffs_shaped(&crossing.truth, &crossing.claims, &o, &shape, &s, NULL);
}

Test(score_faults, handoffs_that_cross_stretches)
{
	shape = (struct score_shape){.epoch = 4, .stretch = 8};
	long_run(&crossing, 3, 48);
	starve("handoffs that cross", part_crossing);
}

Test(score_faults, nothing_is_left_of_a_run)
{
	static const uint32_t epochs[] = {1, HX_SCAN, 4}, stretches[] = {1, 5, 16, 40, UINT32_MAX};

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct score_options o = {.threads = 1 + (unsigned)seed % 3};
		struct handoff_score s;
		long before = live;

		shape = (struct score_shape){epochs[seed % 3], stretches[seed % 5]};
		long_run(&crossing, seed, LONG_MAX);
		cr_assert_eq(score_handoffs_shaped(&crossing.truth, &crossing.claims, &o, &shape,
						   &s, NULL),
			     0);
		cr_assert_eq(live, before, "seed %lu leaks %ld", (unsigned long)seed,
			     live - before);
	}
}

static int part_matching(void)
{
	static const size_t first[] = {0, 1, 2};
	static const uint32_t to[] = {0, 1};
	struct bipartite g = {.left_cnt = 2, .right_cnt = 2, .first = first, .to = to};
	int64_t size = matching_size(&g);

	cr_assert(size < 0 || size == 2);
	return size < 0 ? (int)size : 0;
}

Test(score_faults, matching)
{
	starve("matching", part_matching);
}

static int part_score(void)
{
	struct diag d = {0};
	struct score *s = score_files(EXAMPLE "truth.jsonl", EXAMPLE "claims.jsonl", NULL, &d);

	if (!s) {
		cr_assert_neq(d.reason[0], 0);
		cr_assert(d.file[0] || !d.line, "a line of no file");
		return -errno;
	}
	cr_assert_eq(score_status(s), SCORE_OK, "memory is no fault of the claims");
	score_free(s);
	return 0;
}

Test(score_faults, whole_files)
{
	starve("score_files", part_score);
}

static int part_explain(void)
{
	struct diag d = {0};
	struct explain *x = explain_open(EXAMPLE "truth.jsonl", EXAMPLE "claims.jsonl", &d);

	if (!x) {
		cr_assert_neq(d.reason[0], 0);
		cr_assert(d.file[0] || !d.line, "a line of no file");
		return -errno;
	}
	explain_free(x);
	return 0;
}

Test(score_faults, explain_opens)
{
	starve("explain_open", part_explain);
}

static struct explain *open_cell;
static FILE *sink;

static int part_explain_claims(void)
{
	int err = explain_cell(open_cell, sink);

	for (size_t i = 1; !err && i <= explain_claims_cnt(open_cell); i++)
		err = explain_claim(open_cell, i, sink);
	return err;
}

Test(score_faults, explain_prints)
{
	struct diag d = {0};

	open_cell = explain_open(EXAMPLE "truth.jsonl", EXAMPLE "claims.jsonl", &d);
	sink = fopen("/dev/null", "w");
	cr_assert(open_cell && sink);
	/* the stream's own buffer is not the scorer's memory */
	cr_assert_eq(part_explain_claims(), 0);
	starve("explain", part_explain_claims);
	fclose(sink);
	explain_free(open_cell);
}
