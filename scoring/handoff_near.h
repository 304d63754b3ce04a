/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * May a copy of a claim, shifted by 1 to 10 ms, have an end in a decoy? Says no of nearly all ends
 * of which that is so, and never where it is not.
 *
 * A Bloom filter of (type, thread, key) in pieces, one for each 17 ms of the run: claims come in
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

enum { NEAR_PIECE_BITS = 24, NEAR_ANY = 255 /* as a key's space: of whatever key */ };

struct near_place {
	uint64_t word, bits;
};

static inline struct near_place near_place(const struct near_decoys *n, uint64_t piece,
					   uint8_t type, uint32_t tid, uint8_t ns, uint64_t v)
{
	/* mutant: equivalent because it only has to spread them */
	uint64_t x = v + ((uint64_t)tid << 32) + ((uint64_t)type << 24) + ((uint64_t)ns << 16);
	/* mutant 2: equivalent because pieces may share words */
	uint64_t first = (piece & (n->pieces - 1)) * n->words, bits;

	/* mutant: equivalent because it only has to spread them */
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	/* mutant: equivalent because it only has to spread them */
	x ^= x >> 29;
	/* mutant: equivalent because it only has to spread them */
	bits = 1ull << (x & 63) | 1ull << (x >> 6 & 63);
	/* mutant: equivalent because it only has to spread them */
	x = x >> 12 & (n->words - 1);
	return (struct near_place){.word = first + x, .bits = bits};
}

static inline bool near_has(const struct near_decoys *n, uint8_t type, uint32_t tid, uint8_t ns,
			    uint64_t v, uint64_t t)
{
	struct near_place p = near_place(n, t >> NEAR_PIECE_BITS, type, tid, ns, v);

	return (n->word[p.word] & p.bits) == p.bits;
}

/* p: of the claim whose end it is. */
static inline bool near_may(const struct near_decoys *n, const struct probe *p, uint32_t tid,
			    uint64_t t)
{
	if (n->all)
		return true;
	if (!p->comparable)
		return near_has(n, p->type, tid, NEAR_ANY, 0, t);
	return near_has(n, p->type, tid, p->ns, p->v, t) ||
	       /* mutant ||: equivalent because what is not ruled out is looked at */
	       (n->keyless && near_has(n, p->type, tid, KEY_NONE, 0, t));
}

#endif
