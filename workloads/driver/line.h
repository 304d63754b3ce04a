/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ptys. A write leaves the bytes with the other end's work item, which a kernel worker runs; what
 * is written while it is pending shares its execution.
 *
 * Lines are opened before the first stop (`prepare` of a workload) and numbered from 0 on. Whoever
 * calibrates sees each shown, and learns the n-th end's work item by its address; until then an end
 * is known by its number.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_LINE_H
#define ASSAY_WORKLOADS_DRIVER_LINE_H

#include "workloads/driver/stream.h"

enum line_side { MASTER, SLAVE, SIDES };

enum { LINE_SHOWN = 23 }; /* messages by which the kernel's name of an end is learned */

struct line {
	int fd[SIDES];
	struct stream in[SIDES]; /* what is read from that side */
	unsigned reader[SIDES];	 /* and by whom: the workload's */
};

static inline enum line_side other_side(enum line_side s)
{
	return s == MASTER ? SLAVE : MASTER;
}

void line_open(struct line *l, unsigned index);
void line_close(struct line *l);
/* Sends LINE_SHOWN messages to each side, one after another, each taken before the next. */
void line_show(struct line *l);
/* One message into the line, to be read from `side`. */
void line_send(struct worker *w, struct line *l, enum line_side side, struct frame f,
	       struct post *p, uint64_t op, uint64_t seq);

#endif
