/* SPDX-License-Identifier: BSD-2-Clause */
/* Many claims of keys that only handoffs far away use, or none: all are asked, none for another. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scoring/score.h"

enum { USED = 4000, UNUSED = 500, APART = 1000, SENDER = 1, RECEIVER = 2, QUIET = 3 };

static void deal_handoff(struct truth_handoff *h, uint64_t i)
{
	uint64_t t = APART * (i + 1);

	*h = (struct truth_handoff){.id = i + 1,
				    .type = HANDOFF_WAKE,
				    .has = TH_SRC | TH_DST,
				    .src_tid = SENDER,
				    .dst_tid = RECEIVER,
				    .key = {.ns = KEY_UADDR, .v = 64 * (i + 1)},
				    .src_t = {t, t + 10},
				    .dst_ready = {t + 10, t + 50},
				    .dst_t = {t + 20, t + 60}};
}

/* On a thread that neither sends nor receives. */
static void deal_claim(struct claim *c, uint64_t i)
{
	*c = (struct claim){.kind = CLAIM_HANDOFF,
			    .type = HANDOFF_WAKE,
			    .ns = KEY_UADDR,
			    .has = HAS_SRC | HAS_DST | HAS_KEY};
	c->handoff.src_tid = c->handoff.dst_tid = QUIET;
	c->handoff.src_t = APART * (i % USED + 1) + 500;
	c->handoff.dst_t = c->handoff.src_t + 100;
	c->handoff.key_v = 64 * (i + 1);
}

Test(score_handoff_keys, a_key_is_used_wherever_it_is_and_no_other_is)
{
	static const uint32_t threads[] = {SENDER, RECEIVER, QUIET};
	struct truth_handoff *h = calloc(USED, sizeof(*h));
	struct claim *v = calloc(USED + UNUSED, sizeof(*v));
	struct truth t = {.threads = threads,
			  .threads_cnt = 3,
			  .keys = 1u << KEY_UADDR,
			  .scored = {0, (uint64_t)APART * (USED + 2)},
			  .handoffs = h,
			  .handoffs_cnt = USED};
	struct claims c = {.v = v, .cnt = USED + UNUSED};
	struct handoff_score s;

	cr_assert(h && v);
	for (uint64_t i = 0; i < USED; i++)
		deal_handoff(&h[i], i);
	for (uint64_t i = 0; i < USED + UNUSED; i++)
		deal_claim(&v[i], i);
	cr_assert(score_handoffs(&t, &c, &s, NULL) == 0);
	cr_expect(s.level[LEVEL_CONTEXT].all.spurious == USED);
	cr_expect(s.level[LEVEL_CONTEXT].all.out_of_scope == UNUSED);
	cr_expect(s.level[LEVEL_IDENTITY].all.spurious == USED);
	cr_expect(s.level[LEVEL_IDENTITY].all.out_of_scope == UNUSED);
	free(h);
	free(v);
}
