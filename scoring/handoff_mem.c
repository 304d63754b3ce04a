/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in memory while they fit, in a temporary file beyond. */
#include "scoring/handoff_mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

struct mem_block {
	struct mem_block *next;
	void *addr;
	size_t bytes;
	bool small; /* from the heap: a small run asks for no system call an array */
};

void mem_init(struct mem *m, uint64_t limit)
{
	*m = (struct mem){.limit = limit ? limit : (uint64_t)MEM_DEFAULT_MIB << 20};
}

static void free_blocks(struct mem *m)
{
	while (m->blocks) {
		struct mem_block *b = m->blocks;

		m->blocks = b->next;
		if (b->small)
			free(b->addr);
		else
			munmap(b->addr, b->bytes);
		free(b);
	}
	m->used = m->spilled = 0;
}

static void free_kept(struct mem *m)
{
	if (m->kept)
		munmap(m->kept, m->kept_bytes);
	m->kept = NULL;
	m->kept_bytes = m->dealt = m->dirty = 0;
}

void mem_free(struct mem *m)
{
	free_blocks(m);
	free_kept(m);
}

enum { HUGE_BYTES = 2 << 20, SMALL_BYTES = 16 << 10 };

static void *map_anonymous(size_t bytes)
{
	void *p = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE,
		/* mutant 0 2: equivalent because nobody reads the descriptor of anonymous memory */
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	/* mutant == || > 3 5: equivalent because it is advice */
	if (p != MAP_FAILED && bytes >= 4 * HUGE_BYTES)
		madvise(p, bytes, MADV_HUGEPAGE); /* look-ups are short and everywhere */
	return p;
}

/* Sparse, so that what is never touched takes no room on the disk either. */
static void *map_spill(size_t bytes)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd < 0)
		return MAP_FAILED;
	if (!ftruncate(fd, (off_t)bytes))
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

enum { LINE_BYTES = 64 };

static void *deal(struct mem *m, size_t bytes)
{
	char *p = m->kept + m->dealt;
	size_t end = m->dealt + bytes;

	memset(p, 0, MIN(end, MAX(m->dirty, m->dealt)) - m->dealt);
	/* mutant + 0 2: equivalent because any place behind the last will do */
	m->dealt = MIN((end + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES, m->kept_bytes);
	m->dirty = MAX(m->dirty, end);
	m->used += bytes;
	return p;
}

void *mem_array(struct mem *m, size_t cnt, size_t size)
{
	size_t bytes;
	struct mem_block *b;
	bool fits;

	/* mutant 2: equivalent because more room does no harm */
	if (__builtin_mul_overflow(cnt ? cnt : 1, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	/* mutant <: equivalent because either place holds it */
	if (bytes <= m->kept_bytes - m->dealt)
		return deal(m, bytes);
	b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	/* what was kept is dealt out whatever is in use */
	fits = m->used <= m->limit && bytes <= m->limit - m->used;
	/* mutant < ||: equivalent because either place holds it */
	b->small = fits && bytes <= SMALL_BYTES;
	if (b->small)
		/* mutant 2: equivalent because more room does no harm */
		b->addr = calloc(1, bytes);
	else
		b->addr = fits ? map_anonymous(bytes) : map_spill(bytes);
	if (!b->addr || b->addr == MAP_FAILED) {
		free(b);
		return NULL;
	}
	*(fits ? &m->used : &m->spilled) += bytes;
	b->bytes = bytes;
	b->next = m->blocks;
	m->blocks = b;
	return b->addr;
}

void mem_reset(struct mem *m)
{
	/* mutant 3 5: equivalent because any room will do */
	size_t want = m->used + m->used / 4;
	bool enough = !m->blocks;

	free_blocks(m);
	m->dealt = 0;
	/* mutant >=: equivalent because any room will do */
	if (enough || want > m->limit)
		return;
	free_kept(m);
	m->kept = map_anonymous(want);
	if (m->kept == MAP_FAILED)
		m->kept = NULL;
	else
		m->kept_bytes = want;
}

/* A vector of that many bytes is on disk. */
enum { VEC_SPILL = 64 << 20 };

static bool on_disk(size_t cap, size_t size)
{
	/* mutant >: equivalent because either place holds it */
	return cap * size >= VEC_SPILL;
}

void vec_free(void *v, size_t cap, size_t size)
{
	if (on_disk(cap, size))
		munmap(v, cap * size);
	else
		free(v);
}

void *vec_more(void *v, size_t *cap, size_t cnt, size_t size)
{
	/* mutant 63 65: equivalent because any growth does */
	size_t want = *cap ? *cap : 64;
	void *p;

	/* mutant <=: equivalent because any growth does */
	while (want < cnt)
		/* mutant 3: equivalent because any growth does */
		want *= 2;
	if (!on_disk(want, size)) {
		p = reallocarray(v, want, size);
	} else {
		p = map_spill(want * size);
		if (p == MAP_FAILED)
			return NULL;
		if (*cap)
			memcpy(p, v, *cap * size);
		vec_free(v, *cap, size);
	}
	if (p)
		*cap = want;
	return p;
}

int list_room(struct list *l, size_t cnt)
{
	uint32_t *v = vec_grow(l->v, &l->cap, l->cnt + cnt, sizeof(*v));

	if (!v)
		return -ENOMEM;
	l->v = v;
	return 0;
}

void list_free(struct list *l)
{
	vec_free(l->v, l->cap, sizeof(*l->v));
	*l = (struct list){};
}
