/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages on byte streams: pipes, sockets, ptys.
 *
 * A message is a frame: a head that says how long it is and what it is about, and text. One write
 * sends one message; one read takes all that is there, be it several messages or half of one. What
 * truth has to know of a message, struct post, lies in memory that both sides share, where the
 * head's numbers lead the receiver; its bytes carry nothing of it. Messages that one read completed
 * are marked coalesced if there are several.
 *
 * The stream belongs to the thread that reads it; `key` is fixed before anybody writes. A writer
 * fills the post before its call and leaves it alone until the receiver is through with it.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_STREAM_H
#define ASSAY_WORKLOADS_DRIVER_STREAM_H

#include <stdatomic.h>

#include "workloads/driver/act.h"
#include "workloads/driver/poller.h"

enum { STREAM_BUFFER = 8192, STREAM_TEXT = 64 };

struct frame {
	uint32_t bytes; /* of the whole message */
	uint32_t slot;	/* whose it is */
	uint16_t part;	/* which of its messages */
	uint16_t verb;
};

/* A message's own handoff, from its sender to its receiver. */
struct post {
	_Atomic bool sent_off; /* released after `sent` is written */
	struct sent sent;
};

struct stream {
	int fd; /* to read from, where a poller found it ready */
	struct rec_key key;
	_Atomic bool used;	/* somebody has sent something here */
	uint64_t look;		/* the last moment at which it was found empty, or was but for what
				 * has been taken */
	bool full;		/* the last read left something, or may have */
	uint64_t before, after; /* windows of what the last read completed */
	bool ended;		/* the other side has closed */
	unsigned whole;		/* messages that the last read completed */
	unsigned at, have;
	uint8_t buffer[STREAM_BUFFER];
};

/* key: as the workload says; see stream_fd_key. */
void stream_open(struct stream *s, int fd, struct rec_key key);

/* The key of what is read from fd: the descriptor and its inode. */
struct rec_key stream_fd_key(int fd);

/* Draws the length of a message. */
struct frame frame_draw(struct rng *r, uint32_t slot, unsigned part, unsigned verb);

/*
 * Writes one message into `fd`, whose other end is `to`. The type, key and marks of the handoff are
 * those given; seq counts the sending thread's. What does not go in whole ends the run: nobody lets
 * more lie in a stream than it can hold.
 */
void stream_send(struct worker *w, int fd, struct stream *to, struct frame f, struct post *p,
		 unsigned type, uint64_t op, uint64_t seq, uint16_t marks);

/* One read. `p` is the poller that found it ready. Returns how many whole messages there are. */
unsigned stream_read(struct worker *w, struct stream *s, const struct poller *p);

/* The next whole message, or false. */
bool stream_next(struct stream *s, struct frame *ret);

/* What was sent; once for each message. */
struct sent post_open(struct post *p);

/* Whose it is, before it is opened. */
static inline uint64_t post_op(const struct post *p)
{
	return atomic_load_explicit(&p->sent_off, memory_order_acquire) ? p->sent.op : 0;
}

/* The marks that the receipt adds. */
static inline uint16_t stream_marks(const struct stream *s)
{
	return s->whole > 1 ? 1u << MARK_COALESCED : 0;
}

#endif
