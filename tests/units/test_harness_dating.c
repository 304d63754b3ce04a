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

enum { FROM = 1000, TO = 2000, FOUND = 1600, SAID_MOST = 8 };

static char folder[64];

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
	uint64_t dated;	    /* and dates it so */
	bool sees_cuts;	    /* doubts both descriptors where the evidence is cut */
	bool fails_on_cuts; /* and says nothing there */
	unsigned asked;
};

static void join_all(const struct joiner *j, uint64_t until, const char *name, struct claims *ret)
{
	struct saying v[SAID_MOST] = {{.t = FROM - 10, .desc = 1, .p = 0.01},
				      {.t = FROM - 10, .desc = 2, .p = 0.01}};
	size_t cnt = 2;

	if (until < TO && j->sees_cuts)
		for (uint32_t desc = 1; desc <= 2; desc++)
			v[cnt++] = (struct saying){FROM + 1, desc, HEALTH_STALE, "pairing", 0.9};
	else if (until >= FOUND)
		v[cnt++] = (struct saying){j->dated, 2, HEALTH_STALE, "pairing", 0.9};
	say(name, v, cnt, ret);
}

static int join(void *arg, uint64_t until, struct claims *ret, struct diag *d)
{
	struct joiner *j = arg;

	(void)d;
	j->asked++;
	if (j->fails_on_cuts)
		return 1;
	join_all(j, until, "part", ret);
	return 0;
}

static bool is_upheld(struct joiner *j, uint64_t draw, uint64_t *ret_moment)
{
	struct dating s = {.join = join, .arg = j, .draw = draw};
	struct claims whole;
	bool upheld = false;

	join_all(j, TO, "whole", &whole);
	cr_assert(zero(int, dating_check(&s, &whole, FROM, TO, &upheld, ret_moment, NULL)));
	claims_free(&whole);
	return upheld;
}

Test(harness_dating, upholds_what_was_there_to_be_said)
{
	struct joiner j = {.dated = FOUND};
	uint64_t moment = 0;

	cr_expect(eq(int, is_upheld(&j, 1, &moment), 1));
	cr_expect(eq(uint, j.asked, 1));
	j.dated = FOUND + 100; /* later than it could: nobody gains by that */
	cr_expect(eq(int, is_upheld(&j, 1, &moment), 1));
}

Test(harness_dating, does_not_uphold_what_is_dated_back)
{
	struct joiner j = {.dated = FOUND - 1};
	uint64_t moment = 0;

	cr_expect(eq(int, is_upheld(&j, 1, &moment), 0));
	cr_expect(eq(u64, moment, FOUND - 1));
}

Test(harness_dating, does_not_uphold_what_a_part_does_not_say_since_it_failed)
{
	struct joiner j = {.dated = FOUND, .fails_on_cuts = true};
	uint64_t moment = 0;

	cr_expect(eq(int, is_upheld(&j, 1, &moment), 0));
}

Test(harness_dating, asks_a_sample_of_those_that_doubted_nothing)
{
	struct joiner never = {.dated = UINT64_MAX};
	struct dating s = {.join = join, .arg = &never};
	const struct saying calm[] = {{.t = FROM - 10, .desc = 1, .p = 0.01}};
	struct claims whole;
	uint64_t moment = 0;
	bool upheld = false;

	say("whole", calm, 1, &whole);
	for (s.draw = 0; s.draw < DATING_SAMPLE; s.draw++)
		cr_assert(zero(int, dating_check(&s, &whole, FROM, TO, &upheld, &moment, NULL)));
	cr_expect(eq(uint, never.asked, 1));
	cr_expect(ge(u64, moment, FROM));
	cr_expect(lt(u64, moment, TO));
	claims_free(&whole);
}

/* The times at which descriptor 1 and 2 turned stale in what was written; 0: never. */
static void redate(struct joiner *j, uint64_t ret[2])
{
	struct dating s = {.join = join, .arg = j};
	struct claims whole, c;
	size_t gaps = 0;
	uint64_t moment = 0;
	char path[PATH_LEN];

	cr_assert(eq(int, is_upheld(j, 1, &moment), 0));
	join_all(j, TO, "whole", &whole);
	strcpy(path, below("dated"));
	cr_assert(zero(int, dating_write(&s, &whole, FROM, TO, moment, path, NULL)));
	claims_free(&whole);
	cr_assert(zero(int, claims_load(path, &c, NULL)));
	ret[0] = ret[1] = 0;
	for (size_t i = 0; i < c.cnt; i++) {
		gaps += c.v[i].kind == CLAIM_GAP;
		if (c.v[i].kind != CLAIM_HEALTH || c.v[i].type != HEALTH_STALE)
			continue;
		cr_assert(zero(u64, ret[c.v[i].health.desc - 1]));
		ret[c.v[i].health.desc - 1] = c.v[i].health.t;
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
	cr_assert(zero(int, evidence_writer_close(w, NULL, NULL)));
	cr_assert(zero(int, dating_cut(from, 40, to, NULL)));
	cr_assert(zero(int, evidence_load(to, &e, NULL)));
	cr_expect(eq(sz, e.cnt, 3));
	cr_expect(eq(u64, e.v[2].t, 40));
	cr_expect(eq(u64, e.header.drained, 40));
	evidence_free(&e);
	cr_assert(zero(int, dating_cut(from, 5, to, NULL)));
	cr_assert(zero(int, evidence_load(to, &e, NULL)));
	cr_expect(eq(sz, e.cnt, 0));
	evidence_free(&e);
}
