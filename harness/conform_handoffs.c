/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs of a run whose truth is known: what keeps a type's claims from meaning anything. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/conform.h"
#include "harness/key_spaces.h"
#include "scoring/score.h"

/* What is said of one type. */
struct said {
	size_t claims, two_ended, kernel;
	size_t outside, foreign; /* keys no handoff uses; of another space than the type's */
	size_t first_outside, first_foreign; /* claims */
};

struct check {
	struct conform *c;
	const struct claims *claims;
	const struct truth *t;
	const char *where;
	struct handoff_score s;
	uint8_t *outcome; /* of claims, at identity level: that of all that lie in the run */
	struct said said[HANDOFF_TYPE_CNT];
};

static void count(struct check *k, size_t i)
{
	const struct claim *c = &k->claims->v[i];
	struct said *s = &k->said[c->type];

	s->claims++;
	s->two_ended += (c->has & HAS_SRC) && (c->has & HAS_DST);
	s->kernel += (c->has & (HAS_SRC_KERNEL | HAS_DST_KERNEL)) != 0;
	if (k->outcome[i] == OUT_OF_SCOPE && !s->outside++)
		s->first_outside = i;
	if ((c->has & HAS_KEY) && !(k->t->keys & 1u << c->ns) && c->ns != key_space(c->type) &&
	    !s->foreign++)
		s->first_foreign = i;
}

/* ---- keys ---- */

struct key_text {
	char s[96];
};

static struct key_text key_text(uint8_t ns, uint64_t v, bool has_scope, uint64_t scope)
{
	struct key_text x;
	int n = snprintf(x.s, sizeof(x.s), "%s 0x%" PRIx64, key_ns_name(ns), v);

	if (has_scope)
		snprintf(x.s + n, sizeof(x.s) - (size_t)n, " of scope %" PRIu64, scope);
	return x;
}

static bool in(const struct window *w, uint64_t t)
{
	return t >= w->t0 && t <= w->t1;
}

/* The handoff with a key that the claim most likely means; 0 ends match: only one of its type. */
static const struct truth_handoff *meant(const struct truth *t, const struct claim *c,
					 unsigned *ret_ends)
{
	const struct truth_handoff *best = NULL;

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		unsigned ends = 0;

		if (h->type != c->type || !(t->keys & 1u << h->key.ns))
			continue;
		if ((c->has & HAS_SRC) && (h->has & TH_SRC))
			ends += h->src_tid == c->handoff.src_tid && in(&h->src_t, c->handoff.src_t);
		if ((c->has & HAS_DST) && (h->has & TH_DST))
			ends += h->dst_tid == c->handoff.dst_tid &&
				(in(&h->dst_t, c->handoff.dst_t) ||
				 in(&h->dst_ready, c->handoff.dst_t));
		if (best && ends <= *ret_ends)
			continue;
		best = h;
		*ret_ends = ends;
	}
	return best;
}

static void say_outside(struct check *k, unsigned type)
{
	const struct said *s = &k->said[type];
	const struct claim *c = &k->claims->v[s->first_outside];
	unsigned ends = 0;
	const struct truth_handoff *h = meant(k->t, c, &ends);
	struct key_text mine =
		key_text(c->ns, c->handoff.key_v, c->has & HAS_SCOPE, c->handoff.key_scope);
	struct key_text theirs = {"no key"};
	char cure[200];

	if (h)
		theirs = key_text(h->key.ns, h->key.v, h->key.has_scope, h->key.scope);
	snprintf(cure, sizeof(cure), "the key is %s; without one where you do not know it",
		 key_words(type));
	conform_say(k->c, s->outside * 2 > s->claims ? VERDICT_WRONG : VERDICT_NOTE, cure,
		    "%s: handoff:%s: the keys of %zu of %zu claims are used by no handoff of the "
		    "run, so these are outside of what is scored; claim %zu has %s, %s %s",
		    k->where, handoff_type_name(type), s->outside, s->claims, s->first_outside + 1,
		    mine.s,
		    ends ? "what its threads and times meet has"
			 : "and a handoff of this type, for one,",
		    theirs.s);
}

static void say_foreign(struct check *k, unsigned type)
{
	const struct said *s = &k->said[type];
	uint8_t ns = k->claims->v[s->first_foreign].ns;

	conform_say(
		k->c, VERDICT_NOTE,
		"\"ns\" is one of user_data uaddr task work fd timerfd, as docs/adapter.md "
		"has them by type",
		"%s: handoff:%s: the keys of %zu of %zu claims are ignored: their \"ns\" is %s%s, "
		"the key of this type is %s; the first is claim %zu",
		k->where, handoff_type_name(type), s->foreign, s->claims,
		ns == KEY_OTHER ? "a word that nobody knows" : key_ns_name(ns),
		ns == KEY_OTHER ? "" : ", which this workload does not list", key_words(type),
		s->first_foreign + 1);
}

/* A few are of what nobody records: a descriptor of a library, a word of libc. */
static void check_keys(struct check *k, unsigned type)
{
	const struct said *s = &k->said[type];

	if (s->outside * 10 > s->claims)
		say_outside(k, type);
	if (s->foreign)
		say_foreign(k, type);
}

/* ---- times ---- */

static int check_side(struct check *k, unsigned type, bool src)
{
	enum { FEW = 10 };
	struct clock_lag lag;
	size_t one_way;
	bool late;
	int rc = clock_lag(k->claims, k->t, (uint8_t)type, src, &lag);

	if (rc)
		return rc;
	late = lag.late * 2 > lag.outside;
	one_way = late ? lag.late : lag.outside - lag.late;
	if (lag.outside < FEW || lag.outside * 10 < lag.ends || one_way * 10 < lag.outside * 9)
		return 0;
	conform_say(k->c, VERDICT_NOTE,
		    src ? "take the time in the call that sends: the window is that call alone"
			: "take the time when the thread goes on: from there on until what was "
			  "handed over is done",
		    "%s: handoff:%s: %s: %zu of %zu lie in no act of their thread, and %zu of "
		    "these are too %s, half of them by %.1f us or more",
		    k->where, handoff_type_name(type), src ? "src" : "dst", lag.outside, lag.ends,
		    one_way, late ? "late" : "early", (double)lag.middle_ns / 1e3);
	return 0;
}

static void check_grain(struct check *k, uint64_t grain)
{
	if (grain > 1)
		conform_say(k->c, VERDICT_NOTE, "write nanoseconds",
			    "%s: all times are whole %s: windows of truth are often narrower, so "
			    "that right claims meet nothing",
			    k->where, grain == 1000 ? "microseconds" : "milliseconds");
}

/* ---- threads and directions ---- */

/* How many threads act in the handoffs of truth, 2 standing for all that is more than one. */
static unsigned acting_threads(const struct truth *t)
{
	uint32_t one = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		const uint32_t tids[] = {h->has & TH_SRC ? h->src_tid : 0,
					 h->has & TH_DST ? h->dst_tid : 0};

		for (size_t e = 0; e < 2; e++) {
			if (one && tids[e] && tids[e] != one)
				return 2;
			one = tids[e] ? tids[e] : one;
		}
	}
	return one != 0;
}

struct turned {
	size_t ends, same, pairs, backwards;
	uint32_t tid; /* of the first end */
};

static void look_at(struct turned *x, const struct claim *c)
{
	const uint32_t tids[] = {c->handoff.src_tid, c->handoff.dst_tid};

	for (size_t e = 0; e < 2; e++) {
		if (!(c->has & (e ? HAS_DST : HAS_SRC)))
			continue;
		x->tid = x->ends++ ? x->tid : tids[e];
		x->same += tids[e] == x->tid;
	}
	if (!(c->has & HAS_SRC) || !(c->has & HAS_DST))
		return;
	x->pairs++;
	x->backwards += c->handoff.dst_t < c->handoff.src_t;
}

bool conform_ends(struct conform *c, const struct claims *claims, const struct truth *t,
		  const char *where)
{
	enum { FEW = 20 };
	struct turned x = {0};
	bool one, back;

	for (size_t i = 0; i < claims->cnt; i++)
		if (claims->v[i].kind == CLAIM_HANDOFF)
			look_at(&x, &claims->v[i]);
	one = x.ends >= FEW && x.same == x.ends && acting_threads(t) > 1;
	back = x.pairs && x.backwards * 2 > x.pairs;
	if (one)
		conform_say(c, VERDICT_WRONG,
			    "tid is the thread's id (gettid, bpftrace's tid), not the process's "
			    "(getpid, bpftrace's pid)",
			    "%s: all %zu ends are on one thread, %u%s, and several threads hand "
			    "work over",
			    where, x.ends, x.tid,
			    t->threads_cnt && x.tid == t->threads[0]
				    ? ", the application's first, whose id is the process's"
				    : "");
	if (back)
		conform_say(c, VERDICT_WRONG,
			    "src is the thread that hands over, dst the one that takes: swap them",
			    "%s: dst is before src in %zu of %zu claims", where, x.backwards,
			    x.pairs);
	return one || back;
}

/* ---- what was found ---- */

static const char *level_words(const struct said *s, bool identity)
{
	if (!identity)
		return "";
	return s->kernel ? " (which request it was; not which thread went on: it names the "
			   "kernel's)"
			 : " (which request it was; not which thread went on)";
}

static void say_found(struct check *k, unsigned type, const struct handoff_counts *n, bool identity)
{
	uint64_t two = n->claims - n->orphan;
	bool nothing = two && !n->right;
	char outside[48] = "";

	if (n->out_of_scope)
		snprintf(outside, sizeof(outside), ", %" PRIu64 " outside", n->out_of_scope);
	conform_say(k->c, nothing ? VERDICT_NOTE : VERDICT_OK,
		    nothing ? "profiler test --keep FOLDER, then assay explain --truth "
			      "FOLDER/…/truth.bin --claims FOLDER/…/claims.bin"
			    : NULL,
		    "%s: handoff:%s: %" PRIu64 " of %" PRIu64 " found, %" PRIu64 " of %" PRIu64
		    " joins wrong, %" PRIu64 " with one end%s%s",
		    k->where, handoff_type_name(type), n->credited, n->truth, two - n->right, two,
		    n->orphan, outside, level_words(&k->said[type], identity));
}

/* A type at the level at which it has something to say: where it only ever names other threads,
 * that is identity. */
static void say_counts(struct check *k, unsigned type)
{
	const struct handoff_counts *context = &k->s.level[LEVEL_CONTEXT].type[type];
	const struct handoff_counts *identity = &k->s.level[LEVEL_IDENTITY].type[type];
	bool by_identity = !context->right && identity->right;
	const struct said *s = &k->said[type];
	const struct handoff_counts *n = by_identity ? identity : context;

	if (!n->truth)
		return;
	if (n->claims)
		say_found(k, type, n, by_identity);
	else if (!s->claims)
		conform_say(k->c, VERDICT_NOTE, NULL,
			    "%s: it declares handoff:%s and claimed none of %" PRIu64, k->where,
			    handoff_type_name(type), n->truth);
	else if (s->claims > s->outside) /* else check_keys has said it */
		conform_say(k->c, VERDICT_NOTE, NULL,
			    "%s: handoff:%s: none of its %zu claims can be scored: %zu have keys "
			    "that no handoff uses, the others other times or threads than the run",
			    k->where, handoff_type_name(type), s->claims, s->outside);
}

static int check_type(struct check *k, unsigned type, bool times)
{
	int rc = times ? check_side(k, type, true) : 0;

	if (!rc && times)
		rc = check_side(k, type, false);
	if (rc)
		return rc;
	check_keys(k, type);
	say_counts(k, type);
	return 0;
}

int conform_handoffs(struct conform *c, const struct profiler *p, const struct claims *claims,
		     const struct truth *t, const char *where, struct diag *d)
{
	struct check k = {.c = c,
			  .claims = claims,
			  .t = t,
			  .where = where,
			  .outcome = calloc(claims->cnt + 1, 1)};
	struct handoff_verdicts v = {.outcome = {[LEVEL_IDENTITY] = k.outcome}};
	uint64_t grain = clock_grain(claims);
	bool turned;
	int rc = k.outcome ? score_handoffs(t, claims, &k.s, &v) : -ENOMEM;

	for (size_t i = 0; !rc && i < claims->cnt; i++)
		if (claims->v[i].kind == CLAIM_HANDOFF)
			count(&k, i);
	check_grain(&k, grain);
	turned = conform_ends(c, claims, t, where);
	for (unsigned i = 0; !rc && i < HANDOFF_TYPE_CNT; i++)
		if (p->declares & 1u << i)
			rc = check_type(&k, i, !turned && grain == 1);
	free(k.outcome);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}
