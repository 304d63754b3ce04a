/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msg and work handoffs: streams and what lies in them. For streams.c and streams_settle.c only.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_STREAMS_STATE_H
#define ASSAY_PROFILERS_CAUSAL_STREAMS_STATE_H

#include <uthash.h>

#include "profilers/causal/streams.h"

struct piece { /* a write or a read, until it has found its other end */
	struct observation o;
	struct stream *stream;
	struct piece *prev, *next;     /* of the stream: writes by position, reads by arrival */
	struct piece *older, *younger; /* of all held reads */
};

struct stream {
	uint64_t name;
	uint64_t offset;    /* what reads have to add to be counted as the writes are */
	uint64_t passed;    /* everything before was read */
	uint64_t placed;    /* when it was made, or was last found to be in use */
	uint32_t fd, inode; /* of whoever read last; 0: nobody was seen */
	uint32_t writer;    /* the last one */
	bool writers : 1;   /* there are several */
	bool settled : 1;   /* a read has begun with what was written at that position */
	bool inside : 1;    /* somebody who is watched writes here, or made it */
	bool forgotten : 1; /* counted anew in the middle: what lay in it then is not known */
	bool was_read : 1;  /* by somebody who is watched */
	bool born : 1;	    /* counted from its creation on: nothing but its positions matters */
	bool used : 1;	    /* since it was placed */
	struct piece *writes, *reads;
	UT_hash_handle hh;
};
_Static_assert(sizeof(struct stream) <= 128, "bytes a live causal node");

static inline uint64_t piece_end(const struct piece *p)
{
	return p->o.pos + p->o.units;
}

/* Both times are of the ends of their calls: what a thread wrote afterwards it cannot have read. */
static inline bool stream_impossible(const struct observation *w, const struct observation *r)
{
	return w->tid == r->tid && w->t > r->t;
}

/* The write that covers a position; NULL: it is not there. */
struct piece *stream_write_at(const struct stream *st, uint64_t pos);
/* Whether all that the read took is there. */
bool stream_covered(const struct stream *st, const struct observation *r);
/* Whether the positions begin anew with this end. */
bool stream_restarts(const struct stream *st, const struct observation *o, uint64_t pos);
/*
 * Whether the read can be believed to begin where it says. What its head shows is kept: the offset
 * of the stream, and the order of its writes.
 */
bool stream_settle(struct stream *st, const struct observation *r);
/*
 * Whether what r took is surer once it is known what the read behind it began with, and which
 * writes that took (next, NULL: not seen yet): where several write, the last ones of r may stand
 * in the order of their calls' ends and not of their bytes.
 */
bool stream_waits(const struct stream *st, const struct observation *r,
		  const struct observation *next);
/* Sets the order right at the end of r, by what next shows; both are settled but for that. */
void stream_settle_end(struct stream *st, const struct observation *r,
		       const struct observation *next);

#endif
