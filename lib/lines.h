/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of a file of any size, through one bounded buffer.
 *
 * A struct lines is plain data, owned by the caller, of one thread. It reads with read(2), not by a
 * mapping, so that a file that shrinks under it, or a pipe, is no crash.
 */
#ifndef ASSAY_LIB_LINES_H
#define ASSAY_LIB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_MAX_BYTES = 16 << 20 }; /* longer lines are -EMSGSIZE */

struct lines {
	int fd; /* not owned */
	char *buf;
	size_t cap, from, to;
	uint64_t line; /* number of the line returned last, from 1 */
	bool eof;
	bool cut; /* the line returned last had no '\n': the end of the file */
};

void lines_init(struct lines *l, int fd);
void lines_free(struct lines *l);

/*
 * 1: a line, without its '\n', valid until the next call; 0: the end; or negative errno, with
 * l->line at the line that could not be read.
 */
int lines_next(struct lines *l, const char **ret, size_t *ret_len);

#endif
