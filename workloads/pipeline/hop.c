/* SPDX-License-Identifier: BSD-2-Clause */
/* From one station to the next: a piece of work, then the next handoff; splitting and joining. */
#include "workloads/pipeline/pipeline.h"

static void (*const senders[HANDOFF_TYPE_CNT])(struct place *, struct token *) = {
	[HANDOFF_IO] = ring_send,     [HANDOFF_WORK] = lines_send,    [HANDOFF_WAKE] = boxes_send,
	[HANDOFF_TIMER] = clock_send, [HANDOFF_MSG] = pipes_send,     [HANDOFF_QUEUE] = queue_send,
	[HANDOFF_SPAWN] = spawn_send, [HANDOFF_RESUME] = resume_send, [HANDOFF_GRANT] = grant_send,
	[HANDOFF_CALL] = call_make,
};

static bool serial(const struct place *x)
{
	return x->w->run->options->serial;
}

static void piece(struct place *x, const struct request *q)
{
	act_burn(x->w, 1, q->pieces);
}

static void hop_forward(struct place *x, struct token *t);

/* Once it is sent, its operation may end at any time: the segment is closed before. */
uint64_t hop_received(struct place *x, struct token *t)
{
	uint64_t end;

	piece(x, t->request);
	end = segment_close(x->w);
	t->next = NULL;
	if (x->out)
		*x->out_last = t;
	else
		x->out = t;
	x->out_last = &t->next;
	return end;
}

void hop_flush(struct place *x)
{
	if (!x->out)
		return;
	burst_begin(x);
	while (x->out) {
		struct token *t = x->out;

		x->out = t->next;
		hop_forward(x, t);
	}
	burst_end(x);
}

/* The request's own token goes on where the branches met, or never parted. */
static void last_part(struct place *x, struct request *q)
{
	segment_open(x->w, q->op.id, act_now(x->w));
	act_outcome(x->w, OUTCOME_JOINED);
	q->split_at = WAY_MOST + 1;
	hop_received(x, &q->tokens[0]);
}

/* Serially a branch leaves when the one before has arrived, so that no two overtake each other. */
static void branch_arrived(struct place *x, struct token *t)
{
	struct request *q = t->request;

	if (serial(x) && t->index < q->branches)
		hop_forward(x, &q->tokens[t->index + 1]);
	else if (serial(x) || atomic_fetch_sub(&q->left, 1) == 1)
		last_part(x, q);
}

static void split(struct place *x, struct request *q)
{
	unsigned n = serial(x) ? 1 : q->branches;

	atomic_store(&q->left, q->branches);
	for (unsigned i = 1; i <= n; i++)
		hop_forward(x, &q->tokens[i]);
}

static void finish(struct place *x, struct request *q)
{
	segment_open(x->w, q->op.id, act_now(x->w));
	piece(x, q);
	front_ended(x, q);
}

static void send_on(struct place *x, struct token *t)
{
	unsigned type = t->way[t->at++];

	senders[type](x, t);
	if (type == HANDOFF_CALL) /* which has returned */
		hop_forward(x, t);
}

static void hop_forward(struct place *x, struct token *t)
{
	struct request *q = t->request;

	if (t->index == 0 && q->branches && t->at == q->split_at)
		split(x, q);
	else if (t->at < t->cnt)
		send_on(x, t);
	else if (t->index)
		branch_arrived(x, t);
	else
		finish(x, q);
}
