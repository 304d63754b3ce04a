/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.tsv: the cells that a run has to account for. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "results/run_parts.h"

#define CURE "make the plan again with `assay plan SUITE`"

enum plan_field {
	PLAN_CELL,
	PLAN_KIND,
	PLAN_WORKLOAD,
	PLAN_VARIANT,
	PLAN_PROFILER,
	PLAN_DIVISION,
	PLAN_REGIME,
	PLAN_BINDING,
	PLAN_SEED,
	PLAN_FROM,
	PLAN_PARAMS,
	PLAN_FIELD_CNT,
};

static const char *const names[PLAN_FIELD_CNT] = {
	"cell",	  "kind",    "workload", "variant", "profiler", "division",
	"regime", "binding", "seed",	 "from",    "params",
};

static int bad(struct diag *d, const char *path, uint64_t line, const char *why, const char *what)
{
	return diag_set(d, -EINVAL, path, line, CURE, "%s: \"%.80s\"", why, what);
}

/* Cuts a line at its tabs, in place. */
static int split(char *line, char *field[PLAN_FIELD_CNT])
{
	size_t n = 0;
	char *rest = line;

	while (rest) {
		if (n == PLAN_FIELD_CNT)
			return -EINVAL;
		field[n++] = strsep(&rest, "\t");
	}
	return n == PLAN_FIELD_CNT ? 0 : -EINVAL;
}

static int check_header(char *line, const char *path, struct diag *d)
{
	char *field[PLAN_FIELD_CNT];

	if (split(line, field))
		return diag_set(d, -EINVAL, path, 1, CURE, "the header must have 11 columns");
	for (size_t i = 0; i < PLAN_FIELD_CNT; i++)
		if (strcmp(field[i], names[i]))
			return diag_set(d, -EINVAL, path, 1, CURE,
					"column %zu must be \"%s\" and is \"%.60s\"", i + 1,
					names[i], field[i]);
	return 0;
}

static int keep_words(struct run_dir *r, struct run_cell *c, char *field[PLAN_FIELD_CNT])
{
	const char **to[PLAN_FIELD_CNT] = {
		&c->cell,   &c->kind,	 &c->workload, &c->variant, &c->profiler, &c->division,
		&c->regime, &c->binding, NULL,	       &c->from,    &c->params,
	};

	for (size_t i = 0; i < PLAN_FIELD_CNT; i++) {
		if (!to[i])
			continue;
		*to[i] = run_keep(r, field[i]);
		if (!*to[i])
			return -ENOMEM;
	}
	c->reason = c->cure = c->log = run_keep(r, "");
	return 0;
}

static struct run_cell *grow(struct run_dir *r)
{
	/* Capacity is the next power of two: grow when the count is one. */
	if (!(r->cell_cnt & (r->cell_cnt - 1))) {
		size_t cap = r->cell_cnt ? 2 * r->cell_cnt : 1;
		struct run_cell *cells = reallocarray(r->cells, cap, sizeof(*cells));

		if (!cells)
			return NULL;
		r->cells = cells;
	}
	memset(&r->cells[r->cell_cnt], 0, sizeof(*r->cells));
	return &r->cells[r->cell_cnt];
}

static int add_line(struct run_dir *r, char *line, const char *path, uint64_t no, struct diag *d)
{
	char *field[PLAN_FIELD_CNT];
	struct run_cell *c;

	if (split(line, field))
		return diag_set(d, -EINVAL, path, no, CURE, "must have 11 tab-separated columns");
	/* A cell names a folder: it may not lead out of the run. */
	if (!*field[PLAN_CELL] || field[PLAN_CELL][0] == '.' || strchr(field[PLAN_CELL], '/') ||
	    strlen(field[PLAN_CELL]) > NAME_MAX)
		return bad(d, path, no, "a cell must be the name of a folder", field[PLAN_CELL]);
	c = grow(r);
	if (!c)
		return diag_set(d, -ENOMEM, path, no, NULL, "out of memory");
	if (field[PLAN_SEED][strspn(field[PLAN_SEED], "0123456789")] ||
	    parse_u64(field[PLAN_SEED], &c->seed))
		return bad(d, path, no, "seed must be a count", field[PLAN_SEED]);
	if (keep_words(r, c, field))
		return diag_set(d, -ENOMEM, path, no, NULL, "out of memory");
	r->cell_cnt++;
	return 0;
}

static int compare_cells(const void *a, const void *b)
{
	const struct run_cell *x = *(const struct run_cell *const *)a;
	const struct run_cell *y = *(const struct run_cell *const *)b;
	int order = strcmp(x->cell, y->cell);

	return order ? order : (x > y) - (x < y);
}

/* Two lines of one cell would count one result twice. */
static int check_unique(const struct run_dir *r, const char *path, struct diag *d)
{
	const struct run_cell **sorted = calloc(r->cell_cnt + 1, sizeof(*sorted));
	int err = 0;

	if (!sorted)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	for (size_t i = 0; i < r->cell_cnt; i++)
		sorted[i] = &r->cells[i];
	qsort(sorted, r->cell_cnt, sizeof(*sorted), compare_cells);
	for (size_t i = 1; i < r->cell_cnt && !err; i++)
		if (!strcmp(sorted[i]->cell, sorted[i - 1]->cell))
			err = bad(d, path, (uint64_t)(sorted[i] - r->cells) + 2,
				  "this cell is planned twice", sorted[i]->cell);
	free(sorted);
	return err;
}

static int read_lines(struct run_dir *r, FILE *f, const char *path, struct diag *d)
{
	char *line = NULL;
	size_t cap = 0;
	uint64_t no = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &cap, f)) > 0) {
		no++;
		if (strlen(line) != (size_t)len)
			err = diag_set(d, -EINVAL, path, no, CURE, "holds a NUL byte");
		else if (line[len - 1] != '\n')
			err = diag_set(d, -EINVAL, path, no, CURE, "the last line is not complete");
		if (err)
			break;
		line[len - 1] = '\0';
		err = no == 1 ? check_header(line, path, d) : add_line(r, line, path, no, d);
	}
	free(line);
	if (!err && ferror(f))
		err = diag_set(d, -EIO, path, no, NULL, "cannot be read");
	if (!err && !no)
		err = diag_set(d, -EINVAL, path, 1, CURE, "the header line is missing");
	return err;
}

int run_read_plan(struct run_dir *r, const char *path, struct diag *d)
{
	FILE *f = fopen(path, "re");
	int err;

	if (!f)
		return diag_set(d, -errno, path, 0, "is this the folder of a run?",
				"cannot be opened: %s", strerror(errno));
	err = read_lines(r, f, path, d);
	fclose(f);
	return err ? err : check_unique(r, path, d);
}
