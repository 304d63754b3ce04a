/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * May a copy of a claim, shifted by 1 to 10 ms, have an end in a decoy? Says no of nearly all ends
 * of which that is so, and never where it is not.
 *
 * A Bloom filter of keys of types in pieces, one for each 17 ms of the run: claims come in
 * order of time, so the piece at hand stays in cache, and few decoys are near any moment. A decoy
 * is in each piece from which a copy can reach it. Made by one thread, then read-only.
 */
#ifndef ASSAY_SCORING_HANDOFF_NEAR_H
#define ASSAY_SCORING_HANDOFF_NEAR_H

#include "scoring/handoff.h"

enum { SHIFT_LEAST = 1000000, SHIFT_SPAN = 9000000 };

struct near_decoys {
	uint64_t *word;
	uint64_t words, pieces; /* of a piece; both powers of two */
	bool keyless;		/* some decoy has no comparable key */
	bool all;		/* nothing is ruled out */
};

/* 0 or -ENOMEM; near_free in either case. */
int near_init(struct near_decoys *n, const struct ground *g);
void near_free(struct near_decoys *n);

enum { NEAR_PIECE_BITS = 24, NEAR_ANY = 64, NEAR_NONE = 128 /* added to types: not by key */ };

struct near_place {
	uint64_t word, bits;
};

/* tag: a key's, of its type; without one key_tag of NEAR_NONE and NEAR_ANY, and of the thread. */
static inline struct near_place near_place(const struct near_decoys *n, uint64_t piece,
					   uint32_t tag)
{
	/* mutant 2: equivalent because pieces may share words */
	uint64_t first = (piece & (n->pieces - 1)) * n->words;
	/* mutant: equivalent because it only has to spread them */
	uint64_t bits = 1ull << (tag & 63) | 1ull << (tag >> 6 & 63);

	/* mutant 2 11 13: equivalent because it only has to spread them */
	return (struct near_place){.word = first + (tag >> 12 & (n->words - 1)), .bits = bits};
}

static inline bool near_has(const struct near_decoys *n, uint32_t tag, uint64_t piece)
{
	struct near_place p = near_place(n, piece, tag);

	return (n->word[p.word] & p.bits) == p.bits;
}

/* p: of the claim. (An end that is not known is at 0.) */
static inline bool near_may(const struct near_decoys *n, const struct probe *p,
			    const struct claim *c)
{
	uint64_t src = c->handoff.src_t >> NEAR_PIECE_BITS;
	uint64_t dst = c->handoff.dst_t >> NEAR_PIECE_BITS;
	uint8_t other = c->type + (p->comparable ? NEAR_NONE : NEAR_ANY);

	if (n->all)
		return true;
	if (p->comparable) {
		uint32_t tag = probe_tag(p);

		/* mutant ||: equivalent because what is not ruled out is looked at */
		if (near_has(n, tag, src) || (src != dst && near_has(n, tag, dst)))
			return true;
		if (!n->keyless)
			return false; /* mutant: equivalent because what is not ruled out is looked
					 at */
	}
	return near_has(n, key_tag(other, c->handoff.src_tid), src) ||
	       near_has(n, key_tag(other, c->handoff.dst_tid), dst);
}

#endif
