/* SPDX-License-Identifier: BSD-2-Clause */
/* Small sets that refuse to grow. */
#include "lib/formats/claims_variety.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROOM = sizeof(((struct few *)0)->v) / sizeof(uint64_t) };

/* False: it is one too many. */
static bool few_add(struct few *s, uint32_t number)
{
	size_t i = (number * UINT32_C(2654435761)) % ROOM;

	for (; s->v[i]; i = (i + 1) % ROOM)
		if (s->v[i] == (uint64_t)number + 1)
			return true;
	if (s->cnt == CLAIMS_VARIETY)
		return false;
	s->v[i] = (uint64_t)number + 1;
	s->cnt++;
	return true;
}

const struct claim_fault *claims_variety_add(struct claims_variety *s, const struct claim *c)
{
	static const struct claim_fault kinds = {"more than 1000 kinds of cost and profile",
						 "name few kinds: cpu, wall, wait:TYPE …"};
	static const struct claim_fault labels = {"more than 1000 labels of diagnoses",
						  "name few labels, and what is ill as subject"};
	static const struct claim_fault descs = {"events of more than 1000 descriptors",
						 "name descriptors of the manifest"};

	switch (c->kind) {
	case CLAIM_COST:
		return few_add(&s->kinds, c->cost.kind_str) ? NULL : &kinds;
	case CLAIM_PROFILE:
		return few_add(&s->kinds, c->profile.kind_str) ? NULL : &kinds;
	case CLAIM_DIAGNOSIS:
		return few_add(&s->labels, c->diagnosis.label_str) ? NULL : &labels;
	case CLAIM_EVENT:
		return !(c->has & HAS_DESC) || few_add(&s->descs, c->event.desc) ? NULL : &descs;
	default:
		return NULL;
	}
}
