/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line that shows how far a long step has come and how long it will still take.
 *
 * On stderr, and only if that is a terminal; otherwise, and in a step's first second, all calls do
 * nothing, so that whatever takes longer than two seconds shows and nothing flickers. A struct
 * progress is plain data, owned by the caller, of one thread. The unit of `done` is the caller's
 * (cells, or their estimated ms): the time left assumes that units cost the same.
 */
#ifndef ASSAY_LIB_PROGRESS_H
#define ASSAY_LIB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out; /* NULL: silent */
	const char *what;
	uint64_t total;
	uint64_t started_ns, shown_ns;
	unsigned columns;
};

/* what must live until the end. */
void progress_start(struct progress *p, const char *what, uint64_t total);
/* note (may be NULL) names what is being worked on. */
void progress_update(struct progress *p, uint64_t done, const char *note);
/* Takes the line away again; call it before anything else is printed. */
void progress_end(struct progress *p);

/* The line for a width in columns, without line end; returns its length in bytes. */
int progress_format(char *buf, size_t cap, unsigned columns, const char *what, uint64_t done,
		    uint64_t total, uint64_t elapsed_ns, const char *note);

#endif
