/* SPDX-License-Identifier: BSD-2-Clause */
/* Stations msg and work: pipes with a thread each, and ptys with one for all. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "workloads/pipeline/pipeline.h"

static void open_pipe(struct pipeline *pl, unsigned i)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		run_fail(-errno, "cannot make a pipe");
	pl->pipe_in[i] = fd[1];
	stream_open(&pl->pipes[i], fd[0], stream_fd_key(fd[0]));
}

void streams_open(struct pipeline *pl)
{
	for (unsigned i = 0; i < PIPES; i++) {
		open_pipe(pl, i);
		poller_add(&pl->places[pl->fronts + STATION_PIPES + i].poller, pl->pipes[i].fd,
			   &pl->pipes[i]);
	}
	for (unsigned i = 0; i < LINES * SIDES; i++) {
		struct line *l = &pl->lines[i / SIDES];

		poller_add(&pl->places[pl->fronts + STATION_LINES].poller, l->fd[i % SIDES],
			   &l->in[i % SIDES]);
	}
}

/* ---- sending ---- */

static struct frame frame_of(struct place *x, const struct token *t)
{
	return frame_draw(&x->w->rng, t->request->index, t->index, VERB_GO);
}

void pipes_send(struct place *x, struct token *t)
{
	unsigned i = (t->request->index + t->at) % PIPES;

	stream_send(x->w, x->pl->pipe_in[i], &x->pl->pipes[i], frame_of(x, t), &t->post,
		    HANDOFF_MSG, t->request->op.id, x->seq++, 0);
}

void lines_send(struct place *x, struct token *t)
{
	unsigned i = (t->request->index + t->at) % (LINES * SIDES);

	line_send(x->w, &x->pl->lines[i / SIDES], i % SIDES, frame_of(x, t), &t->post,
		  t->request->op.id, x->seq++);
}

void pipes_stop(struct place *x, uint64_t op)
{
	for (unsigned i = 0; i < PIPES; i++)
		stream_send(x->w, x->pl->pipe_in[i], &x->pl->pipes[i],
			    frame_draw(&x->w->rng, i, 0, VERB_STOP), &x->pl->pipe_stops[i],
			    HANDOFF_MSG, op, x->seq++, 0);
}

void lines_stop(struct place *x, uint64_t op)
{
	line_send(x->w, &x->pl->lines[0], SLAVE, frame_draw(&x->w->rng, 0, 0, VERB_STOP),
		  &x->pl->line_stop, op, x->seq++);
}

/* ---- receiving ---- */

static uint64_t receive(struct place *x, struct stream *s, const struct frame *f, uint64_t from)
{
	struct token *t = &x->pl->requests[f->slot].tokens[f->part];
	struct sent sent = post_open(&t->post);

	take(x->w, &sent, x->takes++, stream_marks(s) | 1u << MARK_CROSS, s->before, s->after,
	     from);
	return hop_received(x, t);
}

/* False: the last message. */
static bool heard(struct place *x, struct stream *s, struct post *stops)
{
	struct frame f;
	uint64_t from;

	stream_read(x->w, s, &x->poller);
	from = s->after;
	while (stream_next(s, &f)) {
		if (f.verb == VERB_STOP) {
			struct sent sent = post_open(&stops[f.slot]);

			take_only(x->w, &sent, x->takes++, stream_marks(s), s->before, s->after,
				  from);
			return false;
		}
		from = receive(x, s, &f, from);
	}
	return true;
}

static void listen_to(struct place *x, struct post *stops)
{
	bool on = true;

	while (on) {
		poller_wait(&x->poller, x->w, UINT64_MAX);
		for (unsigned i = 0; i < x->poller.cnt; i++)
			on &= heard(x, poller_found(&x->poller, i), stops);
		hop_flush(x);
	}
}

void pipes_body(struct place *x)
{
	listen_to(x, x->pl->pipe_stops);
}

void lines_body(struct place *x)
{
	listen_to(x, &x->pl->line_stop);
}
