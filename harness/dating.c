/* SPDX-License-Identifier: BSD-2-Clause */
/* What was said of a descriptor by a moment, and whether a part of the evidence says the same. */
#include "harness/dating.h"

#include <errno.h>
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

static int list_said(const struct claims *c, uint64_t until, struct said **ret, size_t *ret_cnt)
{
	struct said *v = array_new(c->cnt, sizeof(*v));
	size_t cnt = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HEALTH && c->v[i].health.t <= until)
			v[cnt++] = (struct said){.c = &c->v[i], .at = i};
	qsort(v, cnt, sizeof(*v), compare_said);
	*ret = v;
	*ret_cnt = cnt;
	return 0;
}

/* What is in force of a descriptor. */
struct stand {
	uint32_t desc;
	uint8_t state;
	bool reasoned; /* it came to this state with a reason */
	bool has_p;
	double p;
	struct claim last; /* words are those of its file */
};

struct stands {
	struct stand *v; /* by desc */
	size_t cnt;
};

static void add_said(struct stands *s, const struct claim *c)
{
	struct stand *x = &s->v[s->cnt - 1];

	if (!s->cnt || x->desc != c->health.desc) {
		x = &s->v[s->cnt++];
		*x = (struct stand){.desc = c->health.desc, .state = UINT8_MAX};
	}
	if (x->state != c->type)
		x->reasoned = has_reason(c);
	x->state = c->type;
	if (c->has & HAS_P_STALE) {
		x->has_p = true;
		x->p = c->health.p_stale;
	}
	x->last = *c;
}

static int stands_at(const struct claims *c, uint64_t until, struct stands *ret)
{
	struct stands s = {.cnt = 0};
	struct said *v;
	size_t cnt;
	int err = list_said(c, until, &v, &cnt);

	if (err)
		return err;
	s.v = array_new(cnt, sizeof(*s.v));
	for (size_t i = 0; s.v && i < cnt; i++)
		add_said(&s, v[i].c);
	free(v);
	*ret = s;
	return s.v ? 0 : -ENOMEM;
}

static bool same_stand(const struct stand *a, const struct stand *b)
{
	return a->desc == b->desc && a->state == b->state && a->reasoned == b->reasoned &&
	       a->has_p == b->has_p && a->p == b->p;
}

static bool same_stands(const struct stands *a, const struct stands *b)
{
	if (a->cnt != b->cnt)
		return false;
	for (size_t i = 0; i < a->cnt; i++)
		if (!same_stand(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* ---- whether dates are upheld ---- */

/* What a claim says against its descriptor; what was not likely to be wrong is no doubt. */
static unsigned doubt_of(const struct claim *c)
{
	enum severity s = severity_of(c->type);

	if (s == KEPT)
		return c->has & HAS_P_STALE && c->health.p_stale >= 0.5;
	return 2 * s + has_reason(c);
}

static int compare_times(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

/* The moments at which a descriptor was doubted more than before, each once, in order. */
static int doubted_at(const struct claims *c, uint64_t **ret, size_t *ret_cnt)
{
	struct said *v;
	uint64_t *times;
	size_t cnt, n = 0, kept = 0;
	unsigned most = 0;
	int err = list_said(c, UINT64_MAX, &v, &cnt);

	if (err)
		return err;
	times = array_new(cnt, sizeof(*times));
	for (size_t i = 0; times && i < cnt; i++) {
		if (!i || v[i].c->health.desc != v[i - 1].c->health.desc)
			most = 0;
		if (doubt_of(v[i].c) > most)
			times[n++] = v[i].c->health.t;
		most = MAX(most, doubt_of(v[i].c));
	}
	free(v);
	if (!times)
		return -ENOMEM;
	qsort(times, n, sizeof(*times), compare_times);
	for (size_t i = 0; i < n; i++)
		if (!kept || times[kept - 1] != times[i])
			times[kept++] = times[i];
	*ret = times;
	*ret_cnt = kept;
	return 0;
}

static int ask(const struct dating *s, const struct claims *whole, uint64_t until, bool *ret_same,
	       struct diag *d)
{
	struct stands then = {.v = NULL}, now = {.v = NULL};
	struct claims part = {.cnt = 0};
	int failed = s->join(s->arg, until, &part, d), rc;

	if (failed < 0)
		return failed;
	rc = stands_at(whole, until, &then);
	if (!rc)
		rc = stands_at(&part, until, &now);
	if (!rc)
		*ret_same = same_stands(&then, &now);
	free(then.v);
	free(now.v);
	if (!failed)
		claims_free(&part);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

/* One who never doubts has no dates; of those who might, few are asked where they did not. */
static bool is_sampled(const struct dating *s, const struct claims *whole)
{
	for (size_t i = 0; i < whole->cnt; i++)
		if (whole->v[i].kind == CLAIM_HEALTH)
			return s->draw % DATING_SAMPLE == 0;
	return whole->header.declares & DECLARES_HEALTH && s->draw % DATING_SAMPLE == 0;
}

int dating_check(const struct dating *s, const struct claims *whole, uint64_t from, uint64_t to,
		 bool *ret_upheld, uint64_t *ret_moment, struct diag *d)
{
	uint64_t *at, moment = *ret_moment;
	size_t cnt, asked;
	bool same = true;
	int rc = doubted_at(whole, &at, &cnt);

	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	asked = MIN(cnt, DATING_CHECKS);
	for (size_t i = 0; !rc && same && i < asked; i++) {
		moment = at[i * cnt / asked];
		rc = ask(s, whole, moment, &same, d);
	}
	free(at);
	if (!cnt && to > from && is_sampled(s, whole)) {
		moment = from + hash_u64(s->draw, 1) % (to - from);
		rc = ask(s, whole, moment, &same, d);
	}
	if (rc)
		return rc;
	*ret_upheld = same;
	*ret_moment = moment;
	return 0;
}

/* ---- what takes their place ---- */

static const struct stand *find(const struct stands *s, uint32_t desc)
{
	for (size_t i = 0; i < s->cnt; i++)
		if (s->v[i].desc == desc)
			return &s->v[i];
	return NULL;
}

/* What this step says that the one before did not; the first keeps its own dates, as what was said
 * before all that is scored. */
static int put_news(struct claims_writer *w, const struct claims *c, const struct stands *before,
		    const struct stands *now, bool is_first, uint64_t until)
{
	int64_t word;
	int rc = 0;

	for (size_t i = 0; !rc && i < now->cnt; i++) {
		const struct stand *old = find(before, now->v[i].desc);
		struct claim x = now->v[i].last;

		if (old && same_stand(old, &now->v[i]))
			continue;
		if (!is_first)
			x.health.t = until;
		word = x.health.why_str
			       ? claims_writer_str(w, strtab_get(c->strings, x.health.why_str))
			       : 0;
		x.health.why_str = (uint32_t)word;
		rc = word < 0 ? (int)word : claims_writer_put(w, &x);
	}
	return rc;
}

/* One step; *before becomes what is said at it. */
static int put_step(struct claims_writer *w, const struct claims *c, struct stands *before,
		    bool is_first, uint64_t until)
{
	struct stands now;
	int rc = stands_at(c, until, &now);

	if (rc)
		return rc;
	rc = put_news(w, c, before, &now, is_first, until);
	free(before->v);
	*before = now;
	return rc;
}

/* What is said of the evidence up to `until`; nothing where it failed. */
static int put_part(const struct dating *s, struct claims_writer *w, struct stands *before,
		    bool is_first, uint64_t until, struct diag *d)
{
	struct claims part;
	int failed = s->join(s->arg, until, &part, d), rc;

	if (failed)
		return failed < 0 ? failed : 0;
	rc = put_step(w, &part, before, is_first, until);
	claims_free(&part);
	return rc;
}

int dating_write(const struct dating *s, const struct claims *whole, uint64_t from, uint64_t to,
		 uint64_t moment, const char *path, struct diag *d)
{
	struct claims_writer *w = convert_open(whole, path, CLAIMS_BINARY, d);
	struct stands before = {.v = NULL};
	int rc = w ? 0 : d->err, closed;

	for (size_t i = 0; !rc && i < whole->cnt; i++)
		if (whole->v[i].kind != CLAIM_HEALTH)
			rc = claims_writer_put(w, &whole->v[i]);
	if (!rc)
		rc = put_part(s, w, &before, true, from, d);
	if (!rc && from < moment && moment < to)
		rc = put_part(s, w, &before, false, moment, d);
	if (!rc)
		rc = put_step(w, whole, &before, false, to);
	free(before.v);
	closed = w ? claims_writer_close(w, d) : 0;
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

	while (cnt && e->v[cnt - 1].t > until)
		cnt--;
	for (size_t i = 0; !rc && i < cnt; i++)
		if (!is_told_later(&e->v[i], until))
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
