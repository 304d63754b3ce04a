/* SPDX-License-Identifier: BSD-2-Clause */
/* The pass over the handoffs of a stretch: ends, totals, line of time, keys in flight. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"
#include "scoring/visibility.h"

enum { EPOCH_DEFAULT = 8192 };

struct window hx_near_window(const struct hx *x, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);
	struct window w = r->src_t;

	/* mutant || >=: equivalent because near_matches asks the same of what is found */
	if (has_identity(r->type) && (x->flags[h] & HX_DST) && r->dst_ready.t1 > w.t1)
		w.t1 = r->dst_ready.t1;
	return w;
}

struct window hx_far_window(const struct truth_handoff *r)
{
	struct window w = r->dst_t;

	widen(&w, &r->dst_ready);
	return w;
}

void hx_count_marks(struct hx *x, const struct truth_handoff *r, uint16_t flags)
{
	struct hx_totals *s = &x->totals;

	s->marks |= r->marks;
	if ((flags & HX_BOTH) != HX_BOTH)
		return;
	for (unsigned m = r->marks; m; m &= m - 1)
		s->mark[__builtin_ctz(m)]++;
	for (int l = 0; l < LEVEL_CNT; l++)
		s->blind[l][r->type] += (r->marks & x->g->blind[l][r->type]) != 0;
}

static int amb_push(struct hx_amb *a, const struct amb_item *item)
{
	/* mutant 2: equivalent because more room does no harm */
	struct amb_item *v = vec_grow(a->v, &a->cap, a->cnt + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	a->v = v;
	a->v[a->cnt++] = *item;
	a->of_type[item->type] = true;
	return 0;
}

int hx_put(struct hx *x, uint32_t h, const struct hx_seen *seen, uint16_t more_flags)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	const struct window *life = &seen->life;
	uint16_t f = seen->flags;
	uint32_t at = x->cnt++, tag;

	x->order[at] = h;
	x->flags[at] = f | more_flags;
	if (f & HX_KEY)
		x->keyed[r->type] = true;
	else if (list_push(&x->without_key, at))
		return -ENOMEM;
	/* mutant: equivalent because an index and a scan find the same */
	x->lived += life->t1 - life->t0;
	/* mutant 1: equivalent because sent_before asks for a src */
	line_put(&x->line, at, life->t0, f & HX_SRC ? r->src_t.t1 : 0, life->t1);
	/* mutant 1: equivalent because who finds it asks for a dst */
	x->dst_tags[at] = f & HX_DST ? thread_tag(r->type, r->dst_tid) : 0;
	if ((r->has & TH_AMB) &&
	    amb_push(&x->amb, &(struct amb_item){.amb = r->amb, .type = r->type, .h = at}))
		return -ENOMEM;
	if (!(f & HX_KEY))
		return 0;
	tag = key_tag(r->type, r->key.v);
	x->key_tags[at] = (uint16_t)tag;
	return opens_put(&x->opens, r->type, r->key.v, tag, life, at);
}

static int compare_amb(const void *a, const void *b)
{
	const struct amb_item *x = a, *y = b;

	if (x->type != y->type)
		/* mutant >= <=: equivalent because they differ */
		return (x->type > y->type) - (x->type < y->type);
	/* mutant >= <=: equivalent because a group may stand in any order */
	return (x->amb > y->amb) - (x->amb < y->amb);
}

static int hx_alloc(struct hx *x, uint32_t cnt)
{
	x->order = mem_array(x->mem, cnt, sizeof(*x->order));
	x->flags = mem_array(x->mem, (size_t)cnt + FLAGS_ROW, sizeof(*x->flags));
	x->dst_tags = mem_array(x->mem, (size_t)cnt + LINE_ROW, sizeof(*x->dst_tags));
	x->key_tags = mem_array(x->mem, (size_t)cnt + LINE_ROW, sizeof(*x->key_tags));
	if (!x->order || !x->flags || !x->dst_tags || !x->key_tags)
		return -ENOMEM;
	return line_init(&x->line, cnt, x->mem);
}

/* Forgets all but what is worth keeping: room, and totals. */
static int hx_renew(struct hx *x)
{
	struct hx old = *x;

	*x = (struct hx){.opens = old.opens,
			 .batches = {.v = old.batches.v,
				     .cap = old.batches.cap,
				     .member = old.batches.member},
			 .tied = old.tied,
			 .ties = old.ties,
			 .without_key = old.without_key,
			 .amb = {.v = old.amb.v, .cap = old.amb.cap},
			 .totals = old.totals};
	x->batches.member.cnt = x->tied.cnt = x->ties.cnt = x->without_key.cnt = 0;
	return opens_begin(&x->opens);
}

int hx_begin(struct hx *x, const struct ground *g, uint32_t cnt, uint32_t epoch, struct mem *mem)
{
	int err = hx_renew(x);

	x->g = g;
	x->t = g->t;
	x->mem = mem;
	/* mutant == ||: equivalent because any epochs find the same */
	x->epoch = epoch && epoch != HX_SCAN ? epoch : EPOCH_DEFAULT;
	return err ? err : hx_alloc(x, cnt);
}

static void note_keyless(struct hx *x)
{
	const struct line *l = &x->line;

	if (!x->cnt)
		return;
	keyless_init(&x->keyless, &(struct window){l->v[0].first, l->so_far[LINE_LIFE]});
	for (size_t i = 0; i < x->without_key.cnt; i++) {
		uint32_t h = x->without_key.v[i];
		const struct truth_handoff *r = hx_rec(x, h);
		struct window far = hx_far_window(r);

		if (x->flags[h] & HX_SRC)
			keyless_add(&x->keyless, thread_tag(r->type, r->src_tid), &r->src_t);
		if (x->flags[h] & HX_DST)
			keyless_add(&x->keyless, thread_tag(r->type, r->dst_tid), &far);
	}
}

int hx_finish(struct hx *x)
{
	line_finish(&x->line);
	note_keyless(x);
	if (x->amb.cnt)
		qsort(x->amb.v, x->amb.cnt, sizeof(*x->amb.v), compare_amb);
	return hx_batches_init(x);
}

void hx_free(struct hx *x)
{
	opens_free(&x->opens);
	hx_batches_free(&x->batches);
	list_free(&x->tied);
	list_free(&x->ties);
	list_free(&x->without_key);
	vec_free(x->amb.v, x->amb.cap, sizeof(*x->amb.v));
}

int ground_init(struct ground *g, const struct truth *t, struct mem *mem)
{
	int err;

	*g = (struct ground){.t = t};
	for (int l = 0; l < LEVEL_CNT; l++)
		for (int i = 0; i < HANDOFF_TYPE_CNT; i++)
			g->blind[l][i] =
				visibility_blind((enum handoff_type)i, (enum score_level)l);
	err = tids_init(&g->tids, t);
	return err ? err : decoys_init(g, mem);
}

void ground_free(struct ground *g)
{
	tids_free(&g->tids);
	filter_free(&g->decoy_keys);
}
