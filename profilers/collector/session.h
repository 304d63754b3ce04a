/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One attachment from start to SIGINT, as the adapter contract wants it (contracts §3). See
 * profilers/adapter/attach.h for its ends.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_SESSION_H
#define ASSAY_PROFILERS_COLLECTOR_SESSION_H

#include "profilers/collector/collect.h"

/* Lines that come meanwhile; one that returns negative ends the session. */
struct session_control {
	int fd; /* -1: none can come */
	int (*line)(void *arg, const char *line);
	void *arg;
};

/*
 * Writes one byte to ready_fd (and closes it), hands on records until stop_fd is readable, then
 * detaches and drains. control NULL: nobody says anything meanwhile. 0, or negative errno with *d.
 */
int session_run(struct collect *c, int stop_fd, int ready_fd, const struct session_control *control,
		collect_fn *fn, void *arg, struct collect_stats *ret, struct diag *d);

#endif
