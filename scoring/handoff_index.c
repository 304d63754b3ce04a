/* SPDX-License-Identifier: BSD-2-Clause */
/* The second pass over truth: the windows that will be looked up, by key and by thread. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

struct build {
	struct hx *x;
	const struct wanted *w;
	struct stab_item *item;
	size_t cnt, cap;
};

/* over: what is wanted during the life of the handoff at all; asked again of the window. */
static void put_keyed(struct build *b, uint32_t h, const struct truth_handoff *r, uint32_t epoch,
		      const struct wanted_cell *over)
{
	struct hx *x = b->x;
	uint32_t tag = key_tag(r->type, r->key.v);
	struct window w;

	/* mutant ||: equivalent because near_matches asks the same of what is found */
	if ((x->flags[h] & HX_BOTH) == HX_BOTH && has_identity(r->type) &&
	    (over->bits[WANT_NEAR] >> tag % 64 & 1)) {
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

static int put_thread(struct build *b, uint32_t h, const struct truth_handoff *r)
{
	struct window w = hx_far_window(r);
	uint32_t place = tids_place(&b->x->g->tids, r->dst_tid), group;
	struct stab_item *v;

	if (place == HX_NONE)
		return 0; /* mutant: equivalent because truth names listed threads alone */
	group = group_of(&b->x->g->tids, r->type, place);
	if (!wanted_in(b->w, WANT_THREAD, group, &w))
		return 0;
	/* mutant 2: equivalent because more room does no harm */
	v = vec_grow(b->item, &b->cap, b->cnt + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	b->item = v;
	v[b->cnt++] = (struct stab_item){.w = w, .group = group, .id = h};
	return 0;
}

static int put(struct build *b, uint32_t h)
{
	struct hx *x = b->x;
	const struct truth_handoff *r = hx_rec(x, h);
	struct wanted_cell over;
	struct window life;

	if (!(x->flags[h] & HX_BOTH))
		return 0; /* mutant: equivalent because what has no end is not entered */
	life = hx_life(r, x->flags[h]);
	over = wanted_over(b->w, &life);
	if (x->flags[h] & HX_KEY)
		put_keyed(b, h, r, h / x->epoch, &over);
	return (x->flags[h] & HX_DST) && over.bits[WANT_THREAD] ? put_thread(b, h, r) : 0;
}

/* An epoch begins where every epoch'th handoff does. */
static int cut_epochs(struct hx *x, uint32_t epoch)
{
	struct epochs *e = &x->epochs;

	e->cnt = x->cnt / epoch + 1;
	e->start = mem_array(x->mem, e->cnt, sizeof(*e->start));
	if (!e->start)
		return -errno;
	/* mutant 2: equivalent because an epoch may begin anywhere */
	for (uint32_t i = 1; i < e->cnt; i++)
		e->start[i] = x->line.v[i * epoch < x->cnt ? i * epoch : x->cnt - 1].first;
	return 0;
}

int hx_index(struct hx *x, const struct wanted *w, size_t looks)
{
	struct build b = {.x = x, .w = w};
	/* mutant 15 17: equivalent because any number of buckets finds the same */
	uint32_t cell = 16;
	int err = cut_epochs(x, x->epoch);

	/* mutant <= ||: equivalent because any number of buckets finds the same */
	while (!err && cell < x->epoch && cell < looks / x->epochs.cnt)
		/* mutant 3: equivalent because any number of buckets finds the same */
		cell *= 2;
	if (!err)
		err = bins_init(&x->near, &x->epochs, x->cnt, cell, x->mem);
	if (!err)
		err = bins_init(&x->far, &x->epochs, x->cnt, cell, x->mem);
	for (uint32_t i = 0; !err && i < x->cnt; i++)
		err = put(&b, i);
	if (!err)
		err = stab_init(&x->thread, b.item, b.cnt,
				(size_t)HANDOFF_TYPE_CNT * x->g->tids.cnt, x->mem);
	vec_free(b.item, b.cap, sizeof(*b.item));
	return err;
}
