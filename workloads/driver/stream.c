/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on byte streams. */
#include "workloads/driver/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void stream_open(struct stream *s, int fd, struct rec_key key)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->key = key;
}

struct rec_key stream_fd_key(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		run_fail(-errno, "cannot look at descriptor %d", fd);
	return (struct rec_key){
		.v = (uint64_t)fd, .scope = st.st_ino, .ns = KEY_FD, .has_scope = true};
}

struct frame frame_draw(struct rng *r, uint32_t slot, unsigned part, unsigned verb)
{
	return (struct frame){.bytes = (uint32_t)sizeof(struct frame) + rng_below(r, STREAM_TEXT),
			      .slot = slot,
			      .part = (uint16_t)part,
			      .verb = (uint16_t)verb};
}

OPERATOR static ssize_t message_write(int fd, const void *from, size_t len)
{
	return write(fd, from, len);
}

OPERATOR static ssize_t message_read(int fd, void *to, size_t len)
{
	return read(fd, to, len);
}

void stream_send(struct worker *w, int fd, struct stream *to, struct frame f, struct post *p,
		 unsigned type, uint64_t op, uint64_t seq, uint16_t marks)
{
	uint8_t message[sizeof(f) + STREAM_TEXT];
	struct sent own;
	ssize_t n;

	memset(message, 'a' + (int)(f.slot % 26), f.bytes);
	memcpy(message, &f, sizeof(f));
	if (atomic_exchange_explicit(&to->used, true, memory_order_relaxed))
		marks |= 1u << MARK_REUSED_KEY;
	sent_begin(w, &own, type, op, to->key, seq, marks, act_now(w));
	p->sent = own;
	/* pairs with the acquire of post_open; the stream in between orders as well, but no checker
	 * knows that */
	atomic_store_explicit(&p->sent_off, true, memory_order_release);
	n = message_write(fd, message, f.bytes);
	if (n != (ssize_t)f.bytes)
		run_fail(n < 0 ? -errno : 0, "%zd of %u bytes went into descriptor %d", n, f.bytes,
			 fd);
	sent_end(w, &own, act_now(w));
}

/* The head of the message at `at`, if it is whole. */
static bool frame_at(const struct stream *s, unsigned at, struct frame *ret)
{
	if (s->have - at < sizeof(*ret))
		return false;
	memcpy(ret, s->buffer + at, sizeof(*ret));
	if (ret->bytes < sizeof(*ret) || ret->bytes > sizeof(*ret) + STREAM_TEXT)
		run_fail(0, "what was read from descriptor %d is no message", s->fd);
	return s->have - at >= ret->bytes;
}

static unsigned count_whole(const struct stream *s)
{
	struct frame f;
	unsigned n = 0;

	for (unsigned at = s->at; frame_at(s, at, &f); at += f.bytes)
		n++;
	return n;
}

unsigned stream_read(struct worker *w, struct stream *s, const struct poller *p)
{
	uint64_t start = act_now(w);
	size_t room;
	ssize_t n;

	memmove(s->buffer, s->buffer + s->at, s->have - s->at);
	s->have -= s->at;
	s->at = 0;
	room = sizeof(s->buffer) - s->have;
	n = message_read(s->fd, s->buffer + s->have, room);
	s->after = act_now(w);
	/* the poller knows nothing of what a full read left behind: it was there all the time */
	s->before = s->full || s->look > p->before ? s->look : p->before;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		run_fail(-errno, "cannot read from descriptor %d", s->fd);
	s->ended = n == 0;
	if (n > 0)
		s->have += (unsigned)n;
	s->full = n == (ssize_t)room;
	s->look = s->full ? s->before : start; /* else all that was there has been taken */
	s->whole = count_whole(s);
	return s->whole;
}

bool stream_next(struct stream *s, struct frame *ret)
{
	if (!frame_at(s, s->at, ret))
		return false;
	s->at += ret->bytes;
	return true;
}

struct sent post_open(struct post *p)
{
	struct sent s;

	if (!atomic_load_explicit(&p->sent_off, memory_order_acquire))
		run_fail(0, "a message without a sender");
	s = p->sent;
	atomic_store_explicit(&p->sent_off, false, memory_order_relaxed);
	return s;
}
