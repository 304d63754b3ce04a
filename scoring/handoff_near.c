/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoys entered where copies of claims can reach them. */
#include "scoring/handoff_near.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

enum { PIECES_MAX = 65536, WORDS_LEAST = 16, WORDS_MAX = 1 << 20, PIECES_A_DECOY = 64 };

static size_t decoys_cnt(const struct ground *g)
{
	return g->decoys.first[(size_t)HANDOFF_TYPE_CNT * g->tids.cnt];
}

/* Where a claim's end must lie for a copy to reach the window, in pieces. */
static struct window pieces_of(const struct window *w)
{
	uint64_t from = w->t0 - MIN(w->t0, (uint64_t)SHIFT_LEAST + SHIFT_SPAN);

	return (struct window){from >> NEAR_PIECE_BITS,
			       /* mutant +: equivalent because a piece more does no harm */
			       (w->t1 - MIN(w->t1, (uint64_t)SHIFT_LEAST)) >> NEAR_PIECE_BITS};
}

static void add(struct near_decoys *n, uint64_t piece, uint32_t tag)
{
	struct near_place p = near_place(n, piece, tag);

	n->word[p.word] |= p.bits;
}

static void enter(struct near_decoys *n, const struct ground *g, const struct stab_item *item)
{
	const struct truth_decoy *d = &g->t->decoys[item->id];
	struct window p = pieces_of(&item->w);
	bool listed = space_listed(g->t, d->key.ns);

	n->keyless = n->keyless || !listed;
	/* mutant >: equivalent because what is not ruled out is looked at */
	if (p.t1 - p.t0 >= PIECES_A_DECOY)
		n->all = true;
	else
		for (uint64_t k = p.t0; k <= p.t1; k++) {
			add(n, k, key_tag(d->type + NEAR_ANY, d->tid));
			add(n, k,
			    listed ? key_tag(d->type, d->key.v)
				   /* mutant -: equivalent because a type has 8 bits */
				   : key_tag(d->type + NEAR_NONE, d->tid));
		}
}

/* As many pieces as the time of truth has, and some eight words for each decoy. */
static void choose_size(struct near_decoys *n, const struct ground *g)
{
	const struct window *scored = &g->t->scored;
	/* mutant +: equivalent because any size will do */
	uint64_t span = (scored->t1 - scored->t0) >> NEAR_PIECE_BITS;

	n->pieces = 1; /* mutant 2: equivalent because any size will do */
	n->words = WORDS_LEAST;
	/* mutant < <=: equivalent because any size will do */
	while (n->pieces < PIECES_MAX && n->pieces <= span)
		n->pieces *= 2;
	/* mutant <= || 7 9: equivalent because any size will do */
	while (n->pieces * n->words < WORDS_MAX && n->pieces * n->words < 8 * decoys_cnt(g))
		n->words *= 2; /* mutant 3: equivalent because any size will do */
}

int near_init(struct near_decoys *n, const struct ground *g)
{
	*n = (struct near_decoys){};
	choose_size(n, g);
	n->word = calloc(n->pieces * n->words, sizeof(*n->word));
	if (!n->word)
		return -ENOMEM;
	for (size_t i = 0; i < decoys_cnt(g); i++)
		enter(n, g, &g->decoys.v[i]);
	return 0;
}

void near_free(struct near_decoys *n)
{
	free(n->word);
}
