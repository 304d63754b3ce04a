/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorted lists of names. */
#include "mutations/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int names_add(struct name_list *l, const char *s, size_t len)
{
	char *copy;

	if (l->cnt == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		char **v = realloc(l->v, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	copy = strndup(s, len);
	if (!copy)
		return -ENOMEM;
	l->v[l->cnt++] = copy;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct name_list *l)
{
	size_t kept = 0;

	if (l->cnt)
		qsort(l->v, l->cnt, sizeof(*l->v), by_text);
	for (size_t i = 0; i < l->cnt; i++) {
		if (kept && !strcmp(l->v[kept - 1], l->v[i]))
			free(l->v[i]);
		else
			l->v[kept++] = l->v[i];
	}
	l->cnt = kept;
}

void names_free(struct name_list *l)
{
	for (size_t i = 0; i < l->cnt; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct name_list){0};
}

const char *names_differ(const struct name_list *a, const struct name_list *b)
{
	size_t i = 0, j = 0;

	while (i < a->cnt && j < b->cnt) {
		int c = strcmp(a->v[i], b->v[j]);

		if (c)
			return c < 0 ? a->v[i] : b->v[j];
		i++;
		j++;
	}
	return i < a->cnt ? a->v[i] : j < b->cnt ? b->v[j] : NULL;
}

const char *names_hold(const struct name_list *l, const char *const *words)
{
	for (size_t i = 0; i < l->cnt; i++)
		for (size_t w = 0; words[w]; w++)
			if (strcasestr(l->v[i], words[w]))
				return l->v[i];
	return NULL;
}
