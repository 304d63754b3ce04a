/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work shared out among threads: 0…cnt - 1 in stretches, each done by one of some workers.
 *
 * Worker 0 is the caller. What fn writes must be the worker's or the stretch's own, or atomic; all
 * of it is visible to the caller afterwards. After an error, or whatever else fn returns but 0, no
 * stretch is begun.
 */
#ifndef ASSAY_SCORING_HANDOFF_WORKERS_H
#define ASSAY_SCORING_HANDOFF_WORKERS_H

#include <stddef.h>

enum { WORKERS_MAX = 64, WORK_CHUNK = 16384 };

struct work {
	unsigned workers; /* 1 … WORKERS_MAX */
	size_t cnt, chunk;
	int (*fn)(void *arg, unsigned worker, size_t from, size_t to); /* 0: go on */
	void *arg;
};

/* 0, or one of the others that fn returned. */
int work_each(const struct work *job);

#endif
