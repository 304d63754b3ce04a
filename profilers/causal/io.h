/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io handoffs: which submission a CQE answers.
 *
 * The request's address decides, with a generation since addresses are used again at once. A CQE
 * that names no request is joined only where a single request or message in flight can have caused
 * it. What cannot be joined becomes an orphan: a submission whose address is submitted anew before
 * its CQE was seen, a CQE whose submission was not seen, and what is left at the end.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_IO_H
#define ASSAY_PROFILERS_CAUSAL_IO_H

#include "profilers/adapter/observe.h"

enum { CAUSAL_REQUESTS_MAX = 1 << 18, CAUSAL_MESSAGES_MAX = 1 << 16 };
enum { CAUSAL_REQUESTS_IDLE = 1024 }; /* addresses kept while nothing is in flight there */

struct causal_io;

struct causal_io *causal_io_new(struct observer *out); /* NULL: no memory */
void causal_io_free(struct causal_io *io);
int causal_io_src(struct causal_io *io, const struct observation *o);
int causal_io_dst(struct causal_io *io, const struct observation *o);
void causal_io_lost(struct causal_io *io, uint64_t t, uint64_t cnt); /* lost until t */
int causal_io_finish(struct causal_io *io);

#endif
