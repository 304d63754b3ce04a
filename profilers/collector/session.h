/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One attachment from start to SIGINT, as the adapter contract wants it (contracts §3). See
 * profilers/adapter/attach.h for its ends.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_SESSION_H
#define ASSAY_PROFILERS_COLLECTOR_SESSION_H

#include "profilers/collector/collect.h"

/*
 * Writes one byte to ready_fd (and closes it), hands on records until stop_fd is readable, then
 * detaches and drains. 0, or negative errno with *d.
 */
int session_run(struct collect *c, int stop_fd, int ready_fd, collect_fn *fn, void *arg,
		struct collect_stats *ret, struct diag *d);

#endif
