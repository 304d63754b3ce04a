/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.tsv: strict reading, whole writing. */
#include "harness/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/regime.h"
#include "lib/files.h"
#include "lib/opts.h"

enum { COLUMNS = 11 };

static const char *const column_names[COLUMNS] = {"cell",     "kind",	  "workload", "variant",
						  "profiler", "division", "regime",   "binding",
						  "seed",     "from",	  "params"};

struct reader {
	const char *path;
	uint64_t line;
	struct diag *d;
};

#define reject(r, ...)                                                                             \
	diag_set((r)->d, -EINVAL, (r)->path, (r)->line,                                            \
		 "write the plan with assay plan, or mend the line", __VA_ARGS__)

/* Splits at tabs in place; false where the count is not COLUMNS. */
static bool split(char *line, char *ret[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		ret[i] = strsep(&line, "\t");
		if (!ret[i])
			return false;
	}
	return !line;
}

static bool is_number(const char *s)
{
	size_t len = strspn(s, "0123456789");

	return len && len < 20 && !s[len];
}

/* "name=number name=number" with names of letters and '_', or "-". */
static bool params_fine(const char *s)
{
	if (!strcmp(s, "-"))
		return true;
	while (*s) {
		size_t name = strspn(s, "abcdefghijklmnopqrstuvwxyz_"), digits;

		if (!name || s[name] != '=')
			return false;
		s += name + 1;
		digits = strspn(s, "0123456789");
		if (!digits || digits > 18)
			return false;
		s += digits;
		if (*s && *s++ != ' ')
			return false;
	}
	return true;
}

/* Another word would be a slip of who edits a plan: the cell would run as if it did not stand
 * there.
 */
static int check_param(struct reader *r, const char *name)
{
	if (cell_has_param(name))
		return 0;
	opts_unknown(r->d, "parameter", name, cell_params, cell_params_cnt);
	snprintf(r->d->file, sizeof(r->d->file), "%s", r->path);
	r->d->line = r->line;
	if (!strcmp(r->d->cure, "assay --help"))
		snprintf(r->d->cure, sizeof(r->d->cure), "mend the line, or leave it out");
	return -EINVAL;
}

/* Of params that are fine. */
static int check_params(struct reader *r, const char *params)
{
	char text[PARAMS_LEN], *rest = text, *word;
	int rc = 0;

	snprintf(text, sizeof(text), "%s", strcmp(params, "-") ? params : "");
	while (!rc && (word = strsep(&rest, " ")) && *word) {
		word[strcspn(word, "=")] = '\0';
		rc = check_param(r, word);
	}
	return rc;
}

static bool binding_fine(const char *word)
{
	static const char *const words[] = {"-", "stamped", "best-effort", "strict"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static bool name_fine(const char *s)
{
	if (!*s || *s == '.')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._-+", *s))
			return false;
	return true;
}

static int kind_parse(const char *word)
{
	for (int i = 0; i < KIND_CNT; i++)
		if (!strcmp(word, cell_kind_name((unsigned)i)))
			return i;
	return -1;
}

static int put_column(struct reader *r, char *dst, size_t len, const char *src, int column)
{
	if (!*src)
		return reject(r, "column %s is empty", column_names[column]);
	if (strlen(src) >= len)
		return reject(r, "column %s is longer than %zu bytes", column_names[column],
			      len - 1);
	memcpy(dst, src, strlen(src) + 1);
	return 0;
}

static int parse_texts(struct reader *r, char *f[COLUMNS], struct cell *c)
{
	const struct {
		int column;
		char *dst;
		size_t len;
	} texts[] = {{0, c->name, sizeof(c->name)},	    {2, c->workload, sizeof(c->workload)},
		     {3, c->variant, sizeof(c->variant)},   {4, c->profiler, sizeof(c->profiler)},
		     {5, c->division, sizeof(c->division)}, {6, c->regime, sizeof(c->regime)},
		     {7, c->binding, sizeof(c->binding)},   {9, c->from, sizeof(c->from)},
		     {10, c->params, sizeof(c->params)}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int rc = put_column(r, texts[i].dst, texts[i].len, f[texts[i].column],
				    texts[i].column);

		if (rc)
			return rc;
	}
	return 0;
}

static int parse_cell(struct reader *r, char *line, struct cell *c)
{
	char *f[COLUMNS];
	struct regime regime;
	int kind, rc;

	if (!split(line, f))
		return reject(r, "it has not %d columns", COLUMNS);
	rc = parse_texts(r, f, c);
	if (rc)
		return rc;
	kind = kind_parse(f[1]);
	if (kind < 0)
		return reject(r, "unknown kind %.40s", f[1]);
	if (!name_fine(c->name))
		return reject(r, "cell %.80s is no plain file name", c->name);
	if (!is_number(f[8]))
		return reject(r, "seed %.40s is no number", f[8]);
	if (!params_fine(c->params))
		return reject(r, "params are not name=number, separated by single spaces");
	if (!binding_fine(c->binding))
		return reject(r, "there is no binding %s", c->binding);
	if (regime_parse(c->regime, &regime, NULL))
		return reject(r, "there is no regime %s", c->regime);
	rc = check_params(r, c->params);
	if (rc)
		return rc;
	c->kind = (enum cell_kind)kind;
	c->seed = strtoull(f[8], NULL, 10);
	return 0;
}

/* What a cell is made from must come earlier and have what is needed. */
static int check_from(struct reader *r, const struct plan *p, const struct cell *c)
{
	bool needed = c->kind == KIND_JOIN || c->kind == KIND_TRUTH;
	const struct cell *from = plan_find(p, c->from);

	if (plan_find(p, c->name))
		return reject(r, "cell %s stands here twice", c->name);
	if (!needed)
		return strcmp(c->from, "-")
			       ? reject(r, "a %s cell comes from no other", cell_kind_name(c->kind))
			       : 0;
	if (!from)
		return reject(r, "from names %.80s, which is no earlier cell", c->from);
	if (from->kind == KIND_RECORD || from->kind == KIND_REFERENCE ||
	    (from->kind == KIND_LIVE && c->kind == KIND_TRUTH))
		return 0;
	return reject(r, "from names a %s cell, which has no %s", cell_kind_name(from->kind),
		      c->kind == KIND_JOIN ? "evidence" : "truth of its own");
}

static int add_line(struct reader *r, struct plan *p, char *line)
{
	struct cell c = {0}, *v;
	int rc = parse_cell(r, line, &c);

	if (!rc)
		rc = check_from(r, p, &c);
	if (rc)
		return rc;
	v = realloc(p->v, (p->cnt + 1) * sizeof(*v));
	if (!v)
		return diag_set(r->d, -ENOMEM, r->path, 0, NULL, "out of memory");
	p->v = v;
	p->v[p->cnt++] = c;
	return 0;
}

static int read_lines(struct reader *r, FILE *in, struct plan *p)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = getline(&line, &cap, in)) > 0) {
		r->line++;
		if (line[n - 1] != '\n') {
			rc = reject(r, "the last line is cut short");
			break;
		}
		if (memchr(line, '\0', (size_t)n)) {
			rc = reject(r, "a NUL byte inside the line");
			break;
		}
		line[n - 1] = '\0';
		if (r->line == 1)
			rc = strcmp(line, PLAN_HEADER) ? reject(r, "this is no plan: the header "
								   "line is another")
						       : 0;
		else
			rc = add_line(r, p, line);
	}
	free(line);
	if (!rc && ferror(in))
		rc = diag_set(r->d, -EIO, r->path, 0, NULL, "cannot be read");
	if (!rc && !p->cnt)
		rc = reject(r, "the plan has no cell");
	return rc;
}

int plan_load(const char *path, struct plan *ret, struct diag *d)
{
	struct reader r = {.path = path, .d = d};
	struct plan p = {0};
	FILE *in = fopen(path, "re");
	int rc;

	if (!in)
		return diag_set(d, -errno, path, 0, "assay plan SUITE writes one",
				"cannot be opened: %s", strerror(errno));
	rc = read_lines(&r, in, &p);
	fclose(in);
	if (rc) {
		plan_free(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

int plan_save(const struct plan *p, const char *path, struct diag *d)
{
	struct file_out f;
	int rc = file_out_open(&f, path, d);

	if (rc)
		return rc;
	fprintf(f.f, "%s\n", PLAN_HEADER);
	for (size_t i = 0; i < p->cnt; i++) {
		const struct cell *c = &p->v[i];

		fprintf(f.f, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%llu\t%s\t%s\n", c->name,
			cell_kind_name(c->kind), c->workload, c->variant, c->profiler, c->division,
			c->regime, c->binding, (unsigned long long)c->seed, c->from, c->params);
	}
	return file_out_commit(&f, d);
}
