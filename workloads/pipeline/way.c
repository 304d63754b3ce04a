/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way a request goes: given by --path, or drawn. */
#include <string.h>

#include "workloads/pipeline/pipeline.h"

/* One word up to a comma or the end. */
static void add_word(struct pipeline *pl, const char *word, size_t len)
{
	int type = handoff_type_parse(word, len);

	if (type < 0)
		run_refuse("--path knows no '%.*s'; use io, work, wake, timer, msg, queue, spawn, "
			   "resume, grant, call, or none",
			   (int)len, word);
	if (pl->fixed_cnt == WAY_MOST)
		run_refuse("--path takes at most %d handoffs", WAY_MOST);
	pl->fixed[pl->fixed_cnt++] = (uint8_t)type;
}

void way_parse(struct pipeline *pl, const char *list)
{
	pl->is_fixed = list != NULL;
	if (!list || strcmp(list, "none") == 0)
		return;
	for (;;) {
		size_t len = strcspn(list, ",");

		add_word(pl, list, len);
		if (!list[len])
			return;
		list += len + 1;
	}
}

unsigned way_kind(struct place *x)
{
	return rng_below(&x->w->rng, 100) < x->pl->fan ? KIND_FAN : KIND_STRAIGHT;
}

/* Timers half as often as the rest: whoever joins them by their descriptor alone is always right,
 * and a request through many of them would be a request that guesses follow. */
static uint8_t draw_type(struct place *x)
{
	unsigned r = rng_below(&x->w->rng, 2 * HANDOFF_TYPE_CNT - 1);

	return (uint8_t)(r < 2 * HANDOFF_TIMER ? r / 2 : (r + 1) / 2);
}

static void draw_part(struct place *x, uint8_t *to, unsigned from, unsigned cnt)
{
	const struct pipeline *pl = x->pl;

	for (unsigned i = 0; i < cnt; i++)
		to[i] = pl->is_fixed ? pl->fixed[from + i] : draw_type(x);
}

static unsigned draw_length(struct place *x)
{
	const struct pipeline *pl = x->pl;

	if (pl->is_fixed)
		return pl->fixed_cnt;
	return pl->length <= WAY_MOST ? pl->length : rng_below(&x->w->rng, WAY_MOST + 1);
}

/* Of a way of n handoffs the branches go three quarters, all of them the same, and the
 * request itself the rest. */
void way_draw(struct place *x, struct request *q, unsigned kind)
{
	unsigned n = draw_length(x), before = n / 8, among = kind == KIND_FAN ? n - n / 4 : 0;
	unsigned branches = among ? x->w->run->options->fanout : 0;
	struct token *own = &q->tokens[0];
	uint8_t branch[WAY_MOST] = {0};

	if (!among)
		before = n;
	own->at = 0;
	own->cnt = n - among;
	q->split_at = before;
	q->branches = branches;
	q->pieces = 2 + own->cnt + branches * among;
	draw_part(x, own->way, 0, before);
	draw_part(x, own->way + before, before + among, n - among - before);
	draw_part(x, branch, before, among);
	for (unsigned i = 1; i <= branches; i++) {
		q->tokens[i].at = 0;
		q->tokens[i].cnt = among;
		memcpy(q->tokens[i].way, branch, sizeof(branch));
	}
	for (unsigned i = 0; i <= branches; i++)
		q->tokens[i].draws = (uint32_t)rng_next(&x->w->rng);
	if (n == 0)
		act_outcome(x->w, OUTCOME_EMPTY);
	if (n == WAY_MOST)
		act_outcome(x->w, OUTCOME_LONGEST);
}
