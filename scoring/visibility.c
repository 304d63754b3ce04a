/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of what can be seen. */
#include "scoring/visibility.h"

#include <assert.h>

#define TYPE(t)	   (1u << HANDOFF_##t)
#define MARKED(m)  (1u << MARK_##m)
#define CONTEXT	   (1u << LEVEL_CONTEXT)
#define BOTH_SIDES (1u << LEVEL_CONTEXT | 1u << LEVEL_IDENTITY)
#define ANY	   UINT32_MAX

/* The first row that fits decides. marks: ANY fits unmarked handoffs too. */
struct row {
	uint32_t types, marks, levels;
	struct visible v;
};

static const struct row rows[] = {
	/* Completions, io_uring/io_uring.c and io_uring/msg_ring.c of Linux 6.18. */
	{TYPE(IO),
	 MARKED(SQPOLL),
	 CONTEXT,
	 {VISIBLE_KERNEL_END, "the kernel's thread iou-sqp submits and completes; the application "
			      "only writes to shared memory"}},
	{TYPE(IO),
	 MARKED(PUNTED) | MARKED(MESSAGE) | MARKED(INLINE),
	 CONTEXT,
	 {VISIBLE_YES,
	  "the completion is posted on iou-wrk, on the sender of the message or inside "
	  "the submission; whose it is shows in who enters the ring to wait"}},
	{TYPE(IO), MARKED(LOST), BOTH_SIDES, {VISIBLE_NO, "an end that never happened"}},
	{TYPE(IO),
	 ANY,
	 CONTEXT,
	 {VISIBLE_YES,
	  "io_uring_submit_req runs on the submitter; completions that wait for a poll "
	  "or for the device run as task work on the thread that waits"}},
	{TYPE(IO),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "io_uring_submit_req and io_uring_complete carry ring and user_data, also "
		       "where the request is NULL"}},
	/* Work items: the byte stream of the pty, drivers/tty/tty_buffer.c; trials on 6.18. */
	{TYPE(WORK),
	 ANY,
	 CONTEXT,
	 {VISIBLE_YES, "write and read are syscalls of the two threads and the byte stream pairs "
		       "them, coalesced writes too: recall 0.998 in a trial"}},
	{TYPE(WORK),
	 MARKED(COALESCED),
	 BOTH_SIDES,
	 {VISIBLE_YES, "a write to a pending item emits no workqueue_queue_work (83 to 86 % of "
		       "writes in a trial), but write and read are syscalls"}},
	{TYPE(WORK),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "workqueue_queue_work and workqueue_execute_start carry the work_struct"}},
	/* Futexes, kernel/futex/waitwake.c. */
	{TYPE(WAKE),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "both futex syscalls name the word, a spurious one too, and sched_waking "
		       "runs in the waker's "
		       "context: 78,488 of 78,488 in a trial"}},
	/* Timers, kernel/time/hrtimer.c and fs/timerfd.c. */
	{TYPE(TIMER),
	 MARKED(CANCELLED),
	 BOTH_SIDES,
	 {VISIBLE_YES, "arming and cancelling are syscalls of the threads themselves"}},
	{TYPE(TIMER),
	 ANY,
	 CONTEXT,
	 {VISIBLE_YES, "arming and the read of the expiry are syscalls of the two threads"}},
	{TYPE(TIMER),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "hrtimer_start and hrtimer_expire_entry carry the timer; the latter runs in "
		       "an interrupt"}},
	{TYPE(MSG),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "write and read of a pipe, socket or eventfd are syscalls of the two "
		       "threads"}},
	/* In the application: functions, seen by uprobes that a manifest describes. */
	{TYPE(QUEUE),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "PUSH and POP are functions of the application that a manifest describes; "
		       "the kernel sees nothing"}},
	{TYPE(SPAWN),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES,
	  "sched_process_fork and the first sched_switch for threads; SPAWN and RUN of "
	  "a manifest for tasks"}},
	{TYPE(RESUME),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "PARK and RUN are functions of the task runtime that a manifest describes; "
		       "the kernel sees its threads alone"}},
	{TYPE(GRANT),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "RELEASE and ACQUIRE are functions of the application that a manifest "
		       "describes"}},
	{TYPE(CALL),
	 ANY,
	 BOTH_SIDES,
	 {VISIBLE_YES, "entry and return of a function on one thread"}},
};

struct visible visibility_of(enum handoff_type type, int mark, enum score_level level)
{
	uint32_t bit = mark == VISIBLE_UNMARKED ? 0 : 1u << mark;

	/* mutant <=: equivalent because every type has a row that fits whatever else is asked */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].types >> type & 1) && (rows[i].levels >> level & 1) &&
		    (rows[i].marks == ANY || (rows[i].marks & bit)))
			return rows[i].v;
	assert(!"a type without a row");
	return (struct visible){.what = VISIBLE_NO, .source = ""};
}

uint32_t visibility_blind(enum handoff_type type, enum score_level level)
{
	uint32_t blind = 0;

	/* mutant 1 <=: equivalent because the first mark hides nothing, nor does one beyond all */
	for (int m = 0; m < MARK_CNT; m++)
		if (visibility_of(type, m, level).what != VISIBLE_YES)
			blind |= 1u << m;
	return blind;
}

const char *visibility_name(enum visibility v)
{
	static const char *const names[] = {"no", "yes", "kernel end only"};

	return names[v];
}
