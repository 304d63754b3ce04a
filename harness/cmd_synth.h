/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay truth synth`, one of the parts of cmd_truth.c. */
#ifndef ASSAY_HARNESS_CMD_SYNTH_H
#define ASSAY_HARNESS_CMD_SYNTH_H

/* argv[0] is the command's name; returns an exit code (harness/command.h). */
int cmd_synth(int argc, char **argv);

#endif
