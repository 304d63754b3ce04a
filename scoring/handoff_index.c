/* SPDX-License-Identifier: BSD-2-Clause */
/* The second pass over truth: the windows that will be looked up, by key and by thread. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

enum { BY_SRC, BY_DST, BY_READY, BY_CNT };

struct build {
	struct hx *x;
	const struct wanted *w;
	struct stab_item *item[BY_CNT];
	size_t cnt[BY_CNT], cap[BY_CNT];
};

/* over: what is wanted during the life of the handoff at all; asked again of the window. */
static void put_keyed(struct build *b, uint32_t h, const struct truth_handoff *r, uint32_t epoch,
		      const struct wanted_cell *over)
{
	struct hx *x = b->x;
	uint32_t tag = key_tag(r->type, r->key.v);
	struct window w;

	if ((x->flags[h] & HX_SRC) && (over->bits[WANT_NEAR] >> tag % 64 & 1)) {
		w = hx_near_window(x, h);
		if (wanted_in(b->w, WANT_NEAR, tag, &w))
			bins_put(&x->near, &w, tag, h, epoch);
	}
	if ((x->flags[h] & HX_DST) && (over->bits[WANT_FAR] >> tag % 64 & 1)) {
		w = hx_far_window(r);
		if (wanted_in(b->w, WANT_FAR, tag, &w))
			bins_put(&x->far, &w, tag, h, epoch);
	}
}

static int put_item(struct build *b, int what, uint32_t h, const struct window *w, uint32_t group)
{
	struct stab_item *v;

	if (!wanted_in(b->w, what == BY_SRC ? WANT_NEAR_TID : WANT_FAR_TID, group, w))
		return 0;
	v = vec_grow(b->item[what], &b->cap[what], b->cnt[what] + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	b->item[what] = v;
	v[b->cnt[what]++] = (struct stab_item){.w = *w, .group = group, .id = h};
	return 0;
}

static int put_by_tid(struct build *b, uint32_t h, const struct truth_handoff *r)
{
	const struct hx *x = b->x;
	uint32_t src = x->flags[h] & HX_SRC ? tids_place(&x->tids, r->src_tid) : HX_NONE;
	uint32_t dst = x->flags[h] & HX_DST ? tids_place(&x->tids, r->dst_tid) : HX_NONE;
	int err = 0;

	if (src != HX_NONE)
		err = put_item(b, BY_SRC, h, &r->src_t, group_of(&x->tids, r->type, src));
	if (!err && dst != HX_NONE)
		err = put_item(b, BY_DST, h, &r->dst_t, group_of(&x->tids, r->type, dst));
	if (!err && dst != HX_NONE)
		err = put_item(b, BY_READY, h, &r->dst_ready, group_of(&x->tids, r->type, dst));
	return err;
}

/* Chains of src windows that share a moment: of such handoffs one keyless src observation may mean
 * any, and it is limited to one unless all are of a kind that comes in numbers. */
static void flag_tid_shared(struct hx *x)
{
	const struct stab *s = &x->src;

	for (size_t g = 0; g < (size_t)HANDOFF_TYPE_CNT * x->tids.cnt; g++)
		for (size_t i = s->first[g], end; i < s->first[g + 1]; i = end) {
			uint64_t reach = s->v[i].w.t1;
			bool many = hx_comes_in_numbers(&x->t->handoffs[s->v[i].id]);

			for (end = i + 1; end < s->first[g + 1] && s->v[end].w.t0 <= reach; end++) {
				reach = s->v[end].w.t1 > reach ? s->v[end].w.t1 : reach;
				many = many && hx_comes_in_numbers(&x->t->handoffs[s->v[end].id]);
			}
			for (size_t k = i; end - i > 1 && !many && k < end; k++)
				x->flags[s->v[k].id] |= HX_TID_SHARED;
		}
}

static int finish_by_tid(struct build *b)
{
	struct hx *x = b->x;
	struct stab *const s[BY_CNT] = {&x->src, &x->dst, &x->ready};
	size_t groups = (size_t)HANDOFF_TYPE_CNT * x->tids.cnt;
	int err = 0;

	for (int i = 0; !err && i < BY_CNT; i++)
		err = stab_init(s[i], b->item[i], b->cnt[i], groups, x->mem);
	if (!err)
		flag_tid_shared(x);
	return err;
}

int hx_index(struct hx *x, const struct wanted *w, uint32_t by_tid, size_t looks)
{
	struct build b = {.x = x, .w = w};
	uint32_t cell = 16;
	int err;

	while (cell < x->epoch && cell < looks / x->epochs.cnt)
		cell *= 2;
	err = bins_init(&x->near, &x->epochs, x->cnt, cell, x->mem);
	if (!err)
		err = bins_init(&x->far, &x->epochs, x->cnt, cell, x->mem);
	x->by_tid = by_tid & x->totals.types;
	for (uint32_t i = 0; !err && i < x->cnt; i++) {
		uint32_t h = hx_at(x, i);
		const struct truth_handoff *r = &x->t->handoffs[h];
		struct wanted_cell over;
		struct window life;

		if (!(x->flags[h] & HX_BOTH))
			continue;
		life = hx_life(r, x->flags[h]);
		over = wanted_over(w, &life);
		if (x->flags[h] & HX_KEY)
			put_keyed(&b, h, r, i / x->epoch, &over);
		if ((x->by_tid >> r->type & 1) &&
		    (over.bits[WANT_NEAR_TID] | over.bits[WANT_FAR_TID]))
			err = put_by_tid(&b, h, r);
	}
	if (!err && x->by_tid)
		err = finish_by_tid(&b);
	for (int i = 0; i < BY_CNT; i++)
		vec_free(b.item[i], b.cap[i], sizeof(*b.item[i]));
	return err;
}
