/* SPDX-License-Identifier: BSD-2-Clause */
/* What `assay explain` says, as strings that the caller frees. Every function asserts. */
#ifndef ASSAY_TESTS_SCORE_EXPLAINED_H
#define ASSAY_TESTS_SCORE_EXPLAINED_H

#include "scoring/explain.h"
#include "tests/units/score_text.h"

#define SAMPLES "tests/units/data/scoring/"

static inline struct explain *open_sample(const char *name)
{
	char truth[128], claims[128];
	struct diag d = {0};
	struct explain *x;

	snprintf(truth, sizeof(truth), SAMPLES "%s/truth.jsonl", name);
	snprintf(claims, sizeof(claims), SAMPLES "%s/claims.jsonl", name);
	x = explain_open(truth, claims, &d);
	cr_assert(x, "%s: %s", d.file, d.reason);
	return x;
}

static inline char *claim_text(const struct explain *x, size_t number)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_claim(x, number, f), 0);
	fclose(f);
	return text;
}

static inline char *cell_text(const struct explain *x)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(explain_cell(x, f), 0);
	fclose(f);
	return text;
}

#endif
