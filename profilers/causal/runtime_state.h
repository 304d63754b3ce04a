/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs of runtimes: instances, and what is open on them. For runtime.c and runtime_order.c
 * only.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_RUNTIME_STATE_H
#define ASSAY_PROFILERS_CAUSAL_RUNTIME_STATE_H

#include <uthash.h>

#include "profilers/adapter/events.h"
#include "profilers/adapter/gone.h"
#include "profilers/causal/runtime.h"

struct hit { /* one event of an instance */
	uint8_t event;
	uint8_t seq;
	uint32_t tid;
	uint64_t t, target;
};

struct open { /* a src that waits for its dst */
	uint8_t type;
	struct hit src;
	struct open *prev, *next;
};

struct late { /* an event that came before its number's turn */
	struct hit hit;
	struct late *prev, *next;
};

struct node_key {
	uint64_t instance;
	uint32_t tgid, resource;
};

struct node {
	struct node_key key;
	uint8_t last; /* number of the last event that was taken; 0: none yet */
	uint8_t late_cnt;
	bool broken; /* something that was open may have been lost */
	uint16_t open_cnt;
	uint64_t lost_cnt; /* records lost until its last event */
	struct open *open;
	struct late *late;
	UT_hash_handle hh;
};
_Static_assert(sizeof(struct node) <= 128, "bytes a live causal node");

struct runtime {
	struct events events;
	struct outlet *out;
	uint32_t *acts; /* one a resource, of events_acts: those of runtimes */
	bool *targets;	/* one a resource: its descriptors give targets */
	/* one a resource, bits 1 << handoff_type: sends that came to nothing, and ends that nobody
	 * had sent, where no event was missing. One end alone is then no proof of a handoff. */
	uint16_t *unmet, *unsent;
	struct node *nodes;
	size_t open_cnt; /* on all of them */
	struct gone gone;
	uint64_t lost; /* until when */
	uint64_t lost_cnt;
	bool numbered; /* events have numbers here: one without has lost its own */
};

/* What the event does, now that it is its turn; negative errno. */
int runtime_take(struct runtime *r, struct node *n, const struct hit *h);
/* The oldest send of a node has no end that could be told. */
int runtime_orphan(struct runtime *r, struct node *n, struct open *o);

/* An event of the instance has come: it, and what has waited for it, is taken in turn. */
int runtime_happen(struct runtime *r, struct node *n, const struct hit *h);
/* Takes what is in its turn; what has waited too long by now, or has no room to wait, shows a loss.
 */
int runtime_settle(struct runtime *r, struct node *n, uint64_t now);
void runtime_late_drop(struct node *n, struct late *l);

#endif
