/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that compute queries. */
#include "workloads/cache/service.h"

enum { SHARE_LOADS = 40, SHARES = 100 };

/* With the result the front goes on at once, and may end the operation: no segment is open then. */
static void compute(struct loader *x, struct load *l, uint64_t before, uint64_t after)
{
	struct sent sent = l->sent;
	struct front *f = l->front;

	take(x->w, &sent, RECORDER_NO_SEQ, 0, before, after, after);
	act_burn(x->w, SHARE_LOADS, SHARES * l->want->slot->wants);
	segment_close(x->w);
	watch_push(x->w, l, &f->inbox, sent.op);
	seat_wake(x->w, &x->service->seats, front_seat(f), sent.op);
}

/* False: it is time to stop. */
static bool rest(struct loader *x)
{
	struct service *s = x->service;

	seat_arm(&s->seats, x->seat);
	if (!atomic_load(&s->loads.cnt) && !atomic_load(&s->stop)) {
		seat_sleep(x->w, &s->seats, x->seat, UINT64_MAX);
		return true;
	}
	seat_leave(&s->seats, x->seat);
	return atomic_load(&s->loads.cnt) || !atomic_load(&s->stop);
}

void loader_body(struct loader *x)
{
	do {
		uint64_t before, after;
		struct load *l;

		while ((l = watch_pop(x->w, &x->service->loads, &x->look, &before, &after)))
			compute(x, l, before, after);
	} while (rest(x));
}
