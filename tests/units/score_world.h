/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small world for tests of the scorer: truth and claims put together record by record.
 *
 * Capacity is fixed and asserted. world_new gives an empty world scored over [0, 10000]; strings
 * are interned on the fly, truth's and claims' apart as in real files. world_shuffle reorders the
 * claims by a seed, for tests that nothing depends on their order.
 */
#ifndef ASSAY_TESTS_SCORE_WORLD_H
#define ASSAY_TESTS_SCORE_WORLD_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

enum { WORLD_MAX = 4096 };

struct world {
	struct truth t;
	struct claims c;
	struct strtab *truth_words, *claim_words;
	struct truth_descriptor descriptors[64];
	struct truth_op ops[WORLD_MAX];
	struct truth_handoff handoffs[WORLD_MAX];
	struct truth_event events[WORLD_MAX];
	struct truth_effect effects[WORLD_MAX];
	struct truth_cost costs[WORLD_MAX];
	struct truth_loss losses[64];
	struct truth_diagnosis diagnoses[64];
	struct claim claims[WORLD_MAX];
};

static inline struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

	assert(w);
	w->truth_words = strtab_new();
	w->claim_words = strtab_new();
	/* So that equal words have different ids on the two sides. */
	assert(strtab_intern(w->claim_words, "padding", 7) > 0);
	w->t.scored = (struct window){0, 10000};
	w->t.strings = w->truth_words;
	w->t.descriptors = w->descriptors;
	w->t.ops = w->ops;
	w->t.handoffs = w->handoffs;
	w->t.events = w->events;
	w->t.effects = w->effects;
	w->t.costs = w->costs;
	w->t.losses = w->losses;
	w->t.diagnoses = w->diagnoses;
	w->c.strings = w->claim_words;
	w->c.v = w->claims;
	return w;
}

static inline void world_free(struct world *w)
{
	strtab_free(w->truth_words);
	strtab_free(w->claim_words);
	free(w);
}

static inline uint32_t said(struct world *w, const char *word) /* in truth */
{
	return (uint32_t)strtab_intern(w->truth_words, word, strlen(word));
}

static inline uint32_t claimed(struct world *w, const char *word)
{
	return (uint32_t)strtab_intern(w->claim_words, word, strlen(word));
}

static inline struct truth_event *add_event(struct world *w, struct truth_event e)
{
	assert(w->t.events_cnt < WORLD_MAX);
	e.has |= TE_UNITS | (e.desc ? TE_DESC : 0);
	w->events[w->t.events_cnt] = e;
	return &w->events[w->t.events_cnt++];
}

static inline void add_descriptor(struct world *w, struct truth_descriptor d, const char *resource)
{
	assert(w->t.descriptors_cnt < 64);
	d.resource_str = said(w, resource);
	d.has_since = !d.valid;
	d.has_contradicted = d.contradicted != 0;
	w->descriptors[w->t.descriptors_cnt++] = d;
}

static inline void add_op(struct world *w, struct truth_op op, const char *kind)
{
	assert(w->t.ops_cnt < WORLD_MAX);
	op.has_begin = 1;
	op.has_end = op.end.t1 != 0;
	op.kind_str = said(w, kind);
	w->ops[w->t.ops_cnt++] = op;
}

static inline void add_handoff(struct world *w, struct truth_handoff h)
{
	assert(w->t.handoffs_cnt < WORLD_MAX);
	h.has |= TH_SRC | TH_DST;
	w->handoffs[w->t.handoffs_cnt++] = h;
}

static inline void add_cost(struct world *w, uint64_t op, const char *kind, uint32_t tid,
			    uint64_t v)
{
	assert(w->t.costs_cnt < WORLD_MAX);
	w->costs[w->t.costs_cnt++] = (struct truth_cost){
		.op = op, .kind_str = said(w, kind), .tid = tid, .has_tid = tid != 0, .v = v};
}

static inline void add_effect(struct world *w, struct truth_effect e)
{
	assert(w->t.effects_cnt < WORLD_MAX);
	w->effects[w->t.effects_cnt++] = e;
}

static inline void add_loss(struct world *w, uint64_t from, uint64_t to, uint64_t lost)
{
	assert(w->t.losses_cnt < 64);
	w->losses[w->t.losses_cnt++] =
		(struct truth_loss){.from = from, .to = to, .lost = lost, .has_lost = 1};
}

static inline void add_diagnosis(struct world *w, const char *label, const char *subject,
				 uint64_t t0, uint64_t t1)
{
	assert(w->t.diagnoses_cnt < 64);
	w->diagnoses[w->t.diagnoses_cnt++] = (struct truth_diagnosis){
		.t = {t0, t1}, .label_str = said(w, label), .subject_str = said(w, subject)};
}

static inline struct claim *add_claim(struct world *w, struct claim x)
{
	assert(w->c.cnt < WORLD_MAX);
	w->claims[w->c.cnt] = x;
	return &w->claims[w->c.cnt++];
}

/*
 * The world as a reader would leave it: every array on the heap by itself and exactly as long as
 * its count, so that a sanitizer sees whoever reads beyond.
 */
struct sealed {
	struct truth t;
	struct claims c;
	void *owned[10];
	size_t owned_cnt;
};

static inline const void *seal_array(struct sealed *s, const void *v, size_t cnt, size_t size)
{
	void *copy = malloc(cnt * size);

	assert(copy && s->owned_cnt < 10);
	if (cnt)
		memcpy(copy, v, cnt * size);
	s->owned[s->owned_cnt++] = copy;
	return copy;
}

static inline struct sealed seal(const struct world *w)
{
	struct sealed s = {.t = w->t, .c = w->c};

	s.t.descriptors =
		seal_array(&s, w->descriptors, w->t.descriptors_cnt, sizeof(*w->descriptors));
	s.t.ops = seal_array(&s, w->ops, w->t.ops_cnt, sizeof(*w->ops));
	s.t.handoffs = seal_array(&s, w->handoffs, w->t.handoffs_cnt, sizeof(*w->handoffs));
	s.t.events = seal_array(&s, w->events, w->t.events_cnt, sizeof(*w->events));
	s.t.effects = seal_array(&s, w->effects, w->t.effects_cnt, sizeof(*w->effects));
	s.t.costs = seal_array(&s, w->costs, w->t.costs_cnt, sizeof(*w->costs));
	s.t.losses = seal_array(&s, w->losses, w->t.losses_cnt, sizeof(*w->losses));
	s.t.diagnoses = seal_array(&s, w->diagnoses, w->t.diagnoses_cnt, sizeof(*w->diagnoses));
	s.t.threads = seal_array(&s, w->t.threads, w->t.threads_cnt, sizeof(*w->t.threads));
	s.c.v = seal_array(&s, w->claims, w->c.cnt, sizeof(*w->claims));
	return s;
}

static inline void unseal(struct sealed *s)
{
	while (s->owned_cnt)
		free(s->owned[--s->owned_cnt]);
}

static inline void world_shuffle(struct world *w, unsigned seed)
{
	for (size_t i = w->c.cnt; i > 1; i--) {
		size_t j = (size_t)rand_r(&seed) % i;
		struct claim x = w->claims[i - 1];

		w->claims[i - 1] = w->claims[j];
		w->claims[j] = x;
	}
}

#endif
