/* SPDX-License-Identifier: BSD-2-Clause */
/* Truth's costs summed by thread, function, pair and kind of operation: what a tool without
 * contexts can say. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "groundtruth/claimant.h"
#include "groundtruth/idmap.h"

struct sum {
	uint8_t by;
	uint32_t key; /* thread, or string id of the function, pair or kind of operation */
	uint32_t kind_str;
	uint64_t v;
};

struct sums {
	struct idmap by_key[PROFILE_BY_CNT];
	struct sum *v; /* room for two a cost record */
	size_t cnt;
};

static int add(struct sums *s, struct sum one)
{
	uint64_t id = (uint64_t)one.key << 32 | one.kind_str;
	uint32_t i;
	int known = idmap_put(&s->by_key[one.by], id, (uint32_t)s->cnt, &i);

	if (known < 0)
		return known;
	if (known)
		s->v[i].v += one.v;
	else
		s->v[s->cnt++] = one;
	return 0;
}

static int add_cost(const struct truth *t, const struct idmap *ops, const struct truth_cost *c,
		    struct sums *s)
{
	struct sum one = {.by = BY_THREAD, .key = c->tid, .kind_str = c->kind_str, .v = c->v};
	uint32_t op;
	int err = c->has_tid ? add(s, one) : 0;

	if (!err && (c->of == COST_OF_FUNCTION || c->of == COST_OF_PAIR)) {
		one.by = c->of == COST_OF_PAIR ? BY_PAIR : BY_FUNCTION;
		one.key = c->name_str;
		return add(s, one);
	}
	if (err || c->of != COST_OF_OP || !idmap_get(ops, c->op, &op))
		return err;
	one.by = BY_OP_KIND;
	one.key = t->ops[op].kind_str;
	return add(s, one);
}

static int put(const struct truth *t, const struct sum *s, struct claims_writer *w)
{
	char tid[16];
	int64_t key, kind = claim_word(w, t, s->kind_str);
	struct claim c = {.kind = CLAIM_PROFILE, .type = s->by, .profile.v = s->v};

	snprintf(tid, sizeof(tid), "%u", s->key);
	key = s->by == BY_THREAD ? claims_writer_str(w, tid) : claim_word(w, t, s->key);
	if (key < 0 || kind < 0)
		return -ENOMEM;
	c.profile.key_str = (uint32_t)key;
	c.profile.kind_str = (uint32_t)kind;
	return claims_writer_put(w, &c);
}

static int sum_up(const struct truth *t, struct idmap *ops, struct sums *s)
{
	uint32_t was;
	int err = 0;

	for (size_t i = 0; err >= 0 && i < t->ops_cnt; i++)
		err = idmap_put(ops, t->ops[i].id, (uint32_t)i, &was);
	for (size_t i = 0; err >= 0 && i < t->costs_cnt; i++)
		err = add_cost(t, ops, &t->costs[i], s);
	return err < 0 ? err : 0;
}

int claim_profiles(const struct truth *t, struct claims_writer *w)
{
	struct idmap ops = {0};
	struct sums s = {.v = malloc((2 * t->costs_cnt + 1) * sizeof(*s.v))};
	int err = s.v ? sum_up(t, &ops, &s) : -ENOMEM;

	for (size_t i = 0; !err && i < s.cnt; i++)
		err = put(t, &s.v[i], w);
	idmap_free(&ops);
	for (unsigned by = 0; by < PROFILE_BY_CNT; by++)
		idmap_free(&s.by_key[by]);
	free(s.v);
	return err;
}
