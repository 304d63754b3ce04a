/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing scores.csv. */
#include "results/scores_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "results/scores_fields.h"
#include "results/text.h"

struct scores_csv {
	struct file_out file;
};

int scores_csv_create(const char *path, struct scores_csv **ret, struct diag *d)
{
	struct scores_csv *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	err = file_out_open(&w->file, path, d);
	if (err) {
		free(w);
		return err;
	}
	for (size_t i = 0; i < SCORES_FIELD_CNT; i++)
		fprintf(w->file.f, "%s%s", i ? "," : "", scores_field_names[i]);
	putc('\n', w->file.f);
	*ret = w;
	return 0;
}

static void put_word(FILE *f, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void put_number(FILE *f, bool has, double v)
{
	char buf[NUMBER_LEN];

	if (has)
		fputs(number_exact(buf, v), f);
}

static const char *unsayable(const struct figure_row *r)
{
	if (!r->has_value && r->n)
		return "has no value but a denominator";
	if (r->has_value && !isfinite(r->value))
		return "is not a finite number";
	if (r->has_interval && !(isfinite(r->lo) && isfinite(r->hi) && r->lo <= r->hi))
		return "has an interval that is none";
	return NULL;
}

int scores_csv_put(struct scores_csv *w, const struct figure_row *r, struct diag *d)
{
	FILE *f = w->file.f;
	const char *words[] = {r->run,	    r->cell,	 r->workload, r->variant,
			       r->profiler, r->division, r->regime,   r->binding};
	const char *why = unsayable(r);

	if (why)
		return diag_set(d, -EINVAL, w->file.path, 0, NULL,
				"figure %s, scope %s, cell %s %s", r->metric, r->scope, r->cell,
				why);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		put_word(f, words[i]);
		putc(',', f);
	}
	fprintf(f, "%" PRIu64 ",", r->seed);
	put_word(f, r->metric);
	putc(',', f);
	put_word(f, r->scope);
	putc(',', f);
	put_number(f, r->has_value, r->value);
	putc(',', f);
	put_number(f, r->has_interval, r->lo);
	putc(',', f);
	put_number(f, r->has_interval, r->hi);
	fprintf(f, ",%" PRIu64 ",", r->n);
	put_word(f, r->status);
	putc('\n', f);
	return 0;
}

int scores_csv_close(struct scores_csv *w, struct diag *d)
{
	int err = file_out_commit(&w->file, d);

	free(w);
	return err;
}

void scores_csv_abort(struct scores_csv *w)
{
	if (!w)
		return;
	file_out_abort(&w->file);
	free(w);
}
