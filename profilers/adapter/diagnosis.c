/* SPDX-License-Identifier: BSD-2-Clause */
/* From figures of windows to diagnoses. */
#include "profilers/adapter/diagnosis.h"

#include <stdlib.h>

#include "profilers/adapter/contention.h"

struct patient {		     /* one resource */
	unsigned shown;		     /* the label of the last windows; 0: nothing */
	uint32_t agree;		     /* so many in a row */
	unsigned said;		     /* the label that was claimed and has not gone */
	bool due;		     /* windows agree on something that has not been settled */
	uint32_t rises;		     /* windows in a row in which the least in use rose */
	double low, first, acquired; /* of them: the last, the one before the first, in all */
	double most;		     /* in use in the one before the first */
	bool started;		     /* low is known */
	bool leaks;
	double before; /* the least in use before it leaked */
	uint32_t windows;
	uint64_t agreed; /* since the last settlement they agree, as of the end of this one */
	/* in the first USUAL_WINDOWS of them */
	double usual_waits, usual_lives;
	/* the least: at the start all is slower, and it may turn ill in one of them */
	double usual_longest_ns, usual_io_ns;
	uint32_t io_windows; /* in which transfers were enough to tell */
	uint64_t withheld[DIAGNOSIS_CNT];
};

struct diagnoser {
	const struct manifest *m;
	struct outlet *out;
	struct reading *reading;
	struct contention *contention;
	bool contended;	    /* claimed, and nothing since */
	struct patient *v;  /* one a resource */
	bool news, healthy; /* claimed, and nothing since */
	uint64_t t;	    /* of the last event */
	uint64_t looked;    /* at contention: the end of its last window, until settled; or 0 */
};

struct diagnoser *diagnoser_new(const struct manifest *m, struct outlet *out)
{
	struct diagnoser *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->m = m;
	x->out = out;
	x->reading = reading_new(m);
	x->contention = contention_new();
	x->v = calloc(m->resources_cnt + 1, sizeof(*x->v));
	if (x->reading && x->contention && x->v)
		return x;
	diagnoser_free(x);
	return NULL;
}

void diagnoser_free(struct diagnoser *x)
{
	if (!x)
		return;
	reading_free(x->reading);
	contention_free(x->contention);
	free(x->v);
	free(x);
}

/* ---- what one window shows ---- */

static bool share_is(double part, double whole, unsigned percent)
{
	return whole > 0 && part * 100 >= whole * percent;
}

/* What has leaked is still gone when nothing more does. */
static bool shows_leak(struct patient *p, const struct figures *f)
{
	if (p->leaks && f->low > p->before)
		return true;
	if (!p->started || f->low <= p->low) {
		p->rises = 0;
		p->first = f->low;
		p->most = f->high;
		p->acquired = 0;
	} else {
		p->rises++;
		p->acquired += f->acquired;
	}
	p->started = true;
	p->low = f->low;
	p->before = p->first;
	p->leaks = p->rises >= LEAK_WINDOWS && f->low > p->most &&
		   share_is(f->low - p->first, p->acquired, LEAK_PERCENT);
	return p->leaks;
}

/* usual: 0: not known. */
static bool is_longer(double ns, double usual)
{
	return share_is(ns, usual, WORSE_PERCENT);
}

static bool waits_more(const struct patient *p, const struct figures *f)
{
	return p->usual_waits == 0 || p->usual_lives == 0 ||
	       share_is((double)f->waits * p->usual_lives, p->usual_waits * f->closed,
			WORSE_PERCENT);
}

/* Of the lives that end at least so many have waited. Acquires would not do: a life that waits may
 * be acquired part by part. */
static bool many_wait(const struct patient *p, const struct figures *f, unsigned percent)
{
	return p->windows > USUAL_WINDOWS && share_is(f->waits, f->closed, percent);
}

/* Where many wait at the start, as for what is opened only then, it is those who hold that show
 * what is new. */
static bool shows_convoy(const struct patient *p, const struct figures *f)
{
	return many_wait(p, f, CONVOY_WAIT_PERCENT) &&
	       share_is(f->longest, 1, CONVOY_HELD_PERCENT) &&
	       (waits_more(p, f) || is_longer(f->longest_ns, p->usual_longest_ns));
}

static bool shows_overload(const struct patient *p, const struct figures *f)
{
	return share_is(f->full, 1, OVERFULL_PERCENT) ||
	       (share_is(f->full, 1, OVERLOAD_FULL_PERCENT) &&
		many_wait(p, f, OVERLOAD_WAIT_PERCENT) && waits_more(p, f));
}

static bool shows_starved(const struct patient *p, const struct figures *f)
{
	return f->full >= 0 && !share_is(f->full, 1, OVERLOAD_FULL_PERCENT) &&
	       share_is(f->granted, f->waits, STARVED_GRANT_PERCENT) &&
	       many_wait(p, f, STARVED_WAIT_PERCENT) && waits_more(p, f);
}

static bool shows_slow_io(const struct patient *p, const struct figures *f)
{
	bool slower = p->io_windows > USUAL_WINDOWS && f->io_ns >= SLOWER_US * UINT64_C(1000) &&
		      is_longer((double)f->io_ns, p->usual_io_ns);

	return share_is(f->foreign, f->closed, FOREIGN_PERCENT) &&
	       (slower || f->io_ns >= SLOW_US * UINT64_C(1000));
}

/* The most telling one; of what a manifest does not let one see nothing shows. */
static unsigned shows(struct patient *p, const struct figures *f, const struct visible *see)
{
	if (see->closes && shows_leak(p, f))
		return DIAGNOSIS_LEAK;
	if (see->closes && see->uses && share_is(f->unused, f->closed, UNUSED_PERCENT))
		return DIAGNOSIS_WASTEFUL;
	if (see->closes && see->waits && shows_starved(p, f))
		return DIAGNOSIS_STARVED;
	if (see->closes && see->waits && shows_convoy(p, f))
		return DIAGNOSIS_CONVOY;
	if (see->closes && shows_overload(p, f))
		return DIAGNOSIS_OVERLOAD;
	if (see->fill != READING_NONE && share_is(f->fills, f->opened, THRASH_FILL_PERCENT))
		return DIAGNOSIS_POOL_THRASH;
	if (see->closes && shows_slow_io(p, f))
		return DIAGNOSIS_SLOW_IO;
	return DIAGNOSIS_HEALTHY;
}

/* 0: not known. */
static double least_known(double a, double b)
{
	return a == 0 || (b > 0 && b < a) ? b : a;
}

static void note_usual(struct patient *p, const struct figures *f)
{
	p->usual_waits += f->waits;
	p->usual_lives += f->closed;
	p->usual_longest_ns = least_known(p->usual_longest_ns, f->longest_ns);
}

static void window(struct diagnoser *x, uint32_t resource, const struct figures *f)
{
	struct patient *p = &x->v[resource];
	unsigned now;
	uint32_t enough;

	if (p->windows++ < USUAL_WINDOWS)
		note_usual(p, f);
	if (f->io_ns && p->io_windows++ < USUAL_WINDOWS)
		p->usual_io_ns = least_known(p->usual_io_ns, (double)f->io_ns);
	now = shows(p, f, reading_visible(x->reading, resource));
	/* a leak has its own windows in a row */
	enough = now == DIAGNOSIS_LEAK ? 1 : !now && p->said ? WINDOWS_CLEAN : WINDOWS_AGREE;
	if (now != p->shown)
		p->due = false; /* what has gone before anybody could say it */
	p->agree = now == p->shown ? p->agree + 1 : 1;
	p->shown = now;
	if (p->agree < enough)
		return;
	if (!p->due)
		p->agreed = x->t;
	p->due = true;
	x->news = true;
}

void diagnoser_event(struct diagnoser *x, uint32_t desc, const struct ev_rec *r)
{
	struct figures f;

	x->t = r->t;
	if (reading_event(x->reading, desc, r, &f))
		window(x, x->m->descriptors[desc].resource, &f);
}

void diagnoser_record(struct diagnoser *x, const struct ev_rec *r)
{
	reading_record(x->reading, r);
	if (!contention_record(x->contention, r))
		return;
	x->news = true;
	x->looked = r->t;
}

void diagnoser_lost(struct diagnoser *x)
{
	reading_lost(x->reading);
	contention_lost(x->contention);
	for (uint32_t i = 0; i < x->m->resources_cnt; i++) {
		x->v[i].agree = 0;
		x->v[i].started = false;
	}
}

/* ---- claims ---- */

static int claim(struct diagnoser *x, unsigned label, const char *subject, double conf, uint64_t t)
{
	int64_t word = x->out->str(x->out->arg, diagnosis_name(label));
	int64_t about = word < 0 || !subject ? word : x->out->str(x->out->arg, subject);
	struct claim c = {.kind = CLAIM_DIAGNOSIS, .has = HAS_CONF};

	if (about < 0)
		return (int)about;
	c.diagnosis.t = t;
	c.diagnosis.conf = conf;
	c.diagnosis.label_str = (uint32_t)word;
	if (subject)
		c.diagnosis.subject_str = (uint32_t)about;
	return x->out->put(x->out->arg, &c);
}

/* A reading of one resource rests on what fills it as well. */
static double trust(struct diagnoser *x, uint32_t resource, diagnosis_judge *judge, void *arg)
{
	uint32_t fill = reading_visible(x->reading, resource)->fill;
	double own = judge(arg, resource), other = fill == READING_NONE ? 1 : judge(arg, fill);

	return own < other ? own : other;
}

static bool is_said(const struct diagnoser *x, unsigned label)
{
	for (uint32_t i = 0; i < x->m->resources_cnt; i++)
		if (x->v[i].said == label)
			return true;
	return false;
}

/* Who waits while a device is slow, or all are kept from CPUs, waits for that: what it looks like
 * is no diagnosis of its own. */
static bool follows(const struct diagnoser *x, unsigned label)
{
	return (label == DIAGNOSIS_CONVOY || label == DIAGNOSIS_OVERLOAD ||
		label == DIAGNOSIS_STARVED) &&
	       (is_said(x, DIAGNOSIS_SLOW_IO) || contention_shows(x->contention));
}

/* Rests on the scheduler's word alone, on no descriptor: no judge is asked. */
static int settle_contention(struct diagnoser *x)
{
	bool shows = contention_shows(x->contention), said = x->contended;

	x->contended = shows;
	if (!shows || said)
		return 0;
	x->healthy = false;
	return claim(x, DIAGNOSIS_CPU_CONTENTION, NULL, 1, x->looked);
}

static int settle_one(struct diagnoser *x, uint32_t i, diagnosis_judge *judge, void *arg)
{
	struct patient *p = &x->v[i];
	double conf;

	if (!p->due || !p->shown || p->shown == p->said || follows(x, p->shown))
		return 0;
	conf = trust(x, i, judge, arg);
	if (conf <= 0) {
		p->withheld[p->shown]++;
		p->due = false;
		return 0;
	}
	p->said = p->shown;
	x->healthy = false;
	return claim(x, p->said, x->m->resources[i].name, conf, p->agreed);
}

/* Nothing is seen of any, and something was seen of one: the least sure of all of them says how
 * sure one is. 0: no, or nobody knows. */
static double healthy_conf(struct diagnoser *x, diagnosis_judge *judge, void *arg)
{
	double least = 1;
	bool any = false;

	if (contention_shows(x->contention))
		return 0;
	for (uint32_t i = 0; i < x->m->resources_cnt; i++) {
		struct patient *p = &x->v[i];
		double conf;

		if (p->shown || (p->said && p->agree < WINDOWS_CLEAN))
			return 0;
		if (!reading_visible(x->reading, i)->opens)
			continue;
		any |= p->agree >= WINDOWS_AGREE;
		conf = judge(arg, i);
		least = conf < least ? conf : least;
		if (conf <= 0)
			p->withheld[DIAGNOSIS_HEALTHY] += p->due;
	}
	return any ? least : 0;
}

/* The last look that brought it up; 0: none did, as what did has gone meanwhile. */
static uint64_t healthy_as_of(const struct diagnoser *x)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < x->m->resources_cnt; i++)
		if (x->v[i].due && x->v[i].agreed > t)
			t = x->v[i].agreed;
	return t ? t : x->looked;
}

int diagnoser_settle(struct diagnoser *x, diagnosis_judge *judge, void *arg)
{
	uint64_t as_of;
	double conf;
	int err;

	if (!x->news)
		return 0;
	x->news = false;
	err = settle_contention(x);
	for (uint32_t i = 0; i < x->m->resources_cnt && !err; i++)
		err = settle_one(x, i, judge, arg);
	conf = err || x->healthy ? 0 : healthy_conf(x, judge, arg);
	as_of = healthy_as_of(x);
	x->looked = 0;
	for (uint32_t i = 0; i < x->m->resources_cnt; i++)
		x->v[i].due = false;
	if (conf <= 0 || !as_of)
		return err;
	x->healthy = true;
	for (uint32_t i = 0; i < x->m->resources_cnt; i++)
		x->v[i].said = DIAGNOSIS_HEALTHY;
	return claim(x, DIAGNOSIS_HEALTHY, NULL, conf, as_of);
}

uint64_t diagnoser_withheld(const struct diagnoser *x, uint32_t resource, unsigned label)
{
	return x->v[resource].withheld[label];
}
