/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resource events with the generation of their instance, and whether their descriptors still hold.
 *
 * Takes the hits at an application's sites and, as an independent witness, the I/O of the process
 * tree. Loss is learned from what the collector says and from the tallies of the sites, which tell
 * how many hits should have come: so it is known also where nobody tells.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_RESOURCES_H
#define ASSAY_PROFILERS_CAUSAL_RESOURCES_H

#include "profilers/adapter/joiner.h"
#include "profilers/causal/thresholds.h"

struct resources;

/* The setup must have a manifest. tuning: NULL, or lent for as long. NULL: no memory. */
struct resources *resources_new(const struct join_setup *s, struct outlet *out,
				const struct causal_tuning *tuning);
/* In place of one that is finished: no generation of its lives is given again, and what was
 * acquired before `now` is not known. */
void resources_follow(struct resources *x, const struct resources *old, uint64_t now);
void resources_free(struct resources *x);
int resources_record(struct resources *x, const struct ev_rec *r);
int resources_finish(struct resources *x);
/* As finish, in the middle of operations: verdicts are to be had only where they are due. */
int resources_leave(struct resources *x);

#endif
