/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sure the embedded profiler is, by the way in which it knows.
 *
 * Shares of right claims on the `uring` and `wake` workloads in the clean regime, rounded down.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_CONFIDENCE_H
#define ASSAY_PROFILERS_CAUSAL_CONFIDENCE_H

#define CONFIDENCE_OBSERVED  0.999 /* address and generation; sched_waking in a wake call */
#define CONFIDENCE_ONLY	     0.99  /* the only request, message or wake that can have caused it */
#define CONFIDENCE_OVER_LOSS 0.9   /* the same, but records between both ends were lost */
#define CONFIDENCE_ORPHAN    0.9   /* there was such an end */

#endif
