/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of amb across stretches. Any of a group may stand for any other, wherever they are; but as
 * a rule they are in flight together, so that one stretch has them all, or some reach from one into
 * the next and make the group loose there and here (handoff_loose.c). That is taken for granted,
 * and checked in the end: else the run is scored again with all groups left to the rest.
 */
#include <errno.h>
#include <stdlib.h>

#include "groundtruth/repeats.h"
#include "scoring/handoff_run.h"

/* Groups that only seem to be the same are left to the rest, too. */
static uint64_t hash_of(const struct amb_item *m)
{
	/* mutant: equivalent because it only has to spread them */
	return idmap_hash(m->amb) + m->type;
}

static int note(struct worker *w, const struct amb_met *m)
{
	/* mutant 2: equivalent because more room does no harm */
	struct amb_met *v = vec_grow(w->amb_met, &w->amb_cap, w->amb_cnt + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	w->amb_met = v;
	v[w->amb_cnt++] = *m;
	return 0;
}

/* All or none of a group are loose. */
int amb_note(struct worker *w)
{
	const struct hx_amb *a = &w->x.amb;
	int err = 0;

	for (size_t i = 0; !err && i < a->cnt; i = amb_next(a, i))
		err = note(w, &(struct amb_met){.group = hash_of(&a->v[i]),
						.settled = !(w->x.flags[a->v[i].h] & HX_LOOSE)});
	return err;
}

static int find_repeated(const struct run *r, const struct worker *w, size_t cnt, struct idmap *ret)
{
	uint64_t *groups = malloc(cnt * sizeof(*groups));
	size_t n = 0;
	int err;

	if (!groups)
		return -ENOMEM;
	for (unsigned i = 0; i < r->workers; i++)
		for (size_t k = 0; k < w[i].amb_cnt; k++)
			groups[n++] = w[i].amb_met[k].group;
	err = repeats_find(groups, n, ret);
	free(groups);
	return err;
}

static bool settled_one(const struct run *r, const struct worker *w, const struct idmap *repeated)
{
	uint32_t any;

	for (unsigned i = 0; i < r->workers; i++)
		for (size_t k = 0; k < w[i].amb_cnt; k++)
			/* mutant ||: equivalent because scored again, it is the same */
			if (w[i].amb_met[k].settled &&
			    idmap_get(repeated, w[i].amb_met[k].group, &any))
				return true;
	return false; /* mutant: equivalent because it only saves time */
}

int amb_check(const struct run *r, const struct worker *w)
{
	struct idmap repeated = {};
	size_t cnt = 0; /* mutant: equivalent because more room does no harm */
	int err;

	for (unsigned i = 0; i < r->workers; i++)
		cnt += w[i].amb_cnt;
	/* mutant &&: equivalent because in none nothing repeats, and apart none is settled */
	if (!cnt || r->amb_apart)
		return 0;
	err = find_repeated(r, w, cnt, &repeated);
	/* mutant ||: equivalent because scored again, it is the same */
	if (!err && settled_one(r, w, &repeated))
		err = -EXDEV;
	idmap_free(&repeated);
	return err;
}
