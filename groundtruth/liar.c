/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The liars: always sure, never right.
 *
 * Why no handoff claim of `liar` can be right. A claim has a true src, no key, and the dst of some
 * other handoff. Without a key both levels match by thread and window alone. Let S be the handoffs
 * of its type that its src matches, each with the amb group it is in, and L the earliest src.t0 of
 * them all. Its dst is said at a real end that lies before L. Truth's self-checks say that no dst
 * and no ready window begins before its src; so whatever holds a time before L was sent before L,
 * it is not in S, nor is anything of its amb group (L looks at those without a src, too). Hence S
 * and D are disjoint. Where nothing was received before L, the dst is said after every dst and
 * ready window of S and their groups has ended, by the same argument; and where there is no such
 * end either, one ns before L.
 *
 * Nor can anything else: event classes are words that truth does not have, effects come after the
 * last true one, costs are more than twice what was spent, the diagnosis is a label that truth does
 * not have, and what is said of a descriptor's health is the opposite.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/claimant.h"
#include "groundtruth/idmap.h"

/* What the argument above needs of one handoff. */
struct fact {
	uint32_t index;
	uint8_t type;
	uint32_t src_tid, dst_tid;
	struct window src_t;
	uint64_t dst_end;     /* dst.t1 */
	uint64_t first, last; /* earliest src.t0 and latest window end of its amb group */
	uint64_t longest;     /* latest src.t1 up to here, within type and thread */
};

struct liar {
	const struct truth *t;
	struct claims_writer *w;
	struct fact *by_src; /* by type, src thread, src.t0 */
	struct fact *by_dst; /* by type, dst.t1 */
	size_t cnt;
};

/* ---- facts ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t end_of_windows(const struct truth_handoff *h)
{
	return h->has & TH_DST ? most(h->dst_t.t1, h->dst_ready.t1) : 0;
}

static uint64_t start_of_windows(const struct truth_handoff *h)
{
	return least(h->dst_t.t0, h->dst_ready.t0);
}

/* Bounds of a group over all its handoffs, one-ended ones included. */
struct group {
	uint64_t first, last;
};

static int learn_groups(const struct truth *t, struct idmap *ids, struct group *v)
{
	uint32_t n = 0, i;

	for (size_t k = 0; k < t->handoffs_cnt; k++) {
		const struct truth_handoff *h = &t->handoffs[k];
		int known = h->has & TH_AMB ? idmap_put(ids, h->amb, n, &i) : 1;

		if (known < 0)
			return known;
		if (!(h->has & TH_AMB))
			continue;
		if (!known)
			v[n++] = (struct group){UINT64_MAX, 0};
		v[i].first = least(v[i].first, h->has & TH_SRC ? h->src_t.t0 : start_of_windows(h));
		v[i].last = most(v[i].last, end_of_windows(h));
	}
	return 0;
}

static struct fact fact_of(const struct truth *t, uint32_t k, const struct idmap *ids,
			   const struct group *groups)
{
	const struct truth_handoff *h = &t->handoffs[k];
	struct fact f = {.index = k,
			 .type = h->type,
			 .src_tid = h->src_tid,
			 .dst_tid = h->dst_tid,
			 .src_t = h->src_t,
			 .dst_end = h->dst_t.t1,
			 .first = h->src_t.t0,
			 .last = end_of_windows(h)};
	uint32_t g;

	if (h->has & TH_AMB && idmap_get(ids, h->amb, &g)) {
		f.first = groups[g].first;
		f.last = groups[g].last;
	}
	return f;
}

static int by_src(const void *a, const void *b)
{
	const struct fact *p = a, *q = b;

	if (p->type != q->type)
		return p->type < q->type ? -1 : 1;
	if (p->src_tid != q->src_tid)
		return p->src_tid < q->src_tid ? -1 : 1;
	if (p->src_t.t0 != q->src_t.t0)
		return p->src_t.t0 < q->src_t.t0 ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static int by_dst(const void *a, const void *b)
{
	const struct fact *p = a, *q = b;

	if (p->type != q->type)
		return p->type < q->type ? -1 : 1;
	if (p->dst_end != q->dst_end)
		return p->dst_end < q->dst_end ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static bool same_thread(const struct fact *a, const struct fact *b)
{
	return a->type == b->type && a->src_tid == b->src_tid;
}

static void sort_facts(struct liar *x)
{
	memcpy(x->by_dst, x->by_src, x->cnt * sizeof(*x->by_dst));
	if (!x->cnt)
		return;
	qsort(x->by_src, x->cnt, sizeof(*x->by_src), by_src);
	qsort(x->by_dst, x->cnt, sizeof(*x->by_dst), by_dst);
	for (size_t i = 0; i < x->cnt; i++) {
		struct fact *f = &x->by_src[i];

		f->longest = f->src_t.t1;
		if (i && same_thread(f, f - 1))
			f->longest = most(f->longest, f[-1].longest);
	}
}

/* Everything with a src can be in S; only what is scored is lied about. */
static int learn(struct liar *x)
{
	const struct truth *t = x->t;
	struct idmap ids = {0};
	struct group *groups = calloc(t->handoffs_cnt + 1, sizeof(*groups));
	int err = groups ? learn_groups(t, &ids, groups) : -ENOMEM;

	x->by_src = calloc(t->handoffs_cnt + 1, sizeof(*x->by_src));
	x->by_dst = calloc(t->handoffs_cnt + 1, sizeof(*x->by_dst));
	if (!x->by_src || !x->by_dst)
		err = -ENOMEM;
	for (uint32_t k = 0; !err && k < t->handoffs_cnt; k++)
		if (t->handoffs[k].has & TH_SRC)
			x->by_src[x->cnt++] = fact_of(t, k, &ids, groups);
	if (!err)
		sort_facts(x);
	idmap_free(&ids);
	free(groups);
	return err;
}

/* ---- a far end that cannot belong to the near end ---- */

/* L and its counterpart over S of a claim whose src is said at the start of f's window. */
static struct group reach_of(const struct liar *x, const struct fact *f)
{
	uint64_t t = f->src_t.t0;
	struct group g = {f->first, f->last};

	for (const struct fact *p = f; p > x->by_src && same_thread(p - 1, f); p--) {
		if (p[-1].longest < t)
			break;
		if (p[-1].src_t.t1 < t)
			continue;
		g.first = least(g.first, p[-1].first);
		g.last = most(g.last, p[-1].last);
	}
	for (const struct fact *p = f + 1; p < x->by_src + x->cnt && same_thread(p, f); p++) {
		if (p->src_t.t0 > t)
			break;
		g.first = least(g.first, p->first);
		g.last = most(g.last, p->last);
	}
	return g;
}

/* First fact in by_dst of this type with dst_end at least `end`, or of a later type. */
static size_t lower_bound(const struct liar *x, uint8_t type, uint64_t end)
{
	size_t lo = 0, hi = x->cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct fact *f = &x->by_dst[mid];

		if (f->type < type || (f->type == type && f->dst_end < end))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool usable(const struct liar *x, size_t i, uint8_t type)
{
	return i < x->cnt && x->by_dst[i].type == type &&
	       handoff_scored(x->t, &x->t->handoffs[x->by_dst[i].index]);
}

/* 0: a lie was found. */
static int far_end(const struct liar *x, const struct fact *f, uint32_t *ret_tid, uint64_t *ret_t)
{
	struct group g = reach_of(x, f);
	size_t before = lower_bound(x, f->type, g.first);
	size_t behind = lower_bound(x, f->type + 1, 0);

	while (before-- > 0 && x->by_dst[before].type == f->type)
		if (usable(x, before, f->type)) {
			*ret_tid = x->by_dst[before].dst_tid;
			*ret_t = x->by_dst[before].dst_end;
			return 0;
		}
	while (behind-- > 0 && x->by_dst[behind].type == f->type &&
	       x->by_dst[behind].dst_end > g.last)
		if (usable(x, behind, f->type)) {
			*ret_tid = x->by_dst[behind].dst_tid;
			*ret_t = x->by_dst[behind].dst_end;
			return 0;
		}
	if (g.first <= x->t->scored.t0)
		return -ENOENT;
	*ret_tid = f->dst_tid;
	*ret_t = g.first - 1;
	return 0;
}

static int put_handoffs(struct liar *x)
{
	int err = 0;

	for (size_t i = 0; !err && i < x->cnt; i++) {
		const struct fact *f = &x->by_src[i];
		struct claim c = {
			.kind = CLAIM_HANDOFF,
			.type = f->type,
			.how = HOW_OBSERVED,
			.has = HAS_SRC | HAS_DST | HAS_CONF,
			.handoff = {.src_t = f->src_t.t0, .src_tid = f->src_tid, .conf = 1}};

		if (handoff_scored(x->t, &x->t->handoffs[f->index]) &&
		    !far_end(x, f, &c.handoff.dst_tid, &c.handoff.dst_t))
			err = claims_writer_put(x->w, &c);
	}
	return err;
}

/* ---- the rest ---- */

/* A word of truth, made longer until truth does not know it. */
static int64_t no_word(const struct liar *x, const char *word)
{
	char wrong[256];

	snprintf(wrong, sizeof(wrong) - 64, "%s", word);
	do
		strcat(wrong, "~");
	while (strtab_find(x->t->strings, wrong, strlen(wrong)) >= 0 &&
	       strlen(wrong) + 1 < sizeof(wrong));
	return claims_writer_str(x->w, wrong);
}

static int put_events(struct liar *x)
{
	int err = 0;

	for (size_t i = 0; !err && i < x->t->events_cnt; i++) {
		const struct truth_event *e = &x->t->events[i];
		int64_t class = no_word(x, strtab_get(x->t->strings, e->class_str));
		struct claim c = {.kind = CLAIM_EVENT,
				  .type = e->kind,
				  .has = HAS_INSTANCE | HAS_UNITS | HAS_CONF,
				  .event = {.t = e->t.t0,
					    .instance = ~e->instance,
					    .units = e->units + 1,
					    .tid = e->tid,
					    .class_str = (uint32_t) class,
					    .conf = 1}};

		err = class < 0 ? (int)class : claims_writer_put(x->w, &c);
	}
	return err;
}

static int put_effects(struct liar *x)
{
	uint64_t end = 0;
	int err = 0;

	for (size_t i = 0; i < x->t->effects_cnt; i++)
		end = most(end, x->t->effects[i].t.t1);
	for (size_t i = 0; !err && i < x->t->effects_cnt && end < UINT64_MAX; i++) {
		const struct truth_effect *e = &x->t->effects[i];
		struct claim c = {.kind = CLAIM_EFFECT,
				  .type = e->kind,
				  .has = HAS_SRC | HAS_V | HAS_CONF,
				  .effect = {.cause_t = e->t.t0,
					     .cause_tid = e->tid,
					     .t = end + 1,
					     .tid = e->tid,
					     .v = e->v,
					     .conf = 1}};

		err = claims_writer_put(x->w, &c);
	}
	return err;
}

static int put_costs(struct liar *x)
{
	struct idmap ops = {0};
	uint32_t op;
	int err = 0;

	for (size_t i = 0; err >= 0 && i < x->t->ops_cnt; i++)
		err = idmap_put(&ops, x->t->ops[i].id, (uint32_t)i, &op);
	for (size_t i = 0; err >= 0 && i < x->t->costs_cnt; i++) {
		const struct truth_cost *k = &x->t->costs[i];
		int64_t kind = claim_word(x->w, x->t, k->kind_str);
		struct claim c = {.kind = CLAIM_COST, .has = HAS_SRC};

		if (kind < 0 || k->of != COST_OF_OP || !idmap_get(&ops, k->op, &op)) {
			err = kind < 0 ? (int)kind : err;
			continue;
		}
		c.cost.root_t = x->t->ops[op].begin.t1;
		c.cost.root_tid = x->t->ops[op].begin_tid;
		c.cost.kind_str = (uint32_t)kind;
		c.cost.v = k->v < UINT64_MAX / 2 ? 2 * k->v + 1 : 0;
		err = claims_writer_put(x->w, &c);
	}
	idmap_free(&ops);
	return err < 0 ? err : 0;
}

static bool is_label(const struct truth *t, const char *word)
{
	for (size_t i = 0; i < t->diagnoses_cnt; i++)
		if (!strcmp(strtab_get(t->strings, t->diagnoses[i].label_str), word))
			return true;
	return false;
}

static int put_diagnoses(struct liar *x)
{
	static const char *const labels[] = {"healthy", "leak", "overload", "pool-thrash"};
	const char *wrong = NULL;
	int64_t label;
	int err = 0;

	for (size_t i = 0; !wrong && i < sizeof(labels) / sizeof(labels[0]); i++)
		wrong = is_label(x->t, labels[i]) ? NULL : labels[i];
	label = wrong ? claims_writer_str(x->w, wrong) : no_word(x, labels[0]);
	for (size_t i = 0; !err && i < x->t->diagnoses_cnt; i++) {
		const struct truth_diagnosis *g = &x->t->diagnoses[i];
		int64_t subject = claim_word(x->w, x->t, g->subject_str);
		struct claim c = {.kind = CLAIM_DIAGNOSIS,
				  .has = HAS_CONF,
				  .diagnosis = {.t = g->t.t0,
						.conf = 1,
						.label_str = (uint32_t)label,
						.subject_str = (uint32_t)subject}};

		err = label < 0 || subject < 0 ? -ENOMEM : claims_writer_put(x->w, &c);
	}
	return err;
}

static int put_health(struct liar *x)
{
	int64_t why = claims_writer_str(x->w, "liar");
	int err = 0;

	for (size_t i = 0; !err && i < x->t->descriptors_cnt; i++) {
		const struct truth_descriptor *v = &x->t->descriptors[i];
		struct claim c = {.kind = CLAIM_HEALTH,
				  .type = v->valid ? HEALTH_STALE : HEALTH_VALIDATED,
				  .has = HAS_P_STALE,
				  .health = {.t = x->t->scored.t0 + 1,
					     .p_stale = v->valid ? 1 : 0,
					     .desc = v->id,
					     .why_str = v->valid && why > 0 ? (uint32_t)why : 0}};

		err = why < 0 ? (int)why : claims_writer_put(x->w, &c);
	}
	return err;
}

int claim_liar(const struct truth *t, struct claims_writer *w)
{
	static int (*const parts[])(struct liar *) = {put_health,  put_handoffs, put_events,
						      put_effects, put_costs,	 put_diagnoses};
	struct liar x = {.t = t, .w = w};
	int err = learn(&x);

	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++)
		err = parts[i](&x);
	free(x.by_src);
	free(x.by_dst);
	return err;
}
