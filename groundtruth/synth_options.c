/* SPDX-License-Identifier: BSD-2-Clause */
/* Which run is to be made up: defaults, words, limits. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "groundtruth/synth.h"
#include "lib/numbers.h"
#include "lib/suggest.h"

void synth_defaults(struct synth_options *ret)
{
	*ret = (struct synth_options){.seed = 1,
				      .handoffs = 10000,
				      .threads = 8,
				      .keys = 1024,
				      .types = (1u << HANDOFF_TYPE_CNT) - 1};
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++)
		ret->share[c] = synth_case_share(c);
}

enum { WORD_MAX = 64 };

/* Cuts the next of a comma-separated list off; false at its end. */
static bool next_word(const char **text, char word[WORD_MAX])
{
	size_t len = strcspn(*text, ",");

	if (!**text)
		return false;
	if (len >= WORD_MAX)
		len = WORD_MAX - 1;
	memcpy(word, *text, len);
	word[len] = 0;
	*text += strcspn(*text, ",");
	*text += **text == ',';
	return true;
}

static int unknown(const char *what, const char *word, const char *const *names, size_t cnt,
		   struct diag *d)
{
	const char *near = suggest(word, names, cnt);
	char cure[sizeof(d->cure)] = "one of";
	size_t len = strlen(cure);

	if (near)
		snprintf(cure, sizeof(cure), "did you mean \"%s\"?", near);
	for (size_t i = 0; !near && i < cnt && len + strlen(names[i]) + 2 < sizeof(cure); i++)
		len += (size_t)sprintf(cure + len, " %s", names[i]);
	return diag_set(d, -EINVAL, "", 0, cure, "no %s \"%s\"", what, word);
}

static int parse_share(char *word, double share[SYNTH_CASE_CNT], struct diag *d)
{
	const char *names[SYNTH_CASE_CNT];
	char *is = strchr(word, '=');
	double v;

	if (is)
		*is = 0;
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++) {
		names[c] = synth_case_name(c);
		if (strcmp(names[c], word))
			continue;
		if (!is || parse_f64(is + 1, &v) || v < 0 || v > 1e9)
			return diag_set(d, -EINVAL, "", 0, "write right=0.9,false_join=0.1",
					"the share of \"%s\" is no number from 0 to 1e9", word);
		share[c] = v;
		return 0;
	}
	return unknown("case", word, names, SYNTH_CASE_CNT, d);
}

int synth_shares_parse(const char *text, double ret[SYNTH_CASE_CNT], struct diag *d)
{
	double share[SYNTH_CASE_CNT] = {0};
	char word[WORD_MAX];
	int err = 0;

	while (!err && next_word(&text, word))
		err = parse_share(word, share, d);
	if (!err)
		memcpy(ret, share, sizeof(share));
	return err;
}

int synth_types_parse(const char *text, uint32_t *ret, struct diag *d)
{
	const char *names[HANDOFF_TYPE_CNT];
	char word[WORD_MAX];
	uint32_t types = 0;

	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		names[i] = handoff_type_name(i);
	while (next_word(&text, word)) {
		int type = handoff_type_parse(word, strlen(word));

		if (type < 0)
			return unknown("type", word, names, HANDOFF_TYPE_CNT, d);
		types |= 1u << type;
	}
	*ret = types;
	return 0;
}

static int refuse(struct diag *d, const char *cure, const char *reason)
{
	return diag_set(d, -EINVAL, "", 0, cure, "%s", reason);
}

/* A case with a share that no type allows would be promised and never made. */
static int check_shares(const struct synth_options *o, struct diag *d)
{
	double sum = 0;

	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++) {
		if (!isfinite(o->share[c]) || o->share[c] < 0)
			return refuse(d, NULL, "a share is no number from 0 on");
		if (o->types & synth_case_types(c))
			sum += o->share[c];
	}
	if (sum > 0)
		return 0;
	return refuse(d, "give right a share, or allow io, work or timer",
		      "no case has a share that these types allow");
}

int synth_check(const struct synth_options *o, struct diag *d)
{
	if (!o->handoffs || o->handoffs > SYNTH_HANDOFFS_MAX)
		return refuse(d, "ask for 1 to 200M", "no such number of handoffs");
	if (o->threads < SYNTH_THREADS_MIN || o->threads > SYNTH_THREADS_MAX)
		return refuse(d, "ask for 4 to 65536", "no such number of threads");
	if (o->keys / 2 < o->threads / SYNTH_THREADS_MIN)
		return refuse(d, "ask for at least half as many keys as threads",
			      "too few keys: each four threads need two of their own");
	if (!o->types || o->types >> HANDOFF_TYPE_CNT)
		return refuse(d, "name at least one", "no types");
	return check_shares(o, d);
}
