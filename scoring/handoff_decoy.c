/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoys: moments and keys where nothing happened. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

static bool decoy_item(const struct hx *x, uint32_t i, struct stab_item *ret)
{
	const struct truth_decoy *d = &x->t->decoys[i];
	uint32_t place = tids_place(&x->tids, d->tid);

	if (d->as_event || place == HX_NONE || !within(&x->t->scored, &d->t))
		return false;
	*ret = (struct stab_item){.w = d->t, .group = group_of(&x->tids, d->type, place), .id = i};
	return true;
}

int decoys_init(struct hx *x)
{
	/* mutant 0 2: equivalent because glibc gives memory for nothing, too */
	struct stab_item *items = malloc((x->t->decoys_cnt + 1) * sizeof(*items));
	size_t n = 0;
	int err;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < x->t->decoys_cnt; i++)
		n += decoy_item(x, (uint32_t)i, &items[n]);
	err = stab_init(&x->decoys, items, n, (size_t)HANDOFF_TYPE_CNT * x->tids.cnt, x->mem);
	free(items);
	return err;
}

bool decoy_fits(const struct hx *x, const struct probe *p, uint32_t decoy)
{
	const struct truth_key *k = &x->t->decoys[decoy].key;

	return !p->comparable || !space_listed(x->t, k->ns) || key_equal(p, k);
}

static bool end_hits(const struct hx *x, const struct probe *p, uint32_t tid, uint64_t t)
{
	uint32_t place = tids_place(&x->tids, tid), g;
	size_t at;

	if (place == HX_NONE)
		return false;
	g = group_of(&x->tids, p->type, place);
	at = stab_from(&x->decoys, g, t);
	while ((at = stab_next(&x->decoys, g, at, t)) != SIZE_MAX)
		if (decoy_fits(x, p, x->decoys.v[at].id))
			return true;
	return false;
}

bool decoy_hit(const struct hx *x, const struct claim *c, const struct probe *p)
{
	return ((c->has & HAS_SRC) && end_hits(x, p, c->handoff.src_tid, c->handoff.src_t)) ||
	       ((c->has & HAS_DST) && end_hits(x, p, c->handoff.dst_tid, c->handoff.dst_t));
}
