/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scoring of text in tests: truth and claims as strings of JSON Lines, the score as a string.
 *
 * Every function asserts instead of failing. Strings returned are freed by the caller.
 */
#ifndef ASSAY_TESTS_SCORE_TEXT_H
#define ASSAY_TESTS_SCORE_TEXT_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scoring/score.h"

/* A file of this process alone, with the text in it. */
static inline void text_file(char path[static 64], const char *text)
{
	FILE *f;
	int fd;

	snprintf(path, 64, "/tmp/assay-score-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	f = fdopen(fd, "w");
	cr_assert_eq(fwrite(text, 1, strlen(text), f), strlen(text));
	cr_assert_eq(fclose(f), 0);
}

static inline struct score *score_text(const char *truth, const char *claims)
{
	char truth_path[64], claims_path[64];
	struct diag d = {0};
	struct score *s;

	text_file(truth_path, truth);
	text_file(claims_path, claims);
	s = score_files(truth_path, claims_path, NULL, &d);
	unlink(truth_path);
	unlink(claims_path);
	cr_assert(s, "%s:%lu: %s", d.file, d.line, d.reason);
	return s;
}

static inline char *score_string(const struct score *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(score_json(s, f), 0);
	cr_assert_eq(fclose(f), 0);
	return text;
}

static inline char *score_text_string(const char *truth, const char *claims)
{
	struct score *s = score_text(truth, claims);
	char *text = score_string(s);

	score_free(s);
	return text;
}

/* The value at a path such as "event.identity.lives" of the printed object; resources and other
 * names with dots are not reached this way. */
static inline json_t *score_at(json_t *object, const char *path)
{
	char word[64];
	int len;

	while (object && sscanf(path, "%63[^.]%n", word, &len) == 1) {
		object = json_object_get(object, word);
		path += len;
		path += *path == '.';
	}
	return object;
}

static inline json_t *score_object(const char *truth, const char *claims)
{
	char *text = score_text_string(truth, claims);
	json_error_t err;
	json_t *object = json_loads(text, 0, &err);

	cr_assert(object, "%s in %s", err.text, text);
	free(text);
	return object;
}

#endif
