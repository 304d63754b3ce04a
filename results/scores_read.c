/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading scores.csv: RFC 4180, strictly. */
#include "results/scores_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "results/scores_fields.h"

#define CURE "write it again with `assay score RUN`"

const char *const scores_field_names[SCORES_FIELD_CNT] = {
	"run",	"cell",	  "workload", "variant", "profiler", "division", "regime", "binding",
	"seed", "metric", "scope",    "value",	 "lo",	     "hi",	 "n",	   "status",
};

/* One record: its fields one after the other, each ended by a NUL. */
struct record {
	FILE *f;
	const char *path;
	uint64_t line, first_line; /* where the reader is, and where the record began */
	char *buf;
	size_t len, cap;
	size_t at[SCORES_FIELD_CNT];
	size_t cnt;
	struct diag *d;
};

static int bad(struct record *r, const char *why)
{
	return diag_set(r->d, -EINVAL, r->path, r->line, CURE, "%s", why);
}

static int append(struct record *r, int c)
{
	if (r->len == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 512;
		char *buf = realloc(r->buf, cap);

		if (!buf)
			return diag_set(r->d, -ENOMEM, r->path, r->line, NULL, "out of memory");
		r->buf = buf;
		r->cap = cap;
	}
	r->buf[r->len++] = (char)c;
	return 0;
}

/* The rest of a quoted field. *ret is the character after its closing quote. */
static int read_quoted(struct record *r, int *ret)
{
	for (;;) {
		int c = getc_unlocked(r->f), err;

		if (c == '"') {
			c = getc_unlocked(r->f);
			if (c != '"') {
				*ret = c;
				return 0;
			}
		} else if (c == EOF) {
			return bad(r, "the file ends inside a quoted field");
		} else if (c == '\n') {
			r->line++;
		} else if (c == '\0') {
			return bad(r, "a NUL byte inside a field");
		}
		err = append(r, c);
		if (err)
			return err;
	}
}

/* A field that is not quoted, from its first character on; *ret is the character that ended it. */
static int read_bare(struct record *r, int c, int *ret)
{
	for (; c != ',' && c != '\n' && c != '\r' && c != EOF; c = getc_unlocked(r->f)) {
		int err;

		if (c == '"')
			return bad(r, "a quote inside a field that is not quoted");
		if (c == '\0')
			return bad(r, "a NUL byte inside a field");
		err = append(r, c);
		if (err)
			return err;
	}
	*ret = c;
	return 0;
}

static int read_field(struct record *r, int c, int *ret)
{
	int err;

	if (r->cnt == SCORES_FIELD_CNT)
		return bad(r, "more than 16 fields");
	r->at[r->cnt++] = r->len;
	if (c == '"')
		err = read_quoted(r, ret);
	else
		err = read_bare(r, c, ret);
	if (!err && *ret == '\r') {
		*ret = getc_unlocked(r->f);
		if (*ret != '\n')
			return bad(r, "a carriage return that ends no line");
	}
	if (!err && *ret != ',' && *ret != '\n' && *ret != EOF)
		return bad(r, "text after the closing quote of a field");
	return err ? err : append(r, '\0');
}

/* 1: a record, 0: end of file, negative: error. */
static int read_record(struct record *r)
{
	int c = getc_unlocked(r->f), err;

	r->len = r->cnt = 0;
	r->first_line = r->line;
	if (c == EOF)
		return ferror(r->f) ? bad(r, "cannot be read") : 0;
	do {
		err = read_field(r, c, &c);
		if (err)
			return err;
		if (c == EOF)
			return bad(r, "the last line is not complete");
		if (c == '\n')
			break;
		c = getc_unlocked(r->f);
	} while (1);
	if (r->cnt != SCORES_FIELD_CNT)
		return diag_set(r->d, -EINVAL, r->path, r->first_line, CURE,
				"%zu fields where 16 are needed", r->cnt);
	r->line++;
	return 1;
}

static const char *field(const struct record *r, enum scores_field i)
{
	return r->buf + r->at[i];
}

static int check_header(struct record *r)
{
	int err = read_record(r);

	if (err < 0)
		return err;
	for (unsigned i = 0; err && i < SCORES_FIELD_CNT; i++)
		if (strcmp(field(r, i), scores_field_names[i]))
			return diag_set(r->d, -EINVAL, r->path, 1, CURE,
					"column %u must be \"%s\" and is \"%s\"", i + 1,
					scores_field_names[i], field(r, i));
	return err ? 0 : diag_set(r->d, -EINVAL, r->path, 1, CURE, "the header line is missing");
}

static int bad_field(struct record *r, enum scores_field i, const char *must)
{
	return diag_set(r->d, -EINVAL, r->path, r->first_line, CURE,
			"%s must be %s and is \"%.60s\"", scores_field_names[i], must, field(r, i));
}

static int get_u64(struct record *r, enum scores_field i, uint64_t *ret)
{
	const char *s = field(r, i);

	if (s[strspn(s, "0123456789")] || parse_u64(s, ret))
		return bad_field(r, i, "a count");
	return 0;
}

static int get_double(struct record *r, enum scores_field i, bool *ret_has, double *ret)
{
	const char *s = field(r, i);

	*ret_has = *s;
	if (*s && parse_f64(s, ret))
		return bad_field(r, i, "a decimal number or empty");
	return 0;
}

static int get_numbers(struct record *r, struct figure_row *row)
{
	bool lo = false, hi = false;
	int err;

	err = get_u64(r, FIELD_SEED, &row->seed);
	if (!err)
		err = get_u64(r, FIELD_N, &row->n);
	if (!err)
		err = get_double(r, FIELD_VALUE, &row->has_value, &row->value);
	if (!err)
		err = get_double(r, FIELD_LO, &lo, &row->lo);
	if (!err)
		err = get_double(r, FIELD_HI, &hi, &row->hi);
	if (err)
		return err;
	row->has_interval = lo && hi;
	if (!row->has_value && row->n)
		return bad_field(r, FIELD_N, "0 where there is no value");
	if (lo != hi || (lo && row->lo > row->hi))
		return bad_field(r, FIELD_LO, "given together with hi, and not above it");
	return 0;
}

static int get_row(struct record *r, struct figure_row *row)
{
	static const enum scores_field needed[] = {FIELD_CELL, FIELD_METRIC, FIELD_SCOPE,
						   FIELD_STATUS};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!*field(r, needed[i]))
			return bad_field(r, needed[i], "given");
	*row = (struct figure_row){
		.run = field(r, FIELD_RUN),
		.cell = field(r, FIELD_CELL),
		.workload = field(r, FIELD_WORKLOAD),
		.variant = field(r, FIELD_VARIANT),
		.profiler = field(r, FIELD_PROFILER),
		.division = field(r, FIELD_DIVISION),
		.regime = field(r, FIELD_REGIME),
		.binding = field(r, FIELD_BINDING),
		.metric = field(r, FIELD_METRIC),
		.scope = field(r, FIELD_SCOPE),
		.status = field(r, FIELD_STATUS),
	};
	return get_numbers(r, row);
}

static int read_all(struct record *r, int (*fn)(const struct figure_row *, void *), void *arg)
{
	struct figure_row row;
	int err = check_header(r);

	while (!err) {
		int more = read_record(r);

		if (more <= 0)
			return more;
		err = get_row(r, &row);
		if (!err)
			err = fn(&row, arg);
	}
	return err;
}

int scores_csv_read(const char *path, int (*fn)(const struct figure_row *row, void *arg), void *arg,
		    struct diag *d)
{
	struct record r = {.path = path, .line = 1, .d = d};
	int err;

	r.f = fopen(path, "re");
	if (!r.f)
		return diag_set(d, -errno, path, 0, "make it with `assay score RUN`",
				"cannot be opened: %s", strerror(errno));
	err = read_all(&r, fn, arg);
	fclose(r.f);
	free(r.buf);
	return err;
}
