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
static int put_keyed(struct hx *x, struct opens *o, uint32_t h, uint32_t hint)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint32_t tag = key_tag(r->type, r->key.v);
	struct window w;

	if (x->flags[h] & HX_SRC) {
		w = hx_near_window(x, h);
		bins_put(&x->near, &w, tag, h, hint);
	}
	if (x->flags[h] & HX_DST) {
		w = far_window(r);
		bins_put(&x->far, &w, tag, h, hint);
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
			err = put_keyed(x, &o, h, i / epoch);
	}
	if (!err)
		err = hx_batches_init(x, &o.cluster, &o.member);
	opens_free(&o);
	return err;
}

enum { BY_SRC, BY_DST, BY_READY, BY_CNT };

/* The items of a handoff in the three tables; group UINT32_MAX: none. */
static void tid_items(const struct hx *x, uint32_t h, struct stab_item *it)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint32_t src = HX_NONE, dst = HX_NONE;

	if ((x->by_tid >> r->type & 1) && (x->flags[h] & HX_SRC))
		src = tids_place(&x->tids, r->src_tid);
	if ((x->by_tid >> r->type & 1) && (x->flags[h] & HX_DST))
		dst = tids_place(&x->tids, r->dst_tid);
	src = src == HX_NONE ? src : group_of(&x->tids, r->type, src);
	dst = dst == HX_NONE ? dst : group_of(&x->tids, r->type, dst);
	it[BY_SRC] = (struct stab_item){.w = r->src_t, .group = src, .id = h};
	it[BY_DST] = (struct stab_item){.w = r->dst_t, .group = dst, .id = h};
	it[BY_READY] = (struct stab_item){.w = r->dst_ready, .group = dst, .id = h};
}

static int alloc_by_tid(struct hx *x, struct stab *const s[BY_CNT], size_t groups)
{
	size_t *cnt = calloc(2 * groups + 1, sizeof(*cnt));
	struct stab_item it[BY_CNT];
	int err;

	if (!cnt)
		return -ENOMEM;
	for (uint32_t h = 0; h < x->cnt; h++) {
		tid_items(x, h, it);
		if (it[BY_SRC].group != HX_NONE)
			cnt[it[BY_SRC].group]++;
		if (it[BY_DST].group != HX_NONE)
			cnt[groups + it[BY_DST].group]++;
	}
	err = stab_alloc(s[BY_SRC], cnt, groups, x->mem);
	if (!err)
		err = stab_alloc(s[BY_DST], cnt + groups, groups, x->mem);
	if (!err)
		err = stab_alloc(s[BY_READY], cnt + groups, groups, x->mem);
	free(cnt);
	return err;
}

static int index_by_tid(struct hx *x)
{
	struct stab *const s[BY_CNT] = {&x->src, &x->dst, &x->ready};
	size_t groups = (size_t)HANDOFF_TYPE_CNT * x->tids.cnt;
	struct stab_item it[BY_CNT];
	int err = alloc_by_tid(x, s, groups);

	for (uint32_t h = 0; !err && h < x->cnt; h++) {
		tid_items(x, h, it);
		for (int i = 0; i < BY_CNT; i++)
			if (it[i].group != HX_NONE)
				stab_put(s[i], &it[i]);
	}
	for (int i = 0; !err && i < BY_CNT; i++)
		err = stab_finish(s[i], groups, x->mem);
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

static int index_keyless(struct hx *x, uint32_t keyless_claims)
{
	int err;

	x->by_tid = keyless_claims;
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		x->by_tid |= (uint32_t)x->keyless[i] << i;
	x->by_tid &= x->totals.types;
	if (!x->by_tid)
		return 0;
	err = index_by_tid(x);
	if (!err)
		flag_tid_shared(x);
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
