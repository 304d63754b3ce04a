/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether truth itself bears out what truth calls a diagnosis.
 *
 * The label is the setting's word; the symptom is measured from events, handoffs and effects of the
 * time in which it is said to hold, and in the time before. A diagnosis that does not show makes
 * its run broken: it was not what it was meant to be. Pure functions.
 *
 *   pool-thrash     transfers by who acquires the subject, per acquire
 *   convoy          share of the time held that the longest fifth of its lives has; and waits
 *   leak            share of the lives acquired that are not released
 *   wasteful        share of the lives released that were not used
 *   overload        waits per acquire
 *   starved         the same
 *   slow-io         median time of the block I/O of those who release the subject
 *   cpu-contention  share of sched-delay in it and cpu, of the operations that began in the window
 */
#ifndef ASSAY_GROUNDTRUTH_SYMPTOMS_H
#define ASSAY_GROUNDTRUTH_SYMPTOMS_H

#include "groundtruth/truth.h"

/* The symptom of a label (enum diagnosis, not healthy) in a window; 0 where nothing shows it.
 * -ENOMEM. */
int symptom(const struct truth *t, unsigned label, const char *subject, struct window w,
	    double *ret);

/* -EINVAL with the reason where a diagnosis does not show; labels that are not of the vocabulary
 * are passed over. -ENOMEM. */
int symptoms_check(const struct truth *t, const char *path, struct diag *d);

#endif
