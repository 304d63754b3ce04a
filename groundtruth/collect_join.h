/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of one collection, shared by the parts of the collector; private to groundtruth.
 *
 * collect.c runs it, collect_slot.c reads the raw records of a slot, collect_join.c joins handoffs
 * and writes truth's records. Every function returns 0, or a negative errno with the diag filled.
 */
#ifndef ASSAY_GROUNDTRUTH_COLLECT_JOIN_H
#define ASSAY_GROUNDTRUTH_COLLECT_JOIN_H

#include "groundtruth/channel.h"
#include "groundtruth/truth_build.h"

enum { TOKEN_DEALT = 0, TOKEN_DECOY = 1 };

/* Order of records with the same first time. */
enum collect_rank {
	RANK_START = 0, /* live at start */
	RANK_BEGIN,
	RANK_SEGMENT,
	RANK_HANDOFF,
	RANK_EVENT,
	RANK_EFFECT,
	RANK_DECOY,
	RANK_DIAGNOSIS,
	RANK_END,
	RANK_LIVE, /* live at the end */
};

/* A record of truth to be, and its place. */
struct collect_item {
	uint64_t t;
	uint64_t tie;	/* rank, slot, number of the raw record */
	uint32_t index; /* handoff: in pending; others: unused */
};

/* A handoff whose ends are being found. */
struct collect_pending {
	struct truth_handoff h;
	unsigned slot; /* where it was seen first */
	uint64_t rec;
	uint64_t free_since; /* end of the receiver's previous segment, 0: none */
	uint64_t consumed;   /* end of the segment it starts, or the moment it was consumed */
	uint64_t ready0;
};

struct collect {
	const struct channel *c;
	const struct collect_info *info;
	struct diag *d;
	struct truth_build b;
	unsigned slots_used;
	struct idmap tokens;   /* token: TOKEN_DEALT or TOKEN_DECOY */
	struct idmap handoffs; /* id: index in pending */
	struct collect_pending *pending;
	size_t pending_cnt, pending_cap;
	struct collect_item *items;
	size_t items_cnt, items_cap;
	/* of the slot being read */
	uint32_t *waiting; /* handoffs that start the next segment */
	size_t waiting_cnt, waiting_cap;
	uint64_t free_since;
	/* MARK and AMB records, whose handoff may be in a slot not yet read */
	const struct log_rec **late;
	size_t late_cnt, late_cap;
	const struct log_rec **known; /* COST records */
	size_t known_cnt, known_cap;
};

/* What went wrong with memory or limits. */
int collect_fault(struct collect *x, int err);
/* A new zeroed element of a list (pointer to the list pointer), or NULL. */
void *collect_more(void *list, size_t *cnt, size_t *cap, size_t size);
int collect_place(struct collect *x, uint64_t t, enum collect_rank rank, unsigned slot,
		  uint64_t rec, uint32_t index);

/* The name that an observer knows in place of the number that the log has; without one the key is
 * dropped. -EINVAL: there is no such number. */
int collect_name_key(const struct collect *x, struct truth_key *k);

/* collect_slot.c */
int collect_slot(struct collect *x, unsigned slot);
/* -EINVAL for a raw record: thread, number, and what is wrong with it. */
int collect_reject(struct collect *x, unsigned slot, uint64_t rec, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* collect_join.c */
int collect_src(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r);
int collect_dst(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r);
int collect_segment(struct collect *x, unsigned slot, uint64_t rec, const struct log_rec *r);
int collect_finish_handoffs(struct collect *x);

/* collect_costs.c: the records of cost, after all others but the close. */
int collect_costs(struct collect *x);
/* collect_functions.c: those of functions, after them. */
int collect_functions(struct collect *x);
/* collect_threads.c: those of threads and pairs of them, after these. */
int collect_threads(struct collect *x);

/* collect_emit.c: writes the record of an item into the builder. */
int collect_emit(struct collect *x, const struct collect_item *it);

#endif
