/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up runs: the scorer finds exactly what each case was made to be. */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/synth.h"
#include "groundtruth/truth.h"
#include "lib/files.h"
#include "scoring/score.h"

struct places {
	char dir[64], truth[96], claims[96];
};

static struct places places_make(void)
{
	struct places p;

	strcpy(p.dir, "/tmp/assay-synth-XXXXXX");
	cr_assert(mkdtemp(p.dir));
	snprintf(p.truth, sizeof(p.truth), "%s/truth", p.dir);
	snprintf(p.claims, sizeof(p.claims), "%s/claims", p.dir);
	return p;
}

static void places_remove(const struct places *p)
{
	unlink(p->truth);
	unlink(p->claims);
	cr_assert_eq(rmdir(p->dir), 0, "%s holds something else", p->dir);
}

static void write_run(const struct synth_options *o, const struct places *p,
		      struct synth_expect *ret)
{
	struct diag d = {0};
	int err = synth_write(o, p->truth, p->claims, ret, &d);

	cr_assert_eq(err, 0, "%s: %s", d.file, d.reason);
}

static void same(const char *where, const char *what, uint64_t scored, uint64_t expected)
{
	cr_expect_eq(scored, expected, "%s: %s is %" PRIu64 ", expected %" PRIu64, where, what,
		     scored, expected);
}

static void same_counts(const char *where, const struct handoff_counts *s,
			const struct synth_counts *e)
{
	same(where, "truth", s->truth, e->truth);
	same(where, "claims", s->claims, e->claims);
	same(where, "two_ended", s->two_ended, e->two_ended);
	same(where, "right", s->right, e->right);
	same(where, "duplicate", s->duplicate, e->duplicate);
	same(where, "false_join", s->false_join, e->false_join);
	same(where, "half", s->half, e->half);
	same(where, "spurious", s->spurious, e->spurious);
	same(where, "orphan", s->orphan, e->orphan);
	same(where, "out_of_scope", s->out_of_scope, e->out_of_scope);
	same(where, "decoy_hits", s->decoy_hits, e->decoy_hits);
	same(where, "credited", s->credited, e->credited);
	same(where, "by_ready", s->by_ready, e->by_ready);
	same(where, "orphan_only", s->orphan_only, e->orphan_only);
}

static void same_level(const char *run, const struct handoff_score *s, const struct synth_expect *e,
		       unsigned level)
{
	const char *name = level == LEVEL_CONTEXT ? "context" : "identity";
	char where[128];

	snprintf(where, sizeof(where), "%s, %s", run, name);
	same_counts(where, &s->level[level].all, &e->all[level]);
	same_counts(where, &s->level[level].declared, &e->all[level]);
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		snprintf(where, sizeof(where), "%s, %s, %s", run, name, handoff_type_name(i));
		same_counts(where, &s->level[level].type[i], &e->type[level][i]);
	}
	for (unsigned i = 0; i < MARK_CNT; i++) {
		snprintf(where, sizeof(where), "%s, %s, %s", run, name, mark_name(i));
		same_counts(where, &s->level[level].mark[i], &e->mark[level][i]);
	}
}

/* Makes, checks and scores; the expectation is left in *ret. */
static void agree(const char *run, const struct synth_options *o, struct synth_expect *ret)
{
	struct places p = places_make();
	struct handoff_score *s = calloc(1, sizeof(*s));
	struct claims c;
	struct truth t;
	struct diag d = {0};

	write_run(o, &p, ret);
	cr_assert_eq(truth_load(p.truth, &t, &d), 0, "%s: %s", run, d.reason);
	cr_assert_eq(truth_check(&t, p.truth, &d), 0, "%s: %s", run, d.reason);
	cr_assert_eq(claims_load(p.claims, &c, &d), 0, "%s: %s", run, d.reason);
	same(run, "handoffs", t.handoffs_cnt, o->handoffs);
	same(run, "decoys", t.decoys_cnt, ret->decoys);
	same(run, "lines", c.cnt, ret->claims);
	cr_assert_eq(score_handoffs(&t, &c, s, NULL), 0);
	for (unsigned l = 0; l < LEVEL_CNT; l++)
		same_level(run, s, ret, l);
	same(run, "one_ended.truth", s->one_ended_truth, ret->one_ended_truth);
	same(run, "one_ended.named", s->one_ended_named, ret->one_ended_named);
	same(run, "one_ended.joined", s->one_ended_joined, ret->one_ended_joined);
	same(run, "cheating", s->cheating, ret->cheating);
	truth_free(&t);
	claims_free(&c);
	free(s);
	places_remove(&p);
}

Test(truth_synth, scores_as_expected_for_seeds_and_sizes)
{
	static const uint64_t sizes[] = {1, 2, 3, 7, 100, 3000};
	struct synth_expect e;
	char run[64];

	for (uint64_t seed = 1; seed <= 3; seed++)
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct synth_options o;

			synth_defaults(&o);
			o.seed = seed * UINT64_C(0x123456789);
			o.handoffs = sizes[i];
			snprintf(run, sizeof(run), "seed %" PRIu64 ", %" PRIu64, o.seed, sizes[i]);
			agree(run, &o, &e);
		}
}

/* Without decoy hits, which make the scorer judge 200 copies of the claims. */
Test(truth_synth, scores_as_expected_when_epochs_are_many)
{
	struct synth_options o;
	struct synth_expect e;

	synth_defaults(&o);
	o.seed = 4;
	o.handoffs = 100000;
	o.threads = 64;
	o.share[SYNTH_DECOY_HIT] = 0;
	agree("100,000", &o, &e);
	cr_expect_not(e.cheating);
}

/* What a case promises shows best where it is alone; every one of them is made. */
Test(truth_synth, scores_as_expected_when_a_case_is_alone)
{
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++) {
		struct synth_options o;
		struct synth_expect e;

		synth_defaults(&o);
		memset(o.share, 0, sizeof(o.share));
		o.share[c] = 1;
		o.handoffs = 2000;
		agree(synth_case_name(c), &o, &e);
		cr_expect_gt(e.cases[c], 400, "%s: made %" PRIu64 " times", synth_case_name(c),
			     e.cases[c]);
	}
}

Test(truth_synth, scores_as_expected_with_one_type_few_keys_and_many_threads)
{
	struct synth_options o;
	struct synth_expect e;

	for (unsigned type = 0; type < HANDOFF_TYPE_CNT; type++) {
		synth_defaults(&o);
		o.seed = type;
		o.types = 1u << type;
		o.threads = type % 2 ? 4 : 259;
		o.keys = type % 2 ? 2 : 128;
		agree(handoff_type_name(type), &o, &e);
		cr_expect_gt(e.all[SYNTH_CONTEXT].right, 6000);
	}
}

/* Every outcome of contracts §5.1 stands in a run with the default shares. */
Test(truth_synth, holds_every_outcome_when_shares_are_not_given)
{
	struct synth_options o;
	struct synth_expect e;

	synth_defaults(&o);
	agree("defaults", &o, &e);
	for (unsigned l = 0; l < SYNTH_LEVEL_CNT; l++) {
		const struct synth_counts *k = &e.all[l];

		cr_expect(k->right && k->duplicate && k->false_join && k->half && k->spurious &&
			  k->orphan && k->out_of_scope && k->decoy_hits && k->by_ready &&
			  k->orphan_only);
		cr_expect_gt(k->truth, k->credited);
	}
	cr_expect_gt(e.all[SYNTH_IDENTITY].right, e.all[SYNTH_CONTEXT].right);
	cr_expect(e.one_ended_truth && e.one_ended_named && e.one_ended_joined && e.cheating);
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++)
		cr_expect(e.cases[c], "no %s", synth_case_name(c));
}

/* ---- bytes ---- */

static bool same_files(const char *a, const char *b)
{
	char *x, *y;
	size_t n, m;
	bool same_bytes;

	cr_assert_eq(file_read(a, 1 << 30, &x, &n, NULL), 0);
	cr_assert_eq(file_read(b, 1 << 30, &y, &m, NULL), 0);
	same_bytes = n == m && !memcmp(x, y, n);
	free(x);
	free(y);
	return same_bytes;
}

static void compare_seeds(uint64_t a, uint64_t b, bool text, bool equal)
{
	struct places p = places_make(), q = places_make();
	struct synth_expect e, f;
	struct synth_options o;

	synth_defaults(&o);
	o.text = text;
	o.seed = a;
	write_run(&o, &p, &e);
	o.seed = b;
	write_run(&o, &q, &f);
	cr_expect_eq(same_files(p.truth, q.truth), equal);
	cr_expect_eq(same_files(p.claims, q.claims), equal);
	if (equal)
		cr_expect_arr_eq(&e.all, &f.all, sizeof(e.all));
	places_remove(&p);
	places_remove(&q);
}

Test(truth_synth, writes_the_same_bytes_when_the_seed_is_the_same)
{
	compare_seeds(7, 7, false, true);
	compare_seeds(7, 7, true, true);
}

Test(truth_synth, writes_other_bytes_when_the_seed_differs)
{
	compare_seeds(7, 8, false, false);
	compare_seeds(7, 8, true, false);
}

static char *text_of(const char *path)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct truth t;

	cr_assert_eq(truth_load(path, &t, NULL), 0);
	cr_assert_eq(truth_export(&t, f), 0);
	fclose(f);
	truth_free(&t);
	return text;
}

Test(truth_synth, says_the_same_as_text_and_packed)
{
	struct places p = places_make(), q = places_make();
	struct synth_options o;
	struct synth_expect e;
	struct claims c, k;
	char *packed, *text, *again;

	synth_defaults(&o);
	write_run(&o, &p, &e);
	o.text = true;
	write_run(&o, &q, &e);
	packed = text_of(p.truth);
	again = text_of(q.truth);
	cr_assert_eq(file_read(q.truth, 1 << 30, &text, NULL, NULL), 0);
	cr_expect(!strcmp(packed, text) && !strcmp(text, again));
	cr_assert_eq(claims_load(p.claims, &c, NULL), 0);
	cr_assert_eq(claims_load(q.claims, &k, NULL), 0);
	cr_expect(c.cnt == k.cnt && !memcmp(c.v, k.v, c.cnt * sizeof(*c.v)));
	claims_free(&c);
	claims_free(&k);
	free(packed);
	free(text);
	free(again);
	places_remove(&p);
	places_remove(&q);
}

/* The packed form of truth_save, from text, holds the same records. */
Test(truth_synth, survives_save_and_load_when_packed_again)
{
	struct places p = places_make();
	struct synth_options o;
	struct synth_expect e;
	struct truth t;
	char *before, *after;

	synth_defaults(&o);
	write_run(&o, &p, &e);
	before = text_of(p.truth);
	cr_assert_eq(truth_load(p.truth, &t, NULL), 0);
	cr_assert_eq(truth_save(&t, p.truth, NULL), 0);
	truth_free(&t);
	after = text_of(p.truth);
	cr_expect_str_eq(before, after);
	free(before);
	free(after);
	places_remove(&p);
}

/* ---- options ---- */

static void refused(const struct synth_options *o, const char *reason)
{
	struct diag d = {0};

	cr_expect_eq(synth_check(o, &d), -EINVAL);
	cr_expect(strstr(d.reason, reason), "\"%s\" is not \"%s\"", d.reason, reason);
}

Test(truth_synth, refuses_options_of_which_no_run_can_be_made)
{
	struct synth_options good, o;
	struct diag d = {0};

	synth_defaults(&good);
	cr_expect_eq(synth_check(&good, &d), 0);
	o = good;
	o.handoffs = 0;
	refused(&o, "handoffs");
	o.handoffs = SYNTH_HANDOFFS_MAX + 1;
	refused(&o, "handoffs");
	o = good;
	o.threads = 3;
	refused(&o, "threads");
	o = good;
	o.keys = 3;
	refused(&o, "keys");
	o = good;
	o.types = 0;
	refused(&o, "types");
	o = good;
	memset(o.share, 0, sizeof(o.share));
	o.share[SYNTH_KERNEL] = 1;
	o.types = 1u << HANDOFF_MSG;
	refused(&o, "share");
}

Test(truth_synth, reads_shares_and_types)
{
	double share[SYNTH_CASE_CNT] = {7};
	struct diag d = {0};
	uint32_t types = 99;

	cr_expect_eq(synth_shares_parse("rigth=1", share, &d), -EINVAL);
	cr_expect(strstr(d.cure, "right"), "%s", d.cure);
	cr_expect_eq(synth_shares_parse("right=-1", share, &d), -EINVAL);
	cr_expect_eq(synth_shares_parse("right", share, &d), -EINVAL);
	cr_expect_eq(share[SYNTH_RIGHT], 7);
	cr_expect_eq(synth_shares_parse("false_join=0.25,amb=3", share, &d), 0);
	cr_expect(share[SYNTH_RIGHT] == 0 && share[SYNTH_FALSE_JOIN] == 0.25 &&
		  share[SYNTH_AMB] == 3);
	cr_expect_eq(synth_types_parse("io,wakes", &types, &d), -EINVAL);
	cr_expect_eq(types, 99);
	cr_expect_eq(synth_types_parse("io,wake", &types, &d), 0);
	cr_expect_eq(types, 1u << HANDOFF_IO | 1u << HANDOFF_WAKE);
}

Test(truth_synth, leaves_nothing_when_a_file_cannot_be_written)
{
	struct places p = places_make();
	struct synth_options o;
	struct synth_expect e;
	struct diag d = {0};

	synth_defaults(&o);
	cr_expect_lt(synth_write(&o, "/nonexistent/truth", p.claims, &e, &d), 0);
	cr_expect(strstr(d.file, "nonexistent"), "%s", d.file);
	cr_expect_lt(synth_write(&o, p.truth, "/nonexistent/claims", &e, &d), 0);
	cr_expect(strstr(d.file, "nonexistent"), "%s", d.file);
	cr_expect_lt(synth_write(&o, p.truth, "/dev/full", &e, &d), 0);
	cr_expect(access(p.truth, F_OK), "truth without claims");
	places_remove(&p);
}
