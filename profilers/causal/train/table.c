/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of thresholds as files. */
#include "profilers/causal/train/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"

static const char *const tests[TEST_CNT] = {
	[TEST_PAIRING] = "PAIRING",
	[TEST_MEMBERSHIP] = "MEMBERSHIP",
	[TEST_GENERATION] = "GENERATION",
	[TEST_BALANCE] = "BALANCE",
	[TEST_RATIO] = "RATIO",
	[TEST_ORDER] = "ORDER",
	[TEST_RANGE] = "RANGE",
	[TEST_MONOTONE] = "MONOTONE",
	[TEST_SILENCE] = "SILENCE",
	[TEST_EMIT_RATE] = "EMIT_RATE",
	[TEST_ACTOR] = "ACTOR",
	[TEST_SYSTEM_EFFECT] = "SYSTEM_EFFECT",
	[TEST_KNOWN_VALUE] = "KNOWN_VALUE",
	[TEST_EXCLUSION] = "EXCLUSION",
	[TEST_COUNT] = "COUNT",
	[TEST_WITHIN] = "WITHIN",
	[TEST_ENDS] = "ENDS",
	[TEST_MOVED] = "MOVED",
	[TEST_STRANGER] = "STRANGER",
	[TEST_BEYOND] = "BEYOND",
	[TEST_RETURN] = "RETURN",
	[TEST_IMAGE] = "IMAGE",
};

static const char *const beliefs[BELIEF_CNT] = {
	[BELIEF_UNSEEN] = "UNSEEN",	  [BELIEF_START] = "START",	[BELIEF_CLEAN] = "CLEAN",
	[BELIEF_CANDIDATE] = "CANDIDATE", [BELIEF_PARTNER] = "PARTNER", [BELIEF_WARNED] = "WARNED",
	[BELIEF_TIED] = "TIED",		  [BELIEF_SUSPECT] = "SUSPECT", [BELIEF_BLAMED] = "BLAMED",
	[BELIEF_REFUSED] = "REFUSED",
};

const char *test_name(unsigned test)
{
	return tests[test];
}

const char *belief_name(unsigned belief)
{
	return beliefs[belief];
}

/* ---- reading ---- */

static int find(const char *const *names, unsigned cnt, const char *word)
{
	for (unsigned i = 0; i < cnt; i++)
		if (!strcmp(names[i], word))
			return (int)i;
	return -1;
}

static bool is_rate(double v)
{
	return v > 0 && v < 1;
}

static bool is_threshold(const struct threshold *h)
{
	return is_rate(h->valid) && is_rate(h->stale) && h->stale > h->valid && h->at_suspect > 0 &&
	       h->at_stale >= h->at_suspect && h->at_stale < 1e6;
}

static bool read_line(const char *line, struct thresholds *t)
{
	struct threshold h;
	char word[32];
	double p;
	int i;

	if (sscanf(line, "TEST(%31[A-Z_], %lf, %lf, %lf, %lf)", word, &h.valid, &h.stale,
		   &h.at_suspect, &h.at_stale) == 5) {
		i = find(tests, TEST_CNT, word);
		if (i >= 0)
			t->test[i] = h;
		return i >= 0 && is_threshold(&h);
	}
	if (sscanf(line, "BELIEF(%31[A-Z_], %lf)", word, &p) == 2) {
		i = find(beliefs, BELIEF_CNT, word);
		if (i >= 0)
			t->p_stale[i] = p;
		return i >= 0 && p >= 0 && p <= 1;
	}
	if (sscanf(line, "OFF(%31[A-Z_])", word) == 1) {
		i = find(tests, TEST_CNT, word);
		if (i >= 0)
			t->off |= 1u << i;
		return i >= 0;
	}
	return false;
}

static bool is_comment(const char *line)
{
	return !*line || !strncmp(line, "/*", 2) || !strncmp(line, " *", 2);
}

int table_load(const char *path, struct thresholds *ret, struct diag *d)
{
	struct thresholds t = thresholds_shipped;
	char *text, *line, *next;
	int rc = file_read(path, 1 << 16, &text, NULL, d);
	unsigned long n = 0;

	if (rc)
		return rc;
	for (line = text; !rc && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		n++;
		if (!is_comment(line) && !read_line(line, &t))
			rc = diag_set(d, -EINVAL, path, n, "see profilers/causal/thresholds.def",
				      "no line of a table of thresholds: %.60s", line);
	}
	free(text);
	if (!rc)
		*ret = t;
	return rc;
}

/* ---- writing ---- */

int table_save(const char *path, const struct thresholds *t, const char *note, struct diag *d)
{
	struct file_out o;
	int rc = file_out_open(&o, path, d);

	if (rc)
		return rc;
	fprintf(o.f, "/* SPDX-License-Identifier: BSD-2-Clause */\n/*\n%s */\n", note);
	fputs("/* TEST: violation rate while valid, once stale; log likelihood ratio at suspect, "
	      "at stale. */\n",
	      o.f);
	for (unsigned i = 0; i < TEST_CNT; i++)
		fprintf(o.f, "TEST(%s, %.3g, %.3g, %.3g, %.3g)\n", tests[i], t->test[i].valid,
			t->test[i].stale, t->test[i].at_suspect, t->test[i].at_stale);
	fputs("/* BELIEF: probability that a descriptor of which this is known is invalid. */\n",
	      o.f);
	for (unsigned i = 0; i < BELIEF_CNT; i++)
		fprintf(o.f, "BELIEF(%s, %.3g)\n", beliefs[i], t->p_stale[i]);
	return file_out_commit(&o, d);
}
