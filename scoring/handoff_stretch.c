/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stretch of time, scored: survey its handoffs, settle the plain claims on the way, look the
 * others up, set aside what is loose, settle the rest of it.
 */
#include <errno.h>
#include <sys/param.h>

#include "scoring/handoff_run.h"

/* What was said so far is forgotten, its room used again. */
static int begin(struct worker *w, uint32_t cnt)
{
	int err;

	mem_reset(&w->mem);
	w->slow.cnt = w->late.cnt = w->times_cnt = w->place = 0;
	for (unsigned on = ON_CONTEXT; on < ON_CNT; on++)
		w->bids[on].cnt = w->bids[on].to.cnt = 0;
	err = hx_begin(&w->x, &w->r->ground, cnt, w->r->shape.epoch, &w->mem);
	w->owner = mem_array(&w->mem, cnt, sizeof(*w->owner));
	for (int l = 0; l < LEVEL_CNT; l++) {
		w->heard[l] = mem_array(&w->mem, (size_t)cnt + HEARD_ROW, sizeof(*w->heard[l]));
		if (!w->heard[l])
			err = -ENOMEM;
	}
	return err ? err : w->owner ? 0 : -ENOMEM;
}

/* ---- truth ---- */

static struct hx_seen see(const struct worker *w, uint32_t record)
{
	return hx_see(w->r->t, &w->r->t->handoffs[record]);
}

enum { AHEAD = 16 };

/* No life of which this is so reaches `next`. */
static bool ends_before(const struct truth_handoff *r, uint64_t next)
{
	/* mutant <= &&: equivalent because what seems to reach it is looked at */
	return r->dst_t.t1 < next && r->dst_ready.t1 < next && r->src_t.t1 < next;
}

/* Which of the own handoffs of stretch k outlast it? Quick: all later stretches wait for it. */
static int look_through(struct worker *w, uint32_t k, struct outlasts *ret)
{
	const struct cuts *p = &w->r->cuts;
	uint32_t end = cuts_end(p, k);
	uint64_t next = cuts_next(p, k);
	int err = 0;

	for (uint32_t i = cuts_first(p, k); !err && i < end; i++) {
		const struct truth_handoff *r = &w->r->t->handoffs[cuts_record(p, i)];
		struct hx_seen s;

		/* mutant: equivalent because it is not read here */
		fetch_record(r + AHEAD, sizeof(*r));
		if (ends_before(r, next))
			continue;
		s = hx_see(w->r->t, r);
		/* mutant ||: equivalent because what does not outlast it may be left to the rest */
		if ((s.flags & HX_BOTH) && cuts_outlasts(p, k, s.life.t1))
			err = outlasts_push(ret, &(struct outlasting){s.life.t1, i});
	}
	return err;
}

/* Enters the next handoff. -EAGAIN: it is not in the order of time. */
static int put(struct worker *w, uint32_t record, const struct hx_seen *s, uint16_t flags)
{
	if (s->life.t0 < w->reached)
		return -EAGAIN;
	w->reached = s->life.t0;
	return hx_put(&w->x, record, s, flags);
}

static int put_reaching(struct worker *w, const struct list *reach)
{
	int err = 0;

	w->reached = 0;
	for (size_t i = 0; !err && i < reach->cnt; i++) {
		uint32_t record = cuts_record(&w->r->cuts, reach->v[i]);
		struct hx_seen s = see(w, record);

		err = put(w, record, &s, HX_LOOSE);
	}
	w->reaching = w->x.cnt;
	return err;
}

/* Whether a key is used asks all handoffs. */
static void note_key(struct worker *w, uint32_t record, uint16_t flags)
{
	const struct truth_key *k = &w->r->t->handoffs[record].key;

	if (flags & HX_KEY)
		w->r->key_tags[record] = key_tag(k->ns, k->v);
}

static int put_own(struct worker *w, uint32_t k)
{
	const struct cuts *p = &w->r->cuts;
	uint32_t end = cuts_end(p, k);
	uint64_t next = cuts_next(p, k);
	int err = 0;

	w->reached = MAX(w->reached, p->cut[k]);
	for (uint32_t i = cuts_first(p, k); !err && i < end; i++) {
		uint32_t record = cuts_record(p, i);
		const struct truth_handoff *r = &w->r->t->handoffs[record];
		struct hx_seen s;
		bool apart;

		/* mutant: equivalent because it is not read here */
		fetch_record(r + AHEAD, sizeof(*r));
		s = hx_see(w->r->t, r);
		/* mutant: equivalent because what is left to the rest comes to the same there */
		apart = w->r->amb_apart && (r->has & TH_AMB);

		note_key(w, record, s.flags);
		if (!(s.flags & HX_BOTH))
			continue;
		if (s.life.t0 > next)
			return -EAGAIN;
		hx_count(&w->x, r, s.flags);
		err = put(w, record, &s, apart || cuts_outlasts(p, k, s.life.t1) ? HX_LOOSE : 0);
	}
	return err;
}

static int survey(struct worker *w, uint32_t k)
{
	struct cuts *p = &w->r->cuts;
	struct outlasts out = {};
	const struct list *reach;
	int err = cuts_outlast(p, k, &out, look_through(w, k, &out));

	if (!err)
		err = cuts_reach(p, k, &reach);
	if (!err)
		/* mutant +: equivalent because more room does no harm */
		err = begin(w, (uint32_t)reach->cnt + cuts_end(p, k) - cuts_first(p, k));
	if (!err)
		err = put_reaching(w, reach);
	if (!err)
		err = put_own(w, k);
	return err ? err : hx_finish(&w->x);
}

/* All of truth in one stretch. -EAGAIN: it is not in order of time. */
int survey_all(struct worker *w)
{
	const struct run *r = w->r;
	int err = begin(w, (uint32_t)r->t->handoffs_cnt);

	w->time = r->t->scored;
	w->reached = 0;
	for (uint32_t i = 0; !err && i < r->t->handoffs_cnt; i++) {
		uint32_t record = cuts_record(&r->cuts, i);
		struct hx_seen s = see(w, record);

		note_key(w, record, s.flags);
		if (!(s.flags & HX_BOTH))
			continue;
		hx_count(&w->x, &r->t->handoffs[record], s.flags);
		err = put(w, record, &s, 0);
	}
	return err ? err : hx_finish(&w->x);
}

/* ---- the slow claims ---- */

enum { FEW_IN_FLIGHT = 512 };

static double in_flight(const struct worker *w)
{
	/* mutant - + 0 2: equivalent because an index and a scan find the same */
	double span = (double)(w->time.t1 - w->time.t0) + 1;

	return MAX((double)w->x.lived / span, w->r->cuts.in_flight);
}

/*
 * Are so few handoffs in flight that asking them all, row by row, is as quick as an index? Then
 * claims are looked up at once, while they are at hand.
 */
static bool scan_at_once(const struct worker *w)
{
	if (w->r->shape.epoch)
		/* mutant: equivalent because an index and a scan find the same */
		return w->r->shape.epoch == HX_SCAN;
	/* mutant <: equivalent because an index and a scan find the same */
	return in_flight(w) <= FEW_IN_FLIGHT;
}

/* Asking all is cheaper for a few claims than to pass over truth once more and index it. Measured:
 * some 2 instructions for each asked, 250 for each passed. */
static bool scan_pays(const struct worker *w, size_t claims)
{
	/* mutant 1 3 - 99 101: equivalent because an index and a scan find the same */
	double scan = 2 * (double)claims * (in_flight(w) + 100) * 2;

	/* mutant: equivalent because an index and a scan find the same */
	return scan_at_once(w) || (!w->r->shape.epoch && scan < (double)w->x.cnt * 250);
}

static void want_src(const struct worker *w, struct wanted *n, const struct claim *c,
		     const struct probe *p)
{
	if ((c->has & HAS_SRC) && p->comparable && has_identity(p->type))
		wanted_add(n, WANT_NEAR, probe_tag(p), c->handoff.src_t);
}

static void want_dst(const struct worker *w, struct wanted *n, const struct claim *c,
		     const struct probe *p)
{
	uint32_t place;

	if (!(c->has & HAS_DST))
		return;
	if (p->comparable)
		wanted_add(n, WANT_FAR, probe_tag(p), c->handoff.dst_t);
	if (p->comparable && !hx_keyless(&w->x, p->type, c->handoff.dst_tid, c->handoff.dst_t))
		return;
	place = tids_place(&w->r->ground.tids, c->handoff.dst_tid);
	if (place != HX_NONE)
		wanted_add(n, WANT_THREAD, group_of(&w->r->ground.tids, p->type, place),
			   c->handoff.dst_t);
}

static void want_all(struct worker *w, struct wanted *n, const struct list *visits)
{
	const struct claim *v = w->r->c->v;

	for (size_t i = 0; i < w->slow.cnt; i++) {
		const struct claim *c = &v[w->slow.v[i]];
		struct probe p = probe_of(&w->x, c);

		want_src(w, n, c, &p);
		want_dst(w, n, c, &p);
	}
	for (size_t i = 0; i < visits->cnt; i++) {
		const struct claim *c = &v[visits->v[i] / 2];
		struct probe p = probe_of(&w->x, c);

		(visits->v[i] % 2 == SIDE_SRC ? want_src : want_dst)(w, n, c, &p);
	}
}

/* Indexes what slow claims and visitors will look up, if they need an index. */
static int prepare(struct worker *w, const struct list *visits)
{
	size_t looks = w->slow.cnt + visits->cnt;
	struct wanted n;
	int err;

	w->x.scan = scan_pays(w, looks);
	/* mutant &&: equivalent because an index that nobody asks only takes longer */
	if (w->x.scan || !looks)
		return 0;
	err = wanted_init(&n, &w->time, looks, &w->mem);
	if (err)
		return err;
	want_all(w, &n, visits);
	return hx_index(&w->x, &n, looks);
}

int prepare_any(struct worker *w, size_t looks)
{
	static const struct wanted all = {.all = true};

	w->x.scan = scan_pays(w, looks);
	return w->x.scan ? 0 : hx_index(&w->x, &all, looks);
}

static int find_slow(struct worker *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->slow.cnt; i++) {
		struct probe p = probe_of(&w->x, &w->r->c->v[w->slow.v[i]]);

		err = find(w, w->slow.v[i], &p);
	}
	return err;
}

static int settle(struct worker *w)
{
	int err = hx_rank(&w->x, w->times, w->times_cnt);

	if (!err)
		err = judge_late(w);
	if (!err)
		err = credit(w);
	for (int l = 0; !err && l < LEVEL_CNT; l++)
		count_heard(w, (enum score_level)l);
	return err;
}

static struct window within_scored(const struct worker *w, struct window time)
{
	const struct window *scored = &w->r->t->scored;

	return (struct window){MAX(time.t0, scored->t0), MIN(time.t1, scored->t1)};
}

/* Those that are not plain are found at once, or listed as slow. */
static int judge_claims(struct worker *w, uint32_t k)
{
	const struct cuts *p = &w->r->cuts;
	int err = 0;

	if (w->time.t0 > w->time.t1)
		return 0;
	for (size_t i = p->span[k].from; !err && i < p->span[k].to; i++)
		err = judge_plain(w, cuts_claim(p, i));
	return err;
}

int score_stretch(struct worker *w, uint32_t k)
{
	const struct cuts *p = &w->r->cuts;
	struct list visits;
	int err = survey(w, k);

	w->time = within_scored(w, cuts_time(p, k));
	w->x.scan = scan_at_once(w);
	visits = cuts_visits(p, k);
	if (!err)
		err = judge_claims(w, k);
	if (!err)
		err = prepare(w, &visits);
	if (!err)
		err = find_slow(w);
	if (!err)
		err = cut_loose(w, &visits);
	if (!err)
		err = amb_note(w);
	return err ? err : settle(w);
}

/* ---- the last stretch ---- */

static int settle_last(struct worker *w)
{
	struct run *r = w->r;
	const struct list none = {};
	int err = prepare(w, &none);

	if (!err)
		err = find_slow(w);
	if (err)
		return err;
	r->used = used_keys_new(r, w);
	return r->used ? settle(w) : -ENOMEM;
}

int score_all(struct worker *w)
{
	int err = survey_all(w);

	w->x.scan = scan_at_once(w);
	for (size_t i = 0; !err && i < w->r->c->cnt; i++)
		err = judge_plain(w, (uint32_t)i);
	return err ? err : settle_last(w);
}

int score_rest(struct worker *w, const struct list *truth, const struct list *claims)
{
	int err = begin(w, (uint32_t)truth->cnt);

	w->time = w->r->t->scored;
	for (size_t i = 0; !err && i < truth->cnt; i++) {
		struct hx_seen s = see(w, truth->v[i]);

		err = hx_put(&w->x, truth->v[i], &s, 0);
	}
	if (!err)
		err = hx_finish(&w->x);
	w->x.scan = scan_at_once(w);
	for (size_t i = 0; !err && i < claims->cnt; i++)
		err = judge_plain(w, claims->v[i]);
	return err ? err : settle_last(w);
}
