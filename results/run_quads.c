/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading quads.json. */
#include "results/run_quads.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/run_parts.h"

#define CURE "the file is damaged: run the suite again"

static int bad(const char *path, const char *what, struct diag *d)
{
	return diag_set(d, -EINVAL, path, 0, CURE, "%s is missing or of another kind", what);
}

static bool get_count(const json_t *o, const char *name, unsigned *ret)
{
	const json_t *v = json_object_get(o, name);
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || n > 1000000)
		return false;
	*ret = (unsigned)n;
	return true;
}

static int compare_quads(const void *a, const void *b)
{
	const struct run_quad *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static int read_quads(const json_t *list, const char *path, struct run_quads *q, struct diag *d)
{
	q->v = calloc(json_array_size(list) + 1, sizeof(*q->v));
	if (!q->v)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i), *frozen = json_object_get(o, "frozen");
		struct run_quad v = {
			.id = json_string_value(json_object_get(o, "id")),
			.class = json_string_value(json_object_get(o, "class")),
			.verdict = json_string_value(json_object_get(o, "verdict")),
			.frozen = json_is_true(frozen),
		};

		if (!v.id || !v.class || !v.verdict || !json_is_boolean(frozen))
			return bad(path, "id, class, verdict or frozen of a mutation", d);
		q->v[q->cnt++] = v;
	}
	qsort(q->v, q->cnt, sizeof(*q->v), compare_quads);
	return 0;
}

static int read_steps(const json_t *list, const char *path, struct run_quads *q, struct diag *d)
{
	q->steps = calloc(json_array_size(list) + 1, sizeof(*q->steps));
	if (!q->steps)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		struct run_step s = {.name = json_string_value(json_object_get(o, "step"))};

		if (!s.name || !get_count(o, "passed", &s.passed) ||
		    !get_count(o, "none", &s.none) || !get_count(o, "unchecked", &s.unchecked))
			return bad(path, "a step of the funnel", d);
		q->steps[q->step_cnt++] = s;
	}
	return 0;
}

static int read_all(const char *path, struct run_quads *q, struct diag *d)
{
	const json_t *mutations = json_object_get(q->json, "mutations");
	const json_t *funnel = json_object_get(q->json, "funnel");
	const json_t *steps = json_object_get(funnel, "steps");
	int err;

	if (!json_is_array(mutations))
		return bad(path, "\"mutations\"", d);
	if (!json_is_array(steps) || !get_count(funnel, "written", &q->written) ||
	    !get_count(funnel, "certified", &q->certified) ||
	    !get_count(funnel, "unverified", &q->unverified) ||
	    !get_count(funnel, "frozen", &q->frozen))
		return bad(path, "\"funnel\"", d);
	err = read_quads(mutations, path, q, d);
	return err ? err : read_steps(steps, path, q, d);
}

int run_quads_load(const char *run_dir, struct run_quads *ret, struct diag *d)
{
	struct run_quads q = {0};
	char path[4096];
	int err;

	if (snprintf(path, sizeof(path), "%s/quads.json", run_dir) >= (int)sizeof(path))
		return diag_set(d, -ENAMETOOLONG, run_dir, 0, NULL, "is too long");
	if (access(path, F_OK)) {
		*ret = q;
		return 0;
	}
	q.json = run_load_object(path, &err, d);
	if (!q.json)
		return err;
	err = read_all(path, &q, d);
	if (err)
		run_quads_free(&q);
	else
		*ret = q;
	return err;
}

void run_quads_free(struct run_quads *q)
{
	free(q->v);
	free(q->steps);
	json_decref(q->json);
	memset(q, 0, sizeof(*q));
}

const struct run_quad *run_quads_find(const struct run_quads *q, const char *id)
{
	struct run_quad want = {.id = id};

	return q->cnt ? bsearch(&want, q->v, q->cnt, sizeof(want), compare_quads) : NULL;
}

size_t run_variant_split(const char *variant, const char **ret_form)
{
	static const char *const forms[] = {"mutant", "twin"};
	const char *dash = strrchr(variant, '-');

	for (size_t i = 0; dash && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(dash + 1, forms[i]) && dash > variant) {
			*ret_form = forms[i];
			return (size_t)(dash - variant);
		}
	return 0;
}

const struct run_quad *run_quads_of(const struct run_quads *q, const char *variant)
{
	const char *form;
	size_t len = run_variant_split(variant, &form);
	char id[256];

	if (!len || len >= sizeof(id))
		return NULL;
	memcpy(id, variant, len);
	id[len] = '\0';
	return run_quads_find(q, id);
}
