/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects: which submission the block I/O comes from that a thread starts.
 *
 * A thread that starts a block request inside its io_uring_enter does so for a submission of that
 * call. The block layer collects and sorts the requests of one call, so which submission cannot be
 * told: the last one stands for all. I/O of io-wq and of other causes is not claimed.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_EFFECTS_H
#define ASSAY_PROFILERS_CAUSAL_EFFECTS_H

#include "profilers/adapter/joiner.h"

enum { CAUSAL_SUBMITTERS_MAX = 1 << 16 };

struct effects;

struct effects *effects_new(struct outlet *out); /* NULL: no memory */
void effects_free(struct effects *e);
int effects_record(struct effects *e, const struct ev_rec *r);

#endif
