/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of handoffs that a manifest's runtime adapters show, each alone: what floors guess over.
 *
 * PUSH, SUBMIT, SPAWN, PARK and BEGIN send; POP, HANDLE and RUN receive. What a RUN goes on from is
 * not in its record: it is taken for the kind of end that was seen last of the same instance and
 * target, which is as much as can be known without joining. Bounded; not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_ENDS_H
#define ASSAY_PROFILERS_ADAPTER_ENDS_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/observe.h"

enum { ENDS_INSTANCES_MAX = 1 << 16 };

struct ends;

/* m outlives it. NULL: no memory. */
struct ends *ends_new(const struct manifest *m, struct outlet *out);
void ends_free(struct ends *e);

/* The handoff types whose ends the manifest's sites show: bits 1u << handoff_type. */
uint32_t ends_types(const struct manifest *m);

enum end_role { END_NONE, END_SRC, END_DST };

/* What an EV_APP record is; its key is the instance, as far as others have one. A negative errno:
 * no memory. */
int ends_record(struct ends *e, const struct ev_rec *r, struct observation *ret);

#endif
