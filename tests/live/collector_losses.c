/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring buffer that is far too small: what did not fit is counted, in order, to the last record.
 */
#include <stdio.h>

#include "profilers/adapter/sequence.h"
#include "tests/live/rig/collector_rig.h"

static void busy(void)
{
	for (unsigned i = 0; i < 20; i++)
		rig_child_nops();
}

static uint64_t told(const struct rig *r)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < r->cnt; i++)
		if (r->v[i].kind == EV_LOST) {
			RIG_CHECK(r->v[i].b && r->v[i].b <= r->v[i].t, "record %zu: times", i);
			lost += r->v[i].a;
		}
	return lost;
}

/* Nothing is read before the child has ended: 56 records fit into 4096 bytes. */
static void overflow(void)
{
	struct collect_options o = {.want = COLLECT_ALL, .ring_bytes = 4096};
	struct rig r;

	rig_record(&r, busy, &o, true);
	RIG_CHECK(r.stats.lost > 1000, "only %llu lost", (unsigned long long)r.stats.lost);
	RIG_CHECK(told(&r) == r.stats.lost, "%llu told of %llu", (unsigned long long)told(&r),
		  (unsigned long long)r.stats.lost);
	RIG_CHECK(r.v[0].kind == EV_PROC_FORK && !r.v[0].tid, "kind %u first", r.v[0].kind);
	rig_free(&r);
}

/* With enough room the same work loses nothing, and makes what was lost and kept together. */
static void room(void)
{
	struct collect_options o = {.want = COLLECT_IO};
	struct rig r;

	rig_record(&r, busy, &o, true);
	RIG_CHECK(!r.stats.lost && !told(&r), "%llu lost", (unsigned long long)r.stats.lost);
	RIG_CHECK(rig_count(&r, EV_IO_SUBMIT) == 20 * RIG_OPS, "%zu submits",
		  rig_count(&r, EV_IO_SUBMIT));
	RIG_CHECK(!rig_count(&r, EV_SCHED_SWITCH), "sched_switch was not wanted");
	rig_free(&r);
}

static const struct ev_rec *next_numbered(const struct rig *r, const struct ev_rec *from)
{
	for (const struct ev_rec *v = from + 1; v < r->v + r->cnt; v++)
		if (v->seq && v->cpu == from->cpu)
			return v;
	return NULL;
}

/* Takes single records away: the one behind each says when it came, to less than half a percent. */
static void stamped(void)
{
	struct collect_options o = {.want = COLLECT_IO};
	const struct ev_rec *next, *after;
	size_t told = 0;
	struct rig r;

	rig_record(&r, busy, &o, true);
	for (size_t i = 0; i < r.cnt; i += 50) {
		struct sequence *one = sequence_new();
		struct ev_rec gap;

		next = r.v[i].seq ? next_numbered(&r, &r.v[i]) : NULL;
		after = next ? next_numbered(&r, next) : NULL;
		if (!after)
			continue;
		RIG_CHECK(one, "no memory");
		sequence_record(one, &r.v[i]);
		sequence_record(one, after);
		RIG_CHECK(sequence_take(one, true, &gap), "record %zu: no gap", i);
		RIG_CHECK(gap.b <= next->t && next->t <= gap.t, "record %zu: at another time", i);
		RIG_CHECK(gap.t - gap.b <= (after->t - next->t) / 200, "record %zu: too wide", i);
		sequence_free(one);
		told++;
	}
	RIG_CHECK(told > 10, "only %zu gaps", told);
	rig_free(&r);
}

int main(void)
{
	overflow();
	room();
	stamped();
	puts("ok: collector_losses");
	return 0;
}
