/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorted windows and the pyramid over their ends. */
#include "scoring/handoff_stab.h"

#include <errno.h>
#include <stdlib.h>

int tids_init(struct tids *s, const struct truth *t)
{
	uint32_t slots = 16;

	/* mutant <= 3 5: equivalent because any room will do */
	while (slots < 4 * t->threads_cnt)
		slots *= 2;
	*s = (struct tids){.mask = slots - 1};
	s->slot = calloc(slots, sizeof(*s->slot));
	/* mutant 0 2: equivalent because glibc gives memory for nothing, and more does no harm */
	s->tid = malloc((t->threads_cnt + 1) * sizeof(*s->tid));
	if (!s->slot || !s->tid)
		return -ENOMEM;
	for (size_t i = 0; i < t->threads_cnt; i++) {
		uint32_t at = tid_hash(t->threads[i]) & s->mask;

		if (tids_place(s, t->threads[i]) != UINT32_MAX)
			continue;
		while (s->slot[at])
			at = (at + 1) & s->mask;
		s->tid[s->cnt] = t->threads[i];
		s->slot[at] = ++s->cnt;
	}
	return 0;
}

void tids_free(struct tids *s)
{
	free(s->slot);
	free(s->tid);
}

static int compare_items(const void *a, const void *b)
{
	const struct stab_item *x = a, *y = b;

	/* mutant >= <=: equivalent because equals may stand in any order */
	return (x->w.t0 > y->w.t0) - (x->w.t0 < y->w.t0);
}

static void sort_group(struct stab_item *v, size_t cnt)
{
	for (size_t i = 1; i < cnt; i++)
		/* mutant >=: equivalent because what is sorted may be sorted again */
		if (compare_items(&v[i - 1], &v[i]) > 0) {
			qsort(v, cnt, sizeof(*v), compare_items);
			return;
		}
}

static int fill_pyramid(struct stab *s, size_t cnt, struct mem *m)
{
	for (size_t below = cnt; below >> STAB_FAN; s->levels++) {
		size_t n = below >> STAB_FAN;
		uint64_t *max = mem_array(m, n, sizeof(*max));

		if (!max)
			return -errno;
		for (size_t i = 0; i < n << STAB_FAN; i++) {
			uint64_t t1 = s->levels ? s->max[s->levels - 1][i] : s->v[i].w.t1;

			/* mutant >=: equivalent because both are the same then */
			if (t1 > max[i >> STAB_FAN])
				max[i >> STAB_FAN] = t1;
		}
		s->max[s->levels] = max;
		below = n;
	}
	return 0;
}

static int fill_reach(struct stab *s, size_t cnt, size_t groups, struct mem *m)
{
	s->reach = mem_array(m, cnt, sizeof(*s->reach));
	if (!s->reach)
		return -errno;
	/* mutant <=: equivalent because behind the last is an empty one */
	for (size_t g = 0; g < groups; g++) {
		/* mutant 1: equivalent because a greater reach only takes longer */
		uint64_t so_far = 0;

		/* mutant 2: equivalent because the next group writes over what is its own */
		for (size_t i = s->first[g]; i < s->first[g + 1]; i++) {
			/* mutant >=: equivalent because both are the same then */
			so_far = s->v[i].w.t1 > so_far ? s->v[i].w.t1 : so_far;
			s->reach[i] = so_far;
		}
	}
	return 0;
}

int stab_init(struct stab *s, const struct stab_item *items, size_t cnt, size_t groups,
	      struct mem *m)
{
	*s = (struct stab){.v = mem_array(m, cnt, sizeof(*s->v)),
			   /* mutant 3: equivalent because more room does no harm */
			   .first = mem_array(m, groups + 2, sizeof(*s->first))};
	int err;

	if (!s->v || !s->first)
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++)
		s->first[items[i].group + 2]++;
	/* mutant 1: equivalent because nothing is before the first */
	for (size_t g = 0; g < groups; g++)
		s->first[g + 2] += s->first[g + 1];
	for (size_t i = 0; i < cnt; i++)
		s->v[s->first[items[i].group + 1]++] = items[i];
	/* mutant <=: equivalent because behind the last is an empty one */
	for (size_t g = 0; g < groups; g++)
		sort_group(s->v + s->first[g], s->first[g + 1] - s->first[g]);
	err = fill_pyramid(s, cnt, m);
	return err ? err : fill_reach(s, cnt, groups, m);
}

size_t stab_from(const struct stab *s, size_t group, uint64_t t)
{
	size_t lo = s->first[group], hi = s->first[group + 1];

	while (lo < hi) {
		/* mutant 3: equivalent because any place from lo to below hi halves soon enough */
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].w.t0 <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How many levels of whole blocks that end at `at` can be skipped. */
static unsigned dead_levels(const struct stab *s, size_t at, uint64_t t)
{
	unsigned l = 0;

	/* mutant <=: equivalent because no place is where a block of all of them ends */
	while (l < s->levels) {
		/* mutant -: equivalent because no block is so large, and none is skipped */
		unsigned bits = (l + 1) * STAB_FAN;
		/* mutant 0 2: equivalent because fewer are skipped, or none */
		size_t block = (size_t)1 << bits;

		if (at & (block - 1) || s->max[l][(at >> bits) - 1] >= t)
			break;
		l++;
	}
	return l;
}

size_t stab_next(const struct stab *s, size_t group, size_t at, uint64_t t)
{
	size_t lo = s->first[group];

	while (at > lo && s->reach[at - 1] >= t) {
		unsigned l = dead_levels(s, at, t);

		if (!l && s->v[at - 1].w.t1 >= t)
			return at - 1;
		at -= (size_t)1 << (l * STAB_FAN); /* before the first is the end as well */
	}
	return SIZE_MAX;
}
