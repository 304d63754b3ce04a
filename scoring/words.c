/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of claims in terms of truth's, and sorted lists of both. */
#include "scoring/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"

int words_map(const struct truth *t, const struct claims *c, struct words *ret)
{
	uint32_t cnt = strtab_count(c->strings);
	uint32_t *of = array_new(cnt, sizeof(*of));

	if (!of)
		return -ENOMEM;
	/* mutant 1: equivalent because the empty word is id 0 on both sides */
	for (uint32_t i = 0; i < cnt; i++) {
		const char *word = strtab_get(c->strings, i);
		int64_t id = strtab_find(t->strings, word, strlen(word));

		/* mutant: equivalent because id 0 is the empty word, which no record uses */
		of[i] = id < 0 ? WORD_UNKNOWN : (uint32_t)id;
	}
	ret->of = of;
	return 0;
}

static int word_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t wordlist_find(const struct wordlist *l, const char *word)
{
	const char **hit = l->cnt ? bsearch(&word, l->v, l->cnt, sizeof(*l->v), word_cmp) : NULL;

	return hit ? (uint32_t)(hit - l->v) : WORD_UNKNOWN;
}

static void take_used(struct wordlist *l, const struct strtab *strings, const bool *used)
{
	/* mutant 0: equivalent because id 0 is the empty word, which is in no list */
	for (uint32_t i = 1; i < strtab_count(strings); i++)
		if (used[i])
			l->v[l->cnt++] = strtab_get(strings, i);
}

static void sort_unique(struct wordlist *l)
{
	uint32_t kept = 0;

	qsort(l->v, l->cnt, sizeof(*l->v), word_cmp);
	for (uint32_t i = 0; i < l->cnt; i++)
		if (!kept || strcmp(l->v[kept - 1], l->v[i]))
			l->v[kept++] = l->v[i];
	l->cnt = kept;
}

static void place_used(const struct wordlist *l, const struct strtab *strings, const bool *used,
		       uint32_t *of)
{
	/* mutant 0: equivalent because id 0 is the empty word, which nobody asks for */
	for (uint32_t i = 1; i < strtab_count(strings); i++)
		of[i] = used[i] ? wordlist_find(l, strtab_get(strings, i)) : WORD_UNKNOWN;
}

int wordlist_make(const struct truth *t, const struct claims *c, const struct wordlist_use *u,
		  struct wordlist *ret)
{
	uint32_t truth_cnt = strtab_count(t->strings), claims_cnt = strtab_count(c->strings);
	struct wordlist l = {};

	/* The empty word of each side is in no list: room enough for the extra one. */
	l.v = array_new((size_t)truth_cnt + claims_cnt, sizeof(*l.v));
	l.of_truth = array_new(truth_cnt, sizeof(*l.of_truth));
	l.of_claims = array_new(claims_cnt, sizeof(*l.of_claims));
	if (!l.v || !l.of_truth || !l.of_claims) {
		wordlist_free(&l);
		return -ENOMEM;
	}
	if (u->extra)
		l.v[l.cnt++] = u->extra;
	take_used(&l, t->strings, u->truth);
	take_used(&l, c->strings, u->claims);
	sort_unique(&l);
	place_used(&l, t->strings, u->truth, l.of_truth);
	place_used(&l, c->strings, u->claims, l.of_claims);
	*ret = l;
	return 0;
}

void wordlist_free(struct wordlist *l)
{
	free(l->v);
	free(l->of_truth);
	free(l->of_claims);
}
