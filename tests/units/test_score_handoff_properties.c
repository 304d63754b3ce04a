/* SPDX-License-Identifier: BSD-2-Clause */
/* What must change nothing, and what a claim less may change. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scoring/handoff.h"
#include "tests/naive/dense_run.h"
#include "tests/naive/naive_handoff.h"
#include "tests/naive/score_ways.h"

enum { RUNS = 3000 };

struct answer {
	struct handoff_score score;
	uint8_t outcome[LEVEL_CNT][DENSE_CLAIMS];
};

static void ask(const struct truth *t, const struct claims *c, struct answer *ret)
{
	struct handoff_verdicts v = {.outcome = {ret->outcome[0], ret->outcome[1]}};

	memset(ret->outcome, 0, sizeof(ret->outcome));
	cr_assert_eq(score_handoffs_shaped(t, c, NULL,
					   &(struct score_shape){.epoch = 2, .stretch = 4},
					   &ret->score, &v),
		     0);
}

static bool same_counts(const struct answer *a, const struct answer *b)
{
	return !memcmp(&a->score, &b->score, sizeof(a->score));
}

Test(score_handoff_properties, permuting_claims_changes_nothing)
{
	for (uint64_t seed = 1; seed <= dense_runs(RUNS); seed++) {
		static struct dense d;
		struct answer before, after;
		size_t at[DENSE_CLAIMS];
		struct claim v[DENSE_CLAIMS];

		dense_run(&d, seed);
		ask(&d.truth, &d.claims, &before);
		for (size_t i = 0; i < d.claims.cnt; i++)
			at[i] = i;
		for (size_t i = d.claims.cnt; i > 1; i--) {
			size_t k = dense_below(&d, (unsigned)i), x = at[i - 1];

			at[i - 1] = at[k];
			at[k] = x;
		}
		for (size_t i = 0; i < d.claims.cnt; i++)
			v[i] = d.v[at[i]];
		d.claims.v = v;
		ask(&d.truth, &d.claims, &after);
		cr_assert(same_counts(&before, &after), "seed %" PRIu64, seed);
		for (size_t i = 0; i < d.claims.cnt; i++)
			for (size_t k = 0; k < d.claims.cnt; k++)
				if (!memcmp(&v[i], &d.v[k], sizeof(v[i])) && at[i] != k)
					goto twins; /* equal claims may change places */
		for (size_t i = 0; i < d.claims.cnt; i++)
			for (int l = 0; l < LEVEL_CNT; l++)
				cr_assert_eq(after.outcome[l][i], before.outcome[l][at[i]],
					     "seed %" PRIu64, seed);
	twins:;
	}
}

Test(score_handoff_properties, relabelling_ids_changes_nothing)
{
	for (uint64_t seed = 1; seed <= dense_runs(RUNS); seed++) {
		static struct dense d;
		struct answer before, after;

		dense_run(&d, seed);
		ask(&d.truth, &d.claims, &before);
		for (size_t i = 0; i < d.truth.handoffs_cnt; i++) {
			d.handoffs[i].id = ~d.handoffs[i].id * 3;
			d.handoffs[i].src_op += 5;
			d.handoffs[i].amb = ~d.handoffs[i].amb;
		}
		ask(&d.truth, &d.claims, &after);
		cr_assert(same_counts(&before, &after), "seed %" PRIu64, seed);
		cr_assert_eq(memcmp(before.outcome, after.outcome, sizeof(before.outcome)), 0);
	}
}

/* One end of a handoff claim, with fields that nobody knows and numbers in hex. */
static void print_end(FILE *f, const char *name, bool known, uint32_t tid, uint64_t t, bool kernel)
{
	if (!known)
		fprintf(f, ",\"%s\":null", name);
	else
		fprintf(f,
			",\"%s\":{\"cpu\":{\"t\":3},\"tid\":%" PRIu32 ",\"t\":\"0x%" PRIx64
			"\"%s,\"z\":[1,{}]}",
			name, tid, t, kernel ? ",\"kernel\":true" : "");
}

static void print_claim(FILE *f, const struct claim *c)
{
	fprintf(f, "{\"new\":[{\"src\":7}],\"c\":\"handoff\",\"type\":\"%s\"",
		handoff_type_name(c->type));
	print_end(f, "src", c->has & HAS_SRC, c->handoff.src_tid, c->handoff.src_t,
		  c->has & HAS_SRC_KERNEL);
	print_end(f, "dst", c->has & HAS_DST, c->handoff.dst_tid, c->handoff.dst_t,
		  c->has & HAS_DST_KERNEL);
	if (c->has & HAS_KEY)
		fprintf(f, ",\"key\":{\"x\":null,\"ns\":\"%s\",\"v\":\"0x%" PRIx64 "\"",
			key_ns_name(c->ns), c->handoff.key_v);
	if ((c->has & HAS_KEY) && (c->has & HAS_SCOPE))
		fprintf(f, ",\"scope\":\"0x%" PRIx64 "\"", c->handoff.key_scope);
	fputs(c->has & HAS_KEY ? "}" : "", f);
	if (c->has & HAS_CONF)
		fprintf(f, ",\"conf\":%.17g", c->handoff.conf);
	if (c->source)
		fprintf(f, ",\"source\":\"%s\"", source_name(c->source));
	fputs(",\"y\":\"\\u00e9\"}\n", f);
}

static void write_claims(const char *path, const struct claims *c)
{
	FILE *f = fopen(path, "w");

	cr_assert_not_null(f);
	fputs("{\"claims\":1,\"profiler\":\"p\",\"version\":\"1\",\"clock\":\"monotonic\","
	      "\"also\":{},\"declares\":[\"handoff:io\",\"handoff:msg\",\"dance\"]}\n",
	      f);
	for (size_t i = 0; i < c->cnt; i++)
		print_claim(f, &c->v[i]);
	fclose(f);
}

Test(score_handoff_properties, unknown_fields_and_hex_change_nothing)
{
	char path[] = "/tmp/assay-claims-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	for (uint64_t seed = 1; seed <= dense_runs(RUNS) / 10; seed++) {
		static struct dense d;
		struct answer before, after;
		struct claims loaded;
		struct diag diag;

		dense_run(&d, seed);
		for (size_t i = 0; i < d.claims.cnt; i++)
			d.v[i].kind = CLAIM_HANDOFF;
		d.claims.header.declares = 1u << HANDOFF_IO | 1u << HANDOFF_MSG;
		ask(&d.truth, &d.claims, &before);
		write_claims(path, &d.claims);
		cr_assert_eq(claims_load(path, &loaded, &diag), 0, "%s", diag.reason);
		ask(&d.truth, &loaded, &after);
		cr_assert(same_counts(&before, &after), "seed %" PRIu64, seed);
		cr_assert_eq(memcmp(before.outcome, after.outcome, sizeof(before.outcome)), 0);
		claims_free(&loaded);
	}
	unlink(path);
}

static bool has_batch(const struct dense *d)
{
	static struct naive n;

	naive_init(&n, &d->truth, &d->claims, LEVEL_CONTEXT);
	for (size_t h = 0; h < n.hn; h++)
		for (int side = 0; side < 2; side++) {
			bool member[NAIVE_MAX];

			naive_batch(&n, h, side == 0, member);
			for (size_t k = 0; k < n.hn; k++)
				if (member[k] && k != h)
					return true;
		}
	return false;
}

static void remove_each(struct dense *d, uint64_t seed, size_t *exact)
{
	struct answer before, after;
	struct claim v[DENSE_CLAIMS];
	struct claims less = {.header = d->claims.header, .v = v, .cnt = d->claims.cnt - 1};

	ask(&d->truth, &d->claims, &before);
	for (size_t i = 0; i < d->claims.cnt; i++) {
		memcpy(v, d->v, i * sizeof(*v));
		memcpy(v + i, d->v + i + 1, (d->claims.cnt - i - 1) * sizeof(*v));
		ask(&d->truth, &less, &after);
		for (int l = 0; l < LEVEL_CNT; l++) {
			uint64_t had = before.score.level[l].all.credited;
			uint64_t has = after.score.level[l].all.credited;

			if (before.outcome[l][i] != OUT_RIGHT)
				continue;
			cr_assert(has == had || has + 1 == had, "seed %" PRIu64, seed);
			if (before.score.level[l].all.duplicate)
				continue;
			cr_assert_eq(has + 1, had, "seed %" PRIu64, seed);
			++*exact;
		}
	}
}

Test(score_handoff_properties, a_right_claim_less_is_a_credit_less)
{
	size_t exact = 0;

	for (uint64_t seed = 1; seed <= dense_runs(RUNS); seed++) {
		static struct dense d;

		dense_run(&d, seed);
		if (d.claims.cnt && !has_batch(&d))
			remove_each(&d, seed, &exact);
	}
	cr_assert_gt(exact, dense_runs(RUNS) / 10);
}

/* ---- one long run made of many short ones, which cannot meet ---- */

enum { PARTS = 6000, DISTINCT = 500, APART = 100 };

struct whole {
	struct truth truth;
	struct claims claims;
	struct truth_handoff *h;
	struct claim *v;
	uint8_t *outcome[LEVEL_CNT], *expected[LEVEL_CNT];
	struct handoff_counts sum[LEVEL_CNT];
};

struct alone {
	bool known;
	uint8_t outcome[LEVEL_CNT][DENSE_CLAIMS];
	struct handoff_counts all[LEVEL_CNT];
};

static void shift(struct window *w, uint64_t by)
{
	w->t0 += by;
	w->t1 += by;
}

static void move_part(struct dense *d, uint64_t part)
{
	for (size_t i = 0; i < d->truth.handoffs_cnt; i++) {
		struct truth_handoff *h = &d->handoffs[i];

		shift(&h->src_t, part * APART);
		shift(&h->dst_t, part * APART);
		shift(&h->dst_ready, part * APART);
		h->key.v += h->key.ns ? part * 16 : 0;
		h->amb += part * 16;
	}
	for (size_t i = 0; i < d->claims.cnt; i++) {
		d->v[i].handoff.src_t += part * APART;
		d->v[i].handoff.dst_t += part * APART;
		d->v[i].handoff.key_v += part * 16;
	}
}

static void add_counts(struct handoff_counts *to, const struct handoff_counts *from)
{
	uint64_t *a = (uint64_t *)to;
	const uint64_t *b = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
		a[i] += b[i];
}

/* What the part of a seed scores alone, wherever it lies: asked once. */
static const struct alone *alone_of(const struct dense *d, uint64_t seed)
{
	static struct alone known[DISTINCT];
	struct alone *x = &known[seed];
	struct answer a;

	if (x->known)
		return x;
	ask(&d->truth, &d->claims, &a);
	x->known = true;
	memcpy(x->outcome, a.outcome, sizeof(x->outcome));
	for (int l = 0; l < LEVEL_CNT; l++)
		x->all[l] = a.score.level[l].all;
	return x;
}

/* Parts are laid down in the order of a full cycle, so that truth is not in order of time. */
static void whole_add(struct whole *w, uint64_t part, bool shuffled)
{
	static struct dense d;
	const struct alone *a;

	dense_run(&d, 1 + part % DISTINCT);
	if (d.truth.scored.t1 > 40)
		return; /* in ms */
	d.truth.scored = (struct window){0, UINT64_MAX};
	d.truth.decoys_cnt = 0;
	d.claims.header.declares = DECLARES_HANDOFFS;
	move_part(&d, shuffled ? part * 1361 % PARTS : part);
	a = alone_of(&d, part % DISTINCT);
	memcpy(w->h + w->truth.handoffs_cnt, d.handoffs,
	       d.truth.handoffs_cnt * sizeof(d.handoffs[0]));
	memcpy(w->v + w->claims.cnt, d.v, d.claims.cnt * sizeof(d.v[0]));
	for (int l = 0; l < LEVEL_CNT; l++) {
		memcpy(w->expected[l] + w->claims.cnt, a->outcome[l], d.claims.cnt);
		add_counts(&w->sum[l], &a->all[l]);
	}
	w->truth.handoffs_cnt += d.truth.handoffs_cnt;
	w->claims.cnt += d.claims.cnt;
}

static void whole_init(struct whole *w, bool shuffled)
{
	static uint32_t threads[] = {1, 2, 3};
	size_t most = (size_t)PARTS * DENSE_CLAIMS;

	memset(w, 0, sizeof(*w));
	w->h = calloc((size_t)PARTS * DENSE_HANDOFFS, sizeof(*w->h));
	w->v = calloc(most, sizeof(*w->v));
	for (int l = 0; l < LEVEL_CNT; l++) {
		w->outcome[l] = calloc(most, 1);
		w->expected[l] = calloc(most, 1);
	}
	w->truth = (struct truth){.scored = {0, UINT64_MAX},
				  .threads = threads,
				  .threads_cnt = 3,
				  .keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR,
				  .handoffs = w->h};
	w->claims.v = w->v;
	w->claims.header.declares = DECLARES_HANDOFFS;
	for (uint64_t part = 0; part < PARTS; part++)
		whole_add(w, part, shuffled);
}

static void whole_free(struct whole *w)
{
	free(w->h);
	free(w->v);
	for (int l = 0; l < LEVEL_CNT; l++) {
		free(w->outcome[l]);
		free(w->expected[l]);
	}
}

static void whole_check(struct whole *w, const struct score_shape *shape,
			const struct score_options *o)
{
	static struct handoff_score s;
	struct handoff_verdicts v = {.outcome = {w->outcome[0], w->outcome[1]}};

	score_and_again(&w->truth, &w->claims, o, shape, &s, &v);
	for (int l = 0; l < LEVEL_CNT; l++) {
		for (size_t i = 0; i < w->claims.cnt; i++)
			cr_assert_eq(w->outcome[l][i], w->expected[l][i], "level %d claim %zu", l,
				     i);
		cr_assert_eq(memcmp(&s.level[l].all, &w->sum[l], sizeof(w->sum[l])), 0);
	}
}

/* Ways to judge it, each a test of its own: one that hangs is soon noticed. */
static void whole_way(bool shuffled, struct score_shape shape, const struct score_options *o)
{
	struct whole w;

	whole_init(&w, shuffled);
	cr_assert_gt(w.claims.cnt, 16384u, "one worker would do it all");
	whole_check(&w, &shape, o);
	whole_free(&w);
}

Test(score_handoff_properties, the_whole_is_the_sum_of_its_parts)
{
	whole_way(false, (struct score_shape){}, &(struct score_options){.threads = 1});
}

Test(score_handoff_properties, the_whole_by_an_index_is_the_sum)
{
	whole_way(false, (struct score_shape){.epoch = 16, .stretch = 1000},
		  &(struct score_options){.threads = 4});
}

Test(score_handoff_properties, the_whole_by_a_scan_is_the_sum)
{
	whole_way(false, (struct score_shape){.epoch = HX_SCAN, .stretch = 64}, NULL);
}

Test(score_handoff_properties, the_whole_shuffled_is_the_sum)
{
	whole_way(true, (struct score_shape){.epoch = 1, .stretch = 100}, NULL);
}

Test(score_handoff_properties, the_whole_on_disk_is_the_sum)
{
	whole_way(true, (struct score_shape){.epoch = 256, .stretch = UINT32_MAX},
		  &(struct score_options){.threads = 2, .memory = 4096});
}
