/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: how a workload writes truth (contracts §2). Header only, inlined, no symbols.
 *
 * A struct recorder belongs to one thread. With no channel every call is one predicted branch: no
 * clock is read, tokens and times are 0. A record costs two clock reads and one 64-byte store;
 * adjacent records may share a clock read (pass the t1 of one as the t0 of the next).
 *
 * Rule: the code that calls an operator records; the window brackets the whole call; what is
 * recorded is derived from the state of the object, never from what the operator says that it did.
 *
 * Order: a thread writes its records in the order of its acts, a segment when it ends. A received
 * handoff that starts a segment (recorder_dst) is written before that segment and after the one
 * before it; where one call takes several items, keep the ready window and write each item's record
 * just before its own segment. Several handoffs may start one segment.
 *
 * Decoys: after every so many records (the harness deals gaps and tokens) the next call writes one
 * record more, of an act that never was: a copy of this thread's last SRC, DST or EVENT record with
 * another token, a spare key and a window of two fresh clock reads, taken between two acts. The
 * DST of a decoy comes from another thread than its SRC. Types without a spare get no decoys.
 *
 * Limits: seq, take, desc and the time from receipt to consumption (4.29 s) have 32 bits; what does
 * not fit makes the run broken. Tokens that run out do, too.
 *
 * Instrumenters skip these functions (no_instrument_function). This file is the only part of
 * groundtruth that workloads include (with log.h under it).
 */
#ifndef ASSAY_GROUNDTRUTH_RECORDER_H
#define ASSAY_GROUNDTRUTH_RECORDER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "groundtruth/log.h"

#define RECORDER_INLINE static inline __attribute__((always_inline, no_instrument_function, unused))

/* As a seq or take: the handoff is in no batch. As `open`, `at_start`: plain bools. */
#define RECORDER_NO_SEQ UINT64_MAX

enum { RECORDER_SPARES = 16, RECORDER_SPARE_EVENT = LOG_TYPES };

struct rec_key {
	uint64_t v, scope;
	uint8_t ns; /* KEY_NONE: no key */
	bool has_scope;
};

/*
 * The process's mapping of the channel. One, zeroed, owned by main; threads open recorders on it.
 * Spare keys and the mail that carries a decoy to its second thread live here and not in the
 * channel, where they would tell decoys from truth.
 */
struct recorder_channel {
	struct log_channel *map; /* NULL: truth is off */
	int fd;
	uint32_t spares_cnt[LOG_TYPES + 1];
	struct rec_key spares[LOG_TYPES + 1][RECORDER_SPARES];
	uint64_t mail[LOG_TYPES]; /* token of a decoy whose DST is not yet written, or 0 */
};

struct recorder { /* private to this header; zeroed: off */
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

/* ---- the process: before its first and after its last thread ---- */

/*
 * For a forked process, before it records: a page fault would betray a record. The kernel populates
 * no secret memory; pages of a shared mapping without write-back can be written once they were read
 * (vma_wants_writenotify, mm/vma.c), and others may be writing there.
 */
RECORDER_INLINE void recorder_populate(const struct recorder_channel *c)
{
	const volatile char *at = (const volatile char *)c->map;
	uint64_t bytes = at ? c->map->bytes : 0, page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (at)
		madvise(c->map, bytes, MADV_POPULATE_WRITE);
	for (uint64_t i = 0; i < bytes; i += page)
		(void)at[i];
}

/*
 * Maps the channel that is descriptor fd (LOG_FD, but for tests). Returns 0 with c->map set, or 0
 * with c->map NULL where the descriptor is no channel (truth is off); negative errno where it is
 * one that cannot be used: then the run must not go on.
 */
RECORDER_INLINE int recorder_map_fd(struct recorder_channel *c, int fd)
{
	struct log_channel *map;
	struct stat s;
	int err;

	memset(c, 0, sizeof(*c));
	if (fstat(fd, &s) || s.st_size < (off_t)sizeof(*map))
		return 0;
	/* secret memory can be mapped and not be read */
	map = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return errno == EACCES || errno == ENODEV ? 0 : -errno;
	if (map->magic != LOG_MAGIC || map->version != LOG_VERSION ||
	    map->bytes != (uint64_t)s.st_size) {
		err = map->magic == LOG_MAGIC ? -EPROTO : 0;
		munmap(map, (size_t)s.st_size);
		return err;
	}
	c->map = map;
	c->fd = fd;
	recorder_populate(c);
	return 0;
}

/* No child will need the descriptor: nobody can take it from here any more. */
RECORDER_INLINE void recorder_let_go(struct recorder_channel *c)
{
	if (c->map)
		close(c->fd);
	c->fd = -1;
}

RECORDER_INLINE int recorder_map(struct recorder_channel *c)
{
	return recorder_map_fd(c, LOG_FD);
}

/* A name that does not fit is a fault of the program: it aborts, with truth on or off. */
RECORDER_INLINE void recorder_name_(char (*names)[LOG_NAME_LEN], unsigned i, const char *name)
{
	if (i >= LOG_NAMES || strlen(name) >= LOG_NAME_LEN)
		abort();
	if (names)
		memcpy(names[i], name, strlen(name) + 1);
}

RECORDER_INLINE void recorder_name_kind(struct recorder_channel *c, unsigned i, const char *name)
{
	recorder_name_(c->map ? c->map->kinds : NULL, i, name);
}

/* Resource classes, and labels and subjects of diagnoses. */
RECORDER_INLINE void recorder_name_class(struct recorder_channel *c, unsigned i, const char *name)
{
	recorder_name_(c->map ? c->map->classes : NULL, i, name);
}

/* The key spaces whose every use this workload records: bits 1u << key_ns. */
RECORDER_INLINE void recorder_keys(struct recorder_channel *c, uint32_t ns_bits)
{
	if (c->map)
		c->map->keys = ns_bits;
}

/*
 * A key that no handoff of this type ever uses, of the kind that they use (the address of a slot
 * that is never dealt, a futex word that nobody waits on; KEY_NONE for a type without keys). For
 * RECORDER_SPARE_EVENT only v counts: an instance that never lives. At most RECORDER_SPARES.
 */
RECORDER_INLINE void recorder_spare(struct recorder_channel *c, unsigned type, uint8_t ns,
				    bool has_scope, uint64_t scope, uint64_t v)
{
	if (type > LOG_TYPES || c->spares_cnt[type] >= RECORDER_SPARES)
		abort();
	c->spares[type][c->spares_cnt[type]++] =
		(struct rec_key){.v = v, .scope = scope, .ns = ns, .has_scope = has_scope};
}

/* After the last thread's recorder_close: the workload's own counters, then the end of truth. */
RECORDER_INLINE void recorder_unmap(struct recorder_channel *c, uint64_t begin, uint64_t end,
				    uint64_t segment, uint64_t handoff, uint64_t event)
{
	struct log_channel *map = c->map;

	if (!map)
		return;
	map->count_begin = begin;
	map->count_end = end;
	map->count_segment = segment;
	map->count_handoff = handoff;
	map->count_event = event;
	/* pairs with the harness's acquire in channel_collect */
	__atomic_store_n(&map->closed, LOG_MAGIC, __ATOMIC_RELEASE);
	munmap(map, map->bytes);
	if (c->fd >= 0)
		close(c->fd);
	c->map = NULL;
}

/* ---- a thread ---- */

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

/* ---- what is recorded ---- */

RECORDER_INLINE void recorder_begin(struct recorder *r, uint64_t op, unsigned kind, uint64_t t0,
				    uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (!p)
		return;
	p->type = (uint8_t)kind;
	recorder_commit_(r, p, LOG_BEGIN);
}

/* open: the operation was not finished when the run ended. */
RECORDER_INLINE void recorder_end(struct recorder *r, uint64_t op, uint64_t t0, uint64_t t1,
				  bool open)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (!p)
		return;
	p->flags = open ? LOG_F_OPEN : 0;
	recorder_commit_(r, p, LOG_END);
}

/* [t0, t1]: when this thread began and ceased to execute op. */
RECORDER_INLINE void recorder_segment(struct recorder *r, uint64_t op, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (p)
		recorder_commit_(r, p, LOG_SEGMENT);
}

/* What SRC and DST share. */
RECORDER_INLINE struct log_rec *recorder_handoff_(struct recorder *r, uint64_t id, uint64_t op,
						  unsigned type, struct rec_key key, uint64_t seq,
						  uint32_t marks, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, id, t0, t1);

	if (!p)
		return NULL;
	p->op = op;
	p->v = key.v;
	p->scope = key.scope;
	p->marks = (uint16_t)marks;
	p->type = (uint8_t)type;
	p->ns = key.ns;
	p->flags = key.has_scope ? LOG_F_SCOPE : 0;
	if (seq != RECORDER_NO_SEQ) {
		p->seq = recorder_u32_(r, seq);
		p->flags |= LOG_F_SEQ;
	}
	return p;
}

/* Work of op leaves this thread. [t0, t1] brackets the call that sends it. */
RECORDER_INLINE void recorder_src(struct recorder *r, uint64_t id, uint64_t op, unsigned type,
				  struct rec_key key, uint64_t seq, uint32_t marks, uint64_t t0,
				  uint64_t t1)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, seq, marks, t0, t1);

	if (!p)
		return;
	recorder_commit_(r, p, LOG_SRC);
	r->src_at = r->cnt;
}

/*
 * Work is received here, and the next segment that this thread records is the one that it starts;
 * that segment is of the same op. ready0: the last moment at which it was found not there (0: never
 * looked; the harness takes the start of the src); ready1: just after the call that took it.
 */
RECORDER_INLINE void recorder_dst(struct recorder *r, uint64_t id, uint64_t op, unsigned type,
				  struct rec_key key, uint64_t take, uint32_t marks,
				  uint64_t ready0, uint64_t ready1)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, take, marks, ready0, ready1);

	if (!p)
		return;
	p->flags |= LOG_F_STARTS;
	recorder_commit_(r, p, LOG_DST);
	r->dst_at = r->cnt;
}

/* The same where it starts no segment; consumed (at least ready1) is when it had its effect. */
RECORDER_INLINE void recorder_dst_consumed(struct recorder *r, uint64_t id, uint64_t op,
					   unsigned type, struct rec_key key, uint64_t take,
					   uint32_t marks, uint64_t ready0, uint64_t ready1,
					   uint64_t consumed)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, take, marks, ready0, ready1);

	if (!p)
		return;
	p->aux = recorder_u32_(r, consumed - ready1);
	recorder_commit_(r, p, LOG_DST);
	r->dst_at = r->cnt;
}

/* Marks of a handoff (bits 1u << mark) that became known after its record was written. */
RECORDER_INLINE void recorder_mark(struct recorder *r, uint64_t id, uint32_t marks)
{
	struct log_rec *p = recorder_window_(r, id, 0, 0);

	if (!p)
		return;
	p->marks = (uint16_t)marks;
	recorder_commit_(r, p, LOG_MARK);
}

/* The handoff belongs to a group (a token) within which any pairing is right. */
RECORDER_INLINE void recorder_amb(struct recorder *r, uint64_t id, uint64_t group)
{
	struct log_rec *p = recorder_window_(r, id, 0, 0);

	if (!p)
		return;
	p->v = group;
	recorder_commit_(r, p, LOG_AMB);
}

/* desc: id of the descriptor at whose site it happened, 0: none. */
RECORDER_INLINE void recorder_event(struct recorder *r, unsigned kind, unsigned cls,
				    uint64_t instance, uint64_t life, uint64_t units, uint64_t op,
				    uint32_t desc, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, life, t0, t1);

	if (!p)
		return;
	p->op = op;
	p->v = instance;
	p->scope = units;
	p->type = (uint8_t)kind;
	p->cls = (uint16_t)cls;
	p->aux = desc;
	recorder_commit_(r, p, LOG_EVENT);
	r->event_at = r->cnt;
}

/* cause: a handoff or a life. */
RECORDER_INLINE void recorder_effect(struct recorder *r, uint64_t cause, unsigned kind, uint64_t v,
				     uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, cause, t0, t1);

	if (!p)
		return;
	p->v = v;
	p->type = (uint8_t)kind;
	recorder_commit_(r, p, LOG_EFFECT);
}

/* A life that exists when the run starts or (at_start false) when it ends: one record a life. */
RECORDER_INLINE void recorder_live(struct recorder *r, uint64_t life, uint64_t units, bool at_start)
{
	struct log_rec *p = recorder_window_(r, life, 0, 0);

	if (!p)
		return;
	p->v = units;
	p->flags = at_start ? LOG_F_AT_START : 0;
	recorder_commit_(r, p, LOG_LIVE);
}

/* I/O of an operation that is over has moved so many bytes. */
RECORDER_INLINE void recorder_bytes(struct recorder *r, uint64_t op, uint64_t bytes)
{
	struct log_rec *p = recorder_window_(r, op, 0, 0);

	if (!p)
		return;
	p->v = bytes;
	p->type = LOG_COST_BYTES;
	recorder_commit_(r, p, LOG_COST);
}

/* So much CPU went into a function's own code, in all its calls by this thread. addr: as linked. */
RECORDER_INLINE void recorder_function(struct recorder *r, uint64_t addr, uint64_t ns)
{
	struct log_rec *p = recorder_window_(r, 0, 0, 0);

	if (!p)
		return;
	p->v = ns;
	p->scope = addr;
	p->type = LOG_COST_FUNCTION;
	recorder_commit_(r, p, LOG_COST);
}

/* label and subject: indices of recorder_name_class; LOG_NAMES for a subject: there is none. */
RECORDER_INLINE void recorder_diagnosis(struct recorder *r, unsigned label, unsigned subject,
					uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, 0, t0, t1);

	if (!p)
		return;
	p->cls = (uint16_t)label;
	p->type = (uint8_t)subject;
	recorder_commit_(r, p, LOG_DIAGNOSIS);
}

/* The first act that shows a descriptor wrong ended at t. */
RECORDER_INLINE void recorder_contradicted(struct recorder *r, uint32_t desc, uint64_t t)
{
	struct log_rec *p = recorder_window_(r, 0, t, t);

	if (!p)
		return;
	p->aux = desc;
	recorder_commit_(r, p, LOG_CONTRADICTED);
}

#endif
