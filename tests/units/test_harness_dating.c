/* SPDX-License-Identifier: BSD-2-Clause */
/* Who could not have had a doubt when it is dated, and what becomes of it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/dating.h"
#include "harness/folder.h"
#include "lib/formats/evidence.h"

enum { FROM = 1000, TO = 2000, FOUND = 1600, SAID_MOST = 40 };

static char folder[64];

static const struct truth_descriptor descriptors[] = {{.id = 1}, {.id = 2}};
static const struct truth truth = {
	.scored = {.t0 = FROM, .t1 = TO}, .descriptors = descriptors, .descriptors_cnt = 2};

static void setup(void)
{
	strcpy(folder, "/tmp/assay-dating-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
}

static void teardown(void)
{
	folder_remove(folder, NULL);
}

TestSuite(harness_dating, .init = setup, .fini = teardown);

static const char *below(const char *name)
{
	static char path[PATH_LEN];

	cr_assert(zero(int, path_format(path, NULL, "%s/%s", folder, name)));
	return path;
}

/* What is claimed of descriptors. */
struct saying {
	uint64_t t;
	uint32_t desc;
	uint8_t state;
	const char *why; /* NULL: none */
	double p;
};

static void say(const char *name, const struct saying *v, size_t cnt, struct claims *ret)
{
	struct claims_header h = {
		.profiler = "p", .version = "1", .declares = DECLARES_HEALTH | DECLARES_GAP};
	struct claims_writer *w = claims_writer_open(below(name), CLAIMS_BINARY, &h, NULL);
	struct claim gap = {.kind = CLAIM_GAP, .gap = {.from = 1, .to = 2}};

	cr_assert(ne(ptr, w, NULL));
	cr_assert(zero(int, claims_writer_put(w, &gap)));
	for (size_t i = 0; i < cnt; i++) {
		struct claim c = {.kind = CLAIM_HEALTH,
				  .type = v[i].state,
				  .has = HAS_P_STALE,
				  .health = {.t = v[i].t, .desc = v[i].desc, .p_stale = v[i].p}};

		if (v[i].why)
			c.health.why_str = (uint32_t)claims_writer_str(w, v[i].why);
		cr_assert(zero(int, claims_writer_put(w, &c)));
	}
	cr_assert(zero(int, claims_writer_close(w, NULL)));
	cr_assert(zero(int, claims_load(below(name), ret, NULL)));
}

/* A joiner that finds what is wrong with descriptor 2 when it has seen the evidence up to FOUND. */
struct joiner {
	uint64_t dated;	   /* and dates it so */
	bool sees_cuts;	   /* doubts both descriptors where the evidence is cut */
	int ends_on_cuts;  /* DATING_SILENT, DATING_UNASKED: and says nothing there */
	unsigned decoys;   /* suspects of descriptors that nobody has, honestly dated */
	bool sums_up;	   /* closes with a word on each, and is a little surer of it */
	uint64_t asked_at; /* last */
	unsigned asked;
};

static void join_all(const struct joiner *j, uint64_t until, const char *name, struct claims *ret)
{
	struct saying v[SAID_MOST] = {{.t = FROM - 10, .desc = 2, .p = 0.01}};
	size_t cnt = 1;

	for (uint32_t i = 0; i < j->decoys && FROM + i < until; i++)
		v[cnt++] = (struct saying){FROM + 1 + i, 9000 + i, HEALTH_SUSPECT, "pairing", 0.9};
	if (until < TO && j->sees_cuts)
		for (uint32_t desc = 1; desc <= 2; desc++)
			v[cnt++] = (struct saying){FROM + 1, desc, HEALTH_STALE, "pairing", 0.9};
	else if (until >= FOUND)
		v[cnt++] = (struct saying){j->dated, 2, HEALTH_STALE, "pairing", 0.9};
	if (j->sums_up) {
		v[cnt++] = (struct saying){until, 1, HEALTH_VALIDATED, NULL, 0.02};
		if (until >= FOUND)
			v[cnt++] = (struct saying){until, 2, HEALTH_STALE, NULL, 0.95};
		else
			v[cnt++] = (struct saying){until, 2, HEALTH_VALIDATED, NULL, 0.02};
	}
	say(name, v, cnt, ret);
}

static int join(void *arg, uint64_t until, struct claims *ret, struct diag *d)
{
	struct joiner *j = arg;

	(void)d;
	j->asked++;
	j->asked_at = until;
	if (j->ends_on_cuts)
		return j->ends_on_cuts;
	join_all(j, until, "part", ret);
	return 0;
}

static enum dating_verdict verdict_of(struct joiner *j, uint64_t draw, uint64_t *ret_moment)
{
	struct dating s = {.join = join, .arg = j, .truth = &truth, .draw = draw};
	enum dating_verdict verdict = DATES_UNKNOWN;
	struct claims whole;

	join_all(j, TO, "whole", &whole);
	cr_assert(zero(int, dating_check(&s, &whole, &verdict, ret_moment, NULL)));
	claims_free(&whole);
	return verdict;
}

Test(harness_dating, upholds_what_was_there_to_be_said)
{
	struct joiner j = {.dated = FOUND};
	uint64_t moment = 0;

	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_HOLD));
	cr_expect(eq(uint, j.asked, 1));
	j.dated = FOUND + 100; /* later than it could: nobody gains by that */
	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_HOLD));
}

Test(harness_dating, upholds_who_sums_up_at_the_end)
{
	struct joiner j = {.dated = FOUND, .sums_up = true};
	uint64_t moment = 0;

	for (uint64_t draw = 0; draw < DATING_SAMPLE; draw++)
		cr_expect(eq(int, verdict_of(&j, draw, &moment), DATES_HOLD));
}

Test(harness_dating, does_not_uphold_what_is_dated_back)
{
	struct joiner j = {.dated = FOUND - 1};
	uint64_t moment = 0;

	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_FAIL));
	cr_expect(eq(u64, moment, FOUND - 1));
}

Test(harness_dating, is_not_kept_busy_by_doubts_that_count_nowhere)
{
	struct joiner j = {.dated = FROM + 20, .decoys = 30};
	uint64_t moment = 0;

	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_FAIL));
	cr_expect(eq(uint, j.asked, 1));
}

/* Suspect, and then stale, of five descriptors: ten moments. */
Test(harness_dating, asks_in_every_part_of_the_moments_and_always_at_the_last)
{
	static const struct truth_descriptor five[] = {
		{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}, {.id = 5}};
	struct truth t = {
		.scored = {.t0 = FROM, .t1 = TO}, .descriptors = five, .descriptors_cnt = 5};
	struct saying v[10];
	struct joiner j = {.ends_on_cuts = DATING_SILENT};
	struct dating s = {.join = join, .arg = &j, .truth = &t, .draw = 1};
	enum dating_verdict verdict = DATES_HOLD;
	bool differs = false;
	struct claims whole;
	uint64_t moment = 0, first = 0;

	for (uint32_t i = 0; i < 10; i++)
		v[i] = (struct saying){FROM + 10 + i, 1 + i / 2,
				       i % 2 ? HEALTH_STALE : HEALTH_SUSPECT, "pairing", 0.9};
	say("whole", v, 10, &whole);
	for (s.draw = 1; s.draw < DATING_SAMPLE; s.draw++) {
		cr_assert(zero(int, dating_check(&s, &whole, &verdict, &moment, NULL)));
		differs |= first && moment != first;
		first = moment;
		cr_expect(lt(u64, moment, FROM + 12)); /* of the first of four parts */
	}
	cr_expect(eq(int, differs, 1));
	claims_free(&whole);
	say("whole", v + 9, 1, &whole);
	cr_assert(zero(int, dating_check(&s, &whole, &verdict, &moment, NULL)));
	cr_expect(eq(u64, moment, FROM + 19));
	claims_free(&whole);
}

Test(harness_dating, does_not_uphold_what_a_part_does_not_say_since_it_failed)
{
	struct joiner j = {.dated = FOUND, .ends_on_cuts = DATING_SILENT};
	uint64_t moment = 0;

	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_FAIL));
}

Test(harness_dating, holds_nothing_against_who_could_not_be_asked)
{
	struct joiner j = {.dated = FOUND, .ends_on_cuts = DATING_UNASKED};
	uint64_t moment = 0;

	cr_expect(eq(int, verdict_of(&j, 1, &moment), DATES_UNKNOWN));
	cr_expect(eq(uint, j.asked, 1));
}

Test(harness_dating, asks_a_sample_at_any_moment_whether_they_doubt_or_not)
{
	struct joiner never = {.dated = UINT64_MAX}, found = {.dated = FOUND};
	uint64_t moment = 0;

	for (uint64_t draw = 0; draw < DATING_SAMPLE; draw++) {
		cr_expect(eq(int, verdict_of(&never, draw, &moment), DATES_HOLD));
		cr_expect(eq(int, verdict_of(&found, draw, &moment), DATES_HOLD));
	}
	cr_expect(eq(uint, never.asked, 1));
	cr_expect(ge(u64, never.asked_at, FROM));
	cr_expect(lt(u64, never.asked_at, TO));
	cr_expect(eq(uint, found.asked, DATING_SAMPLE + 1));
}

/* What stands in the file in place of what did not hold at `moment`. */
static void redated(struct joiner *j, const struct claims *whole, uint64_t moment,
		    struct claims *ret)
{
	struct dating s = {.join = join, .arg = j, .truth = &truth};
	char path[PATH_LEN];

	strcpy(path, below("dated"));
	cr_assert(zero(int, dating_write(&s, whole, moment, path, NULL)));
	cr_assert(zero(int, claims_load(path, ret, NULL)));
}

/* The times at which descriptor 1 and 2 first turned stale in what was written; 0: never. */
static void redate(struct joiner *j, uint64_t ret[2])
{
	struct claims whole, c;
	size_t gaps = 0;
	uint64_t moment = 0;

	cr_assert(eq(int, verdict_of(j, 1, &moment), DATES_FAIL));
	join_all(j, TO, "whole", &whole);
	redated(j, &whole, moment, &c);
	claims_free(&whole);
	ret[0] = ret[1] = 0;
	for (size_t i = 0; i < c.cnt; i++) {
		uint64_t *at = &ret[c.v[i].health.desc == 2];

		gaps += c.v[i].kind == CLAIM_GAP;
		if (c.v[i].kind != CLAIM_HEALTH || c.v[i].type != HEALTH_STALE)
			continue;
		*at = *at && *at < c.v[i].health.t ? *at : c.v[i].health.t;
		cr_expect(eq(str, (char *)strtab_get(c.strings, c.v[i].health.why_str), "pairing"));
	}
	cr_expect(eq(sz, gaps, 1)); /* what is no health claim stays as it is */
	claims_free(&c);
}

Test(harness_dating, lets_what_was_dated_back_count_from_the_end)
{
	struct joiner j = {.dated = FROM + 1};
	uint64_t at[2];

	redate(&j, at);
	cr_expect(eq(u64, at[0], 0));
	cr_expect(eq(u64, at[1], TO));
}

Test(harness_dating, lets_what_was_said_of_a_part_alone_stand)
{
	struct joiner j = {.dated = FROM + 5, .sees_cuts = true};
	uint64_t at[2];

	redate(&j, at);
	cr_expect(eq(u64, at[0], FROM + 5)); /* a false alarm, where the descriptor is right */
}

/* A false alarm that is taken back, a reason that comes first, and the last word on p_stale. */
Test(harness_dating, loses_nothing_but_dates)
{
	static const struct saying v[] = {{FROM + 10, 1, HEALTH_STALE, "order", 0.9},
					  {FROM + 20, 2, HEALTH_SUSPECT, "pairing", 0.6},
					  {FROM + 30, 1, HEALTH_VALIDATED, NULL, 0.1},
					  {FROM + 30, 2, HEALTH_STALE, NULL, 0.8}};
	struct joiner none = {.ends_on_cuts = DATING_SILENT};
	struct claims whole, c;
	uint64_t before = TO - 3;
	size_t kept = 0;

	say("whole", v, 4, &whole);
	redated(&none, &whole, FROM + 10, &c);
	claims_free(&whole);
	for (size_t i = 0; i < c.cnt; i++) {
		const struct claim *x = &c.v[i];
		size_t k = 0;

		if (x->kind != CLAIM_HEALTH)
			continue;
		kept++;
		while (k < 4 && (v[k].desc != x->health.desc || v[k].state != x->type))
			k++;
		cr_assert(lt(sz, k, 4));
		cr_expect(eq(u64, x->health.t, before + 1 + (k < 2 ? k : 2)));
		cr_expect(eq(dbl, x->health.p_stale, v[k].p));
		cr_expect(eq(str, (char *)strtab_get(c.strings, x->health.why_str),
			     (char *)(v[k].why ? v[k].why : "")));
	}
	cr_expect(eq(sz, kept, 4));
	claims_free(&c);
}

static void put_record(struct evidence_writer *w, uint64_t t, uint16_t seq)
{
	struct ev_rec r = {.t = t, .kind = EV_FUTEX_ENTER, .seq = seq};

	cr_assert(zero(int, evidence_writer_put(w, &r, 1)));
}

Test(harness_dating, cuts_evidence_at_a_moment_and_tells_nothing_later)
{
	struct evidence_header h = {.attached = 10, .drained = 100};
	struct evidence_writer *w;
	struct evidence e;
	char from[PATH_LEN], to[PATH_LEN];

	strcpy(from, below("whole"));
	strcpy(to, below("part"));
	w = evidence_writer_open(from, &h, NULL);
	cr_assert(ne(ptr, w, NULL));
	put_record(w, 20, 1);
	put_record(w, 41, 2); /* another CPU's, out of step */
	put_record(w, 70, 0); /* a tally */
	put_record(w, 40, 1);
	put_record(w, 50, 2);
	put_record(w, 30, 0); /* a loss of long ago, told at the end */
	cr_assert(zero(int, evidence_writer_close(w, NULL, NULL)));
	cr_assert(zero(int, dating_cut(from, 40, to, NULL)));
	cr_assert(zero(int, evidence_load(to, &e, NULL)));
	cr_expect(eq(sz, e.cnt, 4));
	cr_expect(eq(u64, e.v[2].t, 40));
	cr_expect(eq(u64, e.v[3].t, 30));
	cr_expect(eq(u64, e.header.drained, 40));
	evidence_free(&e);
	cr_assert(zero(int, dating_cut(from, 5, to, NULL)));
	cr_assert(zero(int, evidence_load(to, &e, NULL)));
	cr_expect(eq(sz, e.cnt, 0));
	evidence_free(&e);
}
