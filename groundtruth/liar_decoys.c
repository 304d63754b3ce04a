/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cheat: takes every record of the truth memory for a true one, planted ones included.
 *
 * The two ends of a decoy share type and key, and the second follows the first on another thread;
 * somebody who reads the memory joins them by their token. Here each decoy is joined to the next
 * one of its type and key on another thread; one that finds none is claimed with an unknown far
 * end.
 */
#include <errno.h>
#include <stdlib.h>

#include "groundtruth/claimant.h"

static bool same_act(const struct truth_decoy *a, const struct truth_decoy *b)
{
	return !b->as_event && a->type == b->type && a->key.ns == b->key.ns &&
	       a->key.v == b->key.v && a->tid != b->tid;
}

/* Decoys stand close to their other halves: looking further finds only strangers. */
enum { LOOK_AHEAD = 64 };

static const struct truth_decoy *other_half(const struct truth *t, size_t i, bool *taken)
{
	size_t end = t->decoys_cnt - i > LOOK_AHEAD ? i + LOOK_AHEAD : t->decoys_cnt;

	for (size_t k = i + 1; k < end; k++)
		if (!taken[k] && same_act(&t->decoys[i], &t->decoys[k])) {
			taken[k] = true;
			return &t->decoys[k];
		}
	return NULL;
}

static int put_handoff(const struct truth *t, size_t i, bool *taken, struct claims_writer *w)
{
	const struct truth_decoy *src = &t->decoys[i], *dst = other_half(t, i, taken);
	struct claim c = {.kind = CLAIM_HANDOFF,
			  .type = src->type,
			  .how = HOW_OBSERVED,
			  .has = HAS_SRC | HAS_CONF,
			  .handoff = {.src_t = src->t.t0, .src_tid = src->tid, .conf = 1}};

	claim_set_key(&c, &src->key);
	if (dst) {
		c.has |= HAS_DST;
		c.handoff.dst_t = dst->t.t0;
		c.handoff.dst_tid = dst->tid;
	}
	return claims_writer_put(w, &c);
}

static int put_event(const struct truth *t, const struct truth_decoy *y, struct claims_writer *w)
{
	int64_t class = claim_word(w, t, y->class_str);
	struct claim c = {.kind = CLAIM_EVENT,
			  .type = y->type,
			  .has = HAS_INSTANCE | HAS_CONF,
			  .event = {.t = y->t.t0,
				    .instance = y->instance,
				    .tid = y->tid,
				    .class_str = (uint32_t) class,
				    .conf = 1}};

	return class < 0 ? (int)class : claims_writer_put(w, &c);
}

int claim_liar_decoys(const struct truth *t, struct claims_writer *w)
{
	bool *taken = calloc(t->decoys_cnt + 1, sizeof(*taken));
	int err = taken ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < t->decoys_cnt; i++)
		if (t->decoys[i].as_event)
			err = put_event(t, &t->decoys[i], w);
		else if (!taken[i])
			err = put_handoff(t, i, taken, w);
	free(taken);
	return err;
}
