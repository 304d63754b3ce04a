/* SPDX-License-Identifier: BSD-2-Clause */
/* What each figure is called and how it is read. */
#include "results/figures.h"

#include <stdio.h>
#include <string.h>

const struct figure handoff_figures[] = {
	{"precision", "precision",
	 "Share of the joined claims that are right: how far you can "
	 "trust what it says.",
	 FIGURE_RATIO, false},
	{"recall", "recall", "Share of the real handoffs that were found: how much it sees.",
	 FIGURE_RATIO, false},
	{"visible_recall", "recall of seen",
	 "The same over the handoffs that can be seen at this level at all, by a fixed table of "
	 "what "
	 "the platform shows: how much of what it could see it saw.",
	 FIGURE_RATIO, false},
	{"f1", "F1", "Precision and recall in one number; 1 only if both are 1.", FIGURE_RATIO,
	 false},
	{"false_join_rate", "false-join rate",
	 "False joins among claims with two ends: how often "
	 "it blames the wrong work. Lower is better.",
	 FIGURE_RATIO, false},
	{"orphan_rate", "orphan rate",
	 "Share of the real handoffs of which only an orphan speaks: "
	 "what it missed and admits.",
	 FIGURE_RATIO, false},
	{"truth", "truth",
	 "Handoffs that really happened, both ends inside the scored time: what "
	 "recall is measured against.",
	 FIGURE_COUNT, false},
	{"visible", "can be seen",
	 "Of these, those that an observer can place at this level at all.", FIGURE_COUNT, true},
	{"claims", "claims",
	 "Handoffs that the profiler said it saw, at this level, out-of-scope "
	 "ones left aside.",
	 FIGURE_COUNT, false},
	{"right", "right",
	 "Claims whose two ends belong to one real handoff that no other claim "
	 "was credited with. Higher is better.",
	 FIGURE_COUNT, false},
	{"duplicate", "dupl.",
	 "Claims that are true but say again what another claim was credited "
	 "for.",
	 FIGURE_COUNT, false},
	{"false_join", "false join",
	 "Claims that tie the start of one handoff to the end of "
	 "another: the costliest error, since it looks like an "
	 "answer.",
	 FIGURE_COUNT, false},
	{"half", "half", "Claims of which only one end meets a real handoff.", FIGURE_COUNT, false},
	{"spurious", "spurious", "Claims of which no end meets a real handoff.", FIGURE_COUNT,
	 false},
	{"orphan", "orphan",
	 "Ends that the profiler saw and honestly left unjoined: no error, no "
	 "credit.",
	 FIGURE_COUNT, false},
	{"out_of_scope", "out of scope",
	 "Claims about a key that the workload never used: counted, "
	 "not scored.",
	 FIGURE_COUNT, false},
	{"decoy_hits", "decoy hits",
	 "Claims that match a planted record of something that never "
	 "happened. More than chance means that truth leaked.",
	 FIGURE_COUNT, false},
	{"by_ready", "by ready",
	 "Right claims whose far end was seen when the work became "
	 "receivable, before the receiver ran it. No error.",
	 FIGURE_COUNT, false},
	{"two_ended", "two-ended",
	 "Claims with both ends: what the false-join rate is measured "
	 "against.",
	 FIGURE_COUNT, true},
	{"credited", "credited", "Real handoffs that a right claim was credited with.",
	 FIGURE_COUNT, true},
	{"orphan_only", "orphan only", "Real handoffs of which only an orphan speaks.",
	 FIGURE_COUNT, true},
};

const size_t handoff_figure_cnt = sizeof(handoff_figures) / sizeof(handoff_figures[0]);

const struct figure *figure_find(const char *name)
{
	for (size_t i = 0; i < handoff_figure_cnt; i++)
		if (!strcmp(handoff_figures[i].name, name))
			return &handoff_figures[i];
	return NULL;
}

char *handoff_metric(char ret[static METRIC_LEN], const char *level, const char *name)
{
	snprintf(ret, METRIC_LEN, "handoff.%s.%s", level, name);
	return ret;
}
