/* SPDX-License-Identifier: BSD-2-Clause */
/* The style sheet and the scripts, taken in by the assembler: no generator, no escaping. */
#include "results/assets.h"

/* The path is seen from the top of the tree, where make runs. */
#define ASSET(name, path)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".global " #name "\n"                                                              \
		".type " #name ", @object\n" #name ":\n"                                           \
		".incbin \"" path "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".size " #name ", . - " #name "\n"                                                 \
		".previous\n")

ASSET(asset_report_css, "results/report.css");
ASSET(asset_precision_recall_gp, "results/precision_recall.gp");
ASSET(asset_outcomes_gp, "results/outcomes.gp");
ASSET(asset_reliability_gp, "results/reliability.gp");
ASSET(asset_frontier_gp, "results/frontier.gp");
