/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares over quads, and how long it took. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/summary_parts.h"

/* One form of one quad over all its seeds; of base, one workload. */
struct quad {
	struct quad_of of;
	bool stale;	/* a resource is */
	bool found;	/* all of them, in every seed */
	bool localised; /* all of the found, in every seed */
	bool kept;	/* nothing was doubted, in any seed */
	bool alarmed;	/* in some seed */
	bool refused;	/* everything, in every seed */
	double falls;	/* finds and alarms, over all seeds */
};

static bool same_variant(const struct sum_cell *a, const struct sum_cell *b)
{
	return !strcmp(a->c->workload, b->c->workload) && !strcmp(a->c->variant, b->c->variant);
}

static void add_seed(struct quad *q, const struct sum_cell *x)
{
	double stale = x->said[1][0] + x->said[1][1] + x->said[1][2];
	double doubted = x->said[1][1] + x->said[1][2];
	double all = stale + x->said[0][0] + x->said[0][1] + x->said[0][2];

	q->falls += x->detected + x->alarms;
	q->stale |= stale > 0;
	q->found &= x->detected >= stale;
	q->localised &= x->localised >= x->detected;
	q->kept &= doubted == 0;
	q->alarmed |= x->alarms > 0;
	q->refused &= x->said[0][2] + x->said[1][2] >= all;
}

/* NULL: out of memory. Variants without any resource say nothing of contracts and are left out. */
static struct quad *collect(const struct sink *s, const struct contestant *c, size_t *ret_cnt)
{
	struct quad *v = calloc(c->cnt + 1, sizeof(*v));
	size_t cnt = 0;

	for (size_t i = 0; v && i < c->cnt; i++) {
		const struct sum_cell *x = c->cells[i];
		double resources = 0;

		for (unsigned j = 0; j < SAID_CNT; j++)
			resources += x->said[0][j] + x->said[1][j];
		if (!resources)
			continue;
		if (!cnt || !same_variant(c->cells[i - 1], x))
			v[cnt++] = (struct quad){.of = summary_quad_of(s, x->c),
						 .found = true,
						 .localised = true,
						 .kept = true,
						 .refused = true};
		add_seed(&v[cnt - 1], x);
	}
	*ret_cnt = cnt;
	return v;
}

static bool witnessed(const struct quad *q)
{
	return q->stale && q->of.known && q->of.known->frozen;
}

static bool is_found(const struct quad *q)
{
	return q->found;
}

static bool is_localised(const struct quad *q)
{
	return q->localised;
}

static bool is_kept(const struct quad *q)
{
	return q->kept;
}

static bool is_kept_stale(const struct quad *q)
{
	return q->stale && q->kept;
}

static bool is_alarmed(const struct quad *q)
{
	return q->alarmed;
}

static bool is_refused(const struct quad *q)
{
	return q->refused;
}

static bool unwitnessed(const struct quad *q)
{
	return q->stale && !witnessed(q);
}

static bool found_out(const struct quad *q)
{
	return witnessed(q) && q->found;
}

static bool any_stale(const struct quad *q)
{
	return q->stale;
}

static bool of_class(const struct quad *q, const char *class)
{
	return q->of.known && !strcmp(q->of.known->class, class);
}

static bool is_null(const struct quad *q)
{
	return of_class(q, "NULL");
}

static bool is_base(const struct quad *q)
{
	return !strcmp(q->of.form, "base");
}

static bool is_mutant(const struct quad *q)
{
	return !strcmp(q->of.form, "mutant") && !is_null(q);
}

static bool is_twin(const struct quad *q)
{
	return !strcmp(q->of.form, "twin") && !is_null(q);
}

/* Under strict the question is who refuses; elsewhere, who finds out while it runs. */
enum when { WHEN_RUNNING, WHEN_STRICT };

struct share {
	enum when when;
	const char *metric, *scope;
	bool (*among)(const struct quad *), (*counted)(const struct quad *);
};

static const struct share shares[] = {
	{WHEN_RUNNING, "quads.detection", "all", witnessed, is_found},
	{WHEN_RUNNING, "quads.detection", "unwitnessed", unwitnessed, is_found},
	{WHEN_RUNNING, "quads.localisation", "all", found_out, is_localised},
	{WHEN_RUNNING, "quads.kept", "all", any_stale, is_kept},
	{WHEN_RUNNING, "quads.kept", "mutants", is_mutant, is_kept_stale},
	{WHEN_RUNNING, "quads.alarm", "form:base", is_base, is_alarmed},
	{WHEN_RUNNING, "quads.alarm", "form:mutant", is_mutant, is_alarmed},
	{WHEN_RUNNING, "quads.alarm", "form:twin", is_twin, is_alarmed},
	{WHEN_RUNNING, "quads.alarm", "class:NULL", is_null, is_alarmed},
	{WHEN_STRICT, "quads.refused", "form:base", is_base, is_refused},
	{WHEN_STRICT, "quads.refused", "form:mutant", is_mutant, is_refused},
	{WHEN_STRICT, "quads.refused", "form:twin", is_twin, is_refused},
	{WHEN_STRICT, "quads.refused", "class:NULL", is_null, is_refused},
};

static int put_share(const struct sink *s, const struct contestant *c, const char *metric,
		     const char *scope, uint64_t k, uint64_t n)
{
	struct interval r = exact_interval(k, n, LEVEL);
	struct line l = {.metric = metric, .scope = scope, .has = n > 0, .n = n, .interval = &r};

	if (n)
		l.value = (double)k / (double)n;
	return summary_put(s, c, &l);
}

/* Which of the two is the mutant? Who doubts both alike has guessed: half a point. */
static int put_apart(const struct sink *s, const struct contestant *c, const struct quad *v,
		     size_t cnt)
{
	struct line l = {.metric = "quads.apart", .scope = "all"};
	uint64_t twice = 0, n = 0;
	struct interval r;

	for (size_t i = 0; i < cnt; i++)
		for (size_t j = 0; witnessed(&v[i]) && j < cnt; j++) {
			if (!is_twin(&v[j]) || v[j].of.known != v[i].of.known ||
			    v[j].of.quad_number != v[i].of.quad_number)
				continue;
			twice += v[i].falls > v[j].falls ? 2 : v[i].falls == v[j].falls ? 1 : 0;
			n++;
		}
	l.has = n > 0;
	l.n = n;
	l.value = n ? (double)twice / 2 / (double)n : 0;
	/* half a point counts for nothing below and for a whole one above: wider, never narrower */
	r.lo = exact_interval(twice / 2, n, LEVEL).lo;
	r.hi = exact_interval((twice + 1) / 2, n, LEVEL).hi;
	l.interval = &r;
	return summary_put(s, c, &l);
}

static int put_classes(const struct sink *s, const struct contestant *c, const struct quad *v,
		       size_t cnt)
{
	char scope[64];
	int rc = 0;

	for (size_t i = 0; !rc && i < cnt; i++) {
		uint64_t k = 0, n = 0;
		bool first = witnessed(&v[i]);

		for (size_t j = 0; first && j < cnt; j++) {
			if (!witnessed(&v[j]) || !of_class(&v[j], v[i].of.known->class))
				continue;
			first = j >= i;
			k += v[j].found;
			n++;
		}
		snprintf(scope, sizeof(scope), "class:%s", first ? v[i].of.known->class : "");
		if (first)
			rc = put_share(s, c, "quads.detection", scope, k, n);
	}
	return rc;
}

static bool is_strict(const struct contestant *c)
{
	return !strcmp(c->cells[0]->c->binding, "strict");
}

int summary_quads(const struct sink *s, const struct contestant *c)
{
	enum when when = is_strict(c) ? WHEN_STRICT : WHEN_RUNNING;
	size_t cnt;
	struct quad *v = collect(s, c, &cnt);
	bool variants = false;
	int rc = v ? 0 : -ENOMEM;

	for (size_t i = 0; v && i < cnt; i++)
		variants |= !is_base(&v[i]);
	/* Without a variant there is nothing to be found out. */
	for (size_t i = 0; variants && !rc && i < sizeof(shares) / sizeof(shares[0]); i++) {
		uint64_t k = 0, n = 0;

		if (shares[i].when != when)
			continue;
		for (size_t j = 0; j < cnt; j++)
			if (shares[i].among(&v[j])) {
				n++;
				k += shares[i].counted(&v[j]);
			}
		rc = put_share(s, c, shares[i].metric, shares[i].scope, k, n);
	}
	if (!rc && variants && when == WHEN_RUNNING)
		rc = put_apart(s, c, v, cnt);
	if (!rc && variants && when == WHEN_RUNNING)
		rc = put_classes(s, c, v, cnt);
	free(v);
	return rc;
}

/* ---- latency ---- */

/* The waits of witnessed resources, one an observation. */
struct waits {
	struct waited *v;
	struct boot_unit *units;
	size_t cnt;
};

/* Where half of a resample were never found out, the median is beyond all that was seen. */
static bool median_of(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	struct waits *w = arg;
	struct waited *v = reallocarray(NULL, cnt + 1, sizeof(*v));

	if (!v)
		return false;
	for (size_t i = 0; i < cnt; i++)
		v[i] = w->v[draws[i]];
	if (!censored_median(v, cnt, ret))
		*ret = INFINITY;
	free(v);
	return true;
}

static void add_wait(struct waits *w, const struct quad_of *of, const struct sum_cell *x, double t,
		     bool censored)
{
	w->v[w->cnt] = (struct waited){.t = t, .censored = censored};
	w->units[w->cnt] =
		(struct boot_unit){.of = {of->class_number, of->quad_number, (uint32_t)x->c->seed},
				   .index = (uint32_t)w->cnt};
	w->cnt++;
}

static void collect_waits(const struct sink *s, const struct contestant *c, bool events,
			  struct waits *w, uint64_t *ret_never)
{
	for (size_t i = 0; i < c->cnt; i++) {
		const struct sum_cell *x = c->cells[i];
		struct quad_of of = summary_quad_of(s, x->c);

		for (size_t j = 0; !x->undated && j < x->wait_cnt; j++) {
			const struct wait_of *y = &x->waits[j];

			/* nothing ever contradicted it: it had no chance to be found out */
			if (!of.known || !of.known->frozen || !(events ? y->has_events : y->has_ns))
				continue;
			add_wait(w, &of, x, events ? y->events : y->ns, y->censored);
			*ret_never += y->censored;
		}
	}
}

static int put_median(const struct sink *s, const struct contestant *c, struct waits *w,
		      const char *metric)
{
	struct boot_options o = {
		.levels = 3, .rounds = BOOT_ROUNDS, .seed = BOOT_SEED, .level = LEVEL};
	struct line l = {.metric = metric, .scope = "all", .n = w->cnt};
	struct waited *sorted = reallocarray(NULL, w->cnt + 1, sizeof(*sorted));
	struct interval r;
	int rc;

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, w->v, w->cnt * sizeof(*sorted));
	l.has = censored_median(sorted, w->cnt, &l.value);
	free(sorted);
	rc = l.has ? boot_interval(w->units, w->cnt, &o, median_of, w, &r) : 0;
	if (rc)
		return rc;
	l.interval = l.has && isfinite(r.hi) ? &r : NULL;
	return summary_put(s, c, &l);
}

/* Only of joiners is it known that they had their doubts when they say (harness/dating.h). */
static bool is_dated(const struct contestant *c)
{
	return !is_strict(c) && c->cells[0]->c->kind != KIND_LIVE;
}

int summary_waits(const struct sink *s, const struct contestant *c)
{
	static const char *const metrics[] = {"quads.latency_ns", "quads.latency_events"};
	size_t room = 0;
	int rc = 0;

	for (size_t i = 0; i < c->cnt; i++)
		room += c->cells[i]->wait_cnt;
	for (unsigned i = 0; !rc && room && is_dated(c) && i < 2; i++) {
		struct waits w = {.v = calloc(room, sizeof(*w.v)),
				  .units = calloc(room, sizeof(*w.units))};
		struct line l = {.metric = "quads.never", .scope = "all", .has = true};
		uint64_t never = 0;

		rc = w.v && w.units ? 0 : -ENOMEM;
		if (!rc)
			collect_waits(s, c, i == 1, &w, &never);
		if (!rc && w.cnt)
			rc = put_median(s, c, &w, metrics[i]);
		l.value = (double)never;
		l.n = w.cnt;
		if (!rc && w.cnt && i == 1)
			rc = summary_put(s, c, &l);
		free(w.v);
		free(w.units);
	}
	return rc;
}
