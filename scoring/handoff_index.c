/* SPDX-License-Identifier: BSD-2-Clause */
/* Truth, indexed for look-ups by key and time and by thread and time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/handoff.h"
#include "scoring/handoff_open.h"

enum { EPOCH_DEFAULT = 8192 };

/* From the first moment at which the handoff can be sent to the last at which it is received. */
static struct window life_of(const struct hx *x, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	struct window w = x->flags[h] & HX_SRC ? r->src_t : r->dst_ready;

	if ((x->flags[h] & HX_BOTH) == HX_BOTH) {
		w.t0 = r->dst_ready.t0 < w.t0 ? r->dst_ready.t0 : w.t0;
		w.t1 = r->dst_ready.t1 > w.t1 ? r->dst_ready.t1 : w.t1;
	}
	return w;
}

struct window hx_near_window(const struct hx *x, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	struct window w = r->src_t;

	if (has_identity(r->type) && (x->flags[h] & HX_DST) && r->dst_ready.t1 > w.t1)
		w.t1 = r->dst_ready.t1;
	return w;
}

static struct window far_window(const struct truth_handoff *r)
{
	return (struct window){
		.t0 = r->dst_t.t0 < r->dst_ready.t0 ? r->dst_t.t0 : r->dst_ready.t0,
		.t1 = r->dst_t.t1 > r->dst_ready.t1 ? r->dst_t.t1 : r->dst_ready.t1,
	};
}

static void count_totals(struct hx_totals *s, const struct truth_handoff *r, bool both)
{
	s->types |= 1u << r->type;
	s->marks |= r->marks;
	if (!both) {
		s->one_ended++;
		return;
	}
	s->two_ended++;
	s->type[r->type]++;
	for (unsigned m = r->marks; m; m &= m - 1)
		s->mark[__builtin_ctz(m)]++;
}

static uint8_t flags_of(const struct truth *t, const struct truth_handoff *r)
{
	uint8_t f = 0;

	if ((r->has & TH_SRC) && within(&t->scored, &r->src_t))
		f |= HX_SRC;
	if ((r->has & TH_DST) && within(&t->scored, &r->dst_t))
		f |= HX_DST;
	if (space_listed(t, r->key.ns))
		f |= HX_KEY;
	return f;
}

/* Flags and totals of all handoffs; says whether truth comes in order of first time. */
static bool survey(struct hx *x)
{
	uint64_t last = 0;
	bool sorted = true;

	for (uint32_t h = 0; h < x->cnt; h++) {
		const struct truth_handoff *r = &x->t->handoffs[h];
		uint64_t first;

		x->flags[h] = flags_of(x->t, r);
		if (!(x->flags[h] & HX_BOTH))
			continue;
		(x->flags[h] & HX_KEY ? x->keyed : x->keyless)[r->type] = true;
		count_totals(&x->totals, r, (x->flags[h] & HX_BOTH) == HX_BOTH);
		first = life_of(x, h).t0;
		sorted = sorted && last <= first;
		last = first;
	}
	return sorted;
}

struct dated {
	uint64_t t;
	uint32_t h;
};

static int compare_dated(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (x->h > y->h) - (x->h < y->h);
}

static int sort_order(struct hx *x)
{
	struct dated *v = malloc(((size_t)x->cnt + 1) * sizeof(*v));

	x->order = mem_array(x->mem, x->cnt, sizeof(*x->order));
	if (!v || !x->order) {
		free(v);
		return -ENOMEM;
	}
	for (uint32_t h = 0; h < x->cnt; h++)
		v[h] = (struct dated){.t = life_of(x, h).t0, .h = h};
	qsort(v, x->cnt, sizeof(*v), compare_dated);
	for (uint32_t i = 0; i < x->cnt; i++)
		x->order[i] = v[i].h;
	free(v);
	return 0;
}

static uint32_t in_order(const struct hx *x, uint32_t i)
{
	return x->order ? x->order[i] : i;
}

/* An epoch begins where every epoch'th handoff does. Handoffs without an end have no first time
 * and are passed over. */
static int cut_epochs(struct hx *x, uint32_t epoch)
{
	struct epochs *e = &x->epochs;
	uint64_t last = 0;

	e->cnt = x->cnt / epoch + 1;
	e->start = mem_array(x->mem, e->cnt, sizeof(*e->start));
	if (!e->start)
		return -errno;
	for (uint32_t i = 1; i < e->cnt; i++) {
		uint32_t h = in_order(x, i * epoch);

		if (i * epoch < x->cnt && (x->flags[h] & HX_BOTH) && life_of(x, h).t0 > last)
			last = life_of(x, h).t0;
		e->start[i] = last;
	}
	return 0;
}

/* One handoff with a comparable key goes into the bins and into the clusters of its value. */
static int put_keyed(struct hx *x, struct opens *o, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint32_t tag = key_tag(r->type, r->key.v);
	struct window w;

	if (x->flags[h] & HX_SRC) {
		w = hx_near_window(x, h);
		bins_put(&x->near, &w, tag, h);
	}
	if (x->flags[h] & HX_DST) {
		w = far_window(r);
		bins_put(&x->far, &w, tag, h);
	}
	w = life_of(x, h);
	return opens_put(o, r->type, r->key.v, tag, &w, h);
}

static int index_keyed(struct hx *x, uint32_t epoch)
{
	struct opens o = {0};
	int err = bins_init(&x->near, &x->epochs, x->cnt, epoch, x->mem);

	if (!err)
		err = bins_init(&x->far, &x->epochs, x->cnt, epoch, x->mem);
	if (!err)
		err = opens_init(&o);
	for (uint32_t i = 0; !err && i < x->cnt; i++) {
		uint32_t h = in_order(x, i);

		if ((x->flags[h] & HX_KEY) && (x->flags[h] & HX_BOTH))
			err = put_keyed(x, &o, h);
	}
	if (!err)
		err = hx_batches_init(x, &o.cluster, &o.member);
	opens_free(&o);
	return err;
}

enum tid_window { BY_SRC, BY_DST, BY_READY };

static bool tid_item(const struct hx *x, uint32_t h, enum tid_window what, struct stab_item *ret)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint32_t place = tids_place(&x->tids, what == BY_SRC ? r->src_tid : r->dst_tid);

	if (!(x->flags[h] & (what == BY_SRC ? HX_SRC : HX_DST)) || !(x->by_tid >> r->type & 1) ||
	    place == UINT32_MAX)
		return false;
	*ret = (struct stab_item){
		.w = what == BY_SRC   ? r->src_t
		     : what == BY_DST ? r->dst_t
				      : r->dst_ready,
		.group = group_of(&x->tids, r->type, place),
		.id = h,
	};
	return true;
}

static int index_by_tid(struct hx *x, struct stab *s, enum tid_window what)
{
	struct stab_item *items, it;
	size_t cnt = 0, n = 0;
	int err;

	for (uint32_t h = 0; h < x->cnt; h++)
		cnt += tid_item(x, h, what, &it);
	items = malloc((cnt + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (uint32_t h = 0; h < x->cnt; h++)
		n += tid_item(x, h, what, &items[n]);
	err = stab_init(s, items, cnt, (size_t)HANDOFF_TYPE_CNT * x->tids.cnt, x->mem);
	free(items);
	return err;
}

/* Chains of src windows that share a moment: of such handoffs one src observation may mean any. */
static void flag_tid_multi(struct hx *x)
{
	const struct stab *s = &x->src;

	for (size_t g = 0; g < (size_t)HANDOFF_TYPE_CNT * x->tids.cnt; g++) {
		size_t reach = s->first[g]; /* place of the latest end so far */

		for (size_t i = s->first[g] + 1; i < s->first[g + 1]; i++) {
			if (s->v[i].w.t0 <= s->v[reach].w.t1) {
				x->flags[s->v[i].id] |= HX_TID_MULTI;
				x->flags[s->v[reach].id] |= HX_TID_MULTI;
			}
			if (s->v[i].w.t1 > s->v[reach].w.t1)
				reach = i;
		}
	}
}

static int index_keyless(struct hx *x, uint32_t keyless_claims)
{
	int err;

	x->by_tid = keyless_claims;
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		x->by_tid |= (uint32_t)x->keyless[i] << i;
	x->by_tid &= x->totals.types;
	if (!x->by_tid)
		return 0;
	err = index_by_tid(x, &x->src, BY_SRC);
	if (!err)
		err = index_by_tid(x, &x->dst, BY_DST);
	if (!err)
		err = index_by_tid(x, &x->ready, BY_READY);
	if (!err)
		flag_tid_multi(x);
	return err;
}

static int compare_amb(const void *a, const void *b, void *arg)
{
	const struct truth_handoff *v = arg;
	const struct truth_handoff *x = &v[*(const uint32_t *)a], *y = &v[*(const uint32_t *)b];

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->amb != y->amb)
		return x->amb < y->amb ? -1 : 1;
	return (x > y) - (x < y);
}

static int index_amb(struct hx *x)
{
	struct list l = {0};
	int err = 0;

	for (uint32_t h = 0; !err && h < x->cnt; h++)
		if ((x->t->handoffs[h].has & TH_AMB) && (x->flags[h] & HX_BOTH)) {
			x->amb.of_type[x->t->handoffs[h].type] = true;
			err = list_push(&l, h);
		}
	if (l.cnt)
		qsort_r(l.v, l.cnt, sizeof(*l.v), compare_amb, (void *)x->t->handoffs);
	x->amb.v = l.v;
	x->amb.cnt = l.cnt;
	return err;
}

int hx_init(struct hx *x, const struct truth *t, const struct hx_options *o, struct mem *mem)
{
	uint32_t epoch = o->epoch ? o->epoch : EPOCH_DEFAULT;
	int err;

	*x = (struct hx){.t = t, .cnt = (uint32_t)t->handoffs_cnt, .mem = mem};
	if (t->handoffs_cnt >= UINT32_MAX / 2)
		return -E2BIG;
	x->flags = mem_array(mem, x->cnt, 1);
	err = x->flags ? tids_init(&x->tids, t) : -ENOMEM;
	if (!err && !survey(x))
		err = sort_order(x);
	if (!err)
		err = cut_epochs(x, epoch);
	if (!err)
		err = index_keyed(x, epoch);
	if (!err)
		err = index_keyless(x, o->keyless);
	if (!err)
		err = index_amb(x);
	return err ? err : decoys_init(x);
}

void hx_free(struct hx *x)
{
	tids_free(&x->tids);
	hx_batches_free(&x->batches);
	free(x->amb.v);
}
