/* SPDX-License-Identifier: BSD-2-Clause */
/* From tallies to the counts of contracts §6. */
#include <string.h>

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
	/* mutant 1: equivalent because the first is of claims that are not scored */
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
	for (unsigned i = 0; i < MARK_CNT; i++)
		l->mark[i].visible_credited = 0;
	for (unsigned i = 0; i < SOURCE_CNT; i++)
		l->source[i].visible_credited = 0;
}

static void add_visible(struct handoff_level *l, const struct hx_totals *s, enum score_level level,
			uint32_t declares)
{
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		uint64_t n = s->ends[i][HX_BOTH] - s->blind[level][i];

		l->all.visible += n;
		l->type[i].visible = n;
		l->declared.visible += declares >> i & 1 ? n : 0;
	}
}

static uint64_t one_ended(const struct hx_totals *s, unsigned type)
{
	return s->ends[type][HX_SRC] + s->ends[type][HX_DST];
}

static void add_truth(struct handoff_level *l, const struct hx_totals *s, uint32_t declares)
{
	l->marks |= s->marks;
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		uint64_t n = s->ends[i][HX_BOTH];

		l->types |= n || one_ended(s, i) ? 1u << i : 0;
		l->type[i].truth = n;
		l->all.truth += n;
		if (declares >> i & 1)
			l->declared.truth += n;
	}
	for (unsigned i = 0; i < MARK_CNT; i++)
		l->mark[i].truth = s->mark[i];
	for (unsigned i = 0; i < SOURCE_CNT; i++)
		l->source[i].truth = l->all.truth;
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

static uint8_t count_one(struct worker *w, enum score_level level, uint32_t h)
{
	struct handoff_score *sum = &w->heard_sum;
	uint8_t heard = w->heard[level][h];
	uint16_t ends = w->x.flags[h] & HX_BOTH;
	uint8_t s = spoken_of(heard, w->owner[h].of[level]);

	if (ends == HX_BOTH && (s & SPOKEN_ORPHAN) && !(s & SPOKEN_TWO_ENDED))
		add_orphan_only(&sum->level[level], hx_rec(&w->x, h), w->r->c->header.declares,
				heard & HEARD_ORPHANS);
	if (ends != HX_BOTH && (heard & HEARD_JOINED))
		s |= SPOKEN_JOINED;
	if (level == LEVEL_CONTEXT && ends != HX_BOTH) {
		sum->one_ended_named += (s & SPOKEN_ORPHAN) != 0;
		sum->one_ended_joined += (s & SPOKEN_JOINED) != 0;
	}
	return s;
}

/* Of most handoffs nothing was heard that is counted. Asked of a row of them. */
static bool silent(const struct worker *w, enum score_level level, uint32_t from)
{
	const uint64_t each = UINT64_MAX / UINT8_MAX;
	uint64_t row;

	_Static_assert(sizeof(row) == HEARD_ROW, "a row is read at once");
	memcpy(&row, w->heard[level] + from, sizeof(row));
	return !(row & each * HEARD_COUNTED);
}

/* What was said of each handoff: orphans alone, or of one with one end. Of what is loose, or lent
 * to the rest, nothing is said here. */
void count_heard(struct worker *w, enum score_level level)
{
	uint8_t *spoken = w->r->verdicts.spoken[level];

	for (uint32_t from = 0, to; from < w->x.cnt; from = to) {
		/* mutant <=: equivalent because both are the same then */
		to = w->x.cnt - from < HEARD_ROW ? w->x.cnt : from + HEARD_ROW;
		if (!spoken && silent(w, level, from))
			continue;
		for (uint32_t h = from; h < to; h++) {
			uint8_t s;

			if (!spoken && !(w->heard[level][h] & HEARD_COUNTED))
				continue;
			s = count_one(w, level, h);
			if (spoken && s)
				spoken[w->x.order[h]] = s;
		}
	}
}

/* Counts beside counts, all of 64 bits. */
static void add_counts(void *to, const void *by, size_t bytes)
{
	uint64_t *a = to;
	const uint64_t *b = by;

	/* mutant 1 <=: equivalent because the first of each, and what stands behind, count nothing
	 */
	for (size_t i = 0; i < bytes / sizeof(*a); i++)
		a[i] += b[i];
}

void count_all(struct run *r, const struct worker *w, struct handoff_score *ret)
{
	uint32_t declares = r->c->header.declares;
	struct hx_totals totals = {};

	for (unsigned i = 0; i < r->workers; i++) {
		add_counts(&totals, &w[i].x.totals, offsetof(struct hx_totals, marks));
		totals.marks |= w[i].x.totals.marks;
		add_counts(ret, &w[i].heard_sum, offsetof(struct handoff_score, cheating));
		for (int l = 0; l < LEVEL_CNT; l++) {
			add_counts(&r->tally[l], &w[i].tally[l], sizeof(r->tally[l]));
			add_counts(&r->tally[l], &w[i].plain, sizeof(r->tally[l]));
		}
	}
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		ret->one_ended_truth += one_ended(&totals, i);
	for (int l = 0; l < LEVEL_CNT; l++) {
		add_truth(&ret->level[l], &totals, declares);
		add_visible(&ret->level[l], &totals, (enum score_level)l, declares);
		spread(&ret->level[l], &r->tally[l], declares);
		drop_visible(&ret->level[l]);
	}
}
