/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared invariants of a manifest. */
#include "scoring/manifest_rules.h"

#include <string.h>

static bool is_named(const struct manifest_invariant *inv, const char *why)
{
	return !strcmp(inv->id, why) || !strcmp(invariant_kind_name(inv->kind), why);
}

static bool any_named(const struct manifest *m, const char *why)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++)
		if (is_named(&m->invariants[i], why))
			return true;
	return false;
}

static bool lists(const struct manifest_invariant *inv, uint32_t desc)
{
	for (uint32_t i = 0; i < inv->of_cnt; i++)
		if (inv->of[i] == desc)
			return true;
	return false;
}

bool manifest_shares(void *manifest, const char *why, uint32_t a, uint32_t b)
{
	const struct manifest *m = manifest;
	bool named = any_named(m, why);

	for (uint32_t i = 0; i < m->invariants_cnt; i++) {
		const struct manifest_invariant *inv = &m->invariants[i];

		if ((!named || is_named(inv, why)) && lists(inv, a) && lists(inv, b))
			return true;
	}
	return false;
}
