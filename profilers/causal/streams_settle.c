/* SPDX-License-Identifier: BSD-2-Clause */
/* msg and work handoffs: at which position a read begins, by what it and the writes begin with. */
#include <utlist.h>

#include "profilers/causal/streams_state.h"

/* ---- positions ---- */

struct piece *stream_write_at(const struct stream *st, uint64_t pos)
{
	struct piece *w;

	if (!st->writes || piece_end(st->writes->prev) <= pos) /* behind all, as most are */
		return NULL;
	DL_FOREACH(st->writes, w)
	{
		if (w->o.pos <= pos && pos < piece_end(w))
			return w;
		if (w->o.pos > pos)
			return NULL;
	}
	return NULL;
}

bool stream_covered(const struct stream *st, const struct observation *r)
{
	uint64_t at = r->pos + st->offset, end = at + r->units;
	struct piece *w = stream_write_at(st, at);

	for (; w && w->o.pos <= at; w = w->next) {
		at = piece_end(w);
		if (at >= end)
			return true;
	}
	return false;
}

bool stream_restarts(const struct stream *st, const struct observation *o, uint64_t pos)
{
	if (o->bits & OBS_BORN)
		return !pos && (st->passed || (st->writes && !st->writes->o.pos));
	return st->passed && (!o->pos || pos + o->units <= st->passed);
}

/* ---- heads ---- */

static uint64_t head_units(const struct observation *o)
{
	return o->units < 8 ? o->units : 8;
}

/* Whether what both begin with can be compared: the same number of bytes, and both known. */
static bool comparable(const struct observation *w, const struct observation *r)
{
	if (!w->head || !r->head)
		return false;
	return !(w->bits & OBS_BYTES) || head_units(w) == head_units(r);
}

static bool differs(const struct observation *w, const struct observation *r)
{
	return stream_impossible(w, r) || (comparable(w, r) && w->head != r->head);
}

static bool matches(const struct observation *w, const struct observation *r)
{
	return !stream_impossible(w, r) && comparable(w, r) && w->head == r->head;
}

/* Puts x, a later write, to the place of w; those between move on. */
static void swap_in(struct stream *st, struct piece *w, struct piece *x)
{
	uint64_t pos = w->o.pos;

	for (struct piece *p = w; p != x; p = p->next)
		p->o.pos += x->o.units;
	x->o.pos = pos;
	DL_DELETE(st->writes, x);
	DL_PREPEND_ELEM(st->writes, w, x);
}

/* Whether w, where the read begins, is what it read; else the write that is takes its place. */
static bool settle_order(struct stream *st, struct piece *w, const struct observation *r)
{
	struct piece *x = w;

	if (!differs(&w->o, r))
		return true;
	for (int i = 0; i < CAUSAL_STREAM_SWAPS && x; i++) {
		struct piece *next = x->next;

		if (matches(&x->o, r)) {
			swap_in(st, w, x);
			return true;
		}
		/* across one that is missing nothing is known */
		x = next && next->o.pos == piece_end(x) ? next : NULL;
	}
	return false;
}

/* The stream was there before: looks for what this read may have begun with. */
static bool settle_offset(struct stream *st, const struct observation *r)
{
	struct piece *x, *found = NULL;

	DL_FOREACH(st->writes, x)
	{
		if (!matches(&x->o, r) || x->o.t > r->t)
			continue;
		if (found)
			return false;
		found = x;
	}
	if (found)
		st->offset = found->o.pos - r->pos;
	st->settled |= found != NULL;
	return found;
}

/*
 * The first read does not begin with the write at its position: another offset, or two writers
 * whose calls overlapped, numbered the other way round. An offset by which the read would take what
 * was never written is none.
 */
static bool settle_other(struct stream *st, struct piece *w, const struct observation *r)
{
	uint64_t before = st->offset;

	if (settle_offset(st, r) && stream_covered(st, r))
		return true;
	st->offset = before;
	st->settled = settle_order(st, w, r);
	return st->settled;
}

/*
 * The stream may have held something when it was first seen: then reads are counted from another
 * beginning than writes, and a position says nothing until one read is known by its head. One that
 * begins where a write does, and at no other time than can be, stands for that where there was
 * nothing to compare.
 */
static bool settle_first(struct stream *st, struct piece *w, const struct observation *r)
{
	if (!w)
		return false;
	if (w->o.pos != r->pos + st->offset || w->o.t > r->t)
		return settle_offset(st, r);
	if (differs(&w->o, r))
		return settle_other(st, w, r);
	st->settled |= matches(&w->o, r);
	return true;
}

bool stream_settle(struct stream *st, const struct observation *r)
{
	struct piece *w = stream_write_at(st, r->pos + st->offset);

	if (!st->settled && !(r->bits & OBS_BORN))
		return settle_first(st, w, r);
	if (!w || w->o.pos != r->pos + st->offset || settle_order(st, w, r))
		return true;
	return !(r->bits & OBS_BORN) && settle_offset(st, r);
}

/* ---- the end of a read, by the begin of the next ---- */

bool stream_waits(const struct stream *st, const struct observation *r,
		  const struct observation *next)
{
	bool sure = !st->writers || !r->head || !(st->settled || r->bits & OBS_BORN);

	return !sure && !(next && stream_covered(st, next));
}

/* The later write that is missing before x, if x is to begin at `at`. */
static struct piece *missing_before(const struct piece *x, uint64_t at, const struct observation *r,
				    const struct observation *next)
{
	const struct piece *before = x;
	struct piece *y = x->next;

	for (int i = 0; i < CAUSAL_STREAM_SWAPS && y && y->o.pos == piece_end(before); i++) {
		if (x->o.pos + y->o.units == at && y->o.tid != x->o.tid && differs(&y->o, next) &&
		    !stream_impossible(&y->o, r))
			return y;
		before = y;
		y = y->next;
	}
	return NULL;
}

void stream_settle_end(struct stream *st, const struct observation *r,
		       const struct observation *next)
{
	uint64_t begin = r->pos + st->offset, at = next->pos + st->offset;
	struct piece *x = stream_write_at(st, at), *y;

	if (r->pos + r->units != next->pos || (x && x->o.pos == at && matches(&x->o, next)))
		return;
	for (int i = 0; i < CAUSAL_STREAM_SWAPS && x && x->o.pos >= begin; i++) {
		y = matches(&x->o, next) ? missing_before(x, at, r, next) : NULL;
		if (y) {
			swap_in(st, x, y);
			return;
		}
		x = x == st->writes ? NULL : x->prev;
	}
}
