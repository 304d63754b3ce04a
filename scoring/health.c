/* SPDX-License-Identifier: BSD-2-Clause */
/* Health claims in order, and what they forecast (contracts §5.4, §5.5). */
#include "scoring/stale.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/arrays.h"

enum severity severity_of(unsigned health_state)
{
	static const uint8_t of[HEALTH_STATE_CNT] = {
		[HEALTH_VALIDATED] = KEPT,
		[HEALTH_SUSPECT] = SUSPECT,
		[HEALTH_STALE] = STALE,
		[HEALTH_REFUSED] = STALE,
	};

	/* mutant: equivalent because nobody asks for more */
	assert(health_state < HEALTH_STATE_CNT);
	return of[health_state];
}

const char *severity_name(unsigned s)
{
	static const char *const names[SEVERITY_CNT] = {"kept", "suspect", "stale"};

	assert(s < SEVERITY_CNT); /* mutant: equivalent because nobody asks for more */
	return names[s];
}

struct desc_id {
	uint32_t id, i;
};

static int desc_cmp(const void *pa, const void *pb)
{
	const struct desc_id *a = pa, *b = pb;

	return CMP3(a->id, b->id);
}

/* Within a moment the worst comes last; of equals, first what names an invariant. */
static int health_cmp(const void *pa, const void *pb, void *strings)
{
	const struct health *a = pa, *b = pb;
	const struct claim *x = a->claim, *y = b->claim;

	if (a->desc != b->desc)
		return CMP3(a->desc, b->desc);
	if (x->health.t != y->health.t)
		return CMP3(x->health.t, y->health.t);
	if (severity_of(x->type) != severity_of(y->type))
		return CMP3(severity_of(x->type), severity_of(y->type));
	if (!x->health.why_str != !y->health.why_str)
		return CMP3(!x->health.why_str, !y->health.why_str);
	return strcmp(strtab_get(strings, x->health.why_str),
		      strtab_get(strings, y->health.why_str));
}

static size_t health_take(const struct truth *t, const struct claims *c, const struct desc_id *ids,
			  struct health *v)
{
	size_t cnt = 0;

	for (size_t i = 0; i < c->cnt; i++) {
		const struct claim *x = &c->v[i];
		struct desc_id key = {.id = x->health.desc};
		const struct desc_id *hit;

		if (x->kind != CLAIM_HEALTH || x->health.t > t->scored.t1)
			continue;
		hit = bsearch(&key, ids, t->descriptors_cnt, sizeof(key), desc_cmp);
		if (hit)
			v[cnt++] = (struct health){.claim = x, .desc = hit->i};
	}
	return cnt;
}

int health_list(const struct truth *t, const struct claims *c, struct health **ret_v,
		size_t *ret_cnt)
{
	struct desc_id *ids = array_new(t->descriptors_cnt, sizeof(*ids));
	struct health *v = array_new(claims_count(c, CLAIM_HEALTH), sizeof(*v));

	if (!ids || !v) {
		free(ids);
		free(v);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->descriptors_cnt; i++)
		ids[i] = (struct desc_id){.id = t->descriptors[i].id, .i = (uint32_t)i};
	qsort(ids, t->descriptors_cnt, sizeof(*ids), desc_cmp);
	*ret_cnt = health_take(t, c, ids, v);
	qsort_r(v, *ret_cnt, sizeof(*v), health_cmp, (void *)c->strings);
	free(ids);
	*ret_v = v;
	return 0;
}

/* t ≤ scored[0] + k·span/10, in tenths so that it is exact; wide, so that it cannot wrap. */
static bool by_moment(const struct truth *t, uint64_t x, unsigned k)
{
	unsigned __int128 span = t->scored.t1 - t->scored.t0;

	return (unsigned __int128)x * 10 <= (unsigned __int128)t->scored.t0 * 10 + span * k;
}

/* What is in force: the worst state so far, and the last p_stale (of one moment the greatest). */
struct in_force {
	enum severity severity;
	bool has_p;
	double p;
	uint64_t p_t;
};

static void put_in_force(struct in_force *f, const struct claim *x)
{
	bool same_moment = f->has_p && f->p_t == x->health.t;

	f->severity = MAX(f->severity, severity_of(x->type));
	if (!(x->has & HAS_P_STALE))
		return;
	f->has_p = true;
	f->p = same_moment ? MAX(f->p, x->health.p_stale) : x->health.p_stale;
	f->p_t = x->health.t;
}

static double forecast_in_force(const struct in_force *f)
{
	static const double by_state[SEVERITY_CNT] = {0.05, 0.5, 0.95};

	return f->has_p ? f->p : by_state[f->severity];
}

/* The cnt health claims of one descriptor, in order. */
static void desc_moments(const struct truth *t, const struct truth_descriptor *d,
			 const struct health *v, size_t cnt, uint8_t start,
			 struct stale_moment *ret)
{
	struct in_force now = {.severity = severity_of(start)};
	size_t next = 0;

	for (; next < cnt && v[next].claim->health.t <= t->scored.t0; next++) {
		now.severity = KEPT;
		put_in_force(&now, v[next].claim);
	}
	for (unsigned k = 1; k <= STALE_MOMENTS; k++) {
		for (; next < cnt && by_moment(t, v[next].claim->health.t, k); next++)
			put_in_force(&now, v[next].claim);
		*ret++ = (struct stale_moment){
			.p_stale = forecast_in_force(&now),
			.invalid = !d->valid && by_moment(t, d->since, k),
		};
	}
}

int stale_moments(const struct truth *t, const struct claims *c, uint8_t start,
		  struct stale_moment *ret)
{
	struct health *v;
	size_t cnt, begin = 0;
	int err = health_list(t, c, &v, &cnt);

	if (err)
		return err;
	for (uint32_t i = 0; i < t->descriptors_cnt; i++) {
		size_t end = begin;

		while (end < cnt && v[end].desc == i)
			end++;
		desc_moments(t, &t->descriptors[i], &v[begin], end - begin, start,
			     &ret[i * STALE_MOMENTS]);
		begin = end;
	}
	free(v);
	return 0;
}

int stale_forecasts(const struct truth *t, const struct claims *c, uint8_t start,
		    struct forecasts *f)
{
	size_t cnt = t->descriptors_cnt * STALE_MOMENTS;
	struct stale_moment *v = array_new(cnt, sizeof(*v));
	int err = v ? stale_moments(t, c, start, v) : -ENOMEM;

	for (size_t i = 0; !err && i < cnt; i++)
		err = forecasts_add(f, v[i].p_stale, v[i].invalid);
	free(v);
	return err;
}
