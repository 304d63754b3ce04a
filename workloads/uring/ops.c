/* SPDX-License-Identifier: BSD-2-Clause */
/* How operations begin, kind by kind, and how the server ends. */
#include <errno.h>
#include <string.h>

#include "workloads/uring/entries.h"

static unsigned fanout(const struct server *sv)
{
	return sv->w->run->options->fanout;
}

static struct server *log_writer(const struct server *sv)
{
	return &sv->store->servers[sv->store->servers_cnt - 1];
}

static struct server *peer_of(const struct server *sv)
{
	unsigned workers = sv->store->servers_cnt - 1;

	return workers > 1 ? &sv->store->servers[(sv->w->index + 1) % workers] : log_writer(sv);
}

/* ---- the first step of each kind ---- */

static void first_get(struct server *sv, struct slot *s)
{
	s->pieces = fanout(sv);
	add_reads(sv, s, fanout(sv));
	if (rng_below(&sv->w->rng, 3) == 0)
		add_deadline(sv, s);
}

static void first_scan(struct server *sv, struct slot *s)
{
	s->pieces = fanout(sv);
	for (unsigned i = 0; i < fanout(sv); i++) {
		add_read(sv, s, IOSQE_ASYNC, 0);
		if (i + 1 < fanout(sv))
			server_submit(sv, s->op.id);
	}
}

static void first_put(struct server *sv, struct slot *s)
{
	add_chain(sv, s);
	s->pieces = s->waiting;
}

static void first_ask(struct server *sv, struct slot *s, struct server *target)
{
	unsigned reads = fanout(sv) / 2 + 1;

	s->pieces = reads + 1 + fanout(sv); /* ours, the answer, those at the other end */
	add_reads(sv, s, reads);
	add_ask(sv, s, target);
}

static void first_follow(struct server *sv, struct slot *s)
{
	s->notes = fanout(sv) / 2 + 1;
	s->pieces = fanout(sv) + s->notes + 1;
	add_poll(sv, s);
	server_submit(sv, s->op.id);
	add_reads(sv, s, fanout(sv));
	server_submit(sv, s->op.id);
	notify(s);
}

static void first_probe(struct server *sv, struct slot *s)
{
	bool by_hand = rng_next(&sv->w->rng) & 1;

	s->pieces = fanout(sv) + 1;
	add_reads(sv, s, fanout(sv));
	if (!by_hand) {
		add_limited(sv, s);
		return;
	}
	add_hanging(sv, s, 0, 0, 0);
	server_submit(sv, s->op.id);
	add_cancel(sv, s);
}

static void first_step(struct server *sv, struct slot *s)
{
	switch (s->op.kind) {
	case KIND_GET:
		first_get(sv, s);
		break;
	case KIND_SCAN:
		first_scan(sv, s);
		break;
	case KIND_PUT:
		first_put(sv, s);
		break;
	case KIND_REPLICATE:
		first_ask(sv, s, peer_of(sv));
		break;
	case KIND_APPEND:
		first_ask(sv, s, log_writer(sv));
		break;
	case KIND_FOLLOW:
		first_follow(sv, s);
		break;
	default:
		first_probe(sv, s);
		break;
	}
	if (sv->batch_cnt)
		server_submit(sv, s->op.id);
}

static unsigned draw_kind(struct rng *r)
{
	static const uint8_t below[] = {30, 45, 60, 72, 82, 90, 100};
	unsigned x = rng_below(r, 100), kind = 0;

	while (x >= below[kind])
		kind++;
	return kind;
}

void operation_begin(struct server *sv, uint64_t arrival)
{
	struct slot *s = slot_get(sv);

	if (!s)
		run_fail(0, "no slot for an operation");
	op_begin(sv->w, &s->op, draw_kind(&sv->w->rng), arrival);
	act_burn(sv->w, SHARE_BEGIN, SHARES);
	first_step(sv, s);
	segment_close(sv->w);
}

/* ---- the end ---- */

void operation_stop(struct server *sv)
{
	struct op op;

	op_begin(sv->w, &op, KIND_STOP, arrivals_clock());
	for (unsigned i = 0; i < sv->store->servers_cnt; i++) {
		struct server *other = &sv->store->servers[i];
		struct slot *s;

		if (other == sv)
			continue;
		s = slot_get(sv);
		s->op = op;
		s->home = s;
		s->stage = 1; /* what is left of it is its own end of the message */
		server_message(sv, s, other, s, VERB_STOP, 0);
	}
	server_submit(sv, op.id);
	op_end(sv->w, &op);
	sv->stopping = true;
	sv->last_op = op.id;
}

void operation_leave(struct server *sv)
{
	struct slot *s = slot_get(sv);
	struct request *q = request_new(s, EXPECT_CANCELLED, 0);
	struct io_uring_sqe *sqe = server_entry(sv);

	s->deadline = (struct __kernel_timespec){.tv_sec = 3600};
	io_uring_prep_timeout(sqe, &s->deadline, 0, 0);
	server_add(sv, sqe, s, q, 1u << MARK_CANCELLED);
	server_submit(sv, sv->last_op);
	sent_lost(sv->w, &q->sent, 1u << MARK_LOST);
}
