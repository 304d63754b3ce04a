/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that do the jobs, some at a time. */
#include "workloads/driver/settings.h"
#include "workloads/queue/service.h"

/* What a job costs; more than there is CPU for, should it ail. */
enum { SHARE_JOBS = 80, SHARE_JOBS_AIL = 480, SHARES = 100 };

struct popped {
	struct job *job;
	uint64_t before, after;
};

/* As many as there are, up to a batch. */
static unsigned pop_batch(struct consumer *c, struct popped *v)
{
	unsigned n = 0;

	while (n < c->service->batch) {
		v[n].job = watch_pop(c, &v[n].before, &v[n].after);
		if (!v[n].job)
			break;
		n++;
	}
	if (n > 1)
		act_outcome(c->w, OUTCOME_BATCHED);
	return n;
}

static void run_job(struct consumer *c, const struct popped *p)
{
	struct job *j = p->job;
	struct slot *sl = j->slot;
	struct sent sent = j->sent;

	take(c->w, &sent, RECORDER_NO_SEQ, 0, p->before, p->after, act_now(c->w));
	watch_look(c->w, j);
	act_burn(c->w, settings_ail(DIAGNOSIS_OVERLOAD) ? SHARE_JOBS_AIL : SHARE_JOBS,
		 SHARES * sl->jobs);
	watch_release(c->w, c->service, j);
	segment_close(c->w);
	slot_part_done(c->w, sl);
}

/* Returns how many jobs there were after all; false: it is time to stop. */
static bool wait_for_jobs(struct consumer *c, struct popped *v, unsigned *ret_cnt)
{
	struct service *s = c->service;

	seat_arm(&s->seats, c->seat);
	*ret_cnt = pop_batch(c, v);
	if (!*ret_cnt && !atomic_load(&s->stop)) {
		seat_sleep(c->w, &s->seats, c->seat, UINT64_MAX);
		return true;
	}
	seat_leave(&s->seats, c->seat);
	return *ret_cnt != 0;
}

void consumer_body(struct consumer *c)
{
	struct popped v[QUEUE_BATCH];

	for (;;) {
		unsigned n = pop_batch(c, v);

		if (!n && !wait_for_jobs(c, v, &n))
			return;
		for (unsigned i = 0; i < n; i++)
			run_job(c, &v[i]);
	}
}
