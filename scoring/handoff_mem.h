/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the handoff scorer, bounded by a knob: what does not fit goes to disk.
 *
 * Up to `limit` bytes are anonymous memory. Any array that would go beyond it is mapped from an
 * unlinked temporary file in $TMPDIR (or /tmp): the kernel writes it back under pressure, and since
 * every array here is filled and read in order of time, only a small window of it is hot. Arrays
 * are zeroed, cost nothing until touched, and are freed together. Not thread-safe.
 *
 * Who asks for about the same again and again resets instead of freeing: what fitted into memory is
 * kept as one piece, and dealt out again without asking the kernel.
 */
#ifndef ASSAY_SCORING_HANDOFF_MEM_H
#define ASSAY_SCORING_HANDOFF_MEM_H

#include <stddef.h>
#include <stdint.h>

struct mem_block;

struct mem {
	uint64_t limit, used, spilled; /* bytes */
	struct mem_block *blocks;
	char *kept;			 /* by a reset */
	size_t kept_bytes, dealt, dirty; /* of it: dealt out now; ever */
};

enum { MEM_DEFAULT_MIB = 1024 };

/* limit 0: MEM_DEFAULT_MIB. */
void mem_init(struct mem *m, uint64_t limit);
void mem_free(struct mem *m);

/* Frees all arrays, but keeps memory for as many again. */
void mem_reset(struct mem *m);

/* A zeroed array of cnt · size bytes; NULL and errno if memory or the disk fails. */
void *mem_array(struct mem *m, size_t cnt, size_t size);

/* vec_grow where there is no room. */
void *vec_more(void *v, size_t *cap, size_t cnt, size_t size);

/*
 * Vectors whose length is not known beforehand: on the heap while they are small, on disk from 64
 * MiB on. vec_grow: v with room for cnt elements of `size` bytes; NULL on failure, v is kept then.
 */
static inline void *vec_grow(void *v, size_t *cap, size_t cnt, size_t size)
{
	/* mutant <: equivalent because it is made as large as it is */
	return cnt <= *cap ? v : vec_more(v, cap, cnt, size);
}

void vec_free(void *v, size_t cap, size_t size);

/* A growing list of numbers. Zero-initialised. */
struct list {
	uint32_t *v;
	size_t cnt, cap;
};

/* Makes room for cnt more. 0 or -ENOMEM. */
int list_room(struct list *l, size_t cnt);

/* 0 or -ENOMEM. */
static inline int list_push(struct list *l, uint32_t x)
{
	/* mutant 2: equivalent because it is room for more than is needed */
	int err = l->cnt < l->cap ? 0 : list_room(l, 1);

	if (!err)
		l->v[l->cnt++] = x;
	return err;
}

void list_free(struct list *l);

/* Has the CPU fetch what will be read soon, where it would not by itself: it goes ahead of whoever
 * reads in order, but to the end of the page only. A record may lie across lines. */
static inline void fetch_record(const void *v, size_t bytes)
{
	const char *p = v;

	/* mutant: equivalent because what is fetched is not looked at, wherever it lies */
	for (size_t i = 0; i < bytes; i += 64)
		/* mutant: equivalent because what is fetched is not looked at, wherever it lies */
		__builtin_prefetch(p + i);
	/* mutant: equivalent because what is fetched is not looked at, wherever it lies */
	__builtin_prefetch(p + bytes - 1);
}

#endif
