/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorted lists of names. */
#include "mutations/names.h"

#include <errno.h>
#include <stdbool.h>
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

static bool same_end(const char *a, const char *b, size_t before)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	size_t more = a_len > b_len ? a_len - b_len : b_len - a_len;

	if (more > before)
		return false;
	return a_len > b_len ? !strcmp(a + more, b) : !strcmp(a, b + more);
}

static bool has_same_end(const struct name_list *l, const char *name, size_t before)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (same_end(l->v[i], name, before))
			return true;
	return false;
}

const char *names_differ_in_end(const struct name_list *a, const struct name_list *b, size_t before)
{
	size_t i = 0, j = 0;

	while (i < a->cnt || j < b->cnt) {
		int c = i == a->cnt ? 1 : j == b->cnt ? -1 : strcmp(a->v[i], b->v[j]);

		if (c < 0 && !has_same_end(b, a->v[i], before))
			return a->v[i];
		if (c > 0 && !has_same_end(a, b->v[j], before))
			return b->v[j];
		i += c <= 0;
		j += c >= 0;
	}
	return NULL;
}

const char *names_hold(const struct name_list *l, const char *const *words)
{
	for (size_t i = 0; i < l->cnt; i++)
		for (size_t w = 0; words[w]; w++)
			if (strcasestr(l->v[i], words[w]))
				return l->v[i];
	return NULL;
}
