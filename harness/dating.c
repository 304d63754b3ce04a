/* SPDX-License-Identifier: BSD-2-Clause */
/* What was said of a descriptor by a moment, and whether a part of the evidence says the same. */
#include "harness/dating.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "harness/convert.h"
#include "lib/formats/evidence.h"
#include "lib/hash.h"
#include "scoring/arrays.h"
#include "scoring/stale.h"

/* A health claim and its place in the file. */
struct said {
	const struct claim *c;
	size_t at;
};

static bool has_reason(const struct claim *c)
{
	return c->health.why_str != 0;
}

/* As the scorer orders them: within a moment the worst comes last, and what names a reason first.
 */
static int compare_said(const void *pa, const void *pb)
{
	const struct said *a = pa, *b = pb;
	const struct claim *x = a->c, *y = b->c;

	if (x->health.desc != y->health.desc)
		return CMP3(x->health.desc, y->health.desc);
	if (x->health.t != y->health.t)
		return CMP3(x->health.t, y->health.t);
	if (severity_of(x->type) != severity_of(y->type))
		return CMP3(severity_of(x->type), severity_of(y->type));
	if (has_reason(x) != has_reason(y))
		return CMP3(has_reason(y), has_reason(x));
	return CMP3(a->at, b->at);
}

static bool is_listed(const struct truth *t, uint32_t desc)
{
	for (size_t i = 0; i < t->descriptors_cnt; i++)
		if (t->descriptors[i].id == desc)
			return true;
	return false;
}

/* What counts of what was said by `until`. */
static int list_said(const struct dating *s, const struct claims *c, uint64_t until,
		     struct said **ret, size_t *ret_cnt)
{
	struct said *v = array_new(c->cnt, sizeof(*v));
	size_t cnt = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HEALTH && c->v[i].health.t <= until &&
		    is_listed(s->truth, c->v[i].health.desc))
			v[cnt++] = (struct said){.c = &c->v[i], .at = i};
	qsort(v, cnt, sizeof(*v), compare_said);
	*ret = v;
	*ret_cnt = cnt;
	return 0;
}

/* What is in force of a descriptor. */
struct stand {
	uint32_t desc;
	enum severity severity;
	bool reasoned; /* it came to this state with a reason */
	bool has_p;
	double p;
	uint64_t p_t;
	uint64_t t; /* of the last claim */
};

struct stands {
	struct stand *v; /* by desc */
	size_t cnt;
};

/* As scoring/stale.h reads them: up to the beginning of what is scored the last holds, then the
 * worst; of p_stale the last, of one moment the greatest. */
static void stand_take(struct stand *x, const struct claim *c, uint64_t start)
{
	enum severity to = severity_of(c->type);
	bool same_moment = x->has_p && x->p_t == c->health.t;

	x->t = c->health.t;
	if (c->health.t <= start || to > x->severity) {
		x->severity = to;
		x->reasoned = to != KEPT && has_reason(c);
	}
	if (!(c->has & HAS_P_STALE))
		return;
	x->has_p = true;
	x->p = same_moment ? MAX(x->p, c->health.p_stale) : c->health.p_stale;
	x->p_t = c->health.t;
}

static int stands_at(const struct dating *s, const struct claims *c, uint64_t until,
		     struct stands *ret)
{
	struct stands all = {.cnt = 0};
	struct said *v;
	size_t cnt;
	int err = list_said(s, c, until, &v, &cnt);

	if (err)
		return err;
	all.v = array_new(cnt, sizeof(*all.v));
	for (size_t i = 0; all.v && i < cnt; i++) {
		uint32_t desc = v[i].c->health.desc;

		if (!i || v[i - 1].c->health.desc != desc)
			all.v[all.cnt++] = (struct stand){.desc = desc, .severity = KEPT};
		stand_take(&all.v[all.cnt - 1], v[i].c, s->truth->scored.t0);
	}
	free(v);
	*ret = all;
	return all.v ? 0 : -ENOMEM;
}

/* ---- whether dates are upheld ---- */

/* What it forecasts of a doubt; what is as likely right as wrong is none. */
static double doubted_p(const struct stand *x)
{
	static const double by_state[SEVERITY_CNT] = {0.05, 0.5, 0.95};

	return MAX(x->has_p ? x->p : by_state[x->severity], 0.5);
}

static bool same_stand(const struct stand *a, const struct stand *b)
{
	return a->severity == b->severity && a->reasoned == b->reasoned &&
	       fabs(doubted_p(a) - doubted_p(b)) <= DATING_P_SLACK;
}

/* Validated, where it said nothing. */
static struct stand stand_of(const struct stands *s, uint32_t desc)
{
	for (size_t i = 0; i < s->cnt; i++)
		if (s->v[i].desc == desc)
			return s->v[i];
	return (struct stand){.desc = desc, .severity = KEPT};
}

static bool same_stands(const struct truth *t, const struct stands *a, const struct stands *b)
{
	for (size_t i = 0; i < t->descriptors_cnt; i++) {
		struct stand x = stand_of(a, t->descriptors[i].id);
		struct stand y = stand_of(b, t->descriptors[i].id);

		if (!same_stand(&x, &y))
			return false;
	}
	return true;
}

/* How much is doubted; what was not likely to be wrong is no doubt. */
static unsigned doubt_of(const struct stand *x)
{
	return x->severity == KEPT ? x->has_p && x->p > 0.5 : 2 * x->severity + x->reasoned;
}

static int compare_times(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

static size_t sort_times(uint64_t *times, size_t cnt)
{
	size_t kept = 0;

	qsort(times, cnt, sizeof(*times), compare_times);
	for (size_t i = 0; i < cnt; i++)
		if (!kept || times[kept - 1] != times[i])
			times[kept++] = times[i];
	return kept;
}

/* The moments at which a descriptor was doubted more than before, each once, in order. What is in
 * force at the beginning of what is scored counts once. */
static int doubted_at(const struct dating *s, const struct claims *c, uint64_t **ret,
		      size_t *ret_cnt)
{
	struct stand now = {.severity = KEPT};
	struct said *v;
	uint64_t *times;
	size_t cnt, n = 0;
	unsigned most = 0;
	int err = list_said(s, c, s->truth->scored.t1, &v, &cnt);

	if (err)
		return err;
	times = array_new(cnt, sizeof(*times));
	for (size_t i = 0; times && i < cnt; i++) {
		const struct claim *x = v[i].c;
		bool ends = i + 1 == cnt || v[i + 1].c->health.desc != x->health.desc;

		stand_take(&now, x, s->truth->scored.t0);
		if (ends || v[i + 1].c->health.t > s->truth->scored.t0) {
			if (doubt_of(&now) > most)
				times[n++] = x->health.t;
			most = MAX(most, doubt_of(&now));
		}
		if (ends) {
			now = (struct stand){.severity = KEPT};
			most = 0;
		}
	}
	free(v);
	if (!times)
		return -ENOMEM;
	*ret_cnt = sort_times(times, n);
	*ret = times;
	return 0;
}

static int ask(const struct dating *s, const struct claims *whole, uint64_t until,
	       enum dating_verdict *ret, struct diag *d)
{
	struct stands then = {.v = NULL}, now = {.v = NULL};
	struct claims part = {.cnt = 0};
	int failed = s->join(s->arg, until, &part, d), rc;

	if (failed < 0)
		return failed;
	if (failed == DATING_UNASKED) {
		*ret = DATES_UNKNOWN;
		return 0;
	}
	rc = stands_at(s, whole, until, &then);
	if (!rc)
		rc = stands_at(s, &part, until, &now);
	if (!rc && !same_stands(s->truth, &then, &now))
		*ret = DATES_FAIL;
	free(then.v);
	free(now.v);
	if (!failed)
		claims_free(&part);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

/* One who never doubts has no dates; of those who might, few are asked where they did not. */
static bool is_sampled(const struct dating *s, const struct claims *whole)
{
	if (s->draw % DATING_SAMPLE || s->truth->scored.t1 <= s->truth->scored.t0)
		return false;
	for (size_t i = 0; i < whole->cnt; i++)
		if (whole->v[i].kind == CLAIM_HEALTH)
			return true;
	return whole->header.declares & DECLARES_HEALTH;
}

/* One of the i-th of `parts` equal parts of cnt moments; of the last part the last. */
static uint64_t pick(const struct dating *s, const uint64_t *at, size_t cnt, size_t i, size_t parts)
{
	size_t from = i * cnt / parts, to = (i + 1) * cnt / parts;

	return i + 1 == parts ? at[cnt - 1] : at[from + hash_u64(s->draw, 2 + i) % (to - from)];
}

int dating_check(const struct dating *s, const struct claims *whole, enum dating_verdict *ret,
		 uint64_t *ret_moment, struct diag *d)
{
	const struct window *scored = &s->truth->scored;
	enum dating_verdict verdict = DATES_HOLD;
	uint64_t *at, moment = *ret_moment;
	size_t cnt, asked;
	int rc = doubted_at(s, whole, &at, &cnt);

	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	asked = MIN(cnt, DATING_CHECKS);
	for (size_t i = 0; !rc && verdict == DATES_HOLD && i < asked; i++) {
		moment = pick(s, at, cnt, i, asked);
		rc = ask(s, whole, moment, &verdict, d);
	}
	free(at);
	if (!rc && verdict == DATES_HOLD && is_sampled(s, whole)) {
		moment = scored->t0 + hash_u64(s->draw, 1) % (scored->t1 - scored->t0);
		rc = ask(s, whole, moment, &verdict, d);
	}
	if (rc)
		return rc;
	*ret = verdict;
	*ret_moment = moment;
	return 0;
}

/* ---- what takes their place ---- */

/* Health claims that are written anew: where to, and by which dates. */
struct redating {
	const struct dating *s;
	struct claims_writer *w;
	struct stands before; /* what was said up to the beginning */
	uint64_t floor;	      /* no date comes before it */
};

static int put_at(struct redating *r, const struct claims *c, const struct claim *x, uint64_t t)
{
	struct claim put = *x;
	int64_t word = 0;

	if (x->health.why_str)
		word = claims_writer_str(r->w, strtab_get(c->strings, x->health.why_str));
	if (word < 0)
		return (int)word;
	put.health.why_str = (uint32_t)word;
	put.health.t = t;
	return claims_writer_put(r->w, &put);
}

/* Whether it is in force at the beginning and was not said of the evidence up to then. */
static bool is_news(const struct redating *r, const struct stands *at_start, const struct claim *x)
{
	struct stand now = stand_of(at_start, x->health.desc);
	struct stand before = stand_of(&r->before, x->health.desc);

	return x->health.t == now.t && !same_stand(&now, &before);
}

static int compare_dates(const void *pa, const void *pb)
{
	const struct said *a = pa, *b = pb;

	if (a->c->health.t != b->c->health.t)
		return CMP3(a->c->health.t, b->c->health.t);
	return CMP3(a->at, b->at);
}

/* All that counts and was said after the beginning and by `until` is now said at the end of that
 * time: in order, the last at `until`, a ns between two dates. */
static int put_late(struct redating *r, const struct claims *c, uint64_t until)
{
	const struct dating *s = r->s;
	const uint64_t start = s->truth->scored.t0;
	struct stands at_start = {.v = NULL};
	uint64_t date = until;
	struct said *v = NULL;
	size_t cnt = 0;
	int rc = stands_at(s, c, start, &at_start);

	if (!rc)
		rc = list_said(s, c, until, &v, &cnt);
	if (!rc)
		qsort(v, cnt, sizeof(*v), compare_dates);
	for (size_t i = cnt; !rc && i-- > 0;) {
		uint64_t t = v[i].c->health.t;

		if (i + 1 < cnt && v[i + 1].c->health.t != t && date > r->floor &&
		    until - date < DATING_ROOM_NS)
			date--;
		if (t > start || is_news(r, &at_start, v[i].c))
			rc = put_at(r, c, v[i].c, date);
	}
	free(v);
	free(at_start.v);
	return rc;
}

/* What is said of the evidence up to the beginning keeps its dates. */
static int put_start(struct redating *r, const struct claims *c)
{
	const uint64_t start = r->s->truth->scored.t0;
	int rc = stands_at(r->s, c, start, &r->before);

	for (size_t i = 0; !rc && i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HEALTH && c->v[i].health.t <= start)
			rc = put_at(r, c, &c->v[i], c->v[i].health.t);
	return rc;
}

/* What is said of the evidence up to `until`; nothing where it failed or could not be asked. */
static int put_part(struct redating *r, uint64_t until, struct diag *d)
{
	struct claims part;
	int failed = r->s->join(r->s->arg, until, &part, d), rc;

	if (failed)
		return failed < 0 ? failed : 0;
	rc = until == r->s->truth->scored.t0 ? put_start(r, &part) : put_late(r, &part, until);
	claims_free(&part);
	return rc;
}

int dating_write(const struct dating *s, const struct claims *whole, uint64_t moment,
		 const char *path, struct diag *d)
{
	const struct window *scored = &s->truth->scored;
	struct redating r = {.s = s, .floor = scored->t0 + 1};
	int rc, closed;

	r.w = convert_open(whole, path, CLAIMS_BINARY, d);
	if (!r.w)
		return d->err;
	rc = 0;
	for (size_t i = 0; !rc && i < whole->cnt; i++)
		if (whole->v[i].kind != CLAIM_HEALTH)
			rc = claims_writer_put(r.w, &whole->v[i]);
	if (!rc)
		rc = put_part(&r, scored->t0, d);
	if (!rc && scored->t0 < moment && moment < scored->t1) {
		rc = put_part(&r, moment, d);
		r.floor = moment + 1;
	}
	if (!rc)
		rc = put_late(&r, whole, scored->t1);
	free(r.before.v);
	closed = claims_writer_close(r.w, d);
	return rc ? rc : closed;
}

/* ---- a part of the evidence ---- */

/* What user space told later, in the name of records that came before. */
static bool is_told_later(const struct ev_rec *r, uint64_t until)
{
	return !r->seq && r->t > until;
}

static int put_until(struct evidence_writer *w, const struct evidence *e, uint64_t until)
{
	size_t cnt = e->cnt;
	int rc = 0;

	/* what user space told at the end may be of an early moment: it ends no part */
	while (cnt && (!e->v[cnt - 1].seq || e->v[cnt - 1].t > until))
		cnt--;
	for (size_t i = 0; !rc && i < e->cnt; i++)
		if (i < cnt ? !is_told_later(&e->v[i], until) : !e->v[i].seq && e->v[i].t <= until)
			rc = evidence_writer_put(w, &e->v[i], 1);
	return rc;
}

int dating_cut(const char *from, uint64_t until, const char *to, struct diag *d)
{
	struct evidence_header h;
	struct evidence_writer *w;
	struct evidence e;
	int rc = evidence_load(from, &e, d), closed;

	if (rc)
		return rc;
	h = e.header;
	h.drained = MAX(h.attached, MIN(until, h.drained));
	w = evidence_writer_open(to, &h, d);
	rc = w ? put_until(w, &e, until) : d->err;
	closed = w ? evidence_writer_close(w, NULL, d) : 0;
	evidence_free(&e);
	return rc ? rc : closed;
}
