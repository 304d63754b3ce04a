/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded query cache: its state and its operators; and the lines in which loads travel.
 *
 * An entry is found by its key as long as it is listed. What is invalidated is found no more, but
 * lives until its last reference is gone. A cache belongs to one thread. Entries count what happens
 * to them; whoever calls an operator can see from that what it did. A line is shared; its lock is
 * held for moments.
 */
#ifndef ASSAY_WORKLOADS_CACHE_STORE_H
#define ASSAY_WORKLOADS_CACHE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/spin.h"

enum { CACHE_ENTRIES = 64 };

struct entry {
	struct entry *newer, *older; /* of those that are listed, by their last use */
	uint32_t refs;
	uint32_t bytes;
	uint32_t key;
	bool live, listed;
	uint32_t uses;
	uint32_t inserts, frees, takes, drops;
} __attribute__((aligned(64)));

struct cache {
	uint32_t capacity, used; /* bytes */
	uint32_t changes;
	struct entry *newest, *oldest;
	struct entry entry[CACHE_ENTRIES];
};

/* A query on its way to whoever computes it, and its result on the way back. */
struct load {
	struct load *next;	/* in its line */
	struct load *following; /* of its front, under way */
	struct front *front;
	struct want *want;
	uint32_t key;
	bool used;		   /* its front had pushed one before */
	bool overtaken;		   /* the key was invalidated meanwhile */
	struct want *first, *last; /* that wait for the same query */
	struct sent sent;
} __attribute__((aligned(64)));

struct line {
	_Atomic bool lock;
	bool in_order; /* first in, first out; else what is asked most often first */
	_Atomic unsigned cnt;
	struct load *first;
} __attribute__((aligned(64)));

/* ---- ops.c: operators, named by manifest.yaml ---- */
void cache_init(struct cache *c, unsigned capacity);
struct entry *cache_lookup(struct cache *c, unsigned key); /* with a reference; NULL: not there */
/* With a reference; NULL: there is no room. */
struct entry *cache_insert(struct cache *c, unsigned key, unsigned bytes);
bool cache_evict(struct cache *c); /* makes room; false: all are referenced */
void cache_use(struct entry *e);
void cache_put(struct entry *e, struct cache *c); /* one reference less */
void cache_invalidate(struct cache *c, unsigned key);
void cache_free(struct entry *e, struct cache *c); /* called by those above */
void cache_push(struct load *l, struct line *to);
struct load *cache_pop(struct line *from); /* NULL: empty */

/* ---- state.c ---- */
struct entry *entry_find(struct cache *c, unsigned key);
struct entry *entry_unused(struct cache *c); /* NULL: there are as many as can be */
void entry_list(struct entry *e, struct cache *c);
void entry_unlist(struct entry *e, struct cache *c);
void entry_take(struct entry *e, struct cache *c);

#endif
