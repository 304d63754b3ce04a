/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines through one bounded buffer. */
#include "lib/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES_BLOCK = 1 << 20 };

void lines_init(struct lines *l, int fd)
{
	memset(l, 0, sizeof(*l));
	l->fd = fd;
}

void lines_free(struct lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* Room for more bytes: moves the rest of a line to the front, and doubles where that is not
 * enough. */
static int make_room(struct lines *l)
{
	size_t cap = l->cap ? l->cap * 2 : LINES_BLOCK;
	char *buf;

	if (l->from) {
		memmove(l->buf, l->buf + l->from, l->to - l->from);
		l->to -= l->from;
		l->from = 0;
	}
	if (l->to < l->cap)
		return 0;
	if (cap > 2 * LINES_MAX_BYTES)
		return -EMSGSIZE;
	buf = realloc(l->buf, cap);
	if (!buf)
		return -ENOMEM;
	l->buf = buf;
	l->cap = cap;
	return 0;
}

static int fill(struct lines *l)
{
	int err = make_room(l);
	ssize_t n;

	if (err)
		return err;
	do
		n = read(l->fd, l->buf + l->to, l->cap - l->to);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	l->eof = !n;
	l->to += (size_t)n;
	return 0;
}

static int take(struct lines *l, size_t len, bool cut, const char **ret, size_t *ret_len)
{
	if (len > LINES_MAX_BYTES)
		return -EMSGSIZE;
	*ret = l->buf + l->from;
	*ret_len = len;
	l->from += len + !cut;
	l->cut = cut;
	return 1;
}

int lines_next(struct lines *l, const char **ret, size_t *ret_len)
{
	size_t searched = 0;

	l->line++;
	for (;;) {
		size_t have = l->to - l->from;
		char *end = have > searched
				    ? memchr(l->buf + l->from + searched, '\n', have - searched)
				    : NULL;
		int err;

		if (end)
			return take(l, (size_t)(end - l->buf) - l->from, false, ret, ret_len);
		if (l->eof)
			return have ? take(l, have, true, ret, ret_len) : 0;
		searched = have;
		err = fill(l);
		if (err)
			return err;
	}
}
