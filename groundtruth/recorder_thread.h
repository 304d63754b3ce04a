/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder's thread side: a slot of the log, the clock, tokens, and how a record gets in.
 *
 * A struct recorder belongs to the thread that opened it; slots are dealt by an atomic counter and
 * decoys go from thread to thread by the channel's mail, all else is private. What ends in an
 * underscore is for recorder.h alone. Part of recorder.h, which says the rules.
 *
 * Decoys: after every so many records (the harness deals gaps and tokens) the next call writes one
 * record more, of an act that never was: a copy of this thread's last SRC, DST or EVENT record with
 * another token, a spare key and a window of two fresh clock reads, taken between two acts. The
 * DST of a decoy comes from another thread than its SRC. Types without a spare get no decoys.
 */
#ifndef ASSAY_GROUNDTRUTH_RECORDER_THREAD_H
#define ASSAY_GROUNDTRUTH_RECORDER_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "groundtruth/recorder_channel.h"

struct recorder { /* private to the recorder; zeroed: off */
	struct recorder_channel *chan;
	struct log_slot *slot;
	struct log_rec *recs;
	uint64_t *tokens, *tokens_end;
	struct log_decoy *decoys, *decoys_end;
	uint64_t cnt, cap;
	uint64_t stop;			   /* cnt at which there is more to do than write */
	uint64_t src_at, dst_at, event_at; /* 1 + index of the last true one, 0: none yet */
	uint64_t mailed[LOG_TYPES];	   /* last token that this thread mailed */
	bool on;
};

RECORDER_INLINE void recorder_schedule_(struct recorder *r)
{
	uint64_t left = r->cap - r->cnt;

	if (r->decoys < r->decoys_end && r->decoys->gap < left)
		r->stop = r->cnt + r->decoys->gap;
	else
		r->stop = r->cap;
}

/*
 * Claims a slot; tid from gettid. False where truth is on and there is no slot left: the run is
 * broken (the channel remembers), the thread may go on unrecorded.
 */
RECORDER_INLINE bool recorder_open(struct recorder *r, struct recorder_channel *c, uint32_t tid)
{
	char *base = (char *)c->map;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	if (!base)
		return true;
	i = __atomic_fetch_add(&c->map->slots_next, 1, __ATOMIC_RELAXED);
	if (i >= c->map->slots_cnt)
		return false;
	r->chan = c;
	r->slot = (struct log_slot *)(base + c->map->slots_off) + i;
	r->recs = (struct log_rec *)(base + r->slot->recs_off);
	r->cap = r->slot->recs_cap;
	r->tokens = (uint64_t *)(base + r->slot->tokens_off);
	r->tokens_end = r->tokens + r->slot->tokens_cap;
	r->decoys = (struct log_decoy *)(base + r->slot->decoys_off);
	r->decoys_end = r->decoys + r->slot->decoys_cap;
	r->slot->tid = tid;
	r->on = true;
	recorder_schedule_(r);
	return true;
}

RECORDER_INLINE void recorder_close(struct recorder *r)
{
	r->on = false;
}

RECORDER_INLINE uint64_t recorder_clock_(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* CLOCK_MONOTONIC in ns, by the vDSO; 0 when truth is off. */
RECORDER_INLINE uint64_t recorder_now(const struct recorder *r)
{
	return r->on ? recorder_clock_() : 0;
}

/* The next dealt token: an id for an operation, a handoff, a life or an amb group. 0 when off. */
RECORDER_INLINE uint64_t recorder_token(struct recorder *r)
{
	uint64_t token;

	if (!r->on)
		return 0;
	if (__builtin_expect(r->tokens == r->tokens_end, 0)) {
		r->slot->trouble |= LOG_TROUBLE_TOKENS;
		return 0;
	}
	token = *r->tokens;
	*r->tokens++ = 0;
	return token;
}

/* ---- one record: take room, fill, commit. The memory is zero: absent fields need no store ---- */

/* Makes the record count. kind is the last of its bytes, cnt comes after it. */
RECORDER_INLINE void recorder_commit_(struct recorder *r, struct log_rec *p, uint8_t kind)
{
	__atomic_store_n(&p->kind, kind, __ATOMIC_RELEASE);
	/* pairs with the harness's acquire, which may look at a crashed run */
	__atomic_store_n(&r->slot->cnt, ++r->cnt, __ATOMIC_RELEASE);
}

/* Copies a true record but for its token, key and window. */
RECORDER_INLINE void recorder_decoy_copy_(struct recorder *r, uint64_t at, uint64_t token,
					  const struct rec_key *key, uint64_t t0)
{
	const struct log_rec *model = &r->recs[at - 1];
	struct log_rec *p = &r->recs[r->cnt];

	p->id = token;
	p->op = model->op;
	p->v = key->v;
	p->seq = model->seq;
	p->marks = model->marks;
	p->type = model->type;
	p->cls = model->cls;
	p->aux = model->aux;
	if (model->kind == LOG_EVENT) {
		p->scope = model->scope;
		p->flags = model->flags;
	} else {
		p->scope = key->scope;
		p->ns = key->ns;
		p->flags = (uint8_t)((model->flags & ~LOG_F_SCOPE) |
				     (key->has_scope ? LOG_F_SCOPE : 0));
		p->seq += model->flags & LOG_F_SEQ ? 1 : 0;
	}
	p->t0 = t0;
	p->t1 = recorder_clock_();
	recorder_commit_(r, p, model->kind);
}

/* Both ends of a decoy find the same spare by its token. */
RECORDER_INLINE const struct rec_key *recorder_spare_of_(const struct recorder_channel *c,
							 unsigned type, uint64_t token)
{
	return &c->spares[type][token % c->spares_cnt[type]];
}

/* The second end of a decoy that another thread began; false where none waits. */
RECORDER_INLINE bool recorder_decoy_dst_(struct recorder *r, uint64_t t0)
{
	unsigned type = r->recs[r->dst_at - 1].type;
	uint64_t token = __atomic_load_n(&r->chan->mail[type], __ATOMIC_RELAXED);

	if (!token || token == r->mailed[type] ||
	    !__atomic_compare_exchange_n(&r->chan->mail[type], &token, 0, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	recorder_decoy_copy_(r, r->dst_at, token, recorder_spare_of_(r->chan, type, token), t0);
	return true;
}

/* A new decoy: of the last kind of handoff that this thread sent, or of an event. */
RECORDER_INLINE void recorder_decoy_new_(struct recorder *r, uint64_t token, uint64_t t0)
{
	struct recorder_channel *c = r->chan;
	bool src = r->src_at && c->spares_cnt[r->recs[r->src_at - 1].type];
	bool event = r->event_at && c->spares_cnt[RECORDER_SPARE_EVENT];
	unsigned type = event && (!src || token >> 63) ? RECORDER_SPARE_EVENT
			: src			       ? r->recs[r->src_at - 1].type
						       : LOG_TYPES + 1;

	if (type > LOG_TYPES)
		return;
	recorder_decoy_copy_(r, type == RECORDER_SPARE_EVENT ? r->event_at : r->src_at, token,
			     recorder_spare_of_(c, type, token), t0);
	if (type == RECORDER_SPARE_EVENT)
		return;
	r->mailed[type] = token;
	__atomic_store_n(&c->mail[type], token, __ATOMIC_RELAXED);
}

/* Writes the decoy that is due, if there is a model for it, and erases it from the schedule. */
RECORDER_INLINE void recorder_decoy_(struct recorder *r)
{
	uint64_t token = r->decoys->token, t0 = recorder_clock_();

	*r->decoys++ = (struct log_decoy){0};
	if (!r->dst_at || !recorder_decoy_dst_(r, t0))
		recorder_decoy_new_(r, token, t0);
	recorder_schedule_(r);
}

/* Room for one record; NULL when truth is off or the log is full. */
RECORDER_INLINE struct log_rec *recorder_room_(struct recorder *r)
{
	if (!r->on)
		return NULL;
	if (__builtin_expect(r->cnt == r->stop, 0)) {
		if (r->cnt < r->cap)
			recorder_decoy_(r);
		if (r->cnt == r->cap) {
			r->slot->trouble |= LOG_TROUBLE_FULL;
			return NULL;
		}
	}
	return &r->recs[r->cnt];
}

RECORDER_INLINE struct log_rec *recorder_window_(struct recorder *r, uint64_t id, uint64_t t0,
						 uint64_t t1)
{
	struct log_rec *p = recorder_room_(r);

	if (p) {
		p->id = id;
		p->t0 = t0;
		p->t1 = t1;
	}
	return p;
}

/* A figure for a 32-bit field; what does not fit breaks the run. */
RECORDER_INLINE uint32_t recorder_u32_(struct recorder *r, uint64_t v)
{
	if (__builtin_expect(v > UINT32_MAX, 0))
		r->slot->trouble |= LOG_TROUBLE_RANGE;
	return (uint32_t)v;
}

#endif
