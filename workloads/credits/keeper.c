/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that refills the bucket when its timer expires. */
#include <errno.h>
#include <unistd.h>

#include "workloads/credits/service.h"
#include "workloads/driver/settings.h"

/* Should it ail, there is so much less than usual. */
enum { SCARCE = 8 };

OPERATOR static ssize_t timer_take(int fd, uint64_t *ret)
{
	return read(fd, ret, sizeof(*ret));
}

/* False: it is time to stop. */
static bool refill(struct worker *w, struct service *s, uint64_t after)
{
	struct bucket *b = &s->bucket;
	bool stop = atomic_load(&s->stop);
	struct woken k;
	struct sent sent;
	struct op op;

	op_begin(w, &op, KIND_REFILL, arrivals_clock());
	spin_lock(&b->lock);
	if (!b->armed)
		run_fail(0, "a timer expired that nobody armed");
	b->armed = false;
	sent = b->sent;
	sent.op = op.id;
	take(w, &sent, RECORDER_NO_SEQ, 0, s->poller.before, after, act_now(w));
	credits_refill(b, settings_ail(DIAGNOSIS_STARVED) ? s->refill / SCARCE : s->refill);
	watch_grants(w, b, op.id, &k);
	if (b->first)
		watch_arm(w, s, op.id);
	spin_unlock(&b->lock);
	wake_senders(w, s, &k, op.id);
	act_outcome(w, OUTCOME_REFILLED);
	op_end(w, &op);
	return !stop;
}

void keeper_body(struct worker *w, struct service *s)
{
	bool go_on = true;

	while (go_on) {
		uint64_t times, after;

		poller_wait(&s->poller, w, UINT64_MAX);
		if (!s->poller.cnt)
			continue;
		if (timer_take(s->bucket.fd, &times) != sizeof(times))
			run_fail(-errno, "cannot read a timerfd");
		after = act_now(w);
		go_on = refill(w, s, after);
	}
}
