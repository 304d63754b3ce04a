/* SPDX-License-Identifier: BSD-2-Clause */
/* A growable Chase-Lev deque. */
#include "workloads/tasks/deque.h"

#include <stdlib.h>

#include "workloads/driver/workload.h"

struct deque_array {
	struct deque_array *older;
	int64_t size;
	_Atomic(void *) at[];
};

static struct deque_array *array_new(int64_t size, struct deque_array *older)
{
	struct deque_array *a = malloc(sizeof(*a) + (size_t)size * sizeof(a->at[0]));

	if (!a)
		return NULL;
	a->older = older;
	a->size = size;
	for (int64_t i = 0; i < size; i++)
		atomic_init(&a->at[i], NULL);
	return a;
}

static void *array_get(struct deque_array *a, int64_t i)
{
	return atomic_load_explicit(&a->at[i & (a->size - 1)], memory_order_relaxed);
}

static void array_put(struct deque_array *a, int64_t i, void *item)
{
	atomic_store_explicit(&a->at[i & (a->size - 1)], item, memory_order_relaxed);
}

bool deque_open(struct deque *d, unsigned size)
{
	struct deque_array *a = array_new(size, NULL);

	if (!a)
		return false;
	atomic_init(&d->top, 0);
	atomic_init(&d->bottom, 0);
	atomic_init(&d->array, a);
	d->pushes = d->grown = 0;
	return true;
}

void deque_free(struct deque *d)
{
	struct deque_array *a = atomic_load_explicit(&d->array, memory_order_relaxed);

	while (a) {
		struct deque_array *older = a->older;

		free(a);
		a = older;
	}
	atomic_store_explicit(&d->array, NULL, memory_order_relaxed);
}

static struct deque_array *grow(struct deque *d, struct deque_array *a, int64_t top, int64_t bottom)
{
	struct deque_array *twice = array_new(a->size * 2, a);

	if (!twice)
		return NULL;
	for (int64_t i = top; i < bottom; i++)
		array_put(twice, i, array_get(a, i));
	/* pairs with the acquire in deque_steal */
	atomic_store_explicit(&d->array, twice, memory_order_release);
	d->grown++;
	return twice;
}

OPERATOR bool deque_push(struct deque *d, void *item)
{
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
	/* pairs with the CAS of a thief: what it has read, it has read */
	int64_t t = atomic_load_explicit(&d->top, memory_order_acquire);
	struct deque_array *a = atomic_load_explicit(&d->array, memory_order_relaxed);

	if (b - t > a->size - 1)
		a = grow(d, a, t, b);
	if (!a)
		return false;
	array_put(a, b, item);
	/* the release that a thief's load of bottom acquires; seq_cst for the look at sleepers */
	atomic_store_explicit(&d->bottom, b + 1, memory_order_seq_cst);
	d->pushes++;
	return true;
}

OPERATOR void *deque_take(struct deque *d)
{
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
	struct deque_array *a = atomic_load_explicit(&d->array, memory_order_relaxed);
	void *item = NULL;
	int64_t t;

	/* Dekker with deque_steal: we say that we are here, then look at the thieves */
	atomic_store_explicit(&d->bottom, b, memory_order_seq_cst);
	t = atomic_load_explicit(&d->top, memory_order_seq_cst);
	if (t <= b)
		item = array_get(a, b);
	if (t == b && !atomic_compare_exchange_strong_explicit(
			      &d->top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
		item = NULL; /* the last one, and a thief has it */
	if (t >= b)
		atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
	return item;
}

OPERATOR void *deque_steal(struct deque *d)
{
	/* Dekker with deque_take; the load of bottom acquires what its push released */
	int64_t t = atomic_load_explicit(&d->top, memory_order_seq_cst);
	int64_t b = atomic_load_explicit(&d->bottom, memory_order_seq_cst);
	struct deque_array *a;
	void *item;

	if (t >= b)
		return NULL;
	a = atomic_load_explicit(&d->array, memory_order_acquire);
	item = array_get(a, t);
	if (!atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1, memory_order_seq_cst,
						     memory_order_relaxed))
		return NULL;
	return item;
}

bool deque_is_empty(struct deque *d)
{
	int64_t t = atomic_load_explicit(&d->top, memory_order_seq_cst);

	return t >= atomic_load_explicit(&d->bottom, memory_order_seq_cst);
}
