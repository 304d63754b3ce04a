/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futex calls in flight, and which thread woke which.
 *
 * A waker is a thread inside a wake or requeue call; sched_waking outside of one is a signal, a
 * time-out or an interrupt that hit an innocent thread, and is no futex wake. The end of a wait is
 * the exit of its call, not the next switch-in: about one wait in 3,700 is woken without having
 * been switched out. At most FUTEXES_MAX threads are kept.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_FUTEXES_H
#define ASSAY_PROFILERS_ADAPTER_FUTEXES_H

#include "profilers/adapter/observe.h"

enum { FUTEXES_MAX = 65536 };

struct futexes;

struct futexes *futexes_new(const struct observer_ops *ops, void *arg);
void futexes_free(struct futexes *f);

/* Takes notice of futex calls, sched_waking and thread exits; calls ops for what they show. */
int futexes_record(struct futexes *f, const struct ev_rec *r);

#endif
