/* SPDX-License-Identifier: BSD-2-Clause */
/* msg and work handoffs: which write the bytes came from that a read took. */
#include <errno.h>
#include <stdlib.h>

#include <utlist.h>

#include "profilers/causal/confidence.h"
#include "profilers/causal/streams_state.h"

struct causal_streams {
	struct observer *out;
	struct stream *streams;
	struct piece *held;
	size_t writes_cnt;
};

struct causal_streams *causal_streams_new(struct observer *out)
{
	struct causal_streams *s = calloc(1, sizeof(*s));

	if (s)
		s->out = out;
	return s;
}

static int orphan(struct causal_streams *s, const struct observation *src,
		  const struct observation *dst)
{
	return observer_claim(s->out, src, dst, HOW_UNKNOWN, CONFIDENCE_ORPHAN, 0);
}

/* A write whose read was lost: by the key of those who read here before. */
static int unread(struct causal_streams *s, const struct piece *w)
{
	struct observation src = w->o;

	if (src.type == HANDOFF_MSG && w->stream->inode) {
		src.ns = KEY_FD;
		src.v = w->stream->fd;
		src.scope = w->stream->inode;
		src.has_scope = true;
	}
	return orphan(s, &src, NULL);
}

/* A read whose write was lost; what comes from outside is no handoff of anybody's. */
static int unwritten(struct causal_streams *s, const struct stream *st, const struct observation *r)
{
	return st->inside ? orphan(s, NULL, r) : 0;
}

static void stream_free(struct causal_streams *s, struct stream *st)
{
	HASH_DEL(s->streams, st);
	free(st);
}

/* uthash keeps order: those behind were placed later. */
static void stream_place(struct causal_streams *s, struct stream *st, uint64_t now)
{
	st->placed = now;
	st->used = false;
	HASH_ADD(hh, s->streams, name, sizeof(st->name), st);
}

/* Each that comes makes sure of these, which is more than one: there are never many too many. */
enum { STREAMS_LOOKED_AT = 4 };

static void streams_bound(struct causal_streams *s, uint64_t now)
{
	for (unsigned i = 0; i < STREAMS_LOOKED_AT && s->streams; i++) {
		struct stream *st = s->streams;
		bool full = HASH_COUNT(s->streams) >= CAUSAL_STREAMS_MAX;
		bool may_go = full || (st->born && !st->forgotten);

		if (!full && st->placed + CAUSAL_STREAM_QUIET_NS > now)
			return;
		if (may_go && !st->used && !st->writes && !st->reads) {
			stream_free(s, st);
			continue;
		}
		HASH_DEL(s->streams, st);
		stream_place(s, st, now);
	}
}

static struct stream *stream_get(struct causal_streams *s, const struct observation *o)
{
	struct stream *st;

	HASH_FIND(hh, s->streams, &o->object, sizeof(o->object), st);
	if (!st) {
		streams_bound(s, o->t);
		st = calloc(1, sizeof(*st));
		if (!st)
			return NULL;
		st->name = o->object;
		stream_place(s, st, o->t);
	} else {
		st->used = true;
	}
	st->born = o->bits & OBS_BORN;
	return st;
}

/* ---- writes ---- */

static void write_drop(struct causal_streams *s, struct piece *w)
{
	DL_DELETE(w->stream->writes, w);
	s->writes_cnt--;
	free(w);
}

static void write_insert(struct causal_streams *s, struct piece *w)
{
	struct stream *st = w->stream;
	struct piece *after = st->writes ? st->writes->prev : NULL; /* the last */

	while (after && after->o.pos > w->o.pos)
		after = after == st->writes ? NULL : after->prev;
	if (after)
		DL_APPEND_ELEM(st->writes, after, w);
	else
		DL_PREPEND(st->writes, w);
	s->writes_cnt++;
}

/* Writes that reads have passed long since: those reads were lost. */
static int sweep(struct causal_streams *s, struct stream *st, uint64_t now)
{
	int err = 0;

	while (st->writes && piece_end(st->writes) <= st->passed &&
	       st->writes->o.t + CAUSAL_STREAM_NS < now && !err) {
		err = unread(s, st->writes);
		write_drop(s, st->writes);
	}
	return err;
}

/* ---- reads ---- */

/* Joins what ends inside the read, but for what stands there in the place of another. */
static int join(struct causal_streams *s, struct stream *st, const struct observation *r)
{
	uint64_t at = r->pos + st->offset, end = at + r->units;
	struct piece *w = st->writes, *next;
	int err = 0;

	for (; w && !err && w->o.pos < end; w = next) {
		next = w->next;
		if (piece_end(w) <= at || piece_end(w) > end || stream_impossible(&w->o, r))
			continue;
		err = observer_claim(s->out, &w->o, r, HOW_OBSERVED, CONFIDENCE_OBSERVED, 0);
		write_drop(s, w);
	}
	if (end > st->passed)
		st->passed = end;
	return err ? err : sweep(s, st, r->t);
}

/*
 * Takes the read if all that it took is known, or at last; next is the one behind it, or NULL.
 * *ret: whether it is done with.
 */
static int try_read(struct causal_streams *s, struct stream *st, const struct observation *r,
		    const struct observation *next, bool last, bool *ret)
{
	bool whole = stream_covered(st, r);
	int err = 0;

	*ret = (whole && !stream_waits(st, r, next)) || last || st->forgotten;
	if (!*ret)
		return 0;
	if (st->forgotten)
		return unwritten(s, st, r);
	if (!stream_settle(st, r)) {
		*ret = last; /* whose write it is may be under way yet, numbered behind others */
		if (!last)
			return 0;
		if (r->bits & OBS_BORN)
			st->passed = r->pos + r->units;
		return unwritten(s, st, r);
	}
	if (next)
		stream_settle_end(st, r, next);
	whole = stream_covered(st, r); /* with another offset it may be otherwise */
	if (!whole)
		err = unwritten(s, st, r);
	return err ? err : join(s, st, r);
}

static void read_drop(struct causal_streams *s, struct piece *r)
{
	DL_DELETE(r->stream->reads, r);
	DL_DELETE2(s->held, r, older, younger);
	free(r);
}

static int read_hold(struct causal_streams *s, struct stream *st, const struct observation *o)
{
	struct piece *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->o = *o;
	r->stream = st;
	DL_APPEND(st->reads, r);
	DL_APPEND2(s->held, r, older, younger);
	return 0;
}

static const struct observation *behind(const struct piece *r)
{
	return r->next ? &r->next->o : NULL;
}

/* What is known of a held read now. */
static int give_up(struct causal_streams *s, struct piece *r)
{
	bool done;
	int err = try_read(s, r->stream, &r->o, behind(r), true, &done);

	read_drop(s, r);
	return err;
}

/*
 * Positions that begin anew: the address is used again, or the kernel side had to forget the stream
 * in the middle and nothing can be joined on it any more.
 */
static int stream_restart(struct causal_streams *s, struct stream *st, bool forgotten)
{
	int err = 0;

	/* of the time before are those that waited for nothing but the next */
	while (st->reads && stream_covered(st, &st->reads->o) && !err)
		err = give_up(s, st->reads);
	while (st->writes && !err) {
		bool told = forgotten || piece_end(st->writes) <= st->passed;

		err = told ? unread(s, st->writes) : 0;
		write_drop(s, st->writes);
	}
	st->passed = st->offset = 0;
	st->settled = false;
	st->forgotten = forgotten;
	return err;
}

/* Reads that have waited long enough. */
static int expire(struct causal_streams *s, uint64_t now)
{
	int err = 0;

	while (s->held && s->held->o.t + CAUSAL_STREAM_NS < now && !err)
		err = give_up(s, s->held);
	return err;
}

/* Held reads of a stream, in order, until one still has to wait. */
static int retry(struct causal_streams *s, struct stream *st)
{
	bool done = true;
	int err = 0;

	while (st->reads && !err) {
		err = try_read(s, st, &st->reads->o, behind(st->reads), false, &done);
		if (err || !done)
			break;
		read_drop(s, st->reads);
	}
	return err;
}

/* Makes room by giving up the oldest write of this stream, or of the first that has one. What
 * nobody who is watched reads is no handoff of anybody's. */
static int evict(struct causal_streams *s, struct stream *st)
{
	struct piece *w;
	int err;

	if (!st->writes)
		for (st = s->streams; !st->writes;)
			st = st->hh.next;
	w = st->writes;
	err = st->was_read ? unread(s, w) : 0;
	write_drop(s, w);
	return err;
}

int causal_streams_src(struct causal_streams *s, const struct observation *o)
{
	struct stream *st = stream_get(s, o);
	struct piece *w;
	int err;

	if (!st)
		return -ENOMEM;
	st->inside = true;
	st->writers |= st->writer && st->writer != o->tid;
	st->writer = o->tid;
	err = expire(s, o->t);
	if (!err && (stream_restarts(st, o, o->pos) || stream_write_at(st, o->pos)))
		err = stream_restart(s, st, !(o->bits & OBS_BORN));
	if (!err && st->forgotten && !(o->bits & OBS_BORN))
		return orphan(s, o, NULL);
	if (!err && s->writes_cnt >= CAUSAL_WRITES_MAX)
		err = evict(s, st);
	if (err)
		return err;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->o = *o;
	w->stream = st;
	write_insert(s, w);
	return retry(s, st);
}

int causal_streams_dst(struct causal_streams *s, const struct observation *o)
{
	struct stream *st = stream_get(s, o);
	bool done = false;
	int err;

	if (!st)
		return -ENOMEM;
	st->inside |= o->bits & OBS_BORN;
	st->was_read = true;
	st->fd = (uint32_t)o->v;
	st->inode = (uint32_t)o->scope;
	err = expire(s, o->t);
	if (!err && !(o->bits & OBS_BORN) && stream_restarts(st, o, o->pos + st->offset))
		err = stream_restart(s, st, true);
	if (!err && !st->reads)
		err = try_read(s, st, o, NULL, false, &done);
	if (err || done)
		return err;
	err = read_hold(s, st, o);
	/* those before it may have waited for it */
	return err || !st->reads->next ? err : retry(s, st);
}

/* ---- end ---- */

int causal_streams_finish(struct causal_streams *s)
{
	int err = expire(s, UINT64_MAX);

	for (struct stream *st = s->streams; st && !err; st = st->hh.next)
		err = sweep(s, st, UINT64_MAX);
	return err;
}

void causal_streams_free(struct causal_streams *s)
{
	struct stream *st, *next;

	if (!s)
		return;
	while (s->held)
		read_drop(s, s->held);
	HASH_ITER(hh, s->streams, st, next)
	{
		while (st->writes)
			write_drop(s, st->writes);
		stream_free(s, st);
	}
	free(s);
}
