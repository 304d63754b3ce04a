/* SPDX-License-Identifier: BSD-2-Clause */
/* Interned strings: ids in order of first use. */
#include "lib/strtab.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* uthash runs out of memory only when it adds; it then undoes the addition and says so here. */
#define HASH_NONFATAL_OOM      1
#define uthash_nonfatal_oom(w) ((w)->lost = true)
#include <uthash.h>

struct word {
	UT_hash_handle hh;
	uint32_t id;
	bool lost; /* could not be added */
	size_t len;
	char s[];
};

struct strtab {
	struct word *by_text;
	struct word **by_id;
	uint32_t cnt, cap;
};

static struct word *strtab_lookup(const struct strtab *t, const char *s, size_t len)
{
	struct word *w;

	HASH_FIND(hh, t->by_text, s, len, w);
	return w;
}

static int strtab_grow(struct strtab *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 16;
	struct word **by_id;

	if (!cap)
		return -EOVERFLOW; /* 2^31 words */
	by_id = realloc(t->by_id, cap * sizeof(*by_id));
	if (!by_id)
		return -ENOMEM;
	t->by_id = by_id;
	t->cap = cap;
	return 0;
}

int64_t strtab_intern(struct strtab *t, const char *s, size_t len)
{
	struct word *w = strtab_lookup(t, s, len);
	int err = 0;

	if (w)
		return w->id;
	if (t->cnt == t->cap)
		err = strtab_grow(t);
	if (err)
		return err;
	w = malloc(sizeof(*w) + len + 1);
	if (!w)
		return -ENOMEM;
	memcpy(w->s, s, len);
	w->s[len] = 0;
	w->len = len;
	w->id = t->cnt;
	w->lost = false;
	HASH_ADD_KEYPTR(hh, t->by_text, w->s, len, w);
	if (w->lost) {
		free(w);
		return -ENOMEM;
	}
	t->by_id[t->cnt++] = w;
	return w->id;
}

struct strtab *strtab_new(void)
{
	struct strtab *t = calloc(1, sizeof(*t));

	if (t && strtab_intern(t, "", 0) < 0) {
		strtab_free(t);
		errno = ENOMEM;
		return NULL;
	}
	return t;
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	HASH_CLEAR(hh, t->by_text);
	for (uint32_t i = 0; i < t->cnt; i++)
		free(t->by_id[i]);
	free(t->by_id);
	free(t);
}

int64_t strtab_find(const struct strtab *t, const char *s, size_t len)
{
	struct word *w = strtab_lookup(t, s, len);

	return w ? (int64_t)w->id : -ENOENT;
}

void strtab_forget_last(struct strtab *t, uint32_t id)
{
	struct word *w;

	if (!id || id + 1 != t->cnt)
		return;
	w = t->by_id[--t->cnt];
	HASH_DEL(t->by_text, w);
	free(w);
}

const char *strtab_get(const struct strtab *t, uint32_t id)
{
	assert(id < t->cnt);
	return t->by_id[id]->s;
}

uint32_t strtab_count(const struct strtab *t)
{
	return t->cnt;
}
