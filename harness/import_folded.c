/* SPDX-License-Identifier: BSD-2-Clause */
/* Collapsed stacks, a stack and its count a line: self time, summed over the file. */
#include "harness/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"

struct row {
	char *key;
	uint64_t count;
};

/* The last frame. */
static char *leaf(char *stack)
{
	char *semicolon = strrchr(stack, ';');

	return semicolon ? semicolon + 1 : stack;
}

/* The TID of a first frame COMM-TID or COMM-PID/TID; NULL: it has none. */
static char *first_tid(char *stack)
{
	char *end = stack + strcspn(stack, ";"), *at;

	*end = '\0';
	at = strrchr(stack, '/');
	at = at ? at : strrchr(stack, '-');
	return at && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1) ? at + 1 : NULL;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->key, ((const struct row *)b)->key);
}

static int too_much(struct import *x, const struct row *r)
{
	return import_bad(x, 0, "a smaller --unit", "%.64s has more than 2^64 ns", r->key);
}

static int put_row(struct import *x, const struct row *r)
{
	int64_t key = import_word(x, r->key), kind = import_word(x, "cpu");
	struct claim c = {.kind = CLAIM_PROFILE, .type = x->o->by};

	if (key < 0 || kind < 0)
		return diag_set(x->d, -ENOMEM, x->from, 0, NULL, "out of memory");
	c.profile.key_str = (uint32_t)key;
	c.profile.kind_str = (uint32_t)kind;
	if (__builtin_mul_overflow(r->count, x->o->unit_ns, &c.profile.v))
		return too_much(x, r);
	return import_put(x, &c);
}

static int put_rows(struct import *x, struct row *rows, size_t cnt)
{
	int rc = 0;

	qsort(rows, cnt, sizeof(*rows), by_key);
	for (size_t i = 0, next; !rc && i < cnt; i = next) {
		for (next = i + 1; next < cnt && !by_key(&rows[i], &rows[next]); next++)
			if (__builtin_add_overflow(rows[i].count, rows[next].count, &rows[i].count))
				return too_much(x, &rows[i]);
		rc = put_row(x, &rows[i]);
	}
	return rc;
}

/* 1: a row; 0: a stack without what is asked for. */
static int read_line(struct import *x, uint64_t line, char *text, struct row *ret)
{
	char *space = strrchr(text, ' ');
	uint64_t count;

	if (!space || space == text || parse_u64(space + 1, &count))
		return import_bad(x, line, "a line is frame;frame;frame COUNT",
				  "there is no stack and count here");
	*space = '\0';
	ret->key = x->o->by == BY_THREAD ? first_tid(text) : leaf(text);
	ret->count = count;
	if (ret->key && ret->key[0])
		return 1;
	x->result.left[LEFT_NO_FRAME]++;
	return 0;
}

int import_folded(struct import *x, char *text, size_t len)
{
	size_t lines = 1, cnt = 0;
	uint64_t line = 0;
	struct row *rows;
	int rc = 0;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	rows = calloc(lines, sizeof(*rows));
	if (!rows)
		return diag_set(x->d, -ENOMEM, x->from, 0, NULL, "out of memory");
	for (char *at = text, *next; rc >= 0 && *at; at = next) {
		char *end = at + strcspn(at, "\n");

		next = *end ? end + 1 : end;
		*end = '\0';
		line++;
		if (*at)
			rc = read_line(x, line, at, &rows[cnt]);
		cnt += *at && rc == 1;
	}
	rc = rc < 0 ? rc : put_rows(x, rows, cnt);
	free(rows);
	return rc;
}
