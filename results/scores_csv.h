/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scores.csv: every figure of a run, one a line (contracts §6).
 *
 * The file is UTF-8 with a header line, fields quoted as RFC 4180 says and lines ended by a bare
 * LF, so that awk and sort need no care (the reader takes CRLF as well). A ratio 0/0 is an empty
 * value with n = 0. Numbers are the shortest decimals that read back as the same double. The
 * writer keeps the caller's order. Not thread-safe.
 */
#ifndef ASSAY_RESULTS_SCORES_CSV_H
#define ASSAY_RESULTS_SCORES_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

/* One line. Strings are borrowed, never NULL when read; NULL is written as an empty field. */
struct figure_row {
	const char *run, *cell, *workload, *variant, *profiler, *division, *regime, *binding;
	uint64_t seed;
	const char *metric, *scope;
	bool has_value; /* false: 0/0, and n is 0 */
	double value;
	bool has_interval;
	double lo, hi; /* the interval's bounds where has_interval */
	uint64_t n;    /* denominator */
	const char *status;
};

struct scores_csv; /* a writer */

int scores_csv_create(const char *path, struct scores_csv **ret, struct diag *d);

/* -EINVAL for a figure that the format cannot say: NaN, infinite, lo > hi, no value but n > 0. */
int scores_csv_put(struct scores_csv *w, const struct figure_row *row, struct diag *d);

/* PATH exists, complete and synced, or an error is returned (-ENOSPC…). Frees w in any case. */
int scores_csv_close(struct scores_csv *w, struct diag *d);

/* Frees w and leaves no file. NULL is fine. */
void scores_csv_abort(struct scores_csv *w);

/*
 * Calls fn for each line in order; its strings live until fn returns, and what it returns other
 * than 0 ends the reading and is returned. Strict: a wrong header, a missing or superfluous field,
 * a number that is none or a stray quote is -EINVAL with file, line and cure.
 */
int scores_csv_read(const char *path, int (*fn)(const struct figure_row *row, void *arg), void *arg,
		    struct diag *d);

#endif
