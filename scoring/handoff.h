/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs (contracts §5.1): how claims and truth are brought together. Internal to scoring/.
 *
 * A run is cut into stretches of time that are scored one by one (handoff_stretch.c), so that what
 * is worked on stays in cache whatever the length of the run, and on all cores. What hangs together
 * with something outside its stretch is left to a last one, the rest (handoff_loose.c).
 *
 * The handoffs of a stretch are surveyed once (struct hx), then read-only. Nearly all claims are
 * plain and settled on the spot (handoff_plain.c); for the others all handoffs in flight are asked,
 * or, where they are very many, the windows that those claims (`slow`) ask for are indexed
 * (handoff_find.c). A claim's ends are looked up (struct ends), once for both levels; a level's
 * sets S and D and what follows from them is a struct view. Claims that compete for a handoff are
 * listed (`bids`) and settled at the end of the stretch.
 *
 * Where §5.1 can be read in two ways, this is what is done.
 *  - An end of a handoff whose window is not wholly in `scored` is dropped: it is in no window,
 *    batch or count. A handoff left with one end is in S or D like any other, but is never
 *    credited; where S ∩ D has nothing else (through an amb group) the claim is a duplicate.
 *    Decoys are scored by the same rule. Whether a key is used asks all handoffs, dropped or not.
 *  - A key is comparable if its space is listed in the header. Two comparable keys of different
 *    spaces are unequal. "`ready`, if the key is comparable" asks for the key of both sides.
 *  - "The only `ready` window of that type on that tid" counts windows whatever their keys.
 *  - [src.t0, dst.ready[1]] needs both ends: a handoff without dst has no identity-level src.
 *  - Rank is done for each level with the claims of that level; orphans count. A batch is a
 *    connected chain in the order of (t0, t1); windows that only touch do not overlap. "Its windows
 *    hold that time" are those of the rules: src.t for src, dst.t or dst.ready for dst; where they
 *    do not, that time is not ranked. A batch in which a handoff lacks seq (take) is not ranked.
 *    "Among them" of an amb group: the i-th time means the i-th handoff or one of its group.
 *  - amb groups are of one type. They widen D after rank.
 *  - "Earliest in truth" is the order of records. The last order of claims is (src.tid, src.t,
 *    dst.tid, dst.t, key (none first; ns, scope, v), then conf downwards, source and the rest of
 *    the record), the lists of credited claims compared as sorted lists; last, each credited claim
 *    in that order has the earliest handoff that it can have.
 *  - "Type, key value, tid, t" of a src observation is the value alone, without scope and space;
 *    an incomparable key is none.
 *  - A claim is a decoy hit once, if either of its known ends lies in a decoy of its type (tid,
 *    window, key equal where both give a comparable one). Copies are shifted by 1 ms + k · 9 ms/199
 *    for k = 0…199; the 99.9th percentile of 200 by nearest rank is the greatest.
 *  - by_ready: "lies in dst.t" is the far-end rule of the level with dst.t alone.
 *  - Per source, truth is the whole denominator, and a handoff is orphan_only under each source
 *    whose orphans speak of it if no two-ended claim of any source does.
 */
#ifndef ASSAY_SCORING_HANDOFF_H
#define ASSAY_SCORING_HANDOFF_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/handoff_bins.h"
#include "scoring/handoff_filter.h"
#include "scoring/handoff_keyless.h"
#include "scoring/handoff_line.h"
#include "scoring/handoff_mem.h"
#include "scoring/handoff_open.h"
#include "scoring/handoff_rules.h"
#include "scoring/handoff_stab.h"
#include "scoring/handoff_wanted.h"
#include "scoring/score.h"

#define HX_NONE UINT32_MAX
/* As a width of epochs: look up on the line of time, without an index. */
#define HX_SCAN UINT32_MAX

enum hx_flag {
	HX_SRC = 1u << 0, /* has a src in scored */
	HX_DST = 1u << 1,
	HX_BOTH = HX_SRC | HX_DST,
	HX_KEY = 1u << 2,	 /* its key is comparable */
	HX_KEY_MULTI = 1u << 3,	 /* one src time may match it and another of its key value */
	HX_KEY_SHARED = 1u << 4, /* … and one src observation may be credited with one alone */
	HX_SRC_BATCH = 1u << 5,	 /* in a batch of two or more */
	HX_DST_BATCH = 1u << 6,
	HX_BATCH_NEAR_BY = 1u << 7, /* an end in its dst.t or ready may lie in a batch of its key */
	HX_LOOSE = 1u << 8,	    /* hangs together with something outside the stretch */
	HX_SPLIT = 1u << 9,	    /* the levels do not contend for it alike */
};

enum { FLAGS_ROW = 16 }; /* handoffs whose flags are looked at together */

enum hx_side { SIDE_SRC = 0, SIDE_DST = 1, SIDE_CNT = 2 };

/* A rank batch of at least two handoffs. Its windows overlap, so together they are [t0, t1]. */
struct hx_batch {
	struct window hull;
	uint32_t first, cnt; /* members, by seq or take */
	uint32_t time, times_cnt;
	bool ordered;		/* all members have seq (take) */
	bool ranked[LEVEL_CNT]; /* as many distinct times as members */
	bool apart;		/* some times are of one level alone */
};

/* One distinct time at which claims place an end in a batch. */
struct hx_time {
	uint64_t t;
	uint32_t batch;
	uint8_t levels;		 /* 1u << level: claims of that level do */
	uint32_t pos[LEVEL_CNT]; /* number among the distinct times of that level */
};

struct hx_batches {
	struct hx_batch *v;
	size_t cnt, cap;
	struct list member;
	uint32_t *of[SIDE_CNT]; /* batch of each handoff with HX_…_BATCH; NULL: no batch at all */
	bool of_type[HANDOFF_TYPE_CNT];
	struct hx_time *times;
};

/* Handoffs with an amb, by (type, amb, h): groups are runs. */
struct amb_item {
	uint64_t amb;
	uint32_t type, h;
};

struct hx_amb {
	struct amb_item *v;
	size_t cnt, cap;
	bool of_type[HANDOFF_TYPE_CNT];
};

struct hx_totals {
	uint64_t ends[HANDOFF_TYPE_CNT][HX_BOTH + 1]; /* by HX_SRC and HX_DST */
	uint64_t mark[MARK_CNT];		      /* two ends */
	uint64_t blind[LEVEL_CNT][HANDOFF_TYPE_CNT];  /* two ends, but cannot be seen */
	uint32_t marks;				      /* bits: occur with an end */
};

/* What all stretches share, read-only once it is filled. */
struct ground {
	const struct truth *t;
	struct tids tids;
	struct stab decoys; /* ids are places in t->decoys */
	struct key_filter decoy_keys;
	uint32_t blind[LEVEL_CNT][HANDOFF_TYPE_CNT]; /* marks: scoring/visibility.h */
};

/* Handoffs of a stretch, in order of first time; those without an end in scored take no part. They
 * are known by their place in it, `h` everywhere. */
struct hx {
	const struct ground *g;
	const struct truth *t;
	uint32_t cnt, epoch; /* epoch: handoffs in each */
	struct mem *mem;
	uint32_t *order; /* the record of each */
	uint16_t *flags;
	bool keyed[HANDOFF_TYPE_CNT];
	struct list without_key;
	struct keyless keyless; /* these, where they have an end */
	struct line line;
	uint16_t *dst_tags, *key_tags; /* what it may match, hashed: a dst on its thread; an end
					  with its key */
	uint64_t lived;		       /* sum of all lives, ns */
	bool scan; /* look up on the line of time; epochs to thread are not filled */
	struct epochs epochs;
	struct bins near, far; /* windows wanted of handoffs with a comparable key, by type and
				  value; near: where an end on another thread may match */
	struct stab thread;    /* far windows wanted, by type and dst thread */
	struct opens opens;
	struct hx_batches batches;
	struct list tied, ties; /* handoffs of which one src observation may mean several, and
				   where each such set ends */
	struct hx_amb amb;
	struct hx_totals totals; /* of all stretches so far */
};

/* What a claim compares. */
struct probe {
	uint8_t type, ns;
	bool comparable, has_scope;
	uint64_t v, scope;
};

/* A handoff that one end matches at identity level, and these. */
enum {
	FOUND_OWN = 1u << 31,	 /* on the handoff's own thread: at context level as well */
	FOUND_IN_DST = 1u << 30, /* far end: in dst.t */
	FOUND_H = FOUND_IN_DST - 1
};

/* One end of a claim. */
struct end {
	uint32_t tid, place; /* place: among the listed threads, or HX_NONE */
	uint64_t t;
	bool mute; /* on a thread outside `threads` without the word kernel: matches nothing */
};

/* What rank says of an end of a claim in a batch; asked for each of its handoffs, and the same. */
struct ranked {
	uint32_t batch, means;
};

/* The ends of one claim, looked up; reused from claim to claim. */
struct ends {
	const struct claim *c;
	struct probe probe;
	struct end end[SIDE_CNT]; /* of one that is not known nothing is asked */
	bool context;		  /* its known ends lie on threads */
	bool near_done;
	uint32_t near_epoch, far_epoch; /* hints */
	size_t near_place, far_place;	/* hints */
	struct list near, far;		/* handoffs with bits: enum above */
	uint16_t met;			/* flags that any of them has */
	struct ranked ranked[SIDE_CNT];
	struct list s, d, sd; /* sets of the view made last */
	bool apart;	      /* that of the other level may differ from it */
};

/* S, D and S ∩ D of a claim at one level; the sets stand in the ends. */
struct view {
	bool near, far; /* S, D not empty */
	bool by_ready;	/* as it would be if right */
	uint16_t marks; /* of S ∩ D, or where that is empty of S ∪ D */
};

/* ---- handoff_survey.c, handoff_index.c, handoff_batch.c ---- */

/* 0 or -ENOMEM; ground_free in either case. */
int ground_init(struct ground *g, const struct truth *t, struct mem *mem);
void ground_free(struct ground *g);

/* Begins a stretch of cnt handoffs; what hx held is forgotten, its memory used again. epoch: a
 * power of two; 0 or HX_SCAN: default. 0 or -errno. hx_free in either case. */
int hx_begin(struct hx *x, const struct ground *g, uint32_t cnt, uint32_t epoch, struct mem *mem);
void hx_free(struct hx *x);

/* What the survey asks of a handoff. */
struct hx_seen {
	struct window life; /* where it has an end */
	uint16_t flags;	    /* HX_SRC, HX_DST, HX_KEY */
};

/* Enters the next handoff, record h of truth, in order of first time. 0 or -ENOMEM. */
int hx_put(struct hx *x, uint32_t h, const struct hx_seen *seen, uint16_t more_flags);

void hx_count_marks(struct hx *x, const struct truth_handoff *r, uint16_t flags);

/* Counts a handoff with an end; each is counted in one stretch. */
static inline void hx_count(struct hx *x, const struct truth_handoff *r, uint16_t flags)
{
	x->totals.ends[r->type][flags & HX_BOTH]++;
	if (r->marks) /* mutant: equivalent because without any none is counted */
		hx_count_marks(x, r, flags);
}

/* All are entered. 0 or -errno. */
int hx_finish(struct hx *x);

/* Indexes the windows that are wanted; looks: about how many look-ups there will be. 0 or -errno.
 */
int hx_index(struct hx *x, const struct wanted *w, size_t looks);

static inline const struct truth_handoff *hx_rec(const struct hx *x, uint32_t h)
{
	return &x->t->handoffs[x->order[h]];
}

/* Where a src with the handoff's key may lie, on whatever thread; and a dst. */
struct window hx_near_window(const struct hx *x, uint32_t h);
struct window hx_far_window(const struct truth_handoff *h);

/* Finds batches and HX_KEY_MULTI in the clusters of keys in flight. 0 or -ENOMEM. */
int hx_batches_init(struct hx *x);
void hx_batches_free(struct hx_batches *b);

/* Ranks by all times, given in any order. 0 or -errno. */
int hx_rank(struct hx *x, const struct hx_time *times, size_t cnt);

/* Which handoff does the time of an end mean, of a batch? HX_NONE: rank does not say. */
uint32_t hx_rank_means(const struct hx *x, enum hx_side side, enum score_level level, uint64_t t,
		       uint32_t batch);

/* ---- handoff_ends.c ---- */

/* Looks up the far end (the near end is looked up when a view needs it). p: of the claim. 0 or
 * -ENOMEM. */
int ends_init(struct ends *e, const struct hx *x, const struct claim *c, const struct probe *p);
/* Do all known ends of the claim lie on threads? */
static inline bool ends_listed(const struct hx *x, const struct claim *c)
{
	const struct tids *s = &x->g->tids;

	return (!(c->has & HAS_SRC) || tids_place(s, c->handoff.src_tid) != HX_NONE) &&
	       (!(c->has & HAS_DST) || tids_place(s, c->handoff.dst_tid) != HX_NONE);
}

/* Looks one end up alone. */
int ends_side(struct ends *e, const struct hx *x, const struct claim *c, enum hx_side side);
/* Both ends from what was found earlier: near ones, then far ones. near_cnt: NEAR_UNASKED if the
 * near end was not looked up. */
#define NEAR_UNASKED UINT32_MAX
int ends_recall(struct ends *e, const struct hx *x, const struct claim *c, bool context,
		uint32_t near_cnt, uint32_t far_cnt, const uint32_t *found);
void ends_release(struct ends *e);
int ends_near(struct ends *e, const struct hx *x); /* looks up the near end if it was not */
int ends_view(struct ends *e, const struct hx *x, enum score_level level, struct view *ret);

/* Marks of S ∪ D of the view made last, whether S ∩ D is empty or not. 0 or -ENOMEM. */
int ends_marks(struct ends *e, const struct hx *x, enum score_level level, uint16_t *ret);

/* Is a handoff of the far ones in S ∩ D at both levels, but for rank? */
bool ends_joined(const struct ends *e, const struct hx *x);

/* Is a handoff with the claim's key among those found so far? */
static inline bool ends_key_met(const struct ends *e)
{
	return e->met & HX_KEY;
}

/* Are both sets empty at context level? (Rank and amb groups empty none.) 1, 0 or -ENOMEM. */
int ends_nothing(struct ends *e, const struct hx *x, const struct claim *c);

/* ---- handoff_find.c ---- */

/* The last place before `at` of a handoff of the type that a call of the thread sent which holds t;
 * SIZE_MAX: none. at: line_until of t, or what was returned last. */
static inline size_t sent_before(const struct hx *x, size_t at, uint8_t type, uint32_t tid,
				 uint64_t t)
{
	while ((at = line_back(&x->line, LINE_SRC, at, t)) != SIZE_MAX) {
		uint32_t h = (uint32_t)at;
		const struct truth_handoff *r = hx_rec(x, h);

		if (r->src_tid == tid && r->type == type && r->src_t.t0 <= t && t <= r->src_t.t1 &&
		    (x->flags[h] & HX_SRC))
			break;
	}
	return at;
}

/* Does the near end match the handoff at identity level? */
bool near_matches(const struct ends *s, const struct hx *x, const struct end *e, uint32_t h);

/* The handoffs that the end matches at identity level, added to s->near, s->far. 0 or -ENOMEM. */
int find_near(struct ends *s, const struct hx *x, const struct end *e);
int find_far(struct ends *s, const struct hx *x, const struct end *e);

/* ---- handoff_decoy.c ---- */

int decoys_init(struct ground *g, struct mem *mem);

/* Does the decoy's key not rule the claim out? (No listed space: no key.) */
bool decoy_fits(const struct ground *g, const struct probe *p, uint32_t decoy);
/* False: it does those of all decoys of the group (type and thread). */
bool decoys_may_fit(const struct ground *g, const struct probe *p, uint32_t group);
bool decoy_hit(const struct ground *g, const struct claim *c, const struct probe *p);

/* ---- handoff_score.c ---- */

/* How a run is gone about; 0: whichever is cheaper. Nothing that is scored depends on it. */
struct score_shape {
	uint32_t epoch;	  /* index by epochs of so many handoffs, a power of two; or HX_SCAN */
	uint32_t stretch; /* handoffs of a stretch */
};

/* score_handoffs_with, for tests. */
int score_handoffs_shaped(const struct truth *t, const struct claims *c,
			  const struct score_options *o, const struct score_shape *shape,
			  struct handoff_score *ret, struct handoff_verdicts *v);

/* ---- shared rules ---- */

/* Equal keys, both comparable. */
static inline bool key_equal(const struct probe *p, const struct truth_key *k)
{
	return p->v == k->v && p->ns == k->ns &&
	       (!p->has_scope || !k->has_scope || p->scope == k->scope);
}

static inline struct probe probe_of(const struct hx *x, const struct claim *c)
{
	struct probe p = {
		.type = c->type,
		.ns = c->ns,
		.comparable = (c->has & HAS_KEY) && space_listed(x->t, c->ns),
	};

	if (p.comparable) {
		p.has_scope = c->has & HAS_SCOPE;
		p.v = c->handoff.key_v;
		p.scope = c->handoff.key_scope;
	}
	return p;
}

static inline uint32_t probe_tag(const struct probe *p)
{
	return key_tag(p->type, p->v);
}

/* May a handoff of the type without a comparable key have its end on that thread then? */
static inline bool hx_keyless(const struct hx *x, uint8_t type, uint32_t tid, uint64_t t)
{
	return keyless_may(&x->keyless, thread_tag(type, tid), t);
}

static inline uint32_t group_of(const struct tids *s, uint8_t type, uint32_t place)
{
	return type * s->cnt + place;
}

/* ---- what is asked of every handoff ---- */

/* From the first moment at which the handoff can be sent to the last at which it is handled. */
static inline struct window hx_life(const struct truth_handoff *r, uint16_t flags)
{
	struct window w = flags & HX_SRC ? r->src_t : r->dst_ready;

	if (flags & HX_DST) {
		widen(&w, &r->dst_ready);
		widen(&w, &r->dst_t);
	}
	return w;
}

static inline uint16_t hx_flags(const struct truth *t, const struct truth_handoff *r)
{
	uint16_t f = 0;

	if ((r->has & TH_SRC) && within(&t->scored, &r->src_t))
		f |= HX_SRC;
	if ((r->has & TH_DST) && within(&t->scored, &r->dst_t))
		f |= HX_DST;
	if (space_listed(t, r->key.ns))
		f |= HX_KEY;
	return f;
}

static inline struct hx_seen hx_see(const struct truth *t, const struct truth_handoff *r)
{
	struct hx_seen s = {.flags = hx_flags(t, r)};

	if (s.flags & HX_BOTH)
		s.life = hx_life(r, s.flags);
	return s;
}

#endif
