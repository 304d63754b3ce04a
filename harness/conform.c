/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profiler says of itself, and of a run whose truth is known. */
#include "harness/conform.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/attribution.h"

void conform_say(struct conform *c, enum verdict verdict, const char *cure, const char *fmt, ...)
{
	struct finding f = {.verdict = verdict};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f.what, sizeof(f.what), fmt, ap);
	va_end(ap);
	snprintf(f.cure, sizeof(f.cure), "%s", cure ? cure : "");
	c->cnt[verdict]++;
	c->tell(&f, c->arg);
}

/* ---- describe ---- */

/* "handoff:io, event", "" for none. */
static void declared_words(uint32_t declares, char *ret, size_t len)
{
	size_t at = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < DECLARES_CNT && at < len; i++)
		if (declares & 1u << i)
			at += (size_t)snprintf(ret + at, len - at, "%s%s", at ? ", " : "",
					       declares_name(i));
}

void conform_describe(struct conform *c, const struct profiler *p, const struct machine *m)
{
	char words[512], called[NAME_LEN + 64] = "";

	declared_words(p->declares, words, sizeof(words));
	if (strcmp(p->called, p->name))
		snprintf(called, sizeof(called), " (rows and cells bear its file's name, %s)",
			 p->name);
	if (!p->declares)
		conform_say(c, VERDICT_NOTE,
			    "name in \"declares\" what it claims: handoff:io, event …",
			    "describe: it declares nothing, so no headline figure is about it");
	else
		conform_say(c, VERDICT_OK, NULL, "describe: %s %s%s, division %s, declares %s",
			    p->called, p->version, called, p->division, words);
	if (p->unknown[0])
		conform_say(c, VERDICT_NOTE,
			    "the words are handoff:TYPE, event, health, effect, cost, profile, gap "
			    "and diagnosis",
			    "describe: \"%s\" in \"declares\" is no word that is known",
			    p->unknown);
	for (unsigned i = 0; i < p->needs_cnt; i++)
		if (!machine_probes(m, p->needs[i]))
			conform_say(c, VERDICT_OK, NULL, "describe: it needs the program %s",
				    machine_program(p->needs[i]));
	if ((p->launch & LAUNCH_ATTACH) && !p->needs_cnt && strcmp(p->division, "none"))
		conform_say(c, VERDICT_NOTE, "\"needs\":[\"root\",\"bpf\"], whatever it uses",
			    "describe: it attaches and needs nothing; where that is not so it will "
			    "be charged with a crash instead of being left out");
}

/* ---- claims ---- */

/* How many ends the claims have, and where they lie. */
struct ends {
	size_t all, inside, listed, kernel, strange;
	uint32_t strange_tid; /* one of them */
	uint64_t outside_t;   /* one of those not inside */
};

static bool is_listed(const struct truth *t, uint32_t tid)
{
	for (size_t i = 0; i < t->threads_cnt; i++)
		if (t->threads[i] == tid)
			return true;
	return false;
}

static void count_end(struct ends *e, const struct truth *t, uint32_t tid, uint64_t at, bool kernel)
{
	enum { MARGIN_NS = 1000000000 }; /* before the first and after the last operation */

	e->all++;
	if (at + MARGIN_NS >= t->scored.t0 && at <= t->scored.t1 + MARGIN_NS)
		e->inside++;
	else
		e->outside_t = at;
	if (is_listed(t, tid)) {
		e->listed++;
	} else if (kernel) {
		e->kernel++;
	} else {
		e->strange++;
		e->strange_tid = tid;
	}
}

static void count_ends(struct ends *e, const struct truth *t, const struct claim *c)
{
	if (c->kind == CLAIM_HANDOFF && (c->has & HAS_SRC))
		count_end(e, t, c->handoff.src_tid, c->handoff.src_t, c->has & HAS_SRC_KERNEL);
	if (c->kind == CLAIM_HANDOFF && (c->has & HAS_DST))
		count_end(e, t, c->handoff.dst_tid, c->handoff.dst_t, c->has & HAS_DST_KERNEL);
	if (c->kind == CLAIM_EVENT)
		count_end(e, t, c->event.tid, c->event.t, false);
	if (c->kind == CLAIM_COST && (c->has & HAS_SRC))
		count_end(e, t, c->cost.root_tid, c->cost.root_t, false);
}

static void check_declared(struct conform *c, const struct profiler *p, const struct claims *claims,
			   const char *where)
{
	uint32_t made = 0, more, less;
	char words[512];

	for (size_t i = 0; i < claims->cnt; i++)
		made |= claim_declares(&claims->v[i]);
	more = claims->header.declares & ~p->declares;
	less = p->declares & ~claims->header.declares;
	declared_words(more, words, sizeof(words));
	if (more)
		conform_say(c, VERDICT_WRONG, "let both say the same",
			    "%s: the header of the claims declares what describe does not: %s",
			    where, words);
	declared_words(less, words, sizeof(words));
	if (less)
		conform_say(c, VERDICT_NOTE, "the cover beside its figures is the less for it",
			    "%s: the header of the claims leaves out what describe declares: %s",
			    where, words);
	made &= ~(p->declares | DECLARES_GAP);
	declared_words(made, words, sizeof(words));
	if (made)
		conform_say(
			c, VERDICT_NOTE, "add it to \"declares\" if you mean it",
			"%s: it claims what it does not declare, which the headline leaves out: "
			"%s",
			where, words);
}

/* The unit in which a time would lie in the run, NULL: none. */
static const char *unit_of(const struct truth *t, uint64_t at)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000, "microseconds"}, {1000000, "milliseconds"}, {1000000000, "seconds"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (at <= UINT64_MAX / units[i].ns && at * units[i].ns >= t->scored.t0 &&
		    at * units[i].ns <= t->scored.t1)
			return units[i].name;
	return NULL;
}

static void check_clock(struct conform *c, const struct claims *claims, const struct truth *t,
			const struct ends *e, const char *where, bool live)
{
	int64_t off;
	const char *clock, *unit;

	if (e->inside * 2 >= e->all && !clock_offset(claims, t, &off))
		return; /* in the run, and not systematically off: whether right is for the score */
	if (e->inside * 2 >= e->all && llabs(off) <= 10 * (int64_t)CLOCK_GRAIN_NS) {
		if (clock_grain(claims) == 1) /* else conform_handoffs says what they are */
			conform_say(
				c, VERDICT_OK, NULL,
				"%s: the times are CLOCK_MONOTONIC: they meet the acts of the run",
				where);
		return;
	}
	unit = unit_of(t, e->outside_t);
	if (unit) {
		conform_say(c, VERDICT_WRONG, "times are whole nanoseconds",
			    "%s: the times are those of the run, but in %s", where, unit);
		return;
	}
	if (!clock_offset(claims, t, &off)) {
		conform_say(c, VERDICT_WRONG, "times are whole nanoseconds of CLOCK_MONOTONIC",
			    "%s: %zu of %zu times lie outside the run, such as %llu; the run was "
			    "%llu to %llu",
			    where, e->all - e->inside, e->all, (unsigned long long)e->outside_t,
			    (unsigned long long)t->scored.t0, (unsigned long long)t->scored.t1);
		return;
	}
	clock = live ? clock_ahead_by(off) : NULL;
	conform_say(c, VERDICT_WRONG, "use CLOCK_MONOTONIC (bpf_ktime_get_ns, perf record -k mono)",
		    "%s: the times are off by one and the same %+.6f s%s%s", where,
		    (double)off / 1e9, clock ? ", as if read from " : "", clock ? clock : "");
}

static void check_threads(struct conform *c, const struct ends *e, const struct truth *t,
			  const char *where)
{
	if (!e->strange)
		return;
	conform_say(
		c, e->listed ? VERDICT_NOTE : VERDICT_WRONG,
		e->listed ? "say \"kernel\":true of ends on kernel threads"
			  : "tid is the kernel's thread id in the initial pid namespace, not the "
			    "process id, and not an id of pthread_self()",
		"%s: %zu of %zu ends are on threads that are not the application's and not said "
		"to be the kernel's, such as %u; the application's first is %u",
		where, e->strange, e->all, e->strange_tid, t->threads_cnt ? t->threads[0] : 0);
}

/* What a profile needs to be scored is a true one over the same key. */
static int check_profiles(struct conform *c, const struct claims *claims, const struct truth *t,
			  const char *where, struct diag *d)
{
	struct attribution_score s = {0};
	int rc = score_profiles(t, claims, &s);

	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	if (!s.profile_cnt)
		conform_say(c, VERDICT_NOTE, NULL, "%s: it declares profile and claimed none",
			    where);
	for (size_t i = 0; i < s.profile_cnt; i++) {
		const struct profile_score *p = &s.profile[i];
		const char *by = profile_by_name(p->by);

		if (p->tv_distance.has)
			conform_say(c, VERDICT_OK, NULL,
				    "%s: profile of %s by %s: %llu claims, distance %.4f from the "
				    "true one (0: equal, 1: nothing in common; an even split: "
				    "%.4f)",
				    where, p->kind, by, (unsigned long long)p->claims,
				    p->tv_distance.v, p->even_distance.v);
		else
			conform_say(c, VERDICT_NOTE, NULL,
				    "%s: profile of %s by %s: %llu claims, and no true one to "
				    "compare them with here",
				    where, p->kind, by, (unsigned long long)p->claims);
	}
	attribution_score_free(&s);
	return 0;
}

int conform_claims(struct conform *c, const struct profiler *p, const struct claims *claims,
		   const struct truth *t, const char *where, bool live, struct diag *d)
{
	struct ends e = {0};

	for (size_t i = 0; i < claims->cnt; i++)
		count_ends(&e, t, &claims->v[i]);
	check_declared(c, p, claims, where);
	if (!claims->cnt)
		conform_say(c, VERDICT_NOTE, NULL, "%s: it ended well and claimed nothing", where);
	else if (e.all)
		check_clock(c, claims, t, &e, where, live);
	check_threads(c, &e, t, where);
	if (p->declares & DECLARES_HANDOFFS && conform_handoffs(c, p, claims, t, where, d))
		return d->err;
	return p->declares & DECLARES_PROFILE ? check_profiles(c, claims, t, where, d) : 0;
}
