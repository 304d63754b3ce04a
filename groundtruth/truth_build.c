/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage of truth: its arrays as a table, and the builder that fills them. */
#include "groundtruth/truth_build.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARRAY(member)                                                                              \
	{                                                                                          \
		sizeof(*(struct truth){0}.member), offsetof(struct truth, member),                 \
			offsetof(struct truth, member##_cnt)                                       \
	}

static const struct {
	size_t size, ptr_off, cnt_off;
} arrays[ARRAY_CNT] = {
	[ARRAY_THREADS] = ARRAY(threads),
	[ARRAY_KEYS] = ARRAY(key_strs),
	[ARRAY_DESCRIPTORS] = ARRAY(descriptors),
	[ARRAY_OPS] = ARRAY(ops),
	[ARRAY_SEGMENTS] = ARRAY(segments),
	[ARRAY_HANDOFFS] = ARRAY(handoffs),
	[ARRAY_EVENTS] = ARRAY(events),
	[ARRAY_EFFECTS] = ARRAY(effects),
	[ARRAY_COSTS] = ARRAY(costs),
	[ARRAY_LOSSES] = ARRAY(losses),
	[ARRAY_LIVES] = ARRAY(lives),
	[ARRAY_DIAGNOSES] = ARRAY(diagnoses),
	[ARRAY_DECOYS] = ARRAY(decoys),
	[ARRAY_ORDER] = ARRAY(order),
};

size_t truth_array_size(enum truth_array a)
{
	return arrays[a].size;
}

const void *truth_array_get(const struct truth *t, enum truth_array a, size_t *ret_cnt)
{
	const void *v;

	memcpy(&v, (const char *)t + arrays[a].ptr_off, sizeof(v));
	memcpy(ret_cnt, (const char *)t + arrays[a].cnt_off, sizeof(*ret_cnt));
	return v;
}

void truth_array_set(struct truth *t, enum truth_array a, const void *v, size_t cnt)
{
	memcpy((char *)t + arrays[a].ptr_off, &v, sizeof(v));
	memcpy((char *)t + arrays[a].cnt_off, &cnt, sizeof(cnt));
}

void truth_store_free(struct truth_store *s)
{
	if (!s)
		return;
	for (unsigned a = 0; a < ARRAY_CNT; a++)
		free(s->arrays[a]);
	if (s->map)
		munmap(s->map, s->map_len);
	strtab_free(s->strings);
	free(s);
}

void truth_free(struct truth *t)
{
	if (!t)
		return;
	truth_store_free(t->priv);
	*t = (struct truth){0};
}

int truth_build_init(struct truth_build *b)
{
	memset(b, 0, sizeof(*b));
	b->store = calloc(1, sizeof(*b->store));
	if (!b->store)
		return -ENOMEM;
	b->store->strings = strtab_new();
	if (b->store->strings)
		return 0;
	truth_build_discard(b);
	return -ENOMEM;
}

void truth_build_discard(struct truth_build *b)
{
	truth_store_free(b->store);
	idmap_free(&b->ops);
	memset(b, 0, sizeof(*b));
}

static int build_grow(struct truth_build *b, enum truth_array a)
{
	size_t cap = b->cap[a] ? b->cap[a] * 2 : 16;
	void *v;

	if (b->cnt[a] >> TRUTH_INDEX_BITS && a != ARRAY_ORDER)
		return -E2BIG;
	v = realloc(b->store->arrays[a], cap * arrays[a].size);
	if (!v)
		return -ENOMEM;
	b->store->arrays[a] = v;
	b->cap[a] = cap;
	return 0;
}

void *truth_build_add(struct truth_build *b, enum truth_array a)
{
	int err = b->cnt[a] < b->cap[a] ? 0 : build_grow(b, a);
	void *element;

	if (err) {
		errno = -err;
		return NULL;
	}
	element = (char *)b->store->arrays[a] + b->cnt[a]++ * arrays[a].size;
	return memset(element, 0, arrays[a].size);
}

static int build_order(struct truth_build *b, enum truth_record r, size_t index)
{
	uint32_t *o = truth_build_add(b, ARRAY_ORDER);

	if (!o)
		return -errno;
	*o = (uint32_t)r << TRUTH_INDEX_BITS | (uint32_t)index;
	return 0;
}

int truth_build_record(struct truth_build *b, enum truth_array a, enum truth_record r,
		       const void *element)
{
	void *to = truth_build_add(b, a);

	if (!to)
		return -errno;
	memcpy(to, element, arrays[a].size);
	return build_order(b, r, b->cnt[a] - 1);
}

/*
 * The operation that a begin or end record completes: the last one of that id, unless it has that
 * half already. Then the file names an id twice, and the self-checks find two operations.
 */
static struct truth_op *build_op(struct truth_build *b, uint64_t id, bool end, uint32_t *ret_index)
{
	uint32_t index, fresh = (uint32_t)b->cnt[ARRAY_OPS];
	struct truth_op *op = NULL;
	int known = idmap_put(&b->ops, id, fresh, &index);

	if (known < 0) {
		errno = ENOMEM;
		return NULL;
	}
	if (known)
		op = (struct truth_op *)b->store->arrays[ARRAY_OPS] + index;
	if (!op || (end ? op->has_end : op->has_begin)) {
		index = fresh;
		op = truth_build_add(b, ARRAY_OPS);
	}
	*ret_index = index;
	return op;
}

int truth_build_begin(struct truth_build *b, const struct truth_op *half)
{
	uint32_t index;
	struct truth_op *op = build_op(b, half->id, false, &index);

	if (!op)
		return -errno;
	op->id = half->id;
	op->begin = half->begin;
	op->kind_str = half->kind_str;
	op->begin_tid = half->begin_tid;
	op->has_begin = 1;
	return build_order(b, REC_BEGIN, index);
}

int truth_build_end(struct truth_build *b, const struct truth_op *half)
{
	uint32_t index;
	struct truth_op *op = build_op(b, half->id, true, &index);

	if (!op)
		return -errno;
	op->id = half->id;
	op->end = half->end;
	op->end_tid = half->end_tid;
	op->open = half->open;
	op->has_end = 1;
	return build_order(b, REC_END, index);
}

int truth_build_close(struct truth_build *b, const struct truth_counts *counts, bool full)
{
	b->t.closed = true;
	b->t.full = full;
	b->t.counts = *counts;
	return build_order(b, REC_CLOSE, 0);
}

int64_t truth_build_str(struct truth_build *b, const char *s, size_t len)
{
	return strtab_intern(b->store->strings, s, len);
}

void truth_build_finish(struct truth_build *b, struct truth *ret)
{
	for (unsigned a = 0; a < ARRAY_CNT; a++)
		truth_array_set(&b->t, a, b->store->arrays[a], b->cnt[a]);
	b->t.strings = b->store->strings;
	b->t.priv = b->store;
	*ret = b->t;
	idmap_free(&b->ops);
	memset(b, 0, sizeof(*b));
}
