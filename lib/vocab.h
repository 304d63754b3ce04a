/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The closed vocabularies that truth, claims and scores share (contracts §1, §2, §3).
 *
 * Numbers are part of the binary formats: append only, never renumber. Each `X_name` returns a
 * static string for a valid value; each `X_parse` returns the value, or -1 where the word (not
 * NUL-terminated, len bytes) is not in the vocabulary. All functions are pure and thread-safe.
 */
#ifndef ASSAY_LIB_VOCAB_H
#define ASSAY_LIB_VOCAB_H

#include <stddef.h>
#include <stdint.h>

enum handoff_type {
	HANDOFF_IO = 0,
	HANDOFF_WORK = 1,
	HANDOFF_WAKE = 2,
	HANDOFF_TIMER = 3,
	HANDOFF_MSG = 4,
	HANDOFF_QUEUE = 5,
	HANDOFF_SPAWN = 6,
	HANDOFF_RESUME = 7,
	HANDOFF_GRANT = 8,
	HANDOFF_CALL = 9,
	HANDOFF_TYPE_CNT = 10,
};

/*
 * Key spaces. KEY_NONE: no key. KEY_OTHER: a word outside the contract, read as absent. What v is:
 *
 *   user_data  of the CQE; scope: the ring, counted from 1 in the order of creation
 *   uaddr      the futex word that the waking call names
 *   work       the address of the kernel's struct work_struct
 *   fd         the descriptor that the receiver reads from; scope: its inode. The two ends of a
 *              pipe have one inode, each socket has its own (the key is the receiving socket's),
 *              all eventfds share one
 *   timerfd    the timer's descriptor; no scope (all timerfds share one inode). POSIX timers have
 *              no key
 *
 * What is sent and taken through io_uring, timeouts included, is of type io with key user_data.
 */
enum key_ns {
	KEY_NONE = 0,
	KEY_USER_DATA = 1,
	KEY_UADDR = 2,
	KEY_TASK = 3,
	KEY_WORK = 4,
	KEY_FD = 5,
	KEY_TIMERFD = 6,
	KEY_OTHER = 7,
	KEY_NS_CNT = 8,
};

/* Marks are bit numbers; records hold 1u << MARK_X. Export writes them in this order. */
enum mark {
	MARK_PUNTED = 0,
	MARK_INLINE = 1,
	MARK_MULTISHOT = 2,
	MARK_MESSAGE = 3,
	MARK_CANCELLED = 4,
	MARK_LINKED = 5,
	MARK_STOLEN = 6,
	MARK_COALESCED = 7,
	MARK_FANOUT = 8,
	MARK_NESTED = 9,
	MARK_REUSED_KEY = 10,
	MARK_SPURIOUS = 11,
	MARK_LATE = 12,
	MARK_CROSS = 13,
	MARK_SQPOLL = 14,
	MARK_LOST = 15,
	MARK_CNT = 16,
};

enum event_kind {
	EVENT_WAIT = 0,
	EVENT_ACQUIRE = 1,
	EVENT_USE = 2,
	EVENT_RELEASE = 3,
	EVENT_SPAWN = 4,
	EVENT_RUN = 5,
	EVENT_PARK = 6,
	EVENT_PUSH = 7,
	EVENT_POP = 8,
	EVENT_SUBMIT = 9,
	EVENT_HANDLE = 10,
	EVENT_BEGIN = 11,
	EVENT_END = 12,
	EVENT_KIND_CNT = 13,
};

enum effect_kind {
	EFFECT_BLOCK_IO = 0,
	EFFECT_PAGE_FAULT = 1,
	EFFECT_SCHED_DELAY = 2,
	EFFECT_KIND_CNT = 3
};
enum how { HOW_NONE = 0, HOW_OBSERVED = 1, HOW_RECONSTRUCTED = 2, HOW_UNKNOWN = 3, HOW_CNT = 4 };
enum source {
	SOURCE_NONE = 0,
	SOURCE_KERNEL = 1,
	SOURCE_RUNTIME = 2,
	SOURCE_APPLICATION = 3,
	SOURCE_INFERRED = 4,
	SOURCE_CNT = 5,
};
enum health_state {
	HEALTH_VALIDATED = 0,
	HEALTH_SUSPECT = 1,
	HEALTH_STALE = 2,
	HEALTH_REFUSED = 3,
	HEALTH_STATE_CNT = 4,
};
/* Diagnoses: contracts §5.7. What a service can suffer from, and that it suffers from nothing. */
enum diagnosis {
	DIAGNOSIS_HEALTHY = 0,
	DIAGNOSIS_POOL_THRASH = 1, /* what a pool holds is taken out before it is asked for again */
	DIAGNOSIS_CONVOY = 2,	   /* one holder delays many */
	DIAGNOSIS_LEAK = 3,	   /* what is acquired is not given back */
	DIAGNOSIS_WASTEFUL = 4,	   /* what is acquired is not used */
	DIAGNOSIS_OVERLOAD = 5,	   /* more is asked for than there is room for */
	DIAGNOSIS_STARVED = 6,	   /* what is handed out from outside does not suffice */
	DIAGNOSIS_SLOW_IO = 7,	   /* I/O on another thread than those that wait */
	DIAGNOSIS_CPU_CONTENTION = 8, /* others have the processor */
	DIAGNOSIS_CNT = 9,
};
enum profile_by { BY_THREAD = 0, BY_FUNCTION = 1, BY_OP_KIND = 2, BY_PAIR = 3, PROFILE_BY_CNT = 4 };

const char *handoff_type_name(unsigned v);
const char *key_ns_name(unsigned v);
const char *mark_name(unsigned bit);
const char *event_kind_name(unsigned v);
const char *effect_kind_name(unsigned v);
const char *how_name(unsigned v);
const char *source_name(unsigned v);
const char *health_state_name(unsigned v);
const char *profile_by_name(unsigned v);
const char *diagnosis_name(unsigned v);

int handoff_type_parse(const char *s, size_t len);
int key_ns_parse(const char *s, size_t len); /* KEY_OTHER for an unknown word, never -1 */
int mark_parse(const char *s, size_t len);   /* bit number */
int event_kind_parse(const char *s, size_t len);
int effect_kind_parse(const char *s, size_t len);
int how_parse(const char *s, size_t len);
int source_parse(const char *s, size_t len);
int health_state_parse(const char *s, size_t len);
int profile_by_parse(const char *s, size_t len);
int diagnosis_parse(const char *s, size_t len);

#endif
