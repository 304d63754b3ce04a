/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scoring samples of the contract: each folder's truth and claims must give the figures of its
 * expect.json. That file is a part of the printed object; what is not there is not asserted. A
 * string such as "7/20" is an exact fraction, which the printed number must equal to 1e-12.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/score.h"

#define SAMPLES "tests/units/data/scoring"
enum { SAMPLES_CNT = 27, NAME_LEN = 64, PATH_LEN = 256 };

struct sample {
	char name[NAME_LEN];
};

static json_t *score_object(const char *truth, const char *claims)
{
	struct diag d = {0};
	struct score *s = score_files(truth, claims, NULL, &d);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_error_t err;
	json_t *object;

	cr_assert(s, "%s: %s", d.file, d.reason);
	cr_assert_eq(score_json(s, f), 0);
	fclose(f);
	score_free(s);
	object = json_loads(text, 0, &err);
	cr_assert(object, "%s in %s", err.text, text);
	free(text);
	return object;
}

/* "7/20" → 0.35; anything else is no fraction. */
static bool fraction(const char *s, double *ret)
{
	double num, den;
	int end = 0;

	if (sscanf(s, "%lf/%lf%n", &num, &den, &end) != 2 || s[end])
		return false;
	*ret = num / den;
	return true;
}

static bool number_wanted(const json_t *want, double *ret)
{
	if (json_is_number(want)) {
		*ret = json_number_value(want);
		return true;
	}
	return json_is_string(want) && fraction(json_string_value(want), ret);
}

static void compare(const char *sample, const char *path, const json_t *want, const json_t *got)
{
	double x;
	const char *key;
	json_t *inner;

	cr_assert(got, "%s: %s is not printed", sample, path);
	if (json_is_object(want)) {
		json_object_foreach((json_t *)want, key, inner)
		{
			char below[PATH_LEN];

			snprintf(below, sizeof(below), "%s.%s", path, key);
			compare(sample, below, inner, json_object_get(got, key));
		}
	} else if (number_wanted(want, &x)) {
		cr_expect(json_is_number(got) && fabs(json_number_value(got) - x) <= 1e-12,
			  "%s: %s is %.17g, not %.17g", sample, path, json_number_value(got), x);
	} else {
		char *a = json_dumps(want, JSON_ENCODE_ANY), *b = json_dumps(got, JSON_ENCODE_ANY);

		cr_expect(json_equal(want, got), "%s: %s is %s, not %s", sample, path, b, a);
		free(a);
		free(b);
	}
}

static int is_folder(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type == DT_DIR;
}

ParameterizedTestParameters(score_examples, gives_the_figures_of_the_contract)
{
	struct sample *samples = cr_malloc(SAMPLES_CNT * sizeof(*samples));
	struct dirent **found;
	int cnt = scandir(SAMPLES, &found, is_folder, alphasort);

	for (int i = 0; i < SAMPLES_CNT; i++) {
		memset(&samples[i], 0, sizeof(samples[i]));
		if (i < cnt)
			snprintf(samples[i].name, NAME_LEN, "%.63s", found[i]->d_name);
	}
	for (int i = 0; i < cnt; i++)
		free(found[i]);
	if (cnt >= 0)
		free(found);
	return cr_make_param_array(struct sample, samples, SAMPLES_CNT);
}

ParameterizedTest(struct sample *s, score_examples, gives_the_figures_of_the_contract)
{
	char truth[PATH_LEN], claims[PATH_LEN], expect[PATH_LEN];
	json_error_t err;
	json_t *want, *got;

	cr_assert(s->name[0], "fewer than %d folders in %s", SAMPLES_CNT, SAMPLES);
	snprintf(truth, sizeof(truth), SAMPLES "/%s/truth.jsonl", s->name);
	snprintf(claims, sizeof(claims), SAMPLES "/%s/claims.jsonl", s->name);
	snprintf(expect, sizeof(expect), SAMPLES "/%s/expect.json", s->name);
	want = json_load_file(expect, 0, &err);
	cr_assert(want, "%s: %s", expect, err.text);
	got = score_object(truth, claims);
	compare(s->name, "", want, got);
	json_decref(want);
	json_decref(got);
}
