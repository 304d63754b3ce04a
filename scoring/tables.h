/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoff scores as text tables: `assay score --by type|mark|source`.
 *
 * One table a level, one line a type (mark, source) that occurs, below the lines `all` and
 * `declared`. A ratio with nothing below the line is printed as a dash. Beside each type stands
 * whether it can be seen at all (scoring/visibility.h), which is nobody's score.
 */
#ifndef ASSAY_SCORING_TABLES_H
#define ASSAY_SCORING_TABLES_H

#include <stdio.h>

#include "scoring/score.h"

enum table_by { TABLE_BY_TYPE = 0, TABLE_BY_MARK = 1, TABLE_BY_SOURCE = 2, TABLE_BY_CNT = 3 };

const char *table_by_name(unsigned by);
int table_by_parse(const char *word); /* -1: no such table */

/* -EINVAL: the score is not ok; other negative errno: the stream failed. */
int score_table(const struct score *s, enum table_by by, FILE *out);

#endif
