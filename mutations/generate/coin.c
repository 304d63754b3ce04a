/* SPDX-License-Identifier: BSD-2-Clause */
/* Names coined. */
#include "mutations/generate/coin.h"

#include <stdio.h>
#include <string.h>

static const char *const verbs[] = {
	"settle", "accept", "apply",  "assign", "attach", "bring",  "carry",  "check",	"commit",
	"cover",  "deal",   "direct", "enter",	"expand", "finish", "fold",   "follow", "gather",
	"handle", "hold",   "keep",   "level",	"mark",	  "match",  "merge",  "move",	"note",
	"order",  "pace",   "pass",   "pick",	"place",  "plan",   "prime",  "prune",	"raise",
	"reach",  "renew",  "report", "reset",	"round",  "scan",   "select", "send",	"serve",
	"set",	  "shape",  "share",  "shift",	"sort",	  "stage",  "start",  "step",	"store",
	"sum",	  "swap",   "sweep",  "tally",	"tend",	  "track",  "trim",   "turn",	"update",
	"visit",  "weigh",  "yield"};
static const char *const ends[] = {"",	    "_all", "_at",  "_by", "_fast",
				   "_here", "_in",  "_now", "_one"};
static const char *const nouns[] = {
	"age",	   "band",  "bias",    "bound", "chunk", "class", "color", "core",  "cost",
	"credit",  "day",   "debt",    "edge",	"extra", "field", "fill",  "flow",  "frame_no",
	"gain",	   "grade", "group",   "heat",	"hint",	 "index", "items", "label", "lag",
	"layer",   "limit", "line_no", "load",	"locks", "marks", "mask",  "needs", "notes",
	"order",   "owner", "pace",    "pages", "parts", "phase", "place", "plan",  "points",
	"pool_no", "prior", "quota",   "rank",	"rate",	 "room",  "round", "rows",  "score",
	"serial",  "shade", "share",   "shift", "slack", "slice", "span",  "stamp", "steps",
	"stock",   "tick",  "tier",    "total", "touch", "trace", "trips", "turns", "weight",
	"width",   "worth", "zone"};

enum {
	VERBS = sizeof(verbs) / sizeof(verbs[0]),
	ENDS = sizeof(ends) / sizeof(ends[0]),
	NOUNS = sizeof(nouns) / sizeof(nouns[0]),
};

static bool is_there(const struct texts *t, const char *name)
{
	for (unsigned i = 0; i < t->cnt; i++)
		if (word_find(t->v[i].s, name))
			return true;
	return false;
}

void coin_function(const struct texts *t, const char *like, uint32_t draw, char ret[OPERATOR_WORD])
{
	int lead = (int)strcspn(like, "_");

	do {
		snprintf(ret, OPERATOR_WORD, "%.*s_%s%s", lead, like, verbs[draw % VERBS],
			 ends[draw / VERBS % ENDS]);
		draw++;
	} while (is_there(t, ret));
}

void coin_member(const struct texts *t, uint32_t draw, char ret[OPERATOR_WORD])
{
	for (uint32_t n = 0;; n++) {
		uint32_t at = draw + n;

		if (n < NOUNS)
			snprintf(ret, OPERATOR_WORD, "%s", nouns[at % NOUNS]);
		else
			snprintf(ret, OPERATOR_WORD, "%s_%s", nouns[at % NOUNS],
				 nouns[at / NOUNS % NOUNS]);
		if (!is_there(t, ret))
			return;
	}
}
