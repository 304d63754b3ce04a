/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for descriptors, and for the next arrival, with the moments that windows need.
 *
 * What one wait does not report was not ready at a moment after that wait began (descriptors are
 * watched level-triggered). So what the next wait finds was last found not there when the wait
 * before it began: `before`. Belongs to one thread.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_POLLER_H
#define ASSAY_WORKLOADS_DRIVER_POLLER_H

#include <stdint.h>
#include <sys/epoll.h>

#include "workloads/driver/workload.h"

enum { POLLER_MOST = 1024 }; /* descriptors that may be ready at once */

struct poller {
	int fd;
	uint64_t start;	 /* of the last wait */
	uint64_t before; /* of the wait before it */
	unsigned cnt;	 /* descriptors that the last wait found ready */
	struct epoll_event found[POLLER_MOST];
};

void poller_open(struct poller *p);
void poller_close(struct poller *p);
void poller_add(struct poller *p, int fd, void *what); /* may be called by any thread */
void poller_remove(struct poller *p, int fd);

/* Waits until one is ready, for at most ns (0: only looks, UINT64_MAX: for ever). */
void poller_wait(struct poller *p, struct worker *w, uint64_t ns);

/* A timerfd to be waited for: CLOCK_MONOTONIC, read without waiting. */
int poller_timerfd(void);

static inline void *poller_found(const struct poller *p, unsigned i)
{
	return p->found[i].data.ptr;
}

#endif
