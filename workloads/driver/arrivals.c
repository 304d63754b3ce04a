/* SPDX-License-Identifier: BSD-2-Clause */
/* Open-loop and closed-loop arrivals of one worker. */
#include "workloads/driver/arrivals.h"

#include <errno.h>
#include <time.h>

#include "workloads/driver/settings.h"

uint64_t arrivals_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

void arrivals_init(struct arrivals *a, struct rng rng, uint64_t ops, double rate, unsigned limit,
		   uint64_t start)
{
	*a = (struct arrivals){.rng = rng, .left = ops, .limit = limit, .next = (double)start};
	if (rate > 0) {
		a->mean_gap = 1e9 / rate;
		a->next += rng_exponential(&a->rng, a->mean_gap);
	}
}

bool arrivals_take(struct arrivals *a, uint64_t now, uint64_t *ret)
{
	if (arrivals_wait(a, now) != 0)
		return false;
	if (a->mean_gap > 0) {
		*ret = (uint64_t)a->next;
		a->next += rng_exponential(&a->rng, a->mean_gap);
	} else {
		*ret = now;
	}
	a->left--;
	a->inflight++;
	settings_begun(now);
	return true;
}

void arrivals_done(struct arrivals *a)
{
	a->inflight--;
}

uint64_t arrivals_wait(const struct arrivals *a, uint64_t now)
{
	if (a->left == 0 || a->inflight >= a->limit)
		return UINT64_MAX;
	if (a->mean_gap == 0 || a->next <= (double)now)
		return 0;
	return (uint64_t)(a->next - (double)now) + 1;
}

void arrivals_sleep(const struct arrivals *a)
{
	uint64_t at = (uint64_t)a->next;
	struct timespec ts = {.tv_sec = (time_t)(at / 1000000000),
			      .tv_nsec = (long)(at % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		continue;
}

bool arrivals_next(struct arrivals *a, uint64_t *ret)
{
	while (a->left && a->limit) {
		if (arrivals_take(a, arrivals_clock(), ret))
			return true;
		arrivals_sleep(a);
	}
	return false;
}
