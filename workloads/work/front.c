/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests and write them to terminals. */
#include "workloads/work/work.h"

/* Shares of what an operation costs, in hundredths; the rest is the consoles'. */
enum { SHARE_BEGIN = 20, SHARE_ANSWERS = 20, SHARES = 100 };

static unsigned fanout(const struct front *f)
{
	return f->w->run->options->fanout;
}

static bool serial(const struct front *f)
{
	return f->w->run->options->serial;
}

/* ---- slots: last in, first out ---- */

OPERATOR struct slot *slot_get(struct front *f)
{
	struct slot *sl = f->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	f->free = sl->next;
	sl->sent = sl->waiting = 0;
	return sl;
}

OPERATOR void slot_put(struct front *f, struct slot *sl)
{
	sl->next = f->free;
	f->free = sl;
}

/* ---- what is written where ---- */

static struct line *draw_line(struct front *f)
{
	return &f->server->lines[rng_below(&f->w->rng, f->server->lines_cnt)];
}

/* One of this front's own lines: answers to it come in here. */
static struct line *draw_home(struct front *f)
{
	for (;;) {
		struct line *l = draw_line(f);

		if (l->reader[MASTER] == f->w->index)
			return l;
	}
}

static unsigned parts_of(const struct front *f, unsigned kind)
{
	unsigned all = f->server->lines_cnt;

	if (kind == KIND_WALL)
		return all < WORK_PARTS ? all : WORK_PARTS;
	return fanout(f);
}

static void draw_lines(struct front *f, struct slot *sl)
{
	struct line *lines = f->server->lines, *one = draw_line(f);
	unsigned all = f->server->lines_cnt, first = (unsigned)(one - lines);

	sl->home = draw_home(f);
	sl->parts = parts_of(f, sl->op.kind);
	for (unsigned i = 0; i < sl->parts; i++) {
		switch (sl->op.kind) {
		case KIND_WALL:
			sl->line[i] = &lines[(first + i) % all];
			break;
		case KIND_SPREAD:
			sl->line[i] = draw_line(f);
			break;
		default:
			sl->line[i] = one;
		}
	}
}

/* Does one message wait for the answer to the one before? */
static bool in_turn(const struct front *f, const struct slot *sl)
{
	return sl->op.kind == KIND_DIALOG || serial(f);
}

static void send_next(struct front *f, struct slot *sl)
{
	unsigned part = sl->sent++;

	sl->waiting++;
	line_send(f->w, sl->line[part], SLAVE, frame_draw(&f->w->rng, sl->index, part, VERB_TEXT),
		  &sl->down[part], sl->op.id, f->sends++);
}

/* ---- operations ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 55 ? KIND_LOG : x < 75 ? KIND_SPREAD : x < 85 ? KIND_DIALOG : KIND_WALL;
}

static void begin(struct front *f, uint64_t arrival)
{
	struct slot *sl = slot_get(f);

	op_begin(f->w, &sl->op, draw_kind(&f->w->rng), arrival);
	draw_lines(f, sl);
	act_burn(f->w, SHARE_BEGIN, SHARES);
	do
		send_next(f, sl);
	while (!in_turn(f, sl) && sl->sent < sl->parts);
	segment_close(f->w);
}

/* The operation's last segment is open. */
static uint64_t end(struct front *f, struct slot *sl)
{
	op_end(f->w, &sl->op);
	histogram_add(&f->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&f->w->arrivals);
	slot_put(f, sl);
	return act_now(f->w);
}

static uint64_t answered(struct front *f, const struct stream *s, const struct frame *fr,
			 uint64_t from)
{
	struct slot *sl = &f->server->slots[fr->slot];
	struct sent sent = post_open(&sl->up[fr->part]);

	take(f->w, &sent, f->takes++, stream_marks(s), s->before, s->after, from);
	act_burn(f->w, SHARE_ANSWERS, SHARES * sl->parts);
	sl->waiting--;
	if (sl->sent < sl->parts)
		send_next(f, sl);
	return sl->waiting ? segment_close(f->w) : end(f, sl);
}

static void heard(struct front *f, struct stream *s)
{
	struct frame fr;
	uint64_t from;

	stream_read(f->w, s, &f->poller);
	from = s->after;
	while (stream_next(s, &fr))
		from = answered(f, s, &fr, from);
}

static void admit(struct front *f)
{
	struct arrivals *a = &f->w->arrivals;
	uint64_t arrival;

	while (a->inflight < f->server->most && arrivals_take(a, arrivals_clock(), &arrival))
		begin(f, arrival);
}

static uint64_t patience(const struct front *f)
{
	const struct arrivals *a = &f->w->arrivals;

	return a->inflight < f->server->most ? arrivals_wait(a, arrivals_clock()) : UINT64_MAX;
}

static bool over(const struct front *f)
{
	const struct arrivals *a = &f->w->arrivals;

	return !a->inflight && !(a->left && a->limit);
}

void front_body(struct front *f)
{
	while (!over(f)) {
		admit(f);
		poller_wait(&f->poller, f->w, patience(f));
		for (unsigned i = 0; i < f->poller.cnt; i++)
			heard(f, poller_found(&f->poller, i));
	}
}

static void stop_console(struct worker *w, struct server *s, unsigned console, uint64_t op)
{
	for (unsigned i = 0; i < s->lines_cnt; i++) {
		if (s->lines[i].reader[SLAVE] != console)
			continue;
		line_send(w, &s->lines[i], SLAVE, frame_draw(&w->rng, console, 0, VERB_STOP),
			  &s->stops[console], op, console);
		return;
	}
}

void front_stop(struct worker *w, struct server *s)
{
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	for (unsigned i = 0; i < s->consoles_cnt; i++)
		stop_console(w, s, i, op.id);
	op_end(w, &op);
}
