/* SPDX-License-Identifier: BSD-2-Clause */
/* Paired effects and counted cost. The formulas' sources stand in the header. */
#include "scoring/overhead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/claims.h"
#include "scoring/arrays.h"
#include "scoring/statistics.h"

static const char *const arms[ARM_CNT] = {"plain", "watched", "bare"};
static const char *const classes[OVERHEAD_CLASS_CNT] = {
	"tracepoint", "syscall",     "perf-tracepoint", "uprobe",	  "sample",	  "other",
	"uprobe-nop", "uprobe-nop5", "uprobe-push",	"uprobe-stepped", "uprobe-return"};

const char *overhead_arm_name(unsigned arm)
{
	return arm < ARM_CNT ? arms[arm] : "?";
}

const char *overhead_class_name(unsigned class)
{
	return class < OVERHEAD_CLASS_CNT ? classes[class] : "?";
}

static int parse(const char *word, const char *const *words, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		if (!strcmp(word, words[i]))
			return (int)i;
	return -1;
}

int overhead_arm_parse(const char *word)
{
	return parse(word, arms, ARM_CNT);
}

int overhead_class_parse(const char *word)
{
	return parse(word, classes, OVERHEAD_CLASS_CNT);
}

bool effect_of(const double *difference, size_t n, struct effect *ret)
{
	double mean = 0, square = 0, error;
	struct effect e = {.n = n, .p = NAN};

	if (n < 2)
		return false;
	for (size_t i = 0; i < n; i++)
		mean += difference[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		/* mutant +: equivalent because Σ (d − m)(d + m) is Σ (d − m)² about the mean m */
		square += (difference[i] - mean) * (difference[i] - mean);
	error = sqrt(square / (double)(n - 1) / (double)n);
	e.mean = mean;
	e.lo = mean - student_quantile(0.975, (double)(n - 1)) * error;
	e.hi = mean + student_quantile(0.975, (double)(n - 1)) * error;
	e.mde = (student_quantile(0.975, (double)(n - 1)) +
		 student_quantile(0.80, (double)(n - 1))) *
		error;
	if (paired_permutation(difference, n, &e.p))
		e.p = NAN;
	*ret = e;
	return true;
}

/* ---- quantities of one run, an operation's worth ---- */

static double an_op(const struct overhead_run *r, double seconds)
{
	return r->ops ? seconds * 1e9 / (double)r->ops : 0;
}

static double load_cpu(const struct overhead_run *r)
{
	return an_op(r, r->user + r->system);
}

static double all_cpu(const struct overhead_run *r)
{
	return an_op(r, r->user + r->system + r->watch + r->drain);
}

static double user_cpu(const struct overhead_run *r)
{
	return an_op(r, r->user);
}

static double system_cpu(const struct overhead_run *r)
{
	return an_op(r, r->system);
}

static double watch_cpu(const struct overhead_run *r)
{
	return an_op(r, r->watch);
}

static double drain_cpu(const struct overhead_run *r)
{
	return an_op(r, r->drain);
}

static double own_cpu(const struct overhead_run *r)
{
	return an_op(r, r->watch + r->drain);
}

static double kernel_cpu(const struct overhead_run *r)
{
	return an_op(r, r->kernel);
}

static double p50(const struct overhead_run *r)
{
	return r->p50_ns;
}

static double p99(const struct overhead_run *r)
{
	return r->p99_ns;
}

/* Less is worse, so that what is lost is positive: as a share of a second an operation takes. */
static double pace(const struct overhead_run *r)
{
	return r->wall > 0 ? -(double)r->ops / r->wall : 0;
}

static double attach_ns(const struct overhead_run *r)
{
	return r->attach * 1e9;
}

static double load_ns(const struct overhead_run *r)
{
	return r->load * 1e9;
}

static double peak(const struct overhead_run *r)
{
	return r->peak_bytes;
}

typedef double quantity(const struct overhead_run *r);

/* ---- pairs ---- */

struct writer {
	const struct overhead *o;
	int (*fn)(const struct overhead_figure *f, void *arg);
	void *arg;
	double *scratch; /* as many as runs */
	int err;
};

static const struct overhead_run *find(const struct overhead *o, enum overhead_arm arm, bool closed,
				       uint32_t pair)
{
	for (size_t i = 0; i < o->cnt; i++)
		if (o->runs[i].arm == arm && o->runs[i].closed == closed && o->runs[i].pair == pair)
			return &o->runs[i];
	return NULL;
}

/* How q of `more` differs from q of `less`, pair by pair. */
static size_t differences(struct writer *w, enum overhead_arm more, enum overhead_arm less,
			  bool closed, quantity *q)
{
	size_t n = 0;

	for (size_t i = 0; i < w->o->cnt; i++) {
		const struct overhead_run *a = &w->o->runs[i], *b;

		b = find(w->o, less, closed, a->pair);
		if (a->arm == more && a->closed == closed && b)
			w->scratch[n++] = q(a) - q(b);
	}
	return n;
}

static double mean_of(const struct overhead *o, enum overhead_arm arm, bool closed, quantity *q,
		      size_t *ret_n)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < o->cnt; i++)
		if (o->runs[i].arm == arm && o->runs[i].closed == closed) {
			sum += q(&o->runs[i]);
			n++;
		}
	*ret_n = n;
	return n ? sum / (double)n : 0;
}

/* ---- figures ---- */

static void put(struct writer *w, const struct overhead_figure *f)
{
	if (!w->err)
		w->err = w->fn(f, w->arg);
}

/* Without a value, the number is 0, whatever v is. */
static void put_number(struct writer *w, const char *metric, const char *scope, bool has, double v,
		       uint64_t n)
{
	struct overhead_figure f = {.metric = metric, .scope = scope, .has = has};

	if (has) {
		f.value = v;
		f.n = n;
	}
	put(w, &f);
}

struct names {
	const char *effect, *mde, *p;
};

static const struct names added = {"overhead.cpu_added", "overhead.cpu_added_mde",
				   "overhead.cpu_added_p"};
static const struct names share = {"overhead.cpu_share", "overhead.cpu_share_mde",
				   "overhead.cpu_share_p"};
static const struct names latency = {"overhead.latency_added", "overhead.latency_added_mde",
				     "overhead.latency_added_p"};
static const struct names capacity = {"overhead.capacity_lost", "overhead.capacity_lost_mde",
				      "overhead.capacity_lost_p"};
static const struct names truth = {"overhead.truth_share", "overhead.truth_share_mde",
				   "overhead.truth_share_p"};
static const struct names arms_differ = {"overhead.arms_differ", "overhead.arms_differ_mde",
					 "overhead.arms_differ_p"};

/* n differences in w->scratch, divided by `by` (0: the figure has no value). */
static bool put_effect(struct writer *w, const struct names *names, const char *scope, size_t n,
		       double by, struct effect *ret)
{
	struct effect e = {0};
	bool has;

	/* mutant <=: equivalent because who has a partner is one of two, and the rest is not read
	 */
	for (size_t i = 0; i < n; i++)
		w->scratch[i] /= by;
	has = by > 0 && effect_of(w->scratch, n, &e);
	put(w, &(struct overhead_figure){.metric = names->effect,
					 .scope = scope,
					 .has = has,
					 .has_interval = has,
					 .value = e.mean,
					 .lo = e.lo,
					 .hi = e.hi,
					 .n = e.n});
	put_number(w, names->mde, scope, has, e.mde, e.n);
	put_number(w, names->p, scope, has && !isnan(e.p), e.p, e.n);
	*ret = e;
	return has;
}

static void put_compared(struct writer *w, const struct names *names, const char *scope,
			 quantity *q, double by)
{
	struct effect e;

	put_effect(w, names, scope, differences(w, ARM_WATCHED, ARM_PLAIN, false, q), by, &e);
}

static void put_mean(struct writer *w, const char *metric, const char *scope, quantity *q)
{
	size_t n;
	double plain = mean_of(w->o, ARM_PLAIN, false, q, &n);

	put_number(w, metric, scope, n, plain, n);
}

static void put_cpu(struct writer *w)
{
	size_t n;
	double plain = mean_of(w->o, ARM_PLAIN, false, load_cpu, &n);

	put_mean(w, "overhead.cpu_plain", "all", load_cpu);
	put_compared(w, &added, "all", all_cpu, 1);
	put_compared(w, &added, "application", user_cpu, 1);
	put_compared(w, &added, "system", system_cpu, 1);
	put_compared(w, &added, "kernel-threads", kernel_cpu, 1);
	put_compared(w, &added, "profiler", watch_cpu, 1);
	put_compared(w, &added, "drain", drain_cpu, 1);
	put_compared(w, &share, "all", all_cpu, plain);
	put_mean(w, "overhead.latency_plain", "p50", p50);
	put_mean(w, "overhead.latency_plain", "p99", p99);
	put_compared(w, &latency, "p50", p50, 1);
	put_compared(w, &latency, "p99", p99, 1);
}

static void put_capacity(struct writer *w)
{
	struct effect e;
	size_t n;
	double plain = mean_of(w->o, ARM_PLAIN, true, pace, &n);

	if (!n)
		return;
	put_number(w, "overhead.capacity_plain", "all", true, -plain, n);
	put_effect(w, &capacity, "all", differences(w, ARM_WATCHED, ARM_PLAIN, true, pace), -plain,
		   &e);
}

/* The third arm: what truth costs, and whether the profiler costs something else without it. */
static void put_arms(struct writer *w)
{
	struct effect e;
	size_t n, bare;
	double plain = mean_of(w->o, ARM_PLAIN, false, load_cpu, &n);
	bool has;

	mean_of(w->o, ARM_BARE, false, load_cpu, &bare);
	if (!bare)
		return;
	put_effect(w, &truth, "all", differences(w, ARM_WATCHED, ARM_BARE, false, load_cpu), plain,
		   &e);
	has = put_effect(w, &arms_differ, "profiler",
			 differences(w, ARM_WATCHED, ARM_BARE, false, own_cpu), plain, &e);
	/* what is beyond the MDE is beyond the interval, which is narrower */
	put_number(w, "overhead.flagged", "all", has, fabs(e.mean) > e.mde, e.n);
}

static void put_range(struct writer *w, const char *metric, quantity *q)
{
	struct overhead_figure f = {.metric = metric, .scope = "all"};
	size_t n;

	f.value = f.lo = f.hi = mean_of(w->o, ARM_WATCHED, false, q, &n);
	f.n = n;
	f.has = f.has_interval = n;
	for (size_t i = 0; i < w->o->cnt; i++) {
		const struct overhead_run *r = &w->o->runs[i];

		if (r->arm != ARM_WATCHED || r->closed)
			continue;
		f.lo = fmin(f.lo, q(r));
		f.hi = fmax(f.hi, q(r));
	}
	put(w, &f);
}

/* ---- counted ---- */

static double entry_ns(const struct overhead_hits *h)
{
	return fmax(h->empty_ns, 0) * h->hits;
}

struct counted {
	double entry, run; /* ns of all operations */
	double programs;
	bool uncounted;
};

static void put_class(struct writer *w, unsigned class, struct counted *c)
{
	const struct overhead_hits *h = &w->o->hits[class];
	uint64_t ops = w->o->counted_ops;

	if (h->empty_ns >= 0 && class != CLASS_OTHER)
		put_number(w, "overhead.empty_ns", classes[class], true, h->empty_ns, 1);
	if (h->programs <= 0)
		return;
	put_number(w, "overhead.programs", classes[class], true, h->programs, 1);
	put_number(w, "overhead.hits", classes[class], true, h->hits / (double)ops, ops);
	put_number(w, "overhead.hits_of_others", classes[class], true, h->others / (double)ops,
		   ops);
	put_number(w, "overhead.ns_a_hit", classes[class], h->hits > 0,
		   (entry_ns(h) + h->run_ns) / h->hits, (uint64_t)h->hits);
	if (class == CLASS_OTHER)
		return;
	c->uncounted |= h->empty_ns < 0 && h->hits > 0;
	c->programs += h->programs;
	c->entry += entry_ns(h);
	c->run += h->run_ns;
}

static void put_counted(struct writer *w)
{
	struct counted c = {0};
	double ops = (double)w->o->counted_ops, own, plain, all;
	size_t n, m;
	bool any;

	if (!w->o->counted || !w->o->counted_ops)
		return;
	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++)
		put_class(w, i, &c);
	any = c.programs > 0;
	own = mean_of(w->o, ARM_WATCHED, false, own_cpu, &n);
	plain = mean_of(w->o, ARM_PLAIN, false, load_cpu, &m);
	all = (c.entry + c.run) / ops + own;
	put_number(w, "overhead.uncounted", "all", true, c.uncounted || !any, 1);
	put_number(w, "overhead.counted", "entering", any, c.entry / ops, w->o->counted_ops);
	put_number(w, "overhead.counted", "programs", any, c.run / ops, w->o->counted_ops);
	put_number(w, "overhead.counted", "profiler", n, own, n);
	put_number(w, "overhead.counted", "all", any && n, all, w->o->counted_ops);
	put_number(w, "overhead.counted_share", "all", any && n && plain > 0, all / plain,
		   w->o->counted_ops);
}

/* ---- seen from outside ---- */

static void put_seen(struct writer *w, const char *metric, double v)
{
	put_number(w, metric, "all", v >= 0, v, 1);
}

static void put_all_seen(struct writer *w)
{
	const struct overhead_seen *s = &w->o->seen;
	uint64_t ops = w->o->counted_ops;
	put_seen(w, "overhead.probes", s->probes);
	put_seen(w, "overhead.sites", s->sites);
	put_seen(w, "overhead.sites_attached", s->attached);
	put_number(w, "overhead.sites_share", "all", s->sites > 0 && s->attached >= 0,
		   s->attached / s->sites, (uint64_t)fabs(s->sites));
	put_number(w, "overhead.ring_bytes", "all", s->ring_bytes >= 0 && ops,
		   s->ring_bytes / (double)ops, ops);
	put_seen(w, "overhead.kernel_bytes", s->kernel_bytes);
	put_seen(w, "overhead.claims", s->claims);
	put_seen(w, "overhead.claims_bytes", s->claims_bytes);
	put_seen(w, "overhead.lost", s->lost);
}

int overhead_each(const struct overhead *o, int (*fn)(const struct overhead_figure *f, void *arg),
		  void *arg)
{
	struct writer w = {.o = o, .fn = fn, .arg = arg};

	w.scratch = array_new(o->cnt, sizeof(*w.scratch));
	if (!w.scratch)
		return -ENOMEM;
	for (unsigned i = 0; i < DECLARES_CNT; i++)
		if (o->declares & 1u << i)
			put_number(&w, "overhead.declares", declares_name(i), true, 1, 1);
	put_cpu(&w);
	put_counted(&w);
	put_capacity(&w);
	put_arms(&w);
	put_range(&w, "overhead.load_ns", load_ns);
	put_range(&w, "overhead.attach_cpu_ns", attach_ns);
	put_range(&w, "overhead.peak_bytes", peak);
	put_all_seen(&w);
	free(w.scratch);
	return w.err;
}
