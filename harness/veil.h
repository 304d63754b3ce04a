/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs of a cell must not come across on disk: the plan, which says what was changed, and
 * the truth of other cells.
 *
 * Covered in the mount namespace that such a program gets (struct process_spec), over what it does
 * need, which stays where it is. It keeps honest programs from looking and says to all others that
 * they are looking: who keeps all of root's rights (process.h) can uncover it, or go through /proc
 * of a process outside. Without the rights to mount nothing is covered. A veil borrows its paths;
 * not thread-safe.
 */
#ifndef ASSAY_HARNESS_VEIL_H
#define ASSAY_HARNESS_VEIL_H

#include <stddef.h>

#include "lib/diag.h"
#include "harness/plan.h"

enum { VEIL_MOST = 10 };

struct veil {
	char hide[VEIL_MOST][PATH_LEN]; /* folders and files; one that is not there is skipped */
	const char *show[VEIL_MOST];	/* absolute; "" and what is not hidden are skipped */
	size_t hide_cnt, show_cnt;
};

/*
 * All runs where `run` lies in a folder "runs", else what makes a run of a folder, so that a plan
 * may lie beside a profiler. stock: one folder more; NULL: none.
 */
int veil_open(const char *run, const char *stock, struct veil *ret, struct diag *d);

void veil_show(struct veil *v, const char *path);

/* In a child that has a mount namespace of its own: system calls only. program: shown as well. All
 * is covered, or nothing: negative errno. */
int veil_draw(const struct veil *v, const char *program);

#endif
