/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * docs/scoring.md against the scorer: every figure of the page is computed again, every figure of
 * the printed object is on the page, and what the page shows as output is output.
 */
#include <errno.h>
#include <math.h>

#include "scoring/explain.h"
#include "scoring/tables.h"
#include "tests/units/score_text.h"

#define PAGE	"docs/scoring.md"
#define EXAMPLE "docs/examples/scoring/"

static char *page_text(void)
{
	FILE *f = fopen(PAGE, "r");
	char *text = calloc(1, 1 << 20);
	size_t len;

	cr_assert(f, "%s cannot be read from here", PAGE);
	len = fread(text, 1, (1 << 20) - 1, f);
	cr_assert_gt(len, 1000);
	fclose(f);
	return text;
}

static struct score *example(void)
{
	struct diag d = {0};
	struct score *s = score_files(EXAMPLE "truth.jsonl", EXAMPLE "claims.jsonl", NULL, &d);

	cr_assert(s, "%s: %s", d.file, d.reason);
	cr_assert_eq(score_status(s), SCORE_OK);
	return s;
}

static json_t *example_object(void)
{
	struct score *s = example();
	char *text = score_string(s);
	json_t *o = json_loads(text, 0, NULL);

	cr_assert(o);
	free(text);
	score_free(s);
	return o;
}

/* A table row "| `PATH` | VALUE | …". */
struct row {
	char path[128], value[64];
};

static bool read_row(const char *line, struct row *r)
{
	return sscanf(line, "| `%127[^`]` | %63[^|]", r->path, r->value) == 2;
}

static void trim(char *s)
{
	size_t len = strlen(s);

	while (len && s[len - 1] == ' ')
		s[--len] = 0;
}

/* "2/5", "-1/15", "4012.5". */
static bool number(const char *s, double *ret)
{
	double num, den = 1;
	int end = 0;

	if (sscanf(s, "%lf/%lf%n", &num, &den, &end) == 2 && !s[end])
		*ret = num / den;
	else if (sscanf(s, "%lf%n", &num, &end) == 1 && !s[end])
		*ret = num;
	else
		return false;
	return true;
}

static json_t *at_path(json_t *o, const char *path)
{
	char word[64];
	int len;

	while (o && sscanf(path, "%63[^/]%n", word, &len) == 1) {
		o = json_object_get(o, word);
		path += len;
		path += *path == '/';
	}
	return o;
}

struct wanted {
	const struct row *row;
	bool found, has;
	double value;
};

static int find_figure(const struct score_figure *f, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(f->metric, w->row->path) || strcmp(f->scope, "all"))
		return 0;
	w->found = true;
	w->has = f->has;
	w->value = f->value;
	return 0;
}

/* Rows whose path has no step are figures of scores.csv. */
static void check_figure(const struct score *s, const struct row *r)
{
	struct wanted w = {.row = r};
	double want;

	cr_assert_eq(score_each_figure(s, find_figure, &w), 0);
	cr_assert(w.found, "%s is no figure", r->path);
	cr_assert(number(r->value, &want), "%s: what is %s?", r->path, r->value);
	cr_expect(w.has && fabs(w.value - want) <= 1e-12, "%s is %.17g, the page says %s", r->path,
		  w.value, r->value);
}

static void check_place(json_t *o, const struct row *r)
{
	json_t *got = at_path(o, r->path);
	char *text = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL;
	double want;

	cr_assert(got, "%s is not in the object", r->path);
	if (number(r->value, &want))
		cr_expect(json_is_number(got) && fabs(json_number_value(got) - want) <= 1e-12,
			  "%s is %s, the page says %s", r->path, text, r->value);
	else
		cr_expect_str_eq(text, r->value, "%s is %s, the page says %s", r->path, text,
				 r->value);
	free(text);
}

Test(score_page, agrees_with_the_scorer)
{
	char *page = page_text(), *rest = page, *line;
	struct score *s = example();
	json_t *o = example_object();
	size_t figures = 0, places = 0;

	while ((line = strsep(&rest, "\n"))) {
		struct row r;

		if (!read_row(line, &r))
			continue;
		trim(r.value);
		if (strchr(r.path, '/') || !strchr(r.path, '.')) {
			check_place(o, &r);
			places++;
		} else {
			check_figure(s, &r);
			figures++;
		}
	}
	cr_assert_gt(places, 150);
	cr_assert_geq(figures, 7);
	json_decref(o);
	score_free(s);
	free(page);
}

/* Counts repeat per type, mark and source and for declared types: the page works out `all`. */
static bool repeats(const char *path, const char *name)
{
	return !strncmp(path, "handoff/", 8) &&
	       (!strcmp(name, "declared") || !strcmp(name, "type") || !strcmp(name, "mark") ||
		!strcmp(name, "source"));
}

static void check_on_page(const char *page, json_t *o, const char *path)
{
	const char *key;
	json_t *inner;

	json_object_foreach(o, key, inner)
	{
		char below[128], row[160];

		if (repeats(path, key))
			continue;
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", key);
		if (json_is_object(inner)) {
			check_on_page(page, inner, below);
			continue;
		}
		snprintf(row, sizeof(row), "| `%s` |", below);
		cr_expect(strstr(page, row) || !strcmp(below, "status"), "%s is not on the page",
			  below);
	}
}

Test(score_page, works_out_every_figure_of_the_object)
{
	char *page = page_text();
	json_t *o = example_object();

	check_on_page(page, o, "");
	json_decref(o);
	free(page);
}

Test(score_page, shows_the_table_as_it_is_printed)
{
	char *page = page_text(), *text = NULL;
	struct score *s = example();
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(score_table(s, TABLE_BY_SOURCE, f), 0);
	fclose(f);
	cr_assert(strstr(page, text), "the page does not hold\n%s", text);
	free(text);
	score_free(s);
	free(page);
}

Test(score_page, shows_the_explanation_as_it_is_printed)
{
	char *page = page_text(), *text = NULL, *dst;
	struct diag d = {0};
	struct explain *x = explain_open(EXAMPLE "truth.jsonl", EXAMPLE "claims.jsonl", &d);
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert(x, "%s", d.reason);
	cr_assert_eq(explain_claim(x, 4, f), 0);
	fclose(f);
	dst = strstr(text, "  dst: "); /* the page stops there */
	cr_assert(dst);
	*dst = 0;
	cr_assert(strstr(page, text), "the page does not hold\n%s", text);
	free(text);
	explain_free(x);
	free(page);
}
