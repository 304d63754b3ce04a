/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Diagnoses: what a service suffers from, read from its resources (contracts §5.7).
 *
 * Shared by `causal` and `attach-only`, which differ in what they take for granted: the reading is
 * the same, and it is right as long as every site means what its manifest says. Whoever diagnoses
 * gives a judge, who says whether a reading of a resource may be trusted; one that may not is
 * withheld and counted.
 *
 * A label is claimed when windows in a row agree on it, once; `healthy`, of no subject, once
 * windows show nothing, and again when all that was claimed has gone. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_DIAGNOSIS_H
#define ASSAY_PROFILERS_ADAPTER_DIAGNOSIS_H

#include "profilers/adapter/joiner.h"
#include "profilers/adapter/reading.h"

/* 0 … 1, how sure one is of a reading that rests on this resource; 0: it is withheld. */
typedef double diagnosis_judge(void *arg, uint32_t resource);

struct diagnoser;

/* NULL: no memory. The manifest and the outlet are lent. */
struct diagnoser *diagnoser_new(const struct manifest *m, struct outlet *out);
void diagnoser_free(struct diagnoser *x);

/* A hit at a descriptor (index); any other record. */
void diagnoser_event(struct diagnoser *x, uint32_t desc, const struct ev_rec *r);
void diagnoser_record(struct diagnoser *x, const struct ev_rec *r);
void diagnoser_lost(struct diagnoser *x);

/* Claims what has come up since, as far as the judge lets it. A claim's time is the end of the
 * window at which it was clear, since the last settlement: it says nothing of what has come after.
 * Negative errno. */
int diagnoser_settle(struct diagnoser *x, diagnosis_judge *judge, void *arg);

/* Readings of a resource that were withheld, by label (enum diagnosis). */
uint64_t diagnoser_withheld(const struct diagnoser *x, uint32_t resource, unsigned label);

#endif
