/* SPDX-License-Identifier: BSD-2-Clause */
/* What the workload of a trial is started with. Pure but for the file of settings. */
#ifndef ASSAY_HARNESS_TRIAL_LOAD_H
#define ASSAY_HARNESS_TRIAL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/trial.h"

enum { LOAD_ARGS = 40 };

struct load_arguments {
	char *v[LOAD_ARGS]; /* ends with NULL if it began as zeros; of s, settings and text */
	char text[LOAD_ARGS][48];
	int cnt;
};
/* The workload takes its channel and its output from these descriptors of this process, where it is
 * not started by it. */
void load_arguments_lend(struct load_arguments *a, int channel_fd, int out_fd);
void load_arguments(const struct trial_spec *s, const char *settings, struct load_arguments *a);

/* Writes the file of settings into the workload's folder. It is read before the first stop; whoever
 * starts the workload removes it there. */
int load_settings(const struct trial_spec *s, char ret[PATH_LEN], struct diag *d);

/* Its keys have names that only the kernel knows. */
bool load_is_calibrated(const struct trial_spec *s);

/* Of truth: some 20, and more the wider it fans out, or what its workload says. */
uint64_t load_records_per_op(const struct trial_spec *s);

#endif
