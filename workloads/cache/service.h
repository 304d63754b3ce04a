/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fronts with a cache each, and loaders that compute what is not there: what they share.
 *
 * A slot belongs to its front, and with it all that its operation holds. A load is its slot's;
 * while it lies in a line or with a loader it is theirs, but for who waits for it and whether it
 * was overtaken, which the front alone looks at.
 */
#ifndef ASSAY_WORKLOADS_CACHE_SERVICE_H
#define ASSAY_WORKLOADS_CACHE_SERVICE_H

#include "workloads/cache/store.h"
#include "workloads/driver/parking.h"

enum cache_kind { KIND_GET, KIND_REPORT, KIND_UPDATE, KIND_SCAN, KIND_STOP };
enum cache_class { CLASS_REF, CLASS_ENTRY };
enum cache_outcome {
	OUTCOME_HIT,
	OUTCOME_SHARED,
	OUTCOME_MISS,
	OUTCOME_JOINED,
	OUTCOME_EVICTED,
	OUTCOME_INVALIDATED,
	OUTCOME_OUTLIVED,
	OUTCOME_OVERTAKEN,
};

/* Ids of the descriptors in manifest.yaml. */
enum cache_desc {
	DESC_LOOKUP = 1,
	DESC_INSERT = 2,
	DESC_USE = 3,
	DESC_PUT = 4,
	DESC_ENTER = 5,
	DESC_FREE = 6,
};

enum { CACHE_KEYS = 8, CACHE_SPARES = 4 };

/* One key that an operation asks for. */
struct want {
	struct want *next; /* waiting for the same load, or granted */
	struct slot *slot;
	uint32_t key;
	struct entry *held; /* NULL: not yet, or the result was not cached */
	struct sent granted;
	struct load load;
} __attribute__((aligned(64)));

struct slot {
	struct slot *next; /* free */
	struct op op;
	unsigned wants, left; /* how many there are, and are still waited for */
	struct want want[CACHE_KEYS];
} __attribute__((aligned(64)));

/* What truth knows of an entry: the last look at it. */
struct known {
	uint32_t inserts, frees, takes, drops, bytes;
	uint64_t ref, entry; /* lives */
};

struct front {
	struct worker *w;
	struct service *service;
	struct cache cache;
	struct known known[CACHE_ENTRIES];
	uint32_t changes;   /* of the cache, as far as known */
	struct load *loads; /* under way */
	unsigned pushed;    /* of them, that no loader was woken for */
	uint64_t pushes;    /* loads, so far */
	struct slot *free;
	struct line inbox;
	uint64_t inbox_look;	   /* the last moment at which it was empty */
	struct want *first, *last; /* granted */
	uint64_t granted_look;
} __attribute__((aligned(64)));

struct loader {
	struct worker *w;
	struct service *service;
	unsigned seat;
	uint64_t look;
} __attribute__((aligned(64)));

struct service {
	struct line loads;
	struct parking seats; /* loaders, then fronts */
	_Atomic bool stop;
	unsigned workers, loaders_cnt;
	struct front *fronts;
	struct loader *loaders;
	struct slot *slots;
	struct entry spare_entries[CACHE_SPARES];
	struct front spare_fronts[CACHE_SPARES];
};

static inline unsigned front_seat(const struct front *f)
{
	return f->service->loaders_cnt + f->w->index;
}

/* ---- watch.c: calls of operators, and what they did to whom ---- */
struct entry *watch_lookup(struct front *f, unsigned key, uint64_t op);
struct entry *watch_insert(struct front *f, unsigned key, unsigned bytes, uint64_t op);
bool watch_evict(struct front *f, uint64_t op);
void watch_use(struct front *f, struct entry *e, uint64_t op);
void watch_put(struct front *f, struct entry *e, uint64_t op);
void watch_invalidate(struct front *f, unsigned key, uint64_t op);
void watch_push(struct worker *w, struct load *l, struct line *to, uint64_t op);
struct load *watch_pop(struct worker *w, struct line *from, uint64_t *look, uint64_t *ret_before,
		       uint64_t *ret_after);
void watch_end(struct front *f);

/* ---- front.c, loader.c ---- */
void front_body(struct front *f);
void loader_body(struct loader *l);

#endif
