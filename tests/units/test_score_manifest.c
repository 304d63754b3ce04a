/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared invariants of a manifest: by id, by kind, by neither. */
#include <criterion/criterion.h>

#include "scoring/manifest_rules.h"

static struct manifest_invariant invariants[] = {
	{.id = "pairs", .kind = INV_PAIRING, .of = {1, 2}, .of_cnt = 2},
	{.id = "in-balance", .kind = INV_BALANCE, .of = {1, 3}, .of_cnt = 2},
	{.id = "other-pairs", .kind = INV_PAIRING, .of = {4, 5}, .of_cnt = 2},
};
static struct manifest manifest = {.invariants = invariants, .invariants_cnt = 3};

static bool shares(const char *why, uint32_t a, uint32_t b)
{
	return manifest_shares(&manifest, why, a, b);
}

Test(manifest_rules, share_the_invariant_that_is_named)
{
	cr_assert(shares("pairs", 1, 2));
	cr_assert(shares("pairs", 2, 1));
	cr_assert_not(shares("pairs", 1, 3), "balance was not violated");
	cr_assert(shares("in-balance", 1, 3));
	cr_assert_not(shares("in-balance", 1, 2));
	cr_assert_not(shares("pairs", 4, 5), "another pairing was not violated");
}

Test(manifest_rules, share_any_invariant_of_the_kind_that_is_named)
{
	cr_assert(shares("pairing", 1, 2));
	cr_assert(shares("pairing", 4, 5));
	cr_assert_not(shares("pairing", 1, 3));
	cr_assert_not(shares("pairing", 1, 4), "not in one of them together");
}

Test(manifest_rules, share_any_invariant_where_words_name_none)
{
	cr_assert(shares("release-without-acquire", 1, 2));
	cr_assert(shares("release-without-acquire", 1, 3));
	cr_assert(shares("", 4, 5));
	cr_assert_not(shares("release-without-acquire", 2, 3));
}

/* What stands behind the last of a list is no part of it. */
Test(manifest_rules, share_no_more_than_is_listed)
{
	struct manifest_invariant inv = {
		.id = "pairs", .kind = INV_PAIRING, .of = {1, 2, 3}, .of_cnt = 2};
	struct manifest m = {.invariants = &inv, .invariants_cnt = 1};

	cr_assert(manifest_shares(&m, "pairs", 1, 2));
	cr_assert_not(manifest_shares(&m, "pairs", 1, 3));
}

Test(manifest_rules, share_nothing_in_an_empty_manifest)
{
	struct manifest empty = {0};

	cr_assert_not(manifest_shares(&empty, "pairs", 1, 1));
}
