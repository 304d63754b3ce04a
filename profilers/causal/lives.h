/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives of resource instances: one address can have many, told apart by their generation.
 *
 * A life begins with the event that opens it and ends when what was acquired has been released, in
 * units where both ends give them, else in hits. An exclusive resource begins a new life with each
 * opening event, whatever came of the last one. Bounded: those of a process that has ended are
 * forgotten; a full table forgets the instance that was seen first, and counts it.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_LIVES_H
#define ASSAY_PROFILERS_CAUSAL_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

#include "profilers/adapter/gone.h"

enum { LIVES_MAX = 1 << 16 };

struct life_key {
	uint64_t instance;
	uint32_t tgid, resource;
};

struct life {
	struct life_key key;
	uint64_t generation;	/* of the current or last life, 0: none yet */
	uint64_t units;		/* not yet released */
	uint32_t tid;		/* of the last opening event */
	uint32_t first_tid;	/* of the opening event before it, where the two overlap */
	uint32_t epoch;		/* losses so far, at its last event */
	int32_t off;		/* count: by how much the last reading of this life was off */
	uint64_t seen;		/* rules of order whose first event this life has had */
	uint64_t allowed;	/* count: by how much, modulo 2^64, a loss has set the reading off;
				 * generation is that of the life which was read */
	uint32_t closed_then;	/* releases of the resource, when the window of opened began */
	uint8_t opened;		/* opening events in this window (TEST_RETURN) */
	uint8_t uses;		/* bits of the uses that the current or last life has had */
	bool returned : 1;	/* and a release in it */
	bool overlaps : 1;	/* the last opening event met a life */
	bool parted : 1;	/* a part of the current life has been released */
	bool overlaps_part : 1; /* the last opening event met a life of which a part had been */
	bool misused : 1;	/* used while dead, since it was last opened or closed */
	bool foreign : 1;	/* there may be holders from before it was first seen */
	bool copied : 1;	/* by a fork: its process holds what it did not acquire */
	bool exceeded : 1;	/* more of the current life was used than was held (TEST_BEYOND) */
	UT_hash_handle hh;
};
_Static_assert(sizeof(struct life) <= 128, "bytes a live causal node");

static inline bool life_is_live(const struct life *l)
{
	return l->units != 0;
}

struct lives {
	struct life *v;
	uint64_t generation; /* the last that was given */
	uint64_t evicted;
};

struct life *lives_find(const struct lives *l, const struct life_key *key);
struct life *lives_add(struct lives *l, const struct life_key *key); /* NULL: no memory */
void lives_forget(struct lives *l, const struct gone *processes);
void lives_free(struct lives *l);
/* A fork has a copy of all that its parent holds. -ENOMEM, or 0. */
int lives_copy(struct lives *l, uint32_t parent, uint32_t child);
/* A process is another program, or no more; each life that it had is given to fn before. */
void lives_end(struct lives *l, uint32_t tgid, void (*fn)(void *arg, const struct life *x),
	       void *arg);

void life_open(struct lives *l, struct life *x, uint64_t units, uint32_t tid, bool exclusive);
void life_use(struct life *x, uint8_t bit);
/* Returns the units that were released beyond what was there. */
uint64_t life_close(struct life *x, uint64_t units);

#endif
