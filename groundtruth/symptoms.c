/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether truth bears out a diagnosis. */
#include "groundtruth/symptoms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What lives that began in a window came to. */
struct fates {
	uint64_t acquired, released, unused, waits, acquires;
	uint64_t *held; /* ns, of those released */
};

static bool inside(uint64_t t, struct window w)
{
	return t >= w.t0 && t <= w.t1;
}

static bool is_of(const struct truth *t, const struct truth_event *e, const char *subject)
{
	return !strcmp(strtab_get(t->strings, e->class_str), subject);
}

static int by_life(const void *pa, const void *pb)
{
	const struct truth_event *a = *(const struct truth_event *const *)pa;
	const struct truth_event *b = *(const struct truth_event *const *)pb;

	if (a->life != b->life)
		return a->life < b->life ? -1 : 1;
	return (a->t.t0 > b->t.t0) - (a->t.t0 < b->t.t0);
}

static int by_size(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* One life: events v[0 … n-1], in order. Units tell when it is over. */
static void add_life(struct fates *f, const struct truth_event *const *v, size_t n, struct window w)
{
	uint64_t in = 0, out = 0;
	bool used = false;

	if (v[0]->kind != EVENT_ACQUIRE || !inside(v[0]->t.t0, w))
		return;
	for (size_t i = 0; i < n; i++) {
		in += v[i]->kind == EVENT_ACQUIRE ? v[i]->units : 0;
		out += v[i]->kind == EVENT_RELEASE ? v[i]->units : 0;
		used |= v[i]->kind == EVENT_USE;
	}
	f->acquired++;
	if (out < in)
		return;
	f->held[f->released++] = v[n - 1]->t.t0 - v[0]->t.t0;
	f->unused += !used;
}

/* -ENOMEM; held is to be freed all the same. */
static int fates_of(const struct truth *t, const char *subject, struct window w, struct fates *ret)
{
	const struct truth_event **v = malloc((t->events_cnt + 1) * sizeof(*v));
	size_t n = 0;

	*ret = (struct fates){.held = malloc((t->events_cnt + 1) * sizeof(*ret->held))};
	if (!v || !ret->held) {
		free(v);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->events_cnt; i++) {
		const struct truth_event *e = &t->events[i];

		if (!is_of(t, e, subject))
			continue;
		ret->waits += e->kind == EVENT_WAIT && inside(e->t.t0, w);
		ret->acquires += e->kind == EVENT_ACQUIRE && inside(e->t.t0, w);
		v[n++] = e;
	}
	qsort(v, n, sizeof(*v), by_life);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && v[k]->life == v[i]->life;)
			k++;
		add_life(ret, v + i, k - i, w);
	}
	free(v);
	return 0;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double longest_fifth(struct fates *f)
{
	double all = 0, longest = 0;

	qsort(f->held, f->released, sizeof(*f->held), by_size);
	for (uint64_t i = 0; i < f->released; i++) {
		all += (double)f->held[i];
		longest += i >= f->released - f->released / 5 ? (double)f->held[i] : 0;
	}
	return share(longest, all);
}

/* ---- threads ---- */

static bool does(const struct truth *t, uint32_t tid, unsigned kind, const char *subject)
{
	for (size_t i = 0; i < t->events_cnt; i++)
		if (t->events[i].tid == tid && t->events[i].kind == kind &&
		    is_of(t, &t->events[i], subject))
			return true;
	return false;
}

/* Of the one of those who release it whose transfers in the window take longest in the middle. */
static int slow_io(const struct truth *t, const char *subject, struct window w, double *ret)
{
	uint64_t *ns = malloc((t->effects_cnt + 1) * sizeof(*ns));
	double most = 0;

	if (!ns)
		return -ENOMEM;
	for (size_t k = 0; k < t->threads_cnt; k++) {
		size_t n = 0;

		if (!does(t, t->threads[k], EVENT_RELEASE, subject))
			continue;
		for (size_t i = 0; i < t->effects_cnt; i++) {
			const struct truth_effect *e = &t->effects[i];

			if (e->kind == EFFECT_BLOCK_IO && e->tid == t->threads[k] &&
			    inside(e->t.t0, w))
				ns[n++] = e->t.t1 - e->t.t0;
		}
		qsort(ns, n, sizeof(*ns), by_size);
		most = n && (double)ns[n / 2] > most ? (double)ns[n / 2] : most;
	}
	free(ns);
	*ret = most;
	return 0;
}

/* By those who acquire it; what goes to another ring brings no data. */
static double transfers(const struct truth *t, const char *subject, struct window w)
{
	double n = 0;

	for (size_t k = 0; k < t->threads_cnt; k++) {
		if (!does(t, t->threads[k], EVENT_ACQUIRE, subject))
			continue;
		for (size_t i = 0; i < t->handoffs_cnt; i++) {
			const struct truth_handoff *h = &t->handoffs[i];

			n += h->type == HANDOFF_IO && h->has & TH_SRC &&
			     h->src_tid == t->threads[k] && inside(h->src_t.t0, w) &&
			     !(h->marks & 1u << MARK_MESSAGE);
		}
	}
	return n;
}

/* Of operations; costs of something else belong to none. */
static bool is_kind(const struct truth *t, const struct truth_cost *c, const char *kind)
{
	return c->of == COST_OF_OP && !strcmp(strtab_get(t->strings, c->kind_str), kind);
}

/* Costs of operations stand in the order of these. */
static double kept_from_cpu(const struct truth *t, struct window w)
{
	double delay = 0, cpu = 0;

	for (size_t i = 0, op = 0; i < t->costs_cnt && op < t->ops_cnt; i++) {
		const struct truth_cost *c = &t->costs[i];

		if (!is_kind(t, c, "cpu") && !is_kind(t, c, "sched-delay"))
			continue;
		while (op < t->ops_cnt && t->ops[op].id != c->op)
			op++;
		if (op == t->ops_cnt || !inside(t->ops[op].begin.t0, w))
			continue;
		if (is_kind(t, c, "cpu"))
			cpu += (double)c->v;
		else
			delay += (double)c->v;
	}
	return share(delay, delay + cpu);
}

/* ---- labels ---- */

static double of_fates(const struct truth *t, unsigned label, const char *subject, struct window w,
		       struct fates *f)
{
	switch (label) {
	case DIAGNOSIS_POOL_THRASH:
		return share(transfers(t, subject, w), (double)f->acquires);
	case DIAGNOSIS_CONVOY:
		return f->waits ? longest_fifth(f) : 0;
	case DIAGNOSIS_LEAK:
		return share((double)(f->acquired - f->released), (double)f->acquired);
	case DIAGNOSIS_WASTEFUL:
		return share((double)f->unused, (double)f->released);
	default: /* overload, starved */
		return share((double)f->waits, (double)f->acquires);
	}
}

int symptom(const struct truth *t, unsigned label, const char *subject, struct window w,
	    double *ret)
{
	struct fates f;
	int err;

	if (label == DIAGNOSIS_SLOW_IO)
		return slow_io(t, subject, w, ret);
	if (label == DIAGNOSIS_CPU_CONTENTION) {
		*ret = kept_from_cpu(t, w);
		return 0;
	}
	err = fates_of(t, subject, w, &f);
	if (!err)
		*ret = of_fates(t, label, subject, w, &f);
	free(f.held);
	return err;
}

/* At least so much, and so many times what it was before. */
static const struct {
	double least, times;
} shown[DIAGNOSIS_CNT] = {
	[DIAGNOSIS_POOL_THRASH] = {0.8, 1.2}, [DIAGNOSIS_CONVOY] = {0.7, 1.05},
	[DIAGNOSIS_LEAK] = {0.01, 5},	      [DIAGNOSIS_WASTEFUL] = {0.5, 5},
	[DIAGNOSIS_OVERLOAD] = {0.2, 1.5},    [DIAGNOSIS_STARVED] = {0.2, 1.5},
	[DIAGNOSIS_SLOW_IO] = {500000, 1.5},  [DIAGNOSIS_CPU_CONTENTION] = {0.2, 2},
};

static int check_one(const struct truth *t, const struct truth_diagnosis *g, const char *path,
		     struct diag *d)
{
	const char *word = strtab_get(t->strings, g->label_str);
	const char *subject = strtab_get(t->strings, g->subject_str);
	int label = diagnosis_parse(word, strlen(word));
	struct window before = {t->scored.t0, g->t.t0};
	double now, then;

	if (label <= DIAGNOSIS_HEALTHY)
		return 0;
	if (symptom(t, (unsigned)label, subject, g->t, &now) ||
	    symptom(t, (unsigned)label, subject, before, &then))
		return diag_set(d, -ENOMEM, path, 0, NULL, "no memory to look for %s", word);
	if (now >= shown[label].least && now >= shown[label].times * then)
		return 0;
	return diag_set(d, -EINVAL, path, 0, "the run is broken: repeat it on a quieter machine",
			"%s%s%s does not show: %.4g, and %.4g before it began", word,
			*subject ? " of " : "", subject, now, then);
}

int symptoms_check(const struct truth *t, const char *path, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->diagnoses_cnt; i++)
		rc = check_one(t, &t->diagnoses[i], path, d);
	return rc;
}
