/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw logs to truth: reads every slot in its order, joins the ends of handoffs by id, and puts the
 * records in the order of their first time.
 */
#include "groundtruth/collect_join.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char broken_cure[] = "this run is broken: repeat it; if it stays so, the workload's "
				  "recording is at fault";

/* ---- is there anything to read? ---- */

static int check_slot(struct collect *x, unsigned i)
{
	const struct log_slot *s = x->c->slots[i].shared;
	static const char more[] = "give the channel more records, or run fewer operations";

	if (!s->tid)
		return diag_set(x->d, -EINVAL, "", 0, broken_cure,
				"missing log: slot %u was claimed by a thread that left no id", i);
	if (s->trouble & LOG_TROUBLE_FULL)
		return diag_set(x->d, -EINVAL, "", 0, more,
				"full log: thread %u had no room after %llu records", s->tid,
				(unsigned long long)s->cnt);
	if (s->trouble & LOG_TROUBLE_TOKENS)
		return diag_set(x->d, -EINVAL, "", 0, more, "thread %u ran out of dealt tokens",
				s->tid);
	if (s->trouble)
		return diag_set(x->d, -EINVAL, "", 0, broken_cure,
				"thread %u recorded a figure that does not fit 32 bits, or a "
				"handoff as consumed before it was received",
				s->tid);
	if (s->cnt > x->c->slots[i].recs_cap)
		return diag_set(x->d, -EINVAL, "", 0, broken_cure,
				"torn log: thread %u says %llu records where %llu fit", s->tid,
				(unsigned long long)s->cnt,
				(unsigned long long)x->c->slots[i].recs_cap);
	return 0;
}

static int check_channel(struct collect *x)
{
	const struct log_channel *map = x->c->map;
	int err = 0;

	/* pairs with the release in recorder_unmap */
	if (__atomic_load_n(&map->closed, __ATOMIC_ACQUIRE) != LOG_MAGIC)
		return diag_set(x->d, -EINVAL, "", 0,
				"look in the cell's log for how the workload ended",
				"no close block: the workload did not reach its end");
	if (map->slots_next > x->c->slots_cnt)
		return diag_set(x->d, -EINVAL, "", 0, "give the channel more slots",
				"missing log: %u threads wanted to record, %u slots were dealt",
				map->slots_next, x->c->slots_cnt);
	x->slots_used = map->slots_next;
	for (unsigned i = 0; !err && i < x->slots_used; i++)
		err = check_slot(x, i);
	return err;
}

/* Every token that a record may carry, and whether it is a decoy's. */
static int learn_tokens(struct collect *x)
{
	for (unsigned i = 0; i < x->slots_used; i++) {
		const struct channel_slot *s = &x->c->slots[i];
		uint32_t was;
		int err = 0;

		for (uint64_t k = 0; err >= 0 && k < s->tokens_cap && !s->tokens_now[k]; k++)
			err = idmap_put(&x->tokens, s->tokens[k], TOKEN_DEALT, &was);
		for (uint64_t k = 0; err >= 0 && k < s->decoys_cap; k++)
			err = idmap_put(&x->tokens, s->decoys[k].token, TOKEN_DECOY, &was);
		if (err < 0)
			return collect_fault(x, err);
	}
	return 0;
}

/* ---- order ---- */

static int by_time(const void *a, const void *b)
{
	const struct collect_item *p = a, *q = b;

	if (p->t != q->t)
		return p->t < q->t ? -1 : 1;
	return p->tie < q->tie ? -1 : p->tie > q->tie;
}

/* Handoffs join the other records only now that all their ends are known. */
static int place_handoffs(struct collect *x)
{
	int err = 0;

	for (size_t i = 0; !err && i < x->pending_cnt; i++) {
		const struct collect_pending *p = &x->pending[i];
		uint64_t t = p->h.has & TH_SRC ? p->h.src_t.t0 : p->h.dst_ready.t0;

		err = collect_place(x, t, RANK_HANDOFF, p->slot, p->rec, (uint32_t)i);
	}
	return err;
}

static int build_records(struct collect *x)
{
	int err = 0;

	if (x->items_cnt)
		qsort(x->items, x->items_cnt, sizeof(*x->items), by_time);
	for (size_t i = 0; !err && i < x->items_cnt; i++)
		err = collect_emit(x, &x->items[i]);
	return err;
}

/* ---- header and close ---- */

static int build_threads(struct collect *x)
{
	struct idmap seen = {0};
	int err = 0;

	for (unsigned i = 0; err >= 0 && i < x->slots_used; i++) {
		uint32_t tid = x->c->slots[i].shared->tid, was, *to;

		err = idmap_put(&seen, tid, 0, &was);
		if (err)
			continue;
		to = truth_build_add(&x->b, ARRAY_THREADS);
		if (to)
			*to = tid;
		else
			err = -errno;
	}
	idmap_free(&seen);
	return err < 0 ? collect_fault(x, err) : 0;
}

static int build_keys(struct collect *x)
{
	for (unsigned ns = KEY_NONE + 1; ns < KEY_OTHER; ns++) {
		int64_t word;
		uint32_t *to;

		if (!(x->c->map->keys & 1u << ns) || (ns == KEY_WORK && !x->info->work_items_cnt))
			continue;
		word = truth_build_str(&x->b, key_ns_name(ns), strlen(key_ns_name(ns)));
		to = truth_build_add(&x->b, ARRAY_KEYS);
		if (word < 0 || !to)
			return collect_fault(x, -ENOMEM);
		*to = (uint32_t)word;
		x->b.t.keys |= 1u << ns;
	}
	return 0;
}

static int build_descriptors(struct collect *x)
{
	for (size_t i = 0; i < x->info->descriptors_cnt; i++) {
		const struct collect_descriptor *from = &x->info->descriptors[i];
		int64_t word = truth_build_str(&x->b, from->resource, strlen(from->resource));
		struct truth_descriptor *to = truth_build_add(&x->b, ARRAY_DESCRIPTORS);

		if (word < 0 || !to)
			return collect_fault(x, -ENOMEM);
		to->id = from->id;
		to->resource_str = (uint32_t)word;
		to->valid = from->valid;
		to->has_since = from->has_since;
		to->since = from->since;
		to->has_contradicted = from->has_contradicted;
		to->contradicted = from->has_contradicted ? from->contradicted : 0;
	}
	return 0;
}

static int build_header(struct collect *x)
{
	const struct collect_info *info = x->info;
	int64_t workload = truth_build_str(&x->b, info->workload, strlen(info->workload));
	int64_t variant = truth_build_str(&x->b, info->variant, strlen(info->variant));
	int err;

	if (workload < 0 || variant < 0)
		return collect_fault(x, -ENOMEM);
	x->b.t.workload_str = (uint32_t)workload;
	x->b.t.variant_str = (uint32_t)variant;
	x->b.t.seed = info->seed;
	x->b.t.scored = info->scored;
	err = build_threads(x);
	if (!err)
		err = build_keys(x);
	return err ? err : build_descriptors(x);
}

static int build_close(struct collect *x)
{
	const struct log_channel *map = x->c->map;
	struct truth_counts counts = {.begin = map->count_begin,
				      .end = map->count_end,
				      .segment = map->count_segment,
				      .handoff = map->count_handoff,
				      .event = map->count_event};
	int err = truth_build_close(&x->b, &counts, false);

	return err ? collect_fault(x, err) : 0;
}

/* ---- all of it ---- */

static int collect_run(struct collect *x)
{
	int err = check_channel(x);

	if (!err)
		err = learn_tokens(x);
	if (!err)
		err = build_header(x);
	for (unsigned i = 0; !err && i < x->slots_used; i++)
		err = collect_slot(x, i);
	if (!err)
		err = collect_finish_handoffs(x);
	if (!err)
		err = place_handoffs(x);
	if (!err)
		err = build_records(x);
	if (!err)
		err = collect_costs(x);
	if (!err)
		err = collect_functions(x);
	if (!err)
		err = collect_threads(x);
	return err ? err : build_close(x);
}

int channel_collect(const struct channel *c, const struct collect_info *info, struct truth *ret,
		    struct diag *d)
{
	struct collect x = {.c = c, .info = info, .d = d};
	int err = truth_build_init(&x.b);

	if (err)
		return diag_set(d, err, "", 0, NULL, "out of memory");
	err = collect_run(&x);
	if (!err)
		truth_build_finish(&x.b, ret);
	else
		truth_build_discard(&x.b);
	idmap_free(&x.tokens);
	idmap_free(&x.handoffs);
	free(x.pending);
	free(x.items);
	free(x.waiting);
	free(x.late);
	free(x.known);
	return err;
}

int collect_fault(struct collect *x, int err)
{
	return diag_set(x->d, err, "", 0,
			err == -E2BIG ? "run fewer operations" : "free some memory",
			"cannot hold the truth of this run: %s", strerror(-err));
}

int collect_name_key(const struct collect *x, struct truth_key *k)
{
	if (k->ns != KEY_WORK)
		return 0;
	if (!x->info->work_items_cnt) {
		*k = (struct truth_key){.ns = KEY_NONE};
		return 0;
	}
	if (k->v - 1 >= x->info->work_items_cnt)
		return -EINVAL;
	k->v = x->info->work_items[k->v - 1];
	return 0;
}

int collect_place(struct collect *x, uint64_t t, enum collect_rank rank, unsigned slot,
		  uint64_t rec, uint32_t index)
{
	struct collect_item *it =
		collect_more(&x->items, &x->items_cnt, &x->items_cap, sizeof(*x->items));

	assert(slot < 1u << 16 && rec < UINT64_C(1) << 40);
	if (!it)
		return collect_fault(x, -ENOMEM);
	it->t = t;
	it->tie = (uint64_t)rank << 56 | (uint64_t)slot << 40 | rec;
	it->index = index;
	return 0;
}

void *collect_more(void *list, size_t *cnt, size_t *cap, size_t size)
{
	void *v;

	memcpy(&v, list, sizeof(v));
	if (*cnt == *cap) {
		size_t wanted = *cap ? *cap * 2 : 64;

		v = realloc(v, wanted * size);
		if (!v)
			return NULL;
		memcpy(list, &v, sizeof(v));
		*cap = wanted;
	}
	return memset((char *)v + (*cnt)++ * size, 0, size);
}
