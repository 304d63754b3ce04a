/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding wakes: claimed by one waker, given back by whoever is through last. */
#include "workloads/wake/wake.h"

bool ticket_claim(struct ticket *t, unsigned also)
{
	unsigned was = 0;

	return atomic_compare_exchange_strong(&t->flags, &was, TICKET_BUSY | also);
}

static bool settled(unsigned flags)
{
	unsigned both = TICKET_CALLED | TICKET_TAKEN;

	return (flags & both) == both && (!(flags & TICKET_WOKE) || (flags & TICKET_SLEPT));
}

void ticket_reset(struct ticket *t)
{
	atomic_store_explicit(&t->posted, false, memory_order_relaxed);
	atomic_store_explicit(&t->flags, 0, memory_order_release);
}

/* Flags only grow, so exactly one caller sees the ticket become settled; nobody else has anything
 * left to add, and it is free. */
void ticket_settle(struct ticket *t, unsigned add)
{
	unsigned was = atomic_fetch_or(&t->flags, add);

	if (!settled(was) && settled(was | add))
		ticket_reset(t);
}

void ticket_post(struct ticket *t, const struct sent *s)
{
	t->sent = *s;
	/* pairs with the acquire of ticket_sent; the kernel's hand-over in between orders as well,
	 * but no checker knows that */
	atomic_store_explicit(&t->posted, true, memory_order_release);
}

struct sent ticket_sent(struct ticket *t)
{
	if (!atomic_load_explicit(&t->posted, memory_order_acquire))
		run_fail(0, "a waiter was woken by nobody");
	return t->sent;
}
