/* SPDX-License-Identifier: BSD-2-Clause */
/* From tallies to the counts of contracts §6. */
#include "scoring/handoff_run.h"

static void add_outcome(struct handoff_counts *k, uint8_t outcome, unsigned flags, uint64_t n)
{
	uint64_t *const at[OUTCOME_CNT] = {
		[OUT_RIGHT] = &k->right,	   [OUT_DUPLICATE] = &k->duplicate,
		[OUT_FALSE_JOIN] = &k->false_join, [OUT_HALF] = &k->half,
		[OUT_SPURIOUS] = &k->spurious,	   [OUT_ORPHAN] = &k->orphan,
		[OUT_OF_SCOPE] = &k->out_of_scope,
	};

	if (!at[outcome])
		return;
	*at[outcome] += n;
	if (outcome != OUT_OF_SCOPE) {
		k->claims += n;
		k->two_ended += flags & TALLY_TWO_ENDED ? n : 0;
	}
	if (outcome == OUT_RIGHT) {
		k->credited += n; /* each right claim credits one handoff, each handoff is
				     credited once */
		k->by_ready += flags & TALLY_BY_READY ? n : 0;
		k->visible_credited += flags & TALLY_BLIND ? 0 : n;
	}
	k->decoy_hits += flags & TALLY_DECOY ? n : 0;
}

static void spread(struct handoff_level *l, const struct tally *y, uint32_t declares)
{
	/* mutant 1 <=: equivalent because the first and what follows are of claims that are not
	 * scored */
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT * SOURCE_CNT * OUTCOME_CNT * TALLY_FLAGS; i++) {
		unsigned flags = i % TALLY_FLAGS, outcome = i / TALLY_FLAGS % OUTCOME_CNT;
		unsigned source = i / (TALLY_FLAGS * OUTCOME_CNT) % SOURCE_CNT;
		unsigned type = i / (TALLY_FLAGS * OUTCOME_CNT * SOURCE_CNT);
		uint64_t n = y->n[type][source][outcome][flags];

		if (!n)
			continue;
		l->types |= 1u << type;
		l->sources |= source == SOURCE_NONE ? 0 : 1u << source;
		add_outcome(&l->all, (uint8_t)outcome, flags, n);
		if (declares >> type & 1)
			add_outcome(&l->declared, (uint8_t)outcome, flags, n);
		add_outcome(&l->type[type], (uint8_t)outcome, flags, n);
		add_outcome(&l->source[source], (uint8_t)outcome, flags, n);
	}
	for (unsigned m = 0; m < MARK_CNT; m++)
		/* mutant 1: equivalent because the first is of claims that are not scored */
		for (unsigned i = 0; i < OUTCOME_CNT * TALLY_FLAGS; i++)
			add_outcome(&l->mark[m], (uint8_t)(i / TALLY_FLAGS), i % TALLY_FLAGS,
				    y->mark[m][i / TALLY_FLAGS][i % TALLY_FLAGS]);
}

/* Marks and sources have no count of what can be seen. */
static void drop_visible(struct handoff_level *l)
{
	/* mutant <=: equivalent because what follows are sources */
	for (unsigned i = 0; i < MARK_CNT; i++)
		l->mark[i].visible_credited = 0;
	for (unsigned i = 0; i < SOURCE_CNT; i++)
		l->source[i].visible_credited = 0;
}

static void add_visible(struct handoff_level *l, const struct hx_totals *s, enum score_level level,
			uint32_t declares)
{
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		uint64_t n = s->type[i] - s->blind[level][i];

		l->all.visible += n;
		l->type[i].visible = n;
		l->declared.visible += declares >> i & 1 ? n : 0;
	}
}

static void add_truth(struct handoff_level *l, const struct hx_totals *s, uint32_t declares)
{
	l->types |= s->types;
	l->marks |= s->marks;
	l->all.truth = s->two_ended;
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		l->type[i].truth = s->type[i];
		if (declares >> i & 1)
			l->declared.truth += s->type[i];
	}
	/* mutant <=: equivalent because what follows is a source, which is written next */
	for (unsigned i = 0; i < MARK_CNT; i++)
		l->mark[i].truth = s->mark[i];
	for (unsigned i = 0; i < SOURCE_CNT; i++)
		l->source[i].truth = s->two_ended;
}

static void add_orphan_only(struct handoff_level *l, const struct truth_handoff *h,
			    uint32_t declares, uint8_t sources)
{
	l->all.orphan_only++;
	l->type[h->type].orphan_only++;
	if (declares >> h->type & 1)
		l->declared.orphan_only++;
	for (unsigned m = h->marks; m; m &= m - 1)
		l->mark[__builtin_ctz(m)].orphan_only++;
	for (unsigned s = sources; s; s &= s - 1)
		l->source[__builtin_ctz(s)].orphan_only++;
}

static uint8_t spoken_of(uint8_t heard, bool owned)
{
	uint8_t s = 0;

	if (owned)
		s |= SPOKEN_CREDITED | SPOKEN_TWO_ENDED;
	if (heard & HEARD_TWO)
		s |= SPOKEN_TWO_ENDED;
	if (heard & HEARD_ORPHANS)
		s |= SPOKEN_ORPHAN;
	return s;
}

static uint8_t count_one(const struct run *r, enum score_level level, uint32_t h,
			 struct handoff_score *ret)
{
	uint8_t heard = r->heard[level][h];
	uint16_t ends = r->x.flags[h] & HX_BOTH;
	uint8_t s = spoken_of(heard, owner_of(r, level, h));

	if (ends == HX_BOTH && (s & SPOKEN_ORPHAN) && !(s & SPOKEN_TWO_ENDED))
		add_orphan_only(&ret->level[level], &r->t->handoffs[h], r->c->header.declares,
				heard & HEARD_ORPHANS);
	if (ends != HX_BOTH && (heard & HEARD_JOINED))
		s |= SPOKEN_JOINED;
	if (level == LEVEL_CONTEXT && ends && ends != HX_BOTH) {
		ret->one_ended_named += (s & SPOKEN_ORPHAN) != 0;
		ret->one_ended_joined += (s & SPOKEN_JOINED) != 0;
	}
	return s;
}

enum { STRIDE = 64 };

/* Of most handoffs nothing was heard but what they were credited with. */
static bool silent(const struct run *r, enum score_level level, uint32_t from, uint32_t to)
{
	uint8_t any = 0; /* mutant: equivalent because it only saves time */

	for (uint32_t h = from; h < to; h++)
		any |= atomic_load_explicit(&r->heard[level][h], memory_order_relaxed);
	return !any;
}

/* What was said of each handoff: orphans alone, or of one with one end. */
static void count_heard(const struct run *r, enum score_level level, struct handoff_score *ret)
{
	uint8_t *spoken = r->verdicts.spoken[level];

	for (uint32_t from = 0, to; from < r->x.cnt; from = to) {
		/* mutant <=: equivalent because both are the same then */
		to = r->x.cnt - from < STRIDE ? r->x.cnt : from + STRIDE;
		if (!spoken && silent(r, level, from, to))
			continue;
		for (uint32_t h = from; h < to; h++) {
			uint8_t s = count_one(r, level, h, ret);

			if (spoken)
				spoken[h] = s;
		}
	}
}

void count_all(const struct run *r, struct handoff_score *ret)
{
	uint32_t declares = r->c->header.declares;

	ret->one_ended_truth = r->x.totals.one_ended;
	for (int l = 0; l < LEVEL_CNT; l++) {
		add_truth(&ret->level[l], &r->x.totals, declares);
		add_visible(&ret->level[l], &r->x.totals, (enum score_level)l, declares);
		spread(&ret->level[l], &r->tally[l], declares);
		drop_visible(&ret->level[l]);
		count_heard(r, (enum score_level)l, ret);
	}
}
