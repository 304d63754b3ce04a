/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts end to end in one buffer; sorting moves their starts. */
#include "groundtruth/lineset.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int room(struct lineset *s, size_t more)
{
	size_t cap = s->cap ? s->cap : 256;
	char *v;

	if (s->err || s->len + more <= s->cap)
		return s->err;
	while (cap < s->len + more)
		cap *= 2;
	v = realloc(s->bytes, cap);
	if (!v)
		return s->err = -ENOMEM;
	s->bytes = v;
	s->cap = cap;
	return 0;
}

/* The open text begins where the last one ended. */
static int open_text(struct lineset *s)
{
	size_t *v;

	if (s->err || s->cnt < s->starts_cap)
		return s->err;
	v = realloc(s->starts, (s->starts_cap * 2 + 16) * sizeof(*v));
	if (!v)
		return s->err = -ENOMEM;
	s->starts = v;
	s->starts_cap = s->starts_cap * 2 + 16;
	if (!s->cnt)
		s->starts[0] = 0;
	return 0;
}

void lineset_add(struct lineset *s, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0 && !room(s, (size_t)n + 1)) {
		vsnprintf(s->bytes + s->len, (size_t)n + 1, fmt, again);
		s->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void lineset_next(struct lineset *s)
{
	if (room(s, 1) || open_text(s))
		return;
	s->bytes[s->len++] = 0;
	s->cnt++;
	if (!open_text(s))
		s->starts[s->cnt] = s->len;
}

void lineset_clear(struct lineset *s)
{
	s->len = 0;
	s->cnt = 0;
	if (s->starts)
		s->starts[0] = 0; /* sorting has moved it */
}

void lineset_free(struct lineset *s)
{
	free(s->bytes);
	free(s->starts);
	*s = (struct lineset){0};
}

static int by_text(const void *a, const void *b, void *bytes)
{
	return strcmp((char *)bytes + *(const size_t *)a, (char *)bytes + *(const size_t *)b);
}

void lineset_each(struct lineset *s, void (*fn)(const char *text, size_t cnt, void *arg), void *arg)
{
	size_t same;

	if (s->err || !s->cnt)
		return;
	qsort_r(s->starts, s->cnt, sizeof(*s->starts), by_text, s->bytes);
	for (size_t i = 0; i < s->cnt; i += same) {
		const char *text = s->bytes + s->starts[i];

		for (same = 1; i + same < s->cnt; same++)
			if (strcmp(text, s->bytes + s->starts[i + same]) != 0)
				break;
		fn(text, same, arg);
	}
}
