/* SPDX-License-Identifier: BSD-2-Clause */
/* Wake-ups by thread and time. */
#include "groundtruth/wakes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wakes {
	size_t cnt;
	struct wake v[];
};

/* Of two at one time on two CPUs no tie may depend on which was read first. */
static int by_woken(const void *pa, const void *pb)
{
	const struct wake *a = pa, *b = pb;

	if (a->woken != b->woken)
		return a->woken < b->woken ? -1 : 1;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return a->waker < b->waker ? -1 : a->waker > b->waker;
}

struct wakes *wakes_make(struct wake *v, size_t cnt)
{
	struct wakes *x = malloc(sizeof(*x) + cnt * sizeof(x->v[0]));

	if (!x)
		return NULL;
	x->cnt = cnt;
	if (!cnt)
		return x;
	qsort(v, cnt, sizeof(*v), by_woken);
	memcpy(x->v, v, cnt * sizeof(*v));
	return x;
}

void wakes_free(struct wakes *x)
{
	free(x);
}

const struct wake *wakes_first(const struct wakes *x, uint32_t woken, uint64_t t0, uint64_t t1)
{
	size_t low = 0, high = x->cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct wake *w = &x->v[mid];

		if (w->woken < woken || (w->woken == woken && w->t < t0))
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->cnt && x->v[low].woken == woken && x->v[low].t <= t1 ? &x->v[low] : NULL;
}

void wakes_pair_print(uint32_t waker, uint32_t woken, char ret[WAKES_PAIR_LEN])
{
	snprintf(ret, WAKES_PAIR_LEN, "%u>%u", waker, woken);
}

bool wakes_pair_parse(const char *word, uint32_t *ret_waker, uint32_t *ret_woken)
{
	const char *second = strchr(word, '>');
	char spelt[WAKES_PAIR_LEN];
	uint32_t waker, woken;

	if (!second)
		return false;
	waker = (uint32_t)strtoul(word, NULL, 10);
	woken = (uint32_t)strtoul(second + 1, NULL, 10);
	wakes_pair_print(waker, woken, spelt);
	if (strcmp(spelt, word) != 0)
		return false;
	*ret_waker = waker;
	*ret_woken = woken;
	return true;
}
