/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile: how long each thread was on a CPU, by the kernel's own account.
 *
 * The account of a thread runs over its whole life; claimed is by how much it grew while the thread
 * was watched. What is not told is not claimed, and neither are io workers, which are threads of
 * the kernel. Several claims of one thread add up. Bounded: of threads for whose
 * account there is no room nothing is claimed.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_THREADS_H
#define ASSAY_PROFILERS_CAUSAL_THREADS_H

#include "profilers/adapter/joiner.h"

enum { CAUSAL_THREADS_MAX = 1 << 14 };

struct threads;

struct threads *threads_new(struct outlet *out); /* NULL: no memory */
void threads_free(struct threads *x);
/* Takes notice of EV_PROC_EXEC, EV_PROC_EXIT and EV_PROC_CPU. */
int threads_record(struct threads *x, const struct ev_rec *r);

#endif
