/* SPDX-License-Identifier: BSD-2-Clause */
/* What requests do: the bodies of tasks, a stage at a time. */
#include "workloads/tasks/crew.h"

/* Shares of what an operation costs, in hundredths: in its root task before, after, and split over
 * the strands between. Helpers burn a share of their own (helper.c). */
enum {
	FORK_BEFORE = 10,
	FORK_PARTS = 60,
	FORK_AFTER = 30,
	GATHER_BEFORE = 15,
	GATHER_PARTS = 50,
	GATHER_AFTER = 35,
	BLOCK_BEFORE = 25,
	BLOCK_AFTER = 50,
	RACE_BEFORE = 20,
	RACE_PARTS = 30,
	RACE_AFTER = 50,
	SWEEP = 4,
	SHARES = 100
};

/* How long runners of a race sleep; serially those that lose sleep longer than any run. */
enum { SLEEP_LEAST_NS = 10000, SLEEP_RANGE_NS = 150000 };
#define SLEEP_SERIAL_NS UINT64_C(600000000000)

enum role { ROLE_READER, ROLE_LEASE, ROLE_NESTED, ROLE_BLOCK, ROLE_CNT };

static unsigned fanout(const struct runner *x)
{
	return x->w->run->options->fanout;
}

static bool cancelled(const struct strand *s)
{
	return atomic_load_explicit(&s->task->cancelled, memory_order_acquire);
}

static enum next await(struct strand *s, enum await what, unsigned stage)
{
	s->await = what;
	s->stage = stage;
	return NEXT_AWAIT;
}

static enum next sleep_on(struct runner *x, struct strand *s, unsigned stage)
{
	s->ns = serial(x->crew) ? SLEEP_SERIAL_NS
				: SLEEP_LEAST_NS + rng_below(&x->w->rng, SLEEP_RANGE_NS);
	return await(s, AWAIT_SLEEP, stage);
}

/* Its result counts, unless a cancellation found it waiting. */
static enum next won(struct runner *x, struct strand *s, enum tasks_outcome otherwise)
{
	s->won = !cancelled(s);
	if (!s->won)
		act_outcome(x->w, otherwise);
	return NEXT_DONE;
}

/* All strands of a new task. */
static void spawn(struct runner *x, struct strand *parent, task_body *body, unsigned width)
{
	struct task *t = task_new(x->crew, parent, body, width);
	uint16_t marks = parent->task->parent ? 1u << MARK_NESTED : 0;

	for (unsigned i = 0; i < width; i++)
		watch_spawn(x, &t->strands[i], marks);
}

/* ---- fork: a parallel loop; every other part spawns a task of its own and joins it ---- */

static enum next leaf_body(struct runner *x, struct strand *s)
{
	act_burn(x->w, FORK_PARTS, SHARES * 3 * fanout(x));
	return NEXT_DONE;
}

static enum next part_body(struct runner *x, struct strand *s)
{
	if (s->stage == 0) {
		act_burn(x->w, FORK_PARTS, SHARES * 2 * fanout(x));
		if (s->index % 2 == 0)
			return NEXT_DONE;
		spawn(x, s, leaf_body, 1);
		return await(s, AWAIT_JOIN, 1);
	}
	act_burn(x->w, FORK_PARTS, SHARES * 3 * fanout(x));
	return NEXT_DONE;
}

static enum next fork_body(struct runner *x, struct strand *s)
{
	if (s->stage == 0) {
		act_burn(x->w, FORK_BEFORE, SHARES);
		spawn(x, s, part_body, fanout(x));
		return await(s, AWAIT_JOIN, 1);
	}
	act_burn(x->w, FORK_AFTER, SHARES);
	return NEXT_DONE;
}

/* ---- gather: parts read from the file, each with a permit while it does ---- */

static enum next reader_body(struct runner *x, struct strand *s)
{
	switch (s->stage) {
	case 0:
		act_burn(x->w, GATHER_PARTS, SHARES * 3 * fanout(x));
		s->stage = 1;
		/* fall through */
	case 1:
		if (!watch_take(x, s))
			return await(s, AWAIT_PERMIT, 1);
		return await(s, AWAIT_READ, 2);
	default:
		watch_use(x, s);
		act_burn(x->w, GATHER_PARTS * 2, SHARES * 3 * fanout(x));
		watch_give(x, s);
		return NEXT_DONE;
	}
}

static enum next gather_body(struct runner *x, struct strand *s)
{
	if (s->stage == 0) {
		act_burn(x->w, GATHER_BEFORE, SHARES);
		spawn(x, s, reader_body, fanout(x));
		return await(s, AWAIT_JOIN, 1);
	}
	act_burn(x->w, GATHER_AFTER, SHARES);
	return NEXT_DONE;
}

/* ---- block: parts make blocking calls ---- */

static enum next blocker_body(struct runner *x, struct strand *s)
{
	if (s->stage)
		return NEXT_DONE;
	helper_ready(x);
	return await(s, AWAIT_BLOCK, 1);
}

static enum next block_body(struct runner *x, struct strand *s)
{
	if (s->stage == 0) {
		act_burn(x->w, BLOCK_BEFORE, SHARES);
		spawn(x, s, blocker_body, (fanout(x) + 1) / 2);
		return await(s, AWAIT_JOIN, 1);
	}
	act_burn(x->w, BLOCK_AFTER, SHARES);
	return NEXT_DONE;
}

/* ---- race: the first of several that has a result wins, the others are cancelled ---- */

static enum next sleeper_body(struct runner *x, struct strand *s)
{
	return s->stage ? NEXT_DONE : sleep_on(x, s, 1);
}

/* Sleeps with a permit in its hand: a cancellation may find it in the line, between the grant and
 * the acquire, or between the acquire and the release. */
static enum next lease_body(struct runner *x, struct strand *s)
{
	if (s->stage == 2) {
		if (!cancelled(s))
			watch_use(x, s);
		watch_give(x, s);
		return won(x, s, OUTCOME_CANCELLED_HOLDING);
	}
	if (!watch_take(x, s))
		return cancelled(s) ? won(x, s, OUTCOME_CANCELLED_IN_LINE)
				    : await(s, AWAIT_PERMIT, 1);
	if (cancelled(s)) {
		watch_give(x, s);
		return NEXT_DONE;
	}
	return sleep_on(x, s, 2);
}

/* Serially the first reads and wins, and nothing may decide between a helper and a read. */
static unsigned draw_role(struct runner *x, const struct strand *s)
{
	if (!serial(x->crew))
		return rng_below(&x->w->rng, ROLE_CNT);
	return s->index ? 1 + rng_below(&x->w->rng, 2) : ROLE_READER;
}

static enum next runner_start(struct runner *x, struct strand *s)
{
	act_burn(x->w, RACE_PARTS, SHARES * fanout(x));
	s->role = draw_role(x, s);
	switch (s->role) {
	case ROLE_READER:
		return await(s, AWAIT_READ, 1);
	case ROLE_NESTED:
		spawn(x, s, sleeper_body, 1);
		return await(s, AWAIT_JOIN, 1);
	case ROLE_BLOCK:
		helper_ready(x);
		return await(s, AWAIT_BLOCK, 1);
	default:
		s->stage = 1;
		return lease_body(x, s);
	}
}

static enum next runner_body(struct runner *x, struct strand *s)
{
	if (s->stage == 0)
		return runner_start(x, s);
	if (s->role == ROLE_LEASE)
		return lease_body(x, s);
	return won(x, s,
		   s->role == ROLE_READER   ? OUTCOME_CANCELLED_READING
		   : s->role == ROLE_NESTED ? OUTCOME_CANCELLED_JOINING
					    : OUTCOME_CANCELLED_BLOCKING);
}

static enum next race_body(struct runner *x, struct strand *s)
{
	switch (s->stage) {
	case 0:
		act_burn(x->w, RACE_BEFORE, SHARES);
		spawn(x, s, runner_body, fanout(x));
		return await(s, AWAIT_FIRST, 1);
	case 1:
		spawn(x, s, sleeper_body, 1); /* comes too late in any case */
		children_cancel(x, s);
		return await(s, AWAIT_JOIN, 2);
	default:
		act_burn(x->w, RACE_AFTER, SHARES);
		return NEXT_DONE;
	}
}

/* ---- sweep: comes round with each request, for ever ---- */

enum next sweep_body(struct runner *x, struct strand *s)
{
	struct op op = s->task->op; /* the task may be run again before we are back */

	act_burn(x->w, SWEEP, SHARES);
	watch_again(x, s, op.id);
	op_end(x->w, &op);
	return NEXT_AWAIT;
}

/* Born in the first request that comes, it outlives it. */
static void sweep_start(struct runner *x, uint64_t op)
{
	struct crew *c = x->crew;

	if (atomic_exchange(&c->swept, true))
		return;
	watch_again(x, &task_new(c, NULL, sweep_body, 1)->strands[0], op);
}

static void sweep_come_round(struct runner *x)
{
	struct strand *s = atomic_exchange(&x->crew->later, NULL);

	if (s)
		rt_ready(s, s->task, &x->deque);
}

/* ---- requests ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned n = rng_below(r, 100);

	return n < 30 ? KIND_FORK : n < 60 ? KIND_GATHER : n < 80 ? KIND_BLOCK : KIND_RACE;
}

static void request(struct runner *x, uint64_t arrival)
{
	static task_body *const bodies[] = {fork_body, gather_body, block_body, race_body};
	unsigned kind = draw_kind(&x->w->rng);
	struct task *t = task_new(x->crew, NULL, bodies[kind], 1);
	uint64_t t0;

	t->home = x->w->index;
	t0 = op_open(x->w, &t->op, kind, arrival);
	rt_begin(t);
	op_opened(x->w, &t->op, t0);
	sweep_come_round(x);
	sweep_start(x, t->op.id);
	watch_spawn_root(x, &t->strands[0]);
}

bool admit(struct runner *x)
{
	struct crew *c = x->crew;
	struct arrivals *a = &x->w->arrivals;
	uint64_t arrival;

	if (a->inflight >= c->most || !arrivals_take(a, arrivals_clock(), &arrival))
		return false;
	atomic_fetch_add(&c->active, 1);
	request(x, arrival);
	if (a->left == 0)
		atomic_fetch_sub(&c->active, 1); /* the operation itself is still counted */
	return true;
}
