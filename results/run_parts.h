/* SPDX-License-Identifier: BSD-2-Clause */
/* The three readers behind run_dir_load; each fills its part of the struct. */
#ifndef ASSAY_RESULTS_RUN_PARTS_H
#define ASSAY_RESULTS_RUN_PARTS_H

#include <jansson.h>

#include "results/run_dir.h"

/* Interned copy of s (NULL is ""), or NULL where memory fails. */
const char *run_keep(struct run_dir *r, const char *s);

/* The JSON object in a file; NULL and *d. The caller decrefs it. */
json_t *run_load_object(const char *path, int *ret_err, struct diag *d);

/* A string member, "" where absent; -EINVAL and *d where it is something else. */
int run_get_string(struct run_dir *r, const json_t *o, const char *path, const char *name,
		   const char **ret, struct diag *d);

int run_read_json(struct run_dir *r, const char *path, uint64_t *ret_planned, struct diag *d);
int run_read_plan(struct run_dir *r, const char *path, struct diag *d);

/* Reads one cell's status. 1: it has one, 0: there is no such file, negative: error. */
int run_read_status(struct run_dir *r, struct run_cell *c, struct diag *d);

#endif
