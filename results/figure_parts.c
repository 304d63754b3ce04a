/* SPDX-License-Identifier: BSD-2-Clause */
/* The chapters of a score beside handoffs, and how to read each of their figures. */
#include "results/figures.h"

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct figure one_ended[] = {
	{"truth", "truth", "Real handoffs of which one end lies outside the scored time.",
	 FIGURE_COUNT, false},
	{"named", "named", "How many of them an orphan names.", FIGURE_COUNT, false},
	{"joined", "joined", "How many of them a claim wrongly ties to something. Lower is better.",
	 FIGURE_COUNT, false},
};

static const struct figure events[] = {
	{"truth", "truth", "Resource events that really happened.", FIGURE_COUNT, false},
	{"claims", "claims", "Resource events that the profiler claims.", FIGURE_COUNT, false},
	{"matched", "matched", "Pairs of one claim and one real event.", FIGURE_COUNT, false},
	{"precision", "precision", "Share of the claimed events that are real.", FIGURE_RATIO,
	 false},
	{"recall", "recall", "Share of the real events that are claimed.", FIGURE_RATIO, false},
	{"units_equal", "units equal", "Pairs that agree on the amount.", FIGURE_COUNT, false},
	{"unit_accuracy", "unit accuracy", "Share of the pairs that agree on the amount.",
	 FIGURE_RATIO, false},
};

static const struct figure identity[] = {
	{"lives", "lives", "Lifetimes of resource instances with at least two events.",
	 FIGURE_COUNT, false},
	{"exact", "exact",
	 "Lives told whole: every event seen, one identity, shared with no other "
	 "life.",
	 FIGURE_COUNT, false},
	{"life_exactness", "life exactness", "Share of the lives told whole. The headline.",
	 FIGURE_RATIO, false},
	{"true_joins", "true joins", "Neighbouring events of one life.", FIGURE_COUNT, false},
	{"found", "found", "Of these, pairs that carry one identity.", FIGURE_COUNT, false},
	{"join_recall", "join recall", "Share of the true neighbours that stay together.",
	 FIGURE_RATIO, false},
	{"claimed_joins", "claimed joins", "Neighbouring events of one claimed identity.",
	 FIGURE_COUNT, false},
	{"pure", "pure", "Of these, pairs that belong to one life.", FIGURE_COUNT, false},
	{"join_precision", "join precision",
	 "Share of the claimed neighbours that belong "
	 "together; blind where lives are long.",
	 FIGURE_RATIO, false},
	{"mean_events", "events a life",
	 "Mean events a life: the larger, the less join precision "
	 "says.",
	 FIGURE_NUMBER, false},
};

static const struct figure effects[] = {
	{"truth", "truth",
	 "Effects (block I/O, page faults, waits for a CPU) with their real "
	 "cause.",
	 FIGURE_COUNT, false},
	{"claims", "claims", "Effects that the profiler claims.", FIGURE_COUNT, false},
	{"matched", "matched", "Claims with the right cause and the right moment.", FIGURE_COUNT,
	 false},
	{"precision", "precision", "Share of the claims that are right.", FIGURE_RATIO, false},
	{"recall", "recall", "Share of the real effects that are claimed.", FIGURE_RATIO, false},
};

static const struct figure costs[] = {
	{"true", "true", "What the operations really cost, summed.", FIGURE_NUMBER, false},
	{"claimed", "claimed", "What the profiler charges, summed.", FIGURE_NUMBER, false},
	{"abs_error", "error, summed",
	 "Differences between claimed and true, operation by "
	 "operation.",
	 FIGURE_NUMBER, false},
	{"error", "error", "The same as a share of the true cost. Lower is better.", FIGURE_NUMBER,
	 false},
	{"median", "median error", "Relative error of the operation in the middle.", FIGURE_NUMBER,
	 false},
	{"p99", "p99 error", "Relative error that 99 of 100 operations stay below.", FIGURE_NUMBER,
	 false},
	{"unattributed", "unattributed", "Cost that the profiler charges to no operation.",
	 FIGURE_NUMBER, false},
	{"unattributed_share", "its share", "Unattributed cost as a share of what is claimed.",
	 FIGURE_RATIO, false},
};

static const struct figure profiles[] = {
	{"tv_distance", "distance",
	 "How far the claimed profile is from the true one: 0 equal, 1 "
	 "nothing in common.",
	 FIGURE_RATIO, false},
	{"even_distance", "even split",
	 "The distance of an even split over the true keys: who only knows "
	 "them would score it.",
	 FIGURE_RATIO, false},
};

static const struct figure resources[] = {
	{"valid", "valid", "1: its description is right, 0: it has gone stale.", FIGURE_COUNT,
	 false},
	{"worst", "worst", "Worst the profiler said of it: 0 kept, 1 suspect, 2 stale.",
	 FIGURE_COUNT, false},
	{"detected", "detected", "1: the stale description was found out.", FIGURE_COUNT, false},
	{"false_alarm", "false alarm", "1: an alarm where nothing was wrong.", FIGURE_COUNT, false},
	{"early", "early", "1: an alarm before anything could be seen to be wrong.", FIGURE_COUNT,
	 false},
	{"censored", "never", "1: not detected until the end of the run.", FIGURE_COUNT, false},
	{"latency_ns", "latency, ns", "From the first contradiction to the alarm.", FIGURE_COUNT,
	 false},
	{"latency_events", "latency, events", "The same, in events of that resource.", FIGURE_COUNT,
	 false},
	{"raised", "raised", "Times that trust was raised again (ignored).", FIGURE_COUNT, false},
};

static const struct figure stale[] = {
	{"detected", "detected", "Stale resources that were found out.", FIGURE_COUNT, false},
	{"detection_rate", "detection rate", "Share of the stale resources that were found out.",
	 FIGURE_RATIO, false},
	{"false_alarms", "false alarms", "Alarms on resources that were right.", FIGURE_COUNT,
	 false},
	{"false_alarm_rate", "false-alarm rate",
	 "Share of the right resources that were accused. "
	 "Lower is better.",
	 FIGURE_RATIO, false},
	{"localised", "localised", "Detections that name the descriptor at fault.", FIGURE_COUNT,
	 false},
	{"localisation_rate", "localisation rate",
	 "Share of the detections that name the right "
	 "descriptor.",
	 FIGURE_RATIO, false},
	{"pointedness", "pointedness",
	 "Share of the descriptors doubted in detections that are "
	 "at fault.",
	 FIGURE_RATIO, false},
};

static const struct figure matrix[] = {
	{"matrix", "resources",
	 "Resources by what they are (valid, stale) and the worst that was "
	 "said of them (kept, suspect, stale).",
	 FIGURE_COUNT, false},
};

static const struct figure calibration[] = {
	{"n", "forecasts", "Claims that carry a confidence and could be judged.", FIGURE_COUNT,
	 false},
	{"base_rate", "base rate", "Share of them that came true.", FIGURE_RATIO, false},
	{"brier", "Brier", "Mean squared distance of confidence from outcome. Lower is better.",
	 FIGURE_RATIO, false},
	{"zero_skill", "zero skill",
	 "How much better than always saying 0: 1 perfect, 0 no better, below 0 worse. Claims that "
	 "were made up do not raise it.",
	 FIGURE_NUMBER, false},
	{"skill", "skill",
	 "How much better than always saying the base rate: 1 perfect, 0 no "
	 "better, below 0 worse. Claims that were made up raise it: to be read beside precision.",
	 FIGURE_NUMBER, false},
	{"reliability", "reliability",
	 "Part of Brier: confidence that does not mean what it says. "
	 "0 is best.",
	 FIGURE_RATIO, false},
	{"resolution", "resolution",
	 "Part of Brier: telling the sure from the unsure. Higher is "
	 "better.",
	 FIGURE_RATIO, false},
	{"uncertainty", "uncertainty", "Part of Brier: how hard the question is.", FIGURE_RATIO,
	 false},
	{"log_loss", "log loss", "Punishes being sure and wrong. Lower is better.", FIGURE_NUMBER,
	 false},
	{"auc", "AUC",
	 "Chance that a right claim has more confidence than a wrong one: 0.5 is a "
	 "coin. Claims that were made up raise it.",
	 FIGURE_RATIO, false},
};

static const struct figure loss[] = {
	{"missing", "missing", "Handoffs that lost records hit and that were not found.",
	 FIGURE_COUNT, false},
	{"explained", "explained",
	 "Of these, handoffs where the profiler admits a gap or an "
	 "orphan.",
	 FIGURE_COUNT, false},
	{"explained_share", "explained share",
	 "Share of what loss took that is admitted. Higher "
	 "is better.",
	 FIGURE_RATIO, false},
	{"intact", "intact", "Handoffs that no lost record hit.", FIGURE_COUNT, false},
	{"in_gap", "in a gap", "Intact handoffs inside a claimed gap.", FIGURE_COUNT, false},
	{"in_gap_share", "in-gap share",
	 "Share of the intact handoffs that claimed gaps cover. "
	 "Lower is better.",
	 FIGURE_RATIO, false},
	{"informedness", "informedness",
	 "Share of the losses' time told less that of the intact given up: 1 is best, 0 for gaps "
	 "at random.",
	 FIGURE_NUMBER, false},
	{"lost_true", "lost, true", "Records that were really lost.", FIGURE_COUNT, false},
	{"lost_claimed", "lost, claimed", "Records that the profiler says were lost.", FIGURE_COUNT,
	 false},
};

static const struct figure diagnosis[] = {
	{"truth", "truth", "Pathologies that were really there.", FIGURE_COUNT, false},
	{"claims", "claims", "Diagnoses given.", FIGURE_COUNT, false},
	{"right", "right", "Diagnoses that name a real pathology and its subject.", FIGURE_COUNT,
	 false},
	{"found", "found", "Pathologies that were named.", FIGURE_COUNT, false},
	{"precision", "precision", "Share of the diagnoses that are right.", FIGURE_RATIO, false},
	{"coverage", "coverage", "Share of the pathologies that were named.", FIGURE_RATIO, false},
	{"time_to_label", "time to label, ns", "From the onset to the right diagnosis.",
	 FIGURE_NUMBER, false},
};

const struct part parts[] = {
	{"one_ended", "Handoffs with one end",
	 "Work that was under way when the scored time began "
	 "or ended.",
	 "all", one_ended, CNT(one_ended)},
	{"calibration.context", "Confidence at context level",
	 "Does a confidence of 0.9 come true "
	 "nine times in ten?",
	 "all", calibration, CNT(calibration)},
	{"calibration.identity", "Confidence at identity level",
	 "The same, judged at identity "
	 "level.",
	 "all", calibration, CNT(calibration)},
	{"loss", "Honesty about loss",
	 "When records are lost, does the profiler say so, and only "
	 "where it is so?",
	 "all", loss, CNT(loss)},
	{"event", "Resource events",
	 "Acquire, use, release: each claimed at the right site, thread "
	 "and moment?",
	 "all", events, CNT(events)},
	{"event", "Resource events by descriptor", "The same, for each line of the manifest.",
	 "desc:", events, CNT(events)},
	{"event.identity", "Identity of resources",
	 "Is one lifetime one identity, and another "
	 "lifetime another?",
	 "all", identity, CNT(identity)},
	{"effect", "Effects and their causes",
	 "Block I/O, page faults and waits, charged to the "
	 "work that caused them?",
	 "all", effects, CNT(effects)},
	{"cost", "Cost by operation",
	 "Are CPU, waiting and bytes charged to the operation that "
	 "caused them?",
	 "kind:", costs, CNT(costs)},
	{"profile", "Profiles", "Aggregates against the true distribution over the same key.", "",
	 profiles, CNT(profiles)},
	{"stale", "Stale contracts",
	 "Does the profiler notice that a description has gone "
	 "stale?",
	 "all", stale, CNT(stale)},
	{"stale", "Stale contracts, confusion", "What was said of valid and of stale resources.",
	 "", matrix, CNT(matrix)},
	{"stale.resource", "Stale contracts by resource", "The same for each resource.",
	 "resource:", resources, CNT(resources)},
	{"calibration.p_stale", "Confidence in staleness",
	 "Does a probability of staleness mean "
	 "what it says?",
	 "all", calibration, CNT(calibration)},
	{"diagnosis", "Diagnoses", "Is the pathology named, with the right subject?", "all",
	 diagnosis, CNT(diagnosis)},
};

const size_t part_cnt = CNT(parts);
