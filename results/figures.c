/* SPDX-License-Identifier: BSD-2-Clause */
/* What each figure is called and how it is read. */
#include "results/figures.h"

#include <stdio.h>
#include <string.h>

const struct figure handoff_figures[] = {
	{"truth", "truth",
	 "Handoffs that really happened, both ends inside the scored time: what "
	 "recall is measured against.",
	 false},
	{"claims", "claims",
	 "Handoffs that the profiler said it saw, at this level, out-of-scope "
	 "ones left aside.",
	 false},
	{"right", "right",
	 "Claims whose two ends belong to one real handoff that no other claim "
	 "was credited with. Higher is better.",
	 false},
	{"duplicate", "dupl.",
	 "Claims that are true but say again what another claim was credited "
	 "for.",
	 false},
	{"false_join", "false join",
	 "Claims that tie the start of one handoff to the end of "
	 "another: the costliest error, since it looks like an "
	 "answer.",
	 false},
	{"half", "half", "Claims of which only one end meets a real handoff.", false},
	{"spurious", "spurious", "Claims of which no end meets a real handoff.", false},
	{"orphan", "orphan",
	 "Ends that the profiler saw and honestly left unjoined: no error, no "
	 "credit.",
	 false},
	{"out_of_scope", "out of scope",
	 "Claims about a key that the workload never used: counted, "
	 "not scored.",
	 false},
	{"decoy_hits", "decoy hits",
	 "Claims that match a planted record of something that never "
	 "happened. More than chance means that truth leaked.",
	 false},
	{"by_ready", "by ready",
	 "Right claims whose far end was seen when the work became "
	 "receivable, before the receiver ran it. No error.",
	 false},
	{"precision", "precision",
	 "Share of the joined claims that are right: how far you can "
	 "trust what it says.",
	 true},
	{"recall", "recall", "Share of the real handoffs that were found: how much it sees.", true},
	{"f1", "F1", "Precision and recall in one number; 1 only if both are 1.", true},
	{"false_join_rate", "false-join rate",
	 "False joins among claims with two ends: how often "
	 "it blames the wrong work. Lower is better.",
	 true},
	{"orphan_rate", "orphan rate",
	 "Share of the real handoffs of which only an orphan speaks: "
	 "what it missed and admits.",
	 true},
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
