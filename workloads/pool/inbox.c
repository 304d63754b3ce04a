/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may go on is told here; who was about to sleep gets a bell. */
#include "workloads/pool/server.h"

void session_tell(struct session *s, struct waiter *w)
{
	pool_lock(&s->inbox.lock);
	w->next = s->inbox.line.first; /* who was told last goes first: its pages are still warm */
	s->inbox.line.first = w;
	if (s->inbox.bell == BELL_ARMED) {
		s->inbox.bell = BELL_COMING;
		atomic_store(&s->bell_due, true);
	}
	pool_unlock(&s->inbox.lock);
}

/* One that was told, or NULL. `before`: the last moment at which it was not there. */
struct waiter *inbox_take(struct session *s, uint64_t *ret_before, uint64_t *ret_after)
{
	uint64_t now = act_now(s->w);
	struct waiter *w;

	pool_lock(&s->inbox.lock);
	w = line_take(&s->inbox.line);
	pool_unlock(&s->inbox.lock);
	*ret_before = s->inbox_look;
	*ret_after = act_now(s->w);
	if (!w)
		s->inbox_look = now;
	return w;
}

bool inbox_may_sleep(struct session *s)
{
	bool empty;

	pool_lock(&s->inbox.lock);
	empty = s->inbox.line.first == NULL;
	if (empty && s->inbox.bell == BELL_NONE)
		s->inbox.bell = BELL_ARMED;
	pool_unlock(&s->inbox.lock);
	return empty;
}

void inbox_awake(struct session *s)
{
	pool_lock(&s->inbox.lock);
	if (s->inbox.bell == BELL_ARMED)
		s->inbox.bell = BELL_NONE;
	pool_unlock(&s->inbox.lock);
}

bool inbox_quiet(struct session *s)
{
	bool quiet;

	pool_lock(&s->inbox.lock);
	quiet = !s->inbox.line.first && s->inbox.bell == BELL_NONE;
	pool_unlock(&s->inbox.lock);
	return quiet;
}
