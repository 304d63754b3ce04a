/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resource events: what a hit at a descriptor's site says, by the manifest.
 *
 * Shared by `causal` and `attach-only`, which differ in what they make of it. An index keeps a
 * pointer to the manifest, which must outlive it.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_EVENTS_H
#define ASSAY_PROFILERS_ADAPTER_EVENTS_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/joiner.h"

struct events {
	const struct manifest *m;
	uint32_t *by_id;     /* indices of descriptors, by id */
	uint32_t *class_str; /* one a resource */
};

int events_open(struct events *e, const struct manifest *m, struct outlet *out); /* neg. errno */
void events_close(struct events *e);

enum { EVENTS_NONE = UINT32_MAX };

/* Index of the descriptor with this id, or EVENTS_NONE. */
uint32_t events_find(const struct events *e, uint32_t id);

/* Index of the descriptor that an EV_APP record names, or EVENTS_NONE: cut, or not of this
 * manifest. */
uint32_t events_of(const struct events *e, const struct ev_rec *r);

/* Whether a hit at that descriptor is an event of a resource: it waits for, acquires, uses or
 * releases one, or the resource has a lifetime. All else is said by a runtime of its work, and is
 * an end of a handoff. */
bool events_of_a_life(const struct events *e, uint32_t desc);

/* The claim for such a record: raw instance and units where the manifest gives them and they could
 * be read; no generation, no conf. */
struct claim events_claim(const struct events *e, uint32_t desc, const struct ev_rec *r);

/* Whether an EV_IO_SUBMIT record is of a request that reads or writes a file. */
bool events_moves_data(const struct ev_rec *r);

/* What the descriptors of each resource name, of those that have an instance: bits 1u <<
 * event_kind, one a resource, to be freed. NULL: no memory. */
uint32_t *events_acts(const struct manifest *m);

/* Whether a BEGIN is a call's, which a RUN answers: where strands are spawned or parked it is that
 * of an operation. acts: of the resource. */
bool events_begin_calls(uint32_t acts);

#endif
