/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs without a key over time. */
#include "scoring/handoff_keyless.h"

void keyless_init(struct keyless *k, const struct window *time)
{
	*k = (struct keyless){.from = time->t0};
	while ((time->t1 - time->t0) >> k->shift >= KEYLESS_PARTS)
		k->shift++;
}

void keyless_add(struct keyless *k, uint32_t tag, const struct window *w)
{
	uint64_t from = (w->t0 - k->from) >> k->shift, to = (w->t1 - k->from) >> k->shift;
	uint64_t bit = UINT64_C(1) << tag % 64;

	if (to - from > KEYLESS_LONG)
		k->every |= bit;
	else
		for (uint64_t i = from; i <= to; i++)
			k->part[i] |= bit;
}
