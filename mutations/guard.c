/* SPDX-License-Identifier: BSD-2-Clause */
/* Which lines record, and whether a patch changed one of them. */
#include "mutations/guard.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

/* A file as lines. protects: it records, or lies in a function that does. */
struct text_line {
	const char *s;
	size_t len;
	uint64_t hash;
	bool protects;
};

struct text {
	struct text_line *v;
	size_t cnt;
};

static bool has(const struct text_line *l, const char *word)
{
	return memmem(l->s, l->len, word, strlen(word)) != NULL;
}

static bool is(const struct text_line *l, char c)
{
	return l->len == 1 && l->s[0] == c;
}

/* Calls that write truth, directly or by the driver's one helper for resources. */
static bool records(const struct text_line *l)
{
	return has(l, "recorder_") || has(l, "happened(");
}

/* A function begins behind the last blank line before its { in column 0, and ends with its }. */
static void protect_functions(struct text *t)
{
	size_t from = 0;
	bool truth = false, inside = false;

	for (size_t i = 0; i < t->cnt; i++) {
		struct text_line *l = &t->v[i];

		if (!inside && !l->len)
			from = i + 1;
		inside |= is(l, '{');
		truth |= inside && records(l);
		l->protects |= records(l);
		if (!inside || !is(l, '}'))
			continue;
		for (size_t j = from; truth && j <= i; j++)
			t->v[j].protects = true;
		inside = truth = false;
		from = i + 1;
	}
}

static int split(const char *s, struct text *ret)
{
	size_t cnt = 1;
	struct text t;

	for (const char *p = s; *p; p++)
		cnt += *p == '\n';
	t = (struct text){.v = calloc(cnt, sizeof(*t.v))};
	if (!t.v)
		return -ENOMEM;
	while (*s) {
		const char *end = strchrnul(s, '\n');
		struct text_line *l = &t.v[t.cnt++];

		*l = (struct text_line){.s = s, .len = (size_t)(end - s)};
		l->hash = hash_bytes(l->s, l->len, 0);
		s = *end ? end + 1 : end;
	}
	protect_functions(&t);
	*ret = t;
	return 0;
}

static bool same_line(const struct text_line *a, const struct text_line *b)
{
	return a->hash == b->hash && a->len == b->len && a->protects == b->protects;
}

/* Where the protected lines of one file, in order, are not those of the other; 0: nowhere. */
static size_t first_difference(const struct text *a, const struct text *b)
{
	size_t j = 0;

	for (size_t i = 0; i < a->cnt; i++) {
		if (!a->v[i].protects)
			continue;
		while (j < b->cnt && !b->v[j].protects)
			j++;
		if (j == b->cnt || !same_line(&a->v[i], &b->v[j]))
			return i + 1;
		j++;
	}
	return 0;
}

static int refuse(const char *name, size_t line, struct diag *d)
{
	return diag_set(d, -EPERM, name, line,
			"change operators and their callers; call helpers that already record",
			"the patch touches a line that records");
}

static int judge(const char *name, const struct text *a, const struct text *b, struct diag *d)
{
	size_t line = first_difference(a, b);

	if (!line)
		line = first_difference(b, a);
	return line ? refuse(name, line, d) : 0;
}

/* Files that are truth's whole: the driver, and the part of a workload that watches the state of
 * objects for it. */
static bool is_truths(const char *name)
{
	static const char driver[] = "workloads/driver/";
	const char *last = strrchr(name, '/');

	return !strncmp(name, driver, sizeof(driver) - 1) ||
	       (last && (!strcmp(last, "/watch.c") || !strcmp(last, "/watch.h")));
}

int guard_file(const char *name, const char *before, const char *after, struct diag *d)
{
	struct text a = {0}, b = {0};
	int rc;

	if (before && after && !strcmp(before, after))
		return 0;
	if (is_truths(name))
		return refuse(name, 0, d);
	rc = split(before ? before : "", &a);
	if (!rc)
		rc = split(after ? after : "", &b);
	rc = rc ? diag_set(d, rc, name, 0, NULL, "out of memory") : judge(name, &a, &b, d);
	free(a.v);
	free(b.v);
	return rc;
}
