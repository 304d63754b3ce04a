/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU sampler: every millisecond of a thread's CPU time, where it is.
 *
 * perf's cpu-clock, inherited by all threads and children of the process. Counts are kept by thread
 * and by function; contexts are not kept, and nothing is joined. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_CPU_SAMPLER_H
#define ASSAY_PROFILERS_CPU_SAMPLER_H

#include "lib/formats/claims.h"
#include "profilers/cpu/symbols.h"

/* CPU time between two samples of a thread, ns: not a divisor of what services do by the clock. */
#define SAMPLER_PERIOD_NS 997001

struct sampler;

/* symbols outlives it. -EACCES and the like where perf is not permitted. */
int sampler_open(pid_t pid, const struct symbols *symbols, struct sampler **ret, struct diag *d);
void sampler_free(struct sampler *s); /* NULL is fine */

/* Until stop_fd is readable. 0 or negative errno. */
int sampler_run(struct sampler *s, int stop_fd);

/* Profiles by thread and by function; of a sample that stands for a period the inclusion
 * probability is 1 / SAMPLER_PERIOD_NS. */
int sampler_claim(const struct sampler *s, struct claims_writer *w);

uint64_t sampler_lost(const struct sampler *s);

#endif
