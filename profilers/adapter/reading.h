/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of resources, window by window, as a manifest says what its sites mean.
 *
 * A window is WINDOW_OPENS acquires of one resource. Instances and requests under way are kept in
 * bounded tables; what they cannot hold is left out of the figures of lives. Nothing here doubts
 * anything: whoever reads decides what the figures rest on. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_READING_H
#define ASSAY_PROFILERS_ADAPTER_READING_H

#include "bpf/evidence.h"
#include "lib/formats/manifest.h"

enum {
#define NUMBER(name, value) name = (value),
#include "profilers/adapter/diagnosis.def"
#undef NUMBER
};

struct figures { /* of one window */
	uint32_t opened, waits, fills;
	uint32_t granted; /* acquires by another thread than the one that waits for the instance */
	uint32_t closed, unused, foreign; /* lives: ended; without a use; by another thread */
	double full;			  /* mean share of the capacity in use; < 0: not known */
	double longest;			  /* share of the time held that the longest fifth has */
	double longest_ns;		  /* mean of that fifth; 0: too few */
	double acquired, low, high;	  /* units: in the window; in use at the least, the most */
	uint64_t io_ns; /* median of the transfers of the thread that ends lives; 0: too few */
};

/* What a manifest says that can be seen of a resource. */
struct visible {
	bool opens, uses, closes, waits, bounded;
	uint32_t fill; /* resource whose lives fill it from a device, or READING_NONE */
};

enum { READING_NONE = UINT32_MAX };

struct reading;

struct reading *reading_new(const struct manifest *m); /* NULL: no memory; m is lent */
void reading_free(struct reading *r);

const struct visible *reading_visible(const struct reading *r, uint32_t resource);

/* A hit at a descriptor (index). True: a window of its resource has ended, with these figures. */
bool reading_event(struct reading *r, uint32_t desc, const struct ev_rec *rec, struct figures *ret);
/* Any other record: transfers, capacities, processes that end. */
void reading_record(struct reading *r, const struct ev_rec *rec);
/* Records were lost: all windows begin anew. */
void reading_lost(struct reading *r);

#endif
