/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Things made in child processes, one a processor or more: under a progress bar, or beside what the
 * caller goes on to do.
 *
 * The children are of one process group and end with their parent; each is a subreaper of its own,
 * so that it may start programs as its parent does (process.h). They share nothing with it but
 * files and what it mapped as shared: whatever one makes has to be found there afterwards, and what
 * fails has to be found out by who looks for it. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_CREW_H
#define ASSAY_HARNESS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

/* Makes the i-th thing; called in a child. */
typedef void crew_make(void *arg, size_t i);

/*
 * Makes cnt things, 0 first, with so many children for each processor. None is begun after the
 * deadline (CLOCK_MONOTONIC, ns; 0: none). Title must live until the end. -EINTR, or -ENOMEM and
 * the like of pipes and processes.
 */
int crew_run(const char *title, unsigned a_processor, size_t cnt, crew_make *make, void *arg,
	     uint64_t deadline, struct diag *d);

/*
 * The same, begun: a child for each processor makes them at idle priority (SCHED_IDLE, sched(7)),
 * so that whatever else wants a processor has it at once. NULL: the errors of crew_run.
 */
struct crew *crew_begin(size_t cnt, crew_make *make, void *arg, struct diag *d);

/* Waits until the i-th has been made or tried, or the crew is gone; while somebody waits the crew
 * has the usual priority. -EINTR. */
int crew_await(struct crew *c, size_t i, struct diag *d);

/* Waits until all have been made, or the crew is gone, which has the usual priority from here on.
 * -EINTR. */
int crew_finish(struct crew *c, struct diag *d);

/* The number of things that have been made. */
size_t crew_made(const struct crew *c);

/* Whether some have not been made yet and somebody is there to make them. */
bool crew_works(const struct crew *c);

/* Ends it, whatever is left, and what it had started. Fine on NULL. */
void crew_end(struct crew *c);

#endif
