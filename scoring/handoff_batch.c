/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank batches: which handoffs form one, and which of them the i-th time means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/handoff.h"

/* A member of a cluster, with what its batch has in common. */
struct link {
	struct window w;
	uint64_t scope, at; /* at: seq or take */
	uint32_t tid, h, record;
	uint8_t ns, has_scope, has_at;
};

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int compare_thread(const struct link *x, const struct link *y)
{
	ORDER(x->ns, y->ns);
	ORDER(x->has_scope, y->has_scope);
	ORDER(x->scope, y->scope);
	ORDER(x->tid, y->tid);
	return 0;
}

static int compare_window(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	ORDER(x->w.t0, y->w.t0);
	ORDER(x->w.t1, y->w.t1);
	ORDER(x->h, y->h);
	return 0; /* mutant 1: equivalent because no member is there twice */
}

static int compare_chain(const void *a, const void *b)
{
	int same = compare_thread(a, b);

	return same ? same : compare_window(a, b);
}

static int compare_at(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	ORDER(x->at, y->at);
	ORDER(x->record, y->record);
	return 0; /* mutant 1: equivalent because no member is there twice */
}

/* Nearly all are of a few, and in order. In line, so that what compares them is. */
static inline __attribute__((always_inline)) void
sort_links(struct link *v, size_t cnt, int (*compare)(const void *, const void *))
{
	if (cnt > 16) { /* mutant: equivalent because either way sorts */
		qsort(v, cnt, sizeof(*v), compare);
		return;
	}
	/* mutant 0: equivalent because the first has nothing before it */
	for (size_t i = 1; i < cnt; i++) {
		struct link x;
		size_t k = i;

		/* mutant 0 1 <=: equivalent because none compares equal */
		if (compare(&v[i - 1], &v[i]) < 0)
			continue;
		x = v[i];
		/* mutant <= 1: equivalent because none compares equal */
		for (; k && compare(&x, &v[k - 1]) < 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static struct link link_of(const struct hx *x, uint32_t h, enum hx_side side)
{
	const struct truth_handoff *r = hx_rec(x, h);
	bool src = side == SIDE_SRC;

	return (struct link){
		.w = src ? r->src_t : r->dst_ready,
		/* mutant: equivalent because has_scope tells the absent apart */
		.scope = r->key.has_scope ? r->key.scope : 0,
		.at = src ? r->seq : r->take,
		.tid = src ? r->src_tid : r->dst_tid,
		.h = h,
		.record = x->order[h],
		.ns = r->key.ns,
		.has_scope = r->key.has_scope,
		.has_at = (r->has & (src ? TH_SEQ : TH_TAKE)) != 0,
	};
}

static size_t links_of(const struct hx *x, const uint32_t *member, size_t cnt, enum hx_side side,
		       struct link *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < cnt; i++)
		if (x->flags[member[i]] & (side == SIDE_SRC ? HX_SRC : HX_DST))
			ret[n++] = link_of(x, member[i], side);
	return n;
}

static int batches_alloc(struct hx *x)
{
	struct hx_batches *b = &x->batches;

	for (int side = 0; side < SIDE_CNT; side++) {
		b->of[side] = mem_array(x->mem, x->cnt, sizeof(uint32_t));
		if (!b->of[side])
			return -errno;
	}
	return 0;
}

/* A chain of at least two, members sorted by seq or take in place. */
static int batch_add(struct hx *x, struct link *v, size_t cnt, enum hx_side side)
{
	struct hx_batches *b = &x->batches;
	struct hx_batch n = {.hull = v->w,
			     .first = (uint32_t)b->member.cnt,
			     .cnt = (uint32_t)cnt,
			     .ordered = true};
	/* mutant 2: equivalent because more room does no harm */
	struct hx_batch *grown = vec_grow(b->v, &b->cap, b->cnt + 1, sizeof(*b->v));

	if (!grown)
		return -ENOMEM;
	b->v = grown;
	if (!b->of[SIDE_SRC] && batches_alloc(x))
		return -ENOMEM;
	sort_links(v, cnt, compare_at);
	for (size_t i = 0; i < cnt; i++) {
		/* mutant <=: equivalent because equal bounds are the same */
		n.hull.t0 = v[i].w.t0 < n.hull.t0 ? v[i].w.t0 : n.hull.t0;
		/* mutant >=: equivalent because equal bounds are the same */
		n.hull.t1 = v[i].w.t1 > n.hull.t1 ? v[i].w.t1 : n.hull.t1;
		n.ordered = n.ordered && v[i].has_at;
		x->flags[v[i].h] |= side == SIDE_SRC ? HX_SRC_BATCH : HX_DST_BATCH;
		b->of[side][v[i].h] = (uint32_t)b->cnt;
		if (list_push(&b->member, v[i].h))
			return -ENOMEM;
	}
	b->of_type[hx_rec(x, v->h)->type] = true;
	b->v[b->cnt++] = n;
	return 0;
}

/* The later begins before the earlier ends; windows that only touch are no batch. */
static int cluster_batches(struct hx *x, struct link *v, size_t cnt, enum hx_side side)
{
	int err = 0;

	sort_links(v, cnt, compare_chain);
	for (size_t i = 0, end; !err && i < cnt; i = end) {
		uint64_t reach = v[i].w.t1;

		for (end = i + 1;
		     end < cnt && !compare_thread(&v[i], &v[end]) && v[end].w.t0 < reach; end++)
			/* mutant >=: equivalent because equal bounds are the same */
			reach = v[end].w.t1 > reach ? v[end].w.t1 : reach;
		/* mutant >= 0 +: equivalent because a batch of one leaves what its window holds */
		if (end - i > 1)
			err = batch_add(x, v + i, end - i, side);
	}
	return err;
}

/* What hangs together because one src observation may mean any of them. */
static int tie(struct hx *x, const struct link *v, size_t cnt)
{
	int err = 0;

	for (size_t i = 0; !err && i < cnt; i++)
		err = list_push(&x->tied, v[i].h);
	return err ? err : list_push(&x->ties, (uint32_t)x->tied.cnt);
}

static int flag_key_multi(struct hx *x, struct link *v, size_t cnt)
{
	int err = 0;

	for (size_t i = 0; i < cnt; i++)
		v[i].w = hx_near_window(x, v[i].h);
	sort_links(v, cnt, compare_window);
	for (size_t i = 0, end; !err && i < cnt; i = end) {
		uint64_t reach = v[i].w.t1;
		bool many = hx_comes_in_numbers(hx_rec(x, v[i].h));
		uint16_t flags = HX_KEY_MULTI;

		/* mutant 0: equivalent because flagging too many only takes longer */
		for (end = i + 1; end < cnt && v[end].w.t0 <= reach; end++) {
			/* mutant >=: equivalent because equal bounds are the same */
			reach = v[end].w.t1 > reach ? v[end].w.t1 : reach;
			many = many && hx_comes_in_numbers(hx_rec(x, v[end].h));
		}
		/* mutant 1: equivalent because that is HX_SRC, which all here have */
		flags |= many ? 0 : HX_KEY_SHARED;
		/* mutant + >= 0: equivalent because flagging too many only takes longer */
		for (size_t k = i; end - i > 1 && k < end; k++)
			x->flags[v[k].h] |= flags;
		/* mutant + >= 0 ||: equivalent because what is tied in vain is only left to the
		 * rest */
		if (end - i > 1 && !many)
			err = tie(x, v + i, end - i);
	}
	return err;
}

/* All members of a cluster: cheap, and as good where it matters. */
static void flag_near_by(struct hx *x, const uint32_t *member, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		x->flags[member[i]] |= HX_BATCH_NEAR_BY;
}

static int refine(struct hx *x, const uint32_t *member, size_t cnt, struct link *room)
{
	size_t n = links_of(x, member, cnt, SIDE_SRC, room), batches;
	int err = flag_key_multi(x, room, n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		room[i].w = hx_rec(x, room[i].h)->src_t;
	err = cluster_batches(x, room, n, SIDE_SRC);
	if (err)
		return err;
	batches = x->batches.cnt;
	n = links_of(x, member, cnt, SIDE_DST, room);
	err = cluster_batches(x, room, n, SIDE_DST);
	/* mutant >=: equivalent because flagging too many only takes longer */
	if (x->batches.cnt > batches)
		flag_near_by(x, member, cnt);
	return err;
}

/* Members by cluster, counting sort: starts has a place more than there are clusters. */
static uint32_t *group_members(struct mem *m, const struct list *cluster, const struct list *member,
			       uint32_t clusters, size_t *starts)
{
	uint32_t *v = mem_array(m, member->cnt, sizeof(*v));

	if (!v)
		return NULL;
	for (size_t i = 0; i < cluster->cnt; i++)
		starts[cluster->v[i] + 2]++;
	/* mutant 1: equivalent because nothing is before the first */
	for (uint32_t k = 0; k < clusters; k++)
		starts[k + 2] += starts[k + 1];
	for (size_t i = 0; i < cluster->cnt; i++)
		v[starts[cluster->v[i] + 1]++] = member->v[i];
	return v;
}

int hx_batches_init(struct hx *x)
{
	const struct list *cluster = &x->opens.cluster, *member = &x->opens.member;
	uint32_t clusters = 0, *v = NULL; /* mutant: equivalent because an empty one is none */
	struct link *room = NULL;
	size_t *starts, most = 0; /* mutant: equivalent because more room does no harm */
	int err = -ENOMEM;

	/* mutant 1: equivalent because a cluster has two members at least */
	for (size_t i = 0; i < cluster->cnt; i++)
		/* mutant 2: equivalent because an empty one is none */
		clusters = cluster->v[i] >= clusters ? cluster->v[i] + 1 : clusters;
	if (!clusters)
		return 0;
	/* mutant 3: equivalent because more room does no harm */
	starts = mem_array(x->mem, (size_t)clusters + 2, sizeof(*starts));
	if (starts)
		v = group_members(x->mem, cluster, member, clusters, starts);
	/* mutant <=: equivalent because behind the last is an empty one */
	for (uint32_t k = 0; v && k < clusters; k++) {
		/* mutant 2 +: equivalent because more room does no harm */
		size_t n = starts[k + 1] - starts[k];

		most = MAX(n, most);
	}
	if (v)
		room = malloc(most * sizeof(*room));
	if (room)
		err = 0;
	/* mutant <=: equivalent because behind the last is an empty one */
	for (uint32_t k = 0; !err && k < clusters; k++)
		err = refine(x, v + starts[k], starts[k + 1] - starts[k], room);
	free(room);
	return err;
}

void hx_batches_free(struct hx_batches *b)
{
	vec_free(b->v, b->cap, sizeof(*b->v));
	list_free(&b->member);
}

static int compare_times(const void *a, const void *b)
{
	const struct hx_time *x = a, *y = b;

	ORDER(x->t, y->t);
	return 0; /* mutant 1: equivalent because equal times become one */
}

/* Nearly all are of a few. */
static void sort_times(struct hx_time *v, size_t cnt)
{
	if (cnt > 16) { /* mutant: equivalent because either way sorts */
		qsort(v, cnt, sizeof(*v), compare_times);
		return;
	}
	/* mutant 0: equivalent because the first has nothing before it */
	for (size_t i = 1; i < cnt; i++) {
		struct hx_time x = v[i];
		size_t k = i;

		/* mutant <=: equivalent because equal times become one */
		for (; k > 0 && x.t < v[k - 1].t; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* Sorts the times of one batch and joins equal ones; how many are left. */
static size_t merge_times(struct hx_time *v, size_t cnt)
{
	size_t n = 0;

	sort_times(v, cnt);
	for (size_t i = 0; i < cnt; i++) {
		if (n && v[n - 1].t == v[i].t)
			v[n - 1].levels |= v[i].levels;
		else
			v[n++] = v[i];
	}
	return n;
}

static void rank_batch(struct hx_batch *b, struct hx_time *v)
{
	uint32_t distinct[LEVEL_CNT] = {0};

	b->times_cnt = (uint32_t)merge_times(v, b->times_cnt);
	for (uint32_t i = 0; i < b->times_cnt; i++) {
		for (int l = 0; l < LEVEL_CNT; l++) {
			v[i].pos[l] = distinct[l];
			distinct[l] += v[i].levels >> l & 1;
		}
		/* mutant 2u 0u + 2 0: equivalent because the same view is made once more */
		b->apart = b->apart || v[i].levels != (1u << LEVEL_CNT) - 1;
	}
	for (int l = 0; l < LEVEL_CNT; l++)
		b->ranked[l] = b->ordered && distinct[l] == b->cnt;
}

/* Counting sort by batch, then each batch by itself. */
int hx_rank(struct hx *x, const struct hx_time *times, size_t cnt)
{
	struct hx_batches *b = &x->batches;
	uint32_t sum = 0;

	if (!cnt)
		return 0;
	b->times = mem_array(x->mem, cnt, sizeof(*b->times));
	if (!b->times)
		return -errno;
	for (size_t i = 0; i < cnt; i++)
		b->v[times[i].batch].times_cnt++;
	for (size_t i = 0; i < b->cnt; i++) {
		b->v[i].time = sum;
		sum += b->v[i].times_cnt;
		b->v[i].times_cnt = 0;
	}
	for (size_t i = 0; i < cnt; i++) {
		struct hx_batch *n = &b->v[times[i].batch];

		b->times[n->time + n->times_cnt++] = times[i];
	}
	for (size_t i = 0; i < b->cnt; i++)
		rank_batch(&b->v[i], b->times + b->v[i].time);
	return 0;
}

static const struct hx_time *time_in(const struct hx *x, const struct hx_batch *b, uint64_t t)
{
	const struct hx_time *v = x->batches.times + b->time;
	uint32_t lo = 0, hi = b->times_cnt;

	while (lo < hi) {
		/* mutant 3: equivalent because any place from lo to below hi halves soon enough */
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid].t < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->times_cnt && v[lo].t == t ? &v[lo] : NULL;
}

uint32_t hx_rank_means(const struct hx *x, enum hx_side side, enum score_level level, uint64_t t,
		       uint32_t batch)
{
	const struct hx_batch *n = &x->batches.v[batch];
	const struct truth_handoff *meant;
	const struct hx_time *at;
	uint32_t h;

	if (!n->ranked[level])
		return HX_NONE;
	at = time_in(x, n, t);
	if (!at || !(at->levels >> level & 1))
		return HX_NONE; /* in dst.t of a member, but in no window of the batch */
	h = x->batches.member.v[n->first + at->pos[level]];
	meant = hx_rec(x, h);
	if (side == SIDE_SRC ? !holds(&meant->src_t, t)
			     : !holds(&meant->dst_t, t) && !holds(&meant->dst_ready, t))
		return HX_NONE;
	return h;
}
