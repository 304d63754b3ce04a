/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One attachment from start to SIGINT, as the adapter contract wants it (contracts §3).
 *
 * session_signals before anything else in main: SIGINT and SIGTERM then end the session and not
 * the program, even if they come while it still attaches.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_SESSION_H
#define ASSAY_PROFILERS_COLLECTOR_SESSION_H

#include "profilers/collector/collect.h"

/* A descriptor that is readable once the session shall end, or negative errno. */
int session_signals(void);

/*
 * Writes one byte to ready_fd (and closes it), hands on records until stop_fd is readable, then
 * detaches and drains. 0, or negative errno with *d.
 */
int session_run(struct collect *c, int stop_fd, int ready_fd, collect_fn *fn, void *arg,
		struct collect_stats *ret, struct diag *d);

#endif
