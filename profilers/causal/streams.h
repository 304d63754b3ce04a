/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msg and work handoffs: which write the bytes came from that a read took.
 *
 * Positions decide: a write's handoff is taken by the read that gets its last unit. Reads that are
 * seen before a write they took from wait for it, CAUSAL_STREAM_NS at most; what is uncovered then
 * was lost, and the read says so as an orphan. A write that later reads have passed is one as well.
 * Heads check it: where two writers' calls overlapped, the order of their positions may be the
 * other one, and the write with the right head takes the place; since the order may be wrong where
 * a read ends, too, a stream with several writers is asked what the next read begins with before
 * what one took is joined. On a stream that was there before the collector the first right head
 * also says by how much the two counts differ. Where no head fits, something else moved bytes, and
 * nothing is joined. What nobody has read at the end is nothing, and so is what comes in from a
 * writer who is not watched.
 *
 * Nobody says when a stream is closed. One that was watched from its creation on, is empty and has
 * not been used for CAUSAL_STREAM_QUIET_NS is forgotten; if it is seen again its positions say
 * where it stands. Of more than CAUSAL_STREAMS_MAX others the longest unused make room, which their
 * next reads say as orphans.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_STREAMS_H
#define ASSAY_PROFILERS_CAUSAL_STREAMS_H

#include "profilers/adapter/observe.h"

enum { CAUSAL_WRITES_MAX = 1 << 16, CAUSAL_STREAM_SWAPS = 16 };
#define CAUSAL_STREAM_NS       UINT64_C(50000000)
#define CAUSAL_STREAMS_MAX     16384 /* as many as the kernel side counts */
#define CAUSAL_STREAM_QUIET_NS UINT64_C(2000000000)

struct causal_streams;

struct causal_streams *causal_streams_new(struct observer *out); /* NULL: no memory */
void causal_streams_free(struct causal_streams *s);
int causal_streams_src(struct causal_streams *s, const struct observation *o);
int causal_streams_dst(struct causal_streams *s, const struct observation *o);
int causal_streams_finish(struct causal_streams *s);

#endif
