/* SPDX-License-Identifier: BSD-2-Clause */
/* Invents a key for what it doubts (joins that took long), so that it is out of scope. */
#include <errno.h>
#include <stdlib.h>

#include "tests/cheats/cheat.h"

static uint64_t took(const struct claim *c)
{
	return c->handoff.dst_t - c->handoff.src_t;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* UINT64_MAX: out of memory. */
static uint64_t median(const struct claims *c)
{
	uint64_t *v = calloc(c->cnt + 1, sizeof(*v)), ret;

	if (!v)
		return UINT64_MAX;
	for (size_t i = 0; i < c->cnt; i++)
		v[i] = took(&c->v[i]);
	qsort(v, c->cnt, sizeof(*v), compare);
	ret = v[c->cnt / 2];
	free(v);
	return ret;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	uint64_t half = median(honest);
	int rc = half == UINT64_MAX ? -ENOMEM : 0;

	(void)r;
	for (size_t i = 0; !rc && i < honest->cnt; i++) {
		struct claim c = honest->v[i];

		if (c.has & HAS_KEY && took(&c) > half)
			c.handoff.key_v = ~c.handoff.key_v;
		rc = cheat_put(out, honest, &c);
	}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
