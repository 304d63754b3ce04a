/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ails the service, as truth has it: nothing from its begin on, and from the turn on what the
 * setting `ail` says (contracts §5.7).
 *
 * The words of all labels lie in every workload, so that none tells what its run suffers from.
 * Used by the driver alone, on its main thread.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_DIAGNOSIS_H
#define ASSAY_WORKLOADS_DRIVER_DIAGNOSIS_H

#include "lib/diag.h"
#include "workloads/driver/workload.h"

/* Bits 1u << enum diagnosis: those that this workload can have. */
uint32_t diagnosis_ailments(const struct workload *s);

/* -EINVAL and *d where the settings, read from `path`, ask for what this workload cannot have, or
 * do not say when. */
int diagnosis_check(const struct workload *s, const char *path, struct diag *d);

/* Names the labels; before the first record. */
void diagnosis_open(struct recorder_channel *c);

/* All threads have ended; [begin, end] holds every act. */
void diagnosis_record(struct worker *w, const struct workload *s, uint64_t begin, uint64_t end);

#endif
