/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any stream of records, however senseless, is joined without harm: no error, no claim that the
 * codec would refuse, no more claims than ends, and the same claims every time.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "profilers/adapter/joiners.h"

enum { RECORDS = 60000 };

struct storm {
	uint64_t state;
	uint64_t claims, hash;
};

static uint64_t draw(struct storm *s, uint64_t below)
{
	s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (s->state >> 33) % below;
}

static void check_handoff(const struct claim *c)
{
	cr_assert(c->has & (HAS_SRC | HAS_DST), "both ends null");
	cr_assert(c->type == HANDOFF_IO || c->type == HANDOFF_WAKE || c->type == HANDOFF_MSG ||
		  c->type == HANDOFF_WORK || c->type == HANDOFF_TIMER);
	cr_assert(c->handoff.conf >= 0 && c->handoff.conf <= 1);
	cr_assert(c->how < HOW_CNT && c->source < SOURCE_CNT && c->ns < KEY_NS_CNT);
}

static int put(void *arg, const struct claim *c)
{
	const unsigned char *bytes = (const unsigned char *)c;
	struct storm *s = arg;

	if (c->kind == CLAIM_HANDOFF)
		check_handoff(c);
	else
		cr_assert(c->kind == CLAIM_EFFECT || c->kind == CLAIM_PROFILE ||
			  (c->kind == CLAIM_GAP && c->gap.from <= c->gap.to));
	for (size_t i = 0; i < sizeof(*c); i++)
		s->hash = (s->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	s->claims++;
	return 0;
}

static int64_t str(void *arg, const char *word)
{
	return arg && *word ? 1 : -1;
}

static const uint16_t kinds[] = {
	EV_LOST,	 EV_IO_CREATE,	  EV_IO_SUBMIT,	   EV_IO_COMPLETE, EV_IO_PUNT,
	EV_IO_MSG,	 EV_IO_ENTER,	  EV_IO_EXIT,	   EV_IO_OVERFLOW, EV_FUTEX_ENTER,
	EV_FUTEX_EXIT,	 EV_SCHED_WAKING, EV_SCHED_SWITCH, EV_PROC_FORK,   EV_PROC_EXEC,
	EV_PROC_EXIT,	 EV_STREAM_WRITE, EV_STREAM_READ,  EV_TIMER_SET,   EV_TIMER_TAKE,
	EV_TIMER_EXPIRE, EV_WORK_QUEUE,	  EV_WORK_START,   EV_BLOCK_ISSUE, EV_FAULT_USER,
	EV_STREAM_WRITE, EV_STREAM_READ,  EV_BLOCK_DONE,   EV_PROC_CPU,
};

/* Small ranges, so that everything meets everything. */
static struct ev_rec draw_record(struct storm *s, uint64_t t)
{
	return (struct ev_rec){
		.t = t - draw(s, 300),
		.tid = (uint32_t)draw(s, 6),
		.tgid = (uint32_t)draw(s, 2),
		.kind = kinds[draw(s, sizeof(kinds) / sizeof(kinds[0]))],
		.flags = (uint8_t)(draw(s, 8) ? draw(s, 8) : EV_F_CUT),
		.cpu = (uint16_t)draw(s, 3),
		.seq = (uint16_t)(draw(s, 3) ? t / 100 % UINT16_MAX : draw(s, 20)),
		.a = draw(s, 4),
		.b = draw(s, 80),
		.c = draw(s, 5) - 2,
		.d = draw(s, 64),
		.e = draw(s, 8) | draw(s, 4) << 8 | (draw(s, 20) ? 0 : EV_CQE_DYING) |
		     draw(s, 4) << EV_IO_STAMP,
	};
}

static void run(struct storm *s, const struct joiner *j)
{
	static const struct join_setup nothing;
	struct outlet out = {.put = put, .str = str, .arg = s};
	void *state;

	memset(s, 0, sizeof(*s));
	s->state = 20261129;
	state = j->open(j, &nothing, &out);
	cr_assert_not_null(state);
	for (uint64_t i = 0; i < RECORDS; i++) {
		struct ev_rec r = draw_record(s, 1000 + i * 100);

		cr_assert_eq(j->record(state, &r), 0);
	}
	cr_assert_eq(j->finish(state), 0);
	cr_assert_leq(s->claims, 4 * RECORDS);
}

Test(profilers_storm, survives_senseless_records_and_repeats_itself)
{
	static const struct joiner *const all[] = {
		&joiner_causal,	 &joiner_null,	  &joiner_random,
		&joiner_thread,	 &joiner_nearest, &joiner_fifo,
		&joiner_pointer, &joiner_changed, &joiner_attach_only};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct storm first, second;

		run(&first, all[i]);
		run(&second, all[i]);
		cr_expect_eq(first.hash, second.hash, "%s", all[i]->name);
		cr_expect_eq(first.claims != 0,
			     all[i]->declares & DECLARES_HANDOFFS && all[i] != &joiner_null, "%s",
			     all[i]->name);
	}
}
