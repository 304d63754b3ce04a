/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of claimants, and what they share. */
#include "groundtruth/claimant.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t declares;
	int (*claim)(const struct truth *t, struct claims_writer *w);
} claimants[TRUTH_CLAIMS_CNT] = {
	[TRUTH_ORACLE] = {"oracle",
			  DECLARES_HANDOFFS | DECLARES_EVENT | DECLARES_HEALTH | DECLARES_EFFECT |
				  DECLARES_COST | DECLARES_PROFILE | DECLARES_GAP |
				  DECLARES_DIAGNOSIS,
			  claim_oracle},
	[TRUTH_LIAR] = {"liar",
			DECLARES_HANDOFFS | DECLARES_EVENT | DECLARES_HEALTH | DECLARES_EFFECT |
				DECLARES_COST | DECLARES_DIAGNOSIS,
			claim_liar},
	[TRUTH_LIAR_DECOYS] = {"liar-decoys", DECLARES_HANDOFFS | DECLARES_EVENT,
			       claim_liar_decoys},
};

const char *truth_claims_name(enum truth_claims mode)
{
	return claimants[mode].name;
}

int truth_claims_parse(const char *name)
{
	for (int i = 0; i < TRUTH_CLAIMS_CNT; i++)
		if (!strcmp(claimants[i].name, name))
			return i;
	return -1;
}

void truth_claims_header(enum truth_claims mode, struct claims_header *ret)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->profiler, sizeof(ret->profiler), "%s", claimants[mode].name);
	snprintf(ret->version, sizeof(ret->version), "1");
	ret->declares = claimants[mode].declares;
}

int truth_to_claims(const struct truth *t, enum truth_claims mode, struct claims_writer *w)
{
	return claimants[mode].claim(t, w);
}

static bool inside(const struct truth *t, struct window w)
{
	return w.t0 >= t->scored.t0 && w.t1 <= t->scored.t1;
}

bool handoff_scored(const struct truth *t, const struct truth_handoff *h)
{
	return h->has & TH_SRC && h->has & TH_DST && inside(t, h->src_t) && inside(t, h->dst_t);
}

void claim_set_key(struct claim *c, const struct truth_key *k)
{
	if (k->ns == KEY_NONE || k->ns == KEY_OTHER)
		return;
	c->has |= HAS_KEY;
	c->ns = k->ns;
	c->handoff.key_v = k->v;
	if (!k->has_scope)
		return;
	c->has |= HAS_SCOPE;
	c->handoff.key_scope = k->scope;
}

int64_t claim_word(struct claims_writer *w, const struct truth *t, uint32_t id)
{
	return claims_writer_str(w, strtab_get(t->strings, id));
}
