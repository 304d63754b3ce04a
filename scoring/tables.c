/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoff scores as text tables. */
#include "scoring/tables.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "scoring/parts.h"
#include "scoring/visibility.h"

static const char *const by_names[TABLE_BY_CNT] = {"type", "mark", "source"};

const char *table_by_name(unsigned by)
{
	assert(by < TABLE_BY_CNT); /* mutant: equivalent because nobody asks for more */
	return by_names[by];
}

int table_by_parse(const char *word)
{
	for (int i = 0; i < TABLE_BY_CNT; i++)
		if (!strcmp(by_names[i], word))
			return i;
	return -1;
}

struct column {
	const char *head;
	const char *name; /* as in §6 */
	int width;
};

static const struct column columns[] = {
	{"truth", "truth", 9},
	{"claims", "claims", 9},
	{"right", "right", 9},
	{"dupl.", "duplicate", 7},
	{"false", "false_join", 7},
	{"half", "half", 7},
	{"spur.", "spurious", 7},
	{"orphan", "orphan", 7},
	{"outside", "out_of_scope", 8},
	{"prec.", "precision", 8},
	{"recall", "recall", 8},
	{"F1", "f1", 8},
	{"false/2", "false_join_rate", 8},
	{"orphan/t", "orphan_rate", 9},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void put_head(FILE *out, const char *level, enum table_by by)
{
	char title[32];

	snprintf(title, sizeof(title), "%s, by %s", level, table_by_name(by));
	fprintf(out, "%-20s", title);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "%*s", columns[i].width, columns[i].head);
	fprintf(out, "%s\n", by == TABLE_BY_TYPE ? "  can be seen" : "");
}

static void put_value(FILE *out, int width, const struct value *v)
{
	if (v->is_count)
		fprintf(out, "%*llu", width, (unsigned long long)v->u);
	else if (v->r.has)
		fprintf(out, "%*.4f", width, v->r.v);
	else
		fprintf(out, "%*s", width, "-");
}

static void put_row(FILE *out, const char *name, const struct handoff_counts *c)
{
	struct value v[VALUES_MAX];
	size_t cnt = handoff_values(c, v);

	fprintf(out, "  %-18s", name);
	for (size_t i = 0; i < COLUMNS; i++)
		for (size_t j = 0; j < cnt; j++)
			if (!strcmp(v[j].name, columns[i].name))
				put_value(out, columns[i].width, &v[j]);
}

/* Only of a type is there one answer; marks depend on the type that bears them. */
static void put_seen(FILE *out, enum table_by by, unsigned type, enum score_level level)
{
	if (by == TABLE_BY_TYPE)
		fprintf(out, "  %s",
			visibility_name(visibility_of(type, VISIBLE_UNMARKED, level).what));
}

static void put_rows(FILE *out, const struct handoff_level *l, enum table_by by,
		     enum score_level level)
{
	static const char *(*const name[TABLE_BY_CNT])(unsigned) = {handoff_type_name, mark_name,
								    source_name};
	const struct handoff_counts *const rows[TABLE_BY_CNT] = {l->type, l->mark, l->source};
	const uint32_t shown[TABLE_BY_CNT] = {l->types, l->marks, l->sources};

	for (uint32_t set = shown[by]; set;) {
		unsigned i = take_bit(&set);

		put_row(out, name[by](i), &rows[by][i]);
		put_seen(out, by, i, level);
		fputc('\n', out);
	}
}

int score_table(const struct score *s, enum table_by by, FILE *out)
{
	if (s->status != SCORE_OK)
		return -EINVAL;
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		const struct handoff_level *l = &s->handoff.level[i];

		if (i)
			fputc('\n', out);
		put_head(out, level_name(i), by);
		put_row(out, "all", &l->all);
		fputc('\n', out);
		put_row(out, "declared", &l->declared);
		fputc('\n', out);
		put_rows(out, l, by, i);
	}
	return ferror(out) ? -EIO : 0;
}
