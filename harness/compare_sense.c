/* SPDX-License-Identifier: BSD-2-Clause */
/* Which figures of scores.csv are better the more they are. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "harness/compare.h"

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

/* Last parts of names: what there was, what was looked at, what others are measured by. */
static const char *const neutral[] = {
	"truth",   "claims",	    "two_ended",     "n",	 "base_rate",	 "uncertainty",
	"lives",   "true_joins",    "claimed_joins", "true",	 "claimed",	 "mean_events",
	"visible", "even_distance", "lost_true",     "intact",	 "lost_claimed", "valid",
	"said",	   "came_true",	    "scored",	     "by_ready", "early",	 "worst",
};

/* Parts of names: errors, and what grows with them. */
static const char *const lower[] = {
	"false",	"orphan",   "duplicate",    "half",
	"spurious",	"error",    "brier",	    "log_loss",
	"latency",	"cheating", "decoy",	    "distance",
	"unattributed", "in_gap",   ".missing",	    "one_ended.joined",
	"out_of_scope", "raised",   "censored",	    "time_to_label",
	".median",	".p99",	    ".reliability", "cell.",
};

static bool is_last_part(const char *metric, const char *word)
{
	const char *dot = strrchr(metric, '.');

	return !strcmp(dot ? dot + 1 : metric, word);
}

/* Resources by what they are and the worst that was said of them: "stale:kept". */
static int sense_of_matrix(const char *scope)
{
	bool stale = !strncmp(scope, "stale:", 6);
	bool kept = !strcmp(scope, "stale:kept") || !strcmp(scope, "valid:kept");

	return stale == kept ? -1 : 1;
}

int compare_sense(const char *metric, const char *scope)
{
	if (!strcmp(metric, "stale.matrix"))
		return sense_of_matrix(scope);
	for (size_t i = 0; i < CNT(neutral); i++)
		if (is_last_part(metric, neutral[i]))
			return 0;
	for (size_t i = 0; i < CNT(lower); i++)
		if (strstr(metric, lower[i]))
			return -1;
	return 1;
}
