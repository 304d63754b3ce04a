/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoys: moments and keys where nothing happened. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

/* What the filter knows a key of a group by. */
static uint64_t in_group(uint32_t group, uint64_t v)
{
	/* mutant 47 49 -: equivalent because it only has to spread them */
	return v + ((uint64_t)group << 48);
}

/* All keys that are not comparable are one: none. */
static void note_key(struct ground *g, const struct stab_item *item)
{
	const struct truth_key *k = &g->t->decoys[item->id].key;
	bool listed = space_listed(g->t, k->ns);

	filter_add(&g->decoy_keys, listed ? k->ns : KEY_NONE,
		   in_group(item->group, listed ? k->v : 0));
}

bool decoys_may_fit(const struct ground *g, const struct probe *p, uint32_t group)
{
	return !p->comparable || filter_may_have(&g->decoy_keys, p->ns, in_group(group, p->v)) ||
	       filter_may_have(&g->decoy_keys, KEY_NONE, in_group(group, 0));
}

static bool decoy_item(const struct ground *g, uint32_t i, struct stab_item *ret)
{
	const struct truth_decoy *d = &g->t->decoys[i];
	uint32_t place = tids_place(&g->tids, d->tid);

	if (d->as_event || place == HX_NONE || !within(&g->t->scored, &d->t))
		return false;
	*ret = (struct stab_item){.w = d->t, .group = group_of(&g->tids, d->type, place), .id = i};
	return true;
}

int decoys_init(struct ground *g, struct mem *mem)
{
	/* mutant 0 2: equivalent because glibc gives memory for nothing, too */
	struct stab_item *items = malloc((g->t->decoys_cnt + 1) * sizeof(*items));
	size_t n = 0;
	int err;

	if (!items)
		return -ENOMEM;
	err = filter_init(&g->decoy_keys, g->t->decoys_cnt);
	for (size_t i = 0; i < g->t->decoys_cnt; i++)
		n += decoy_item(g, (uint32_t)i, &items[n]);
	for (size_t i = 0; !err && i < n; i++)
		note_key(g, &items[i]);
	if (!err)
		err = stab_init(&g->decoys, items, n, (size_t)HANDOFF_TYPE_CNT * g->tids.cnt, mem);
	free(items);
	return err;
}

bool decoy_fits(const struct ground *g, const struct probe *p, uint32_t decoy)
{
	const struct truth_key *k = &g->t->decoys[decoy].key;

	return !p->comparable || !space_listed(g->t, k->ns) || key_equal(p, k);
}

static bool end_hits(const struct ground *g, const struct probe *p, uint32_t tid, uint64_t t)
{
	uint32_t place = tids_place(&g->tids, tid), group;
	size_t at;

	if (place == HX_NONE)
		return false;
	group = group_of(&g->tids, p->type, place);
	if (!decoys_may_fit(g, p, group))
		return false;
	at = stab_from(&g->decoys, group, t);
	while ((at = stab_next(&g->decoys, group, at, t)) != SIZE_MAX)
		if (decoy_fits(g, p, g->decoys.v[at].id))
			return true;
	return false;
}

bool decoy_hit(const struct ground *g, const struct claim *c, const struct probe *p)
{
	return ((c->has & HAS_SRC) && end_hits(g, p, c->handoff.src_tid, c->handoff.src_t)) ||
	       ((c->has & HAS_DST) && end_hits(g, p, c->handoff.dst_tid, c->handoff.dst_t));
}
