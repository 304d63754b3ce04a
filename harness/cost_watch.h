/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the harness itself finds out about the cost of a run: when threads ran, who woke them, and
 * what the functions are called whose cost a workload knows.
 *
 * Where it cannot, truth lacks that kind of cost, and the cell's log says why. A zeroed struct has
 * seen nothing. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_COST_WATCH_H
#define ASSAY_HARNESS_COST_WATCH_H

#include <sys/types.h>

#include "groundtruth/collect.h"
#include "harness/switches.h"

struct elf_file;

struct cost_watch {
	struct switches *switches; /* NULL: nobody looks */
	struct timeline *timeline; /* NULL: not known */
	struct wakes *wakes;	   /* NULL: not known */
	struct elf_file *program;  /* NULL: not read */
	struct diag no_cpu, no_off_cpu;
};

/* wakes: somebody may say who woke whom. */
void cost_watch_start(struct cost_watch *w, pid_t pid, bool wakes, int log_fd);
void cost_watch_stop(struct cost_watch *w, int log_fd); /* a second time does nothing */

/* Lends what is known to a collection of this program's logs. */
void cost_watch_lend(struct cost_watch *w, const char *exe, struct collect_info *to);

/* After it: says what the collection found wrong with it, and frees. */
void cost_watch_end(struct cost_watch *w, int log_fd);

#endif
