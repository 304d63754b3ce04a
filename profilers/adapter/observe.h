/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observations: the ends of handoffs that the records show, each alone, before anyone joins them.
 *
 * Shared by `causal` and the floors, so that they differ in nothing but how they join. An io src
 * is a request's submission, or the message that a MSG_RING request carries; an io dst is a CQE. A
 * wake src is a futex wake or requeue call, once for each waiter that it wakes, at the time at
 * which the call began: one act has one time. A wake dst is a futex wait that returns success. A
 * msg src or dst is a call that moved something into or out of a byte stream, of type work where
 * the stream is a pty: there a work item of the kernel's brings it over. A timer src arms, a timer
 * dst takes an expiry.
 * Observations come in the order of the evidence, times may be out of it. They are lent for the
 * time of the callback.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_OBSERVE_H
#define ASSAY_PROFILERS_ADAPTER_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"
#include "lib/vocab.h"
#include "profilers/adapter/joiner.h"
#include "profilers/adapter/rings.h"

enum observation_bit {
	OBS_KERNEL = 1u << 0,	/* on a thread of the kernel's */
	OBS_MESSAGE = 1u << 1,	/* src: what a MSG_RING request carries; key of the target ring */
	OBS_SKIP = 1u << 2,	/* src: no CQE is asked for on success */
	OBS_UNSEEN = 1u << 3,	/* src: a wake that its call reports but no sched_waking showed */
	OBS_MORE = 1u << 4,	/* dst: the request goes on (IORING_CQE_F_MORE) */
	OBS_NOTIF = 1u << 5,	/* dst: zero-copy notification (IORING_CQE_F_NOTIF) */
	OBS_UNTAKEN = 1u << 6,	/* dst: there is no thread any more that could take it */
	OBS_BLIND = 1u << 7,	/* dst: its beginning was not seen, since is unknown */
	OBS_BORN = 1u << 8,	/* msg, work: counted from the stream's creation on */
	OBS_BYTES = 1u << 9,	/* msg, work: its units are bytes */
	OBS_WOKEN = 1u << 11,	/* wake dst: there was a sched_waking for it, seen here or not */
	OBS_REPEATS = 1u << 10, /* timer: armed once for many expiries */
	OBS_AT_ONCE = 1u << 12, /* message: it is there before the sender's own CQE is */
};

struct observation {
	uint8_t type; /* HANDOFF_IO, _WAKE, _MSG, _WORK or _TIMER */
	uint8_t ns;   /* key space; KEY_NONE: this end does not know the key */
	bool has_scope;
	uint8_t opcode; /* io src */
	uint32_t bits;	/* enum observation_bit */
	uint32_t tid, tgid;
	uint64_t t;
	uint64_t v, scope; /* key */
	struct ring *ring; /* io: of the key; NULL: unknown; lent with the observation, no copy may
			      use it */
	uint64_t ring_id;  /* the same, to be kept; 0: unknown */
	/* io: the request, 0 for a CQE that names none; wake src: the woken thread, 0: unseen; msg,
	 * work: the stream; timer: the timer */
	uint64_t object;
	/* Which one it is. io src: which submission or message; io dst: which it answers, of a CQE
	 * that names no request the newest that can be meant; wake: not 0 where ends name each
	 * other whatever was lost. 0: not known */
	uint32_t stamp;
	int32_t res;	/* io dst: result; message: the result that it will be */
	uint64_t since; /* wake: the wait began; unseen wake src: unused; timer: it was armed */
	uint64_t until; /* unseen wake src: the call ended (t is its begin) */
	uint64_t word;	/* wake dst: the word it may have been requeued to, or 0 */
	uint64_t pos;	/* msg, work: position in the stream */
	uint64_t units; /* moved from there on */
	uint32_t head;	/* see EV_STREAM_WRITE */
	uint32_t by;	/* timer: the thread that armed it, 0: unknown */
};

struct observer_ops { /* negative errno stops the join */
	int (*src)(void *arg, const struct observation *o);
	int (*dst)(void *arg, const struct observation *o);
	int (*lost)(void *arg, const struct ev_rec *r); /* may be NULL */
};

struct observer;

struct observer *observer_new(const struct observer_ops *ops, void *arg, struct outlet *out);
void observer_free(struct observer *o);
int observer_record(struct observer *o, const struct ev_rec *r);
int observer_finish(struct observer *o); /* puts out claims that wait for their receiver */

/* Both ends, or NULL for one; the key is that of dst if known, else of src. conf 0 … 1. */
int observer_claim(struct observer *o, const struct observation *src, const struct observation *dst,
		   enum how how, double conf, uint64_t gen);

/* The thread that dst belongs to, as far as known now. */
uint32_t observer_receiver(const struct observation *dst);

#endif
