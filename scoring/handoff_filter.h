/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of keys that may say yes where it should say no, never the other way round.
 *
 * One word a key, three bits of it: Putze, Sanders & Singler 2007, "Cache-, Hash- and
 * Space-Efficient Bloom Filters" (blocked, with blocks of one word). Not thread-safe.
 */
#ifndef ASSAY_SCORING_HANDOFF_FILTER_H
#define ASSAY_SCORING_HANDOFF_FILTER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { FILTER_WORDS_MIN = 64, FILTER_WORDS_MAX = 8192 };

struct key_filter {
	uint64_t *word;
	uint64_t mask;
};

/* For about cnt keys. 0 or -ENOMEM. */
static inline int filter_init(struct key_filter *f, size_t cnt)
{
	size_t words = FILTER_WORDS_MIN;

	while (words < FILTER_WORDS_MAX &&
	       /* mutant <=: equivalent because any size will do */
	       words < cnt)
		words *= 2;
	f->word = calloc(words, sizeof(*f->word));
	f->mask = words - 1;
	return f->word ? 0 : -ENOMEM;
}

static inline void filter_free(struct key_filter *f)
{
	free(f->word);
}

struct filter_place {
	uint64_t word, bits;
};

static inline uint64_t filter_bit(uint64_t x)
{
	/* mutant 2ull 62: equivalent because it only has to spread them */
	return 1ull << (x & 63);
}

static inline struct filter_place filter_place(uint8_t ns, uint64_t v)
{
	/* mutant: equivalent because it only has to spread them */
	uint64_t x = (v ^ (uint64_t)ns << 56) * UINT64_C(0x9e3779b97f4a7c15), bits;

	/* mutant: equivalent because it only has to spread them */
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	/* mutant: equivalent because it only has to spread them */
	bits = filter_bit(x) | filter_bit(x >> 6) | filter_bit(x >> 12);
	/* mutant: equivalent because it only has to spread them */
	return (struct filter_place){.word = x >> 46, .bits = bits};
}

static inline void filter_add(struct key_filter *f, uint8_t ns, uint64_t v)
{
	struct filter_place p = filter_place(ns, v);

	f->word[p.word & f->mask] |= p.bits;
}

static inline bool filter_may_have(const struct key_filter *f, uint8_t ns, uint64_t v)
{
	struct filter_place p = filter_place(ns, v);

	return (f->word[p.word & f->mask] & p.bits) == p.bits;
}

#endif
