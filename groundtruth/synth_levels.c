/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases on which the two levels disagree: an end on a thread that is not the handoff's own. */
#include "groundtruth/synth_gen.h"

static unsigned landing(struct gen *g, const struct truth_handoff *h, uint64_t *ret)
{
	if (gen_below(g, 2)) {
		*ret = dst_moment(g, h);
		return 0;
	}
	*ret = ready_moment(g, h);
	return SAID_BY_READY;
}

/*
 * src, dst or both on a kernel thread that says so, with the key, in [src.t0, ready[1]] or in dst.t
 * or ready: right at identity level, where no other handoff has the key at that time. In context
 * the claim is not scored, for a known end lies outside `threads`.
 */
void case_kernel(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);
	unsigned which = 1 + (unsigned)gen_below(g, 3), flags;
	uint64_t src = src_moment(g, h), dst;
	struct claim *c;

	flags = landing(g, h, &dst);
	if (which & 1)
		src = h->src_t.t0 + gen_below(g, h->dst_ready.t1 - h->src_t.t0 + 1);
	c = make_claim(g, &k, which & 1 ? g->lane->kernel_tid : h->src_tid, src,
		       which & 2 ? g->lane->kernel_tid : h->dst_tid, dst);
	c->has |= (which & 1 ? HAS_SRC_KERNEL : 0) | (which & 2 ? HAS_DST_KERNEL : 0);
	expect_claim(&g->e, AT_IDENTITY, h->type, SAID_RIGHT, flags, h->marks);
}

/*
 * A listed thread that is not the receiver, with the key, at a moment of the dst: right at identity
 * level; in context S = {it} and D is empty, as nothing is received on that thread.
 */
void case_receiver(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);
	uint64_t t;
	unsigned flags = landing(g, h, &t);

	make_claim(g, &k, h->src_tid, src_moment(g, h), g->lane->tid[2], t);
	expect_claim(&g->e, AT_IDENTITY, h->type, SAID_RIGHT, flags, h->marks);
	expect_claim(&g->e, AT_CONTEXT, h->type, SAID_HALF, 0, h->marks);
}

/*
 * A dst on an unlisted thread that does not say kernel, or does and is of a type without identity
 * level: it matches nothing, so half at identity level; not scored in context.
 */
void case_stranger(struct gen *g)
{
	const uint32_t identity = synth_case_types(SYNTH_KERNEL);
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);
	struct claim *c = make_claim(g, &k, h->src_tid, src_moment(g, h), g->lane->kernel_tid,
				     dst_moment(g, h));

	if (!(identity >> h->type & 1) && gen_below(g, 2))
		c->has |= HAS_DST_KERNEL;
	expect_claim(&g->e, AT_IDENTITY, h->type, SAID_HALF, 0, h->marks);
}
