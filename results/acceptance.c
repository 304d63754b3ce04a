/* SPDX-License-Identifier: BSD-2-Clause */
/* cases.json, and who is asked about its cases. */
#include "results/acceptance.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/run_parts.h"

#define CURE "the file is damaged: run the suite again"

static const char *const verdicts[VERDICT_CNT] = {"-", "right", "doubted", "wrong", "failed"};

const char *verdict_word(unsigned v)
{
	return v < VERDICT_CNT ? verdicts[v] : "?";
}

static bool get_word(const json_t *o, const char *name, const char **ret)
{
	*ret = json_string_value(json_object_get(o, name));
	return *ret;
}

/* A group under whatever binding its workload has. */
static const struct view_group *find_group(const struct view *v, const struct acceptance_side *s)
{
	for (size_t i = 0; i < v->group_cnt; i++) {
		const struct view_group *g = &v->groups[i];

		if (!strcmp(g->workload, s->workload) && !strcmp(g->variant, s->variant) &&
		    !strcmp(g->regime, s->regime) && !*view_unusual(g->binding))
			return g;
	}
	return NULL;
}

static bool get_side(const struct view *v, const json_t *o, struct acceptance_side *ret)
{
	bool fine = get_word(o, "workload", &ret->workload) &&
		    get_word(o, "variant", &ret->variant) && get_word(o, "regime", &ret->regime) &&
		    get_word(o, "scope", &ret->scope);

	if (fine)
		ret->g = find_group(v, ret);
	return fine;
}

static bool get_row(const struct view *v, const json_t *o, struct acceptance_row *r)
{
	const struct {
		const char *name, **to;
	} words[] = {{"case", &r->id},	     {"part", &r->part},     {"class", &r->class},
		     {"source", &r->source}, {"read", &r->read},     {"changes", &r->changes},
		     {"naive", &r->naive},   {"metric", &r->metric}, {"exposes", &r->exposes}};
	const json_t *above = json_object_get(o, "above"), *below = json_object_get(o, "below");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!get_word(o, words[i].name, words[i].to))
			return false;
	r->has_above = json_is_number(above);
	r->has_below = json_is_number(below);
	r->above = json_number_value(above);
	r->below = json_number_value(below);
	r->idle = json_is_true(json_object_get(o, "idle"));
	r->handoffs = !strncmp(r->metric, "handoff.", 8);
	return get_side(v, json_object_get(o, "before"), &r->before) &&
	       get_side(v, json_object_get(o, "after"), &r->after);
}

static int read_rows(const struct view *v, const json_t *list, const char *path,
		     struct acceptance *a, struct diag *d)
{
	if (!json_is_array(list))
		return diag_set(d, -EINVAL, path, 0, CURE, "\"cases\" is no list");
	a->rows = calloc(json_array_size(list) + 1, sizeof(*a->rows));
	if (!a->rows)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!get_row(v, json_array_get(list, i), &a->rows[a->cnt++]))
			return diag_set(d, -EINVAL, path, 0, CURE, "a word of case %zu is missing",
					i + 1);
	return 0;
}

/* ---- contestants ---- */

static bool has_row(const struct view_group *g, const char *profiler)
{
	for (size_t i = 0; g && i < g->row_cnt; i++)
		if (!strcmp(g->rows[i].profiler, profiler))
			return true;
	return false;
}

static bool is_contestant(const struct acceptance *a, const char *profiler)
{
	size_t asked = 0;

	for (size_t i = 0; i < a->contestant_cnt; i++)
		if (!strcmp(a->contestants[i], profiler))
			return false;
	for (size_t i = 0; i < a->cnt; i++)
		asked += has_row(a->rows[i].after.g, profiler);
	return 2 * asked >= a->cnt;
}

/* The reference of a case or two is no contestant. */
static int find_contestants(struct acceptance *a)
{
	size_t room = 0;

	for (size_t i = 0; i < a->cnt; i++)
		room += a->rows[i].after.g ? a->rows[i].after.g->row_cnt : 0;
	a->contestants = calloc(room + 1, sizeof(*a->contestants));
	if (!a->contestants)
		return -ENOMEM;
	for (size_t i = 0; i < a->cnt; i++) {
		const struct view_group *g = a->rows[i].after.g;

		for (size_t r = 0; g && r < g->row_cnt; r++)
			if (is_contestant(a, g->rows[r].profiler))
				a->contestants[a->contestant_cnt++] = g->rows[r].profiler;
	}
	for (size_t i = 0; i < a->cnt; i++) {
		a->rows[i].said = calloc(a->contestant_cnt + 1, sizeof(*a->rows[i].said));
		if (!a->rows[i].said)
			return -ENOMEM;
	}
	return 0;
}

int acceptance_load(struct view *v, struct acceptance *ret, struct diag *d)
{
	struct acceptance a = {0};
	char path[4096];
	int err;

	*ret = a;
	if (snprintf(path, sizeof(path), "%s/cases.json", v->run->path) >= (int)sizeof(path))
		return diag_set(d, -ENAMETOOLONG, v->run->path, 0, NULL, "is too long");
	if (access(path, F_OK))
		return 0;
	a.json = run_load_object(path, &err, d);
	if (!a.json)
		return err;
	err = read_rows(v, json_object_get(a.json, "cases"), path, &a, d);
	if (!err && find_contestants(&a))
		err = diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	if (!err)
		err = acceptance_judge(v, &a, d);
	if (err)
		acceptance_free(&a);
	else
		*ret = a;
	return err;
}

void acceptance_free(struct acceptance *a)
{
	for (size_t i = 0; a->rows && i < a->cnt; i++)
		free(a->rows[i].said);
	free(a->rows);
	free(a->contestants);
	json_decref(a->json);
	memset(a, 0, sizeof(*a));
}

void acceptance_text(const struct acceptance_row *r, unsigned version, char *ret, size_t len)
{
	const struct acceptance_reading *x = &r->reading[version];
	char wrong[96] = "";

	if (!x->has) {
		snprintf(ret, len, "nothing");
		return;
	}
	if (x->wrong > 0 || x->orphan > 0)
		snprintf(wrong, sizeof(wrong), " right, %.0f orphaned, %.0f wrong", x->orphan,
			 x->wrong);
	snprintf(ret, len, "%.0f%s of %.0f", x->right, wrong, x->truth);
}
