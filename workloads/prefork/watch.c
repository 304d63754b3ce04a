/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from who holds which buffer, before and after, not from what the operator returned. What
 * another build does bears no descriptor's id: the manifest is of the build that was started.
 */
#include "workloads/prefork/service.h"

static uint32_t described(const struct service *s, uint32_t desc)
{
	return s->process == BY_EXEC ? 0 : desc;
}

/* The buffer that a server holds; NULL: none. */
static struct buffer *held_by(struct pool *p, unsigned server)
{
	for (unsigned i = 0; i < p->cnt; i++)
		if (atomic_load_explicit(&p->buffer[i].holder, memory_order_relaxed) == server + 1)
			return &p->buffer[i];
	return NULL;
}

struct buffer *watch_get(struct worker *w, struct service *s, unsigned server, uint64_t op)
{
	struct pool *p = &s->shared->pool;
	uint64_t t0 = act_now(w), t1;
	struct buffer *b;

	prefork_get(p, server + 1);
	t1 = act_now(w);
	b = held_by(p, server);
	if (!b)
		return NULL;
	b->life = recorder_token(&w->rec);
	happened(w, EVENT_ACQUIRE, CLASS_BUFFER, (uintptr_t)b, b->life, 1, op,
		 described(s, DESC_GET), t0, t1);
	return b;
}

void watch_use(struct worker *w, struct service *s, struct buffer *b, uint64_t op)
{
	uint64_t t0 = act_now(w);

	prefork_use(b);
	happened(w, EVENT_USE, CLASS_BUFFER, (uintptr_t)b, b->life, 1, op, described(s, DESC_USE),
		 t0, act_now(w));
}

void watch_put(struct worker *w, struct service *s, struct buffer *b, unsigned server, uint64_t op)
{
	uint64_t life = b->life, t0 = act_now(w), t1;

	prefork_put(b, &s->shared->pool);
	t1 = act_now(w);
	if (!held_by(&s->shared->pool, server))
		happened(w, EVENT_RELEASE, CLASS_BUFFER, (uintptr_t)b, life, 1, op,
			 described(s, DESC_PUT), t0, t1);
}

/* There is no buffer yet: its instance is the pool. */
void watch_wait(struct worker *w, struct service *s, uint64_t op)
{
	struct pool *p = &s->shared->pool;
	uint64_t t0 = act_now(w);

	prefork_wait(p);
	happened(w, EVENT_WAIT, CLASS_BUFFER, (uintptr_t)p, recorder_token(&w->rec), 1, op,
		 described(s, DESC_WAIT), t0, act_now(w));
	act_outcome(w, OUTCOME_WAITED);
}

/* One after another, so that their order is that of the calls. */
void send_request(struct worker *w, struct shared *sh, struct frame f, struct post *p, uint64_t op,
		  uint64_t seq)
{
	spin_lock(&sh->sending);
	stream_send(w, sh->pipe[1], &sh->requests, f, p, HANDOFF_MSG, op, seq, 0);
	spin_unlock(&sh->sending);
}
