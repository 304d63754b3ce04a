/* SPDX-License-Identifier: BSD-2-Clause */
/* Futex words that processes share. */
#include "profilers/adapter/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

/* The least that a page has anywhere; what is larger begins with the first of its parts. */
enum { PAGE = 4096, LARGEST = 65536 };

struct page_key {
	uint64_t address;
	uint32_t tgid, pad;
};

struct page {
	struct page_key key;
	uint64_t inode, offset;
	UT_hash_handle hh;
};

struct words {
	struct page *pages;
};

struct words *words_new(void)
{
	return calloc(1, sizeof(struct words));
}

static void forget(struct words *w, struct page *p)
{
	HASH_DEL(w->pages, p);
	free(p);
}

void words_free(struct words *w)
{
	while (w && w->pages)
		forget(w, w->pages);
	free(w);
}

static struct page *find(const struct words *w, uint32_t tgid, uint64_t address)
{
	struct page_key key;
	struct page *p;

	memset(&key, 0, sizeof(key));
	key.address = address;
	key.tgid = tgid;
	HASH_FIND(hh, w->pages, &key, sizeof(key), p);
	return p;
}

int words_record(struct words *w, const struct ev_rec *r)
{
	struct page *p = find(w, r->tgid, r->a);

	if (!p) {
		if (HASH_COUNT(w->pages) >= WORDS_PAGES)
			forget(w, w->pages); /* uthash keeps order: the oldest */
		p = calloc(1, sizeof(*p));
		if (!p)
			return -ENOMEM;
		p->key.address = r->a;
		p->key.tgid = r->tgid;
		HASH_ADD(hh, w->pages, key, sizeof(p->key), p);
	}
	p->inode = r->b;
	p->offset = r->c;
	return 0;
}

bool words_find(const struct words *w, uint32_t tgid, uint64_t address, uint64_t *ret_inode,
		uint64_t *ret_offset)
{
	for (uint64_t size = PAGE; size <= LARGEST; size *= 2) {
		uint64_t start = address & ~(size - 1);
		const struct page *p = find(w, tgid, start);

		if (!p)
			continue;
		*ret_inode = p->inode;
		*ret_offset = p->offset + (address - start);
		return true;
	}
	return false;
}
