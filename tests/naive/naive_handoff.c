/* SPDX-License-Identifier: BSD-2-Clause */
/* Outcomes and counts, literally. */
#include <string.h>

#include "scoring/visibility.h"
#include "tests/naive/naive_handoff.h"

static void naive_outcomes(struct naive *n)
{
	for (size_t i = 0; i < n->cn; i++) {
		bool s = naive_any(n, n->s[i]), d = naive_any(n, n->d[i]);

		if (!n->in[i])
			n->outcome[i] = OUT_NOT_SCORED;
		else if (n->out[i])
			n->outcome[i] = OUT_OF_SCOPE;
		else if (!naive_two_ended(&n->c->v[i]))
			n->outcome[i] = s || d ? OUT_ORPHAN : OUT_SPURIOUS;
		else if (n->best[i] >= 0)
			n->outcome[i] = OUT_RIGHT;
		else if (naive_sd_any(n, i))
			n->outcome[i] = OUT_DUPLICATE;
		else if (s && d)
			n->outcome[i] = OUT_FALSE_JOIN;
		else
			n->outcome[i] = s || d ? OUT_HALF : OUT_SPURIOUS;
	}
}

static bool naive_decoy(const struct naive *n, size_t i)
{
	const struct claim *c = &n->c->v[i];

	if (naive_any(n, n->s[i]) || naive_any(n, n->d[i]))
		return false;
	for (size_t k = 0; k < n->t->decoys_cnt; k++) {
		const struct truth_decoy *y = &n->t->decoys[k];

		if (y->as_event || y->type != c->type || !naive_window_scored(n->t, y->t) ||
		    naive_keys(n, c, &y->key) == 0)
			continue;
		if ((c->has & HAS_SRC) && c->handoff.src_tid == y->tid &&
		    naive_in(y->t, c->handoff.src_t))
			return true;
		if ((c->has & HAS_DST) && c->handoff.dst_tid == y->tid &&
		    naive_in(y->t, c->handoff.dst_t))
			return true;
	}
	return false;
}

static bool naive_by_ready(const struct naive *n, size_t i)
{
	for (size_t h = 0; h < n->hn; h++)
		for (size_t k = 0; k < n->hn; k++)
			if (n->s[i][h] && n->d[i][h] && (k == h || naive_same_amb(n, h, k)) &&
			    naive_far(n, &n->c->v[i], k, false))
				return false;
	return true;
}

static unsigned naive_marks(const struct naive *n, size_t i)
{
	unsigned both = 0, either = 0;

	for (size_t h = 0; h < n->hn; h++) {
		if (n->s[i][h] && n->d[i][h])
			both |= n->t->handoffs[h].marks;
		if (n->s[i][h] || n->d[i][h])
			either |= n->t->handoffs[h].marks;
	}
	if (n->outcome[i] == OUT_RIGHT)
		return n->t->handoffs[n->best[i]].marks;
	return n->outcome[i] == OUT_DUPLICATE ? both : either;
}

static void naive_count(const struct naive *n, size_t i, struct handoff_counts *k)
{
	uint8_t o = n->outcome[i];

	k->right += o == OUT_RIGHT;
	k->credited += o == OUT_RIGHT;
	k->duplicate += o == OUT_DUPLICATE;
	k->false_join += o == OUT_FALSE_JOIN;
	k->half += o == OUT_HALF;
	k->spurious += o == OUT_SPURIOUS;
	k->orphan += o == OUT_ORPHAN;
	k->out_of_scope += o == OUT_OF_SCOPE;
	k->claims += o != OUT_OF_SCOPE;
	k->two_ended += o != OUT_OF_SCOPE && naive_two_ended(&n->c->v[i]);
	k->by_ready += o == OUT_RIGHT && naive_by_ready(n, i);
	k->decoy_hits += naive_decoy(n, i);
}

static void naive_count_claims(const struct naive *n, struct handoff_level *l)
{
	for (size_t i = 0; i < n->cn; i++) {
		const struct claim *c = &n->c->v[i];

		if (!n->in[i])
			continue;
		naive_count(n, i, &l->all);
		naive_count(n, i, &l->type[c->type]);
		naive_count(n, i, &l->source[c->source]);
		if (n->c->header.declares & (1u << c->type))
			naive_count(n, i, &l->declared);
		for (int m = 0; m < MARK_CNT; m++)
			if (naive_marks(n, i) & (1u << m))
				naive_count(n, i, &l->mark[m]);
		l->types |= 1u << c->type;
		l->sources |= c->source ? 1u << c->source : 0;
	}
}

/* What is said of handoff h: bits of enum spoken, and the sources of its orphans. */
static uint8_t naive_spoken(const struct naive *n, size_t h, unsigned *sources)
{
	uint8_t s = 0;

	*sources = 0;
	for (size_t i = 0; i < n->cn; i++) {
		uint8_t o = n->outcome[i];

		if (!n->in[i] || n->out[i])
			continue;
		if (n->best[i] == (int)h)
			s |= SPOKEN_CREDITED;
		if (naive_two_ended(&n->c->v[i]) && n->s[i][h] && n->d[i][h])
			s |= SPOKEN_TWO_ENDED;
		if (o == OUT_ORPHAN && (n->s[i][h] || n->d[i][h])) {
			s |= SPOKEN_ORPHAN;
			*sources |= 1u << n->c->v[i].source;
		}
		if ((o == OUT_FALSE_JOIN || o == OUT_HALF) && (n->s[i][h] || n->d[i][h]) &&
		    n->src_in[h] != n->dst_in[h])
			s |= SPOKEN_JOINED;
	}
	return s;
}

static void naive_count_visible(const struct naive *n, const struct truth_handoff *r, bool both,
				bool credited, struct handoff_level *l)
{
	struct handoff_counts *at[] = {&l->all, &l->type[r->type], &l->declared};
	bool declared = n->c->header.declares & (1u << r->type);

	for (int m = 0; m < MARK_CNT; m++)
		if ((r->marks & (1u << m)) &&
		    visibility_of(r->type, m, (enum score_level)n->level).what != VISIBLE_YES)
			return;
	for (int i = 0; both && i < (declared ? 3 : 2); i++) {
		at[i]->visible++;
		at[i]->visible_credited += credited;
	}
}

static void naive_count_handoff(const struct naive *n, size_t h, struct handoff_level *l)
{
	const struct truth_handoff *r = &n->t->handoffs[h];
	bool both = n->src_in[h] && n->dst_in[h];
	unsigned sources;
	uint8_t s = naive_spoken(n, h, &sources);
	bool only = both && (s & SPOKEN_ORPHAN) && !(s & SPOKEN_TWO_ENDED);
	bool declared = n->c->header.declares & (1u << r->type);

	if (!n->src_in[h] && !n->dst_in[h])
		return;
	naive_count_visible(n, r, both, s & SPOKEN_CREDITED, l);
	l->types |= 1u << r->type;
	l->marks |= r->marks;
	l->all.truth += both;
	l->all.orphan_only += only;
	l->type[r->type].truth += both;
	l->type[r->type].orphan_only += only;
	l->declared.truth += both && declared;
	l->declared.orphan_only += only && declared;
	for (int m = 0; m < MARK_CNT; m++)
		if (r->marks & (1u << m)) {
			l->mark[m].truth += both;
			l->mark[m].orphan_only += only;
		}
	for (int k = 0; k < SOURCE_CNT; k++) {
		l->source[k].truth += both;
		l->source[k].orphan_only += only && (sources & (1u << k));
	}
}

static uint64_t naive_shifted_hits(const struct truth *t, const struct claims *c, uint64_t shift)
{
	static struct naive n;
	struct claim moved[NAIVE_MAX];
	struct claims m = *c;
	uint64_t hits = 0;

	for (size_t i = 0; i < c->cnt; i++) {
		moved[i] = c->v[i];
		moved[i].handoff.src_t += shift;
		moved[i].handoff.dst_t += shift;
		if (moved[i].handoff.src_t < shift || moved[i].handoff.dst_t < shift)
			moved[i].kind = CLAIM_GAP; /* past the end of time: not scored */
	}
	m.v = moved;
	naive_init(&n, t, &m, LEVEL_CONTEXT);
	for (size_t i = 0; i < c->cnt; i++)
		hits += n.in[i] && naive_decoy(&n, i);
	return hits;
}

static bool naive_cheating(const struct truth *t, const struct claims *c, uint64_t hits)
{
	uint64_t most = 0;

	for (uint64_t k = 0; hits && k < 200; k++) {
		uint64_t copy = naive_shifted_hits(t, c, 1000000 + 9000000 * k / 199);

		most = copy > most ? copy : most;
	}
	return hits > most;
}

void naive_score(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		 struct handoff_verdicts *v)
{
	static struct naive n;

	memset(ret, 0, sizeof(*ret));
	for (int l = 0; l < LEVEL_CNT; l++) {
		naive_init(&n, t, c, l);
		naive_match(&n);
		naive_outcomes(&n);
		naive_count_claims(&n, &ret->level[l]);
		for (size_t h = 0; h < n.hn; h++) {
			unsigned sources;
			uint8_t s = naive_spoken(&n, h, &sources);
			bool one = n.src_in[h] != n.dst_in[h];

			naive_count_handoff(&n, h, &ret->level[l]);
			v->spoken[l][h] = s;
			ret->one_ended_truth += l == LEVEL_CONTEXT && one;
			ret->one_ended_named += l == LEVEL_CONTEXT && one && (s & SPOKEN_ORPHAN);
			ret->one_ended_joined += l == LEVEL_CONTEXT && one && (s & SPOKEN_JOINED);
		}
		for (size_t i = 0; i < n.cn; i++) {
			v->outcome[l][i] = n.outcome[i];
			v->credited[l][i] = n.best[i] < 0 ? UINT32_MAX : (uint32_t)n.best[i];
		}
	}
	ret->cheating = naive_cheating(t, c, ret->level[LEVEL_CONTEXT].all.decoy_hits);
}
