/* SPDX-License-Identifier: BSD-2-Clause */
/* Wake-ups are found by thread and time; pairs of threads are words of one spelling. */
#include <criterion/criterion.h>

#include "groundtruth/wakes.h"

static struct wake wakes(uint64_t t, uint32_t waker, uint32_t woken)
{
	return (struct wake){.t = t, .waker = waker, .woken = woken};
}

Test(truth_wakes, the_first_of_a_thread_in_a_stretch)
{
	struct wake v[] = {wakes(300, 7, 101), wakes(100, 8, 101), wakes(200, 9, 102),
			   wakes(200, 4, 101)};
	struct wakes *x = wakes_make(v, sizeof(v) / sizeof(v[0]));

	cr_assert_not_null(x);
	cr_assert_eq(wakes_first(x, 101, 0, 1000)->waker, 8);
	cr_assert_eq(wakes_first(x, 101, 100, 100)->waker, 8);
	cr_assert_eq(wakes_first(x, 101, 101, 200)->waker, 4);
	cr_assert_eq(wakes_first(x, 101, 201, 1000)->waker, 7);
	cr_assert_null(wakes_first(x, 101, 101, 199));
	cr_assert_null(wakes_first(x, 101, 301, 1000));
	cr_assert_null(wakes_first(x, 102, 201, 1000), "the next is of nobody");
	cr_assert_null(wakes_first(x, 100, 0, 1000));
	wakes_free(x);
	x = wakes_make(v, 0);
	cr_assert_null(wakes_first(x, 101, 0, 1000));
	wakes_free(x);
}

Test(truth_wakes, a_pair_is_spelt_in_one_way)
{
	static const char *const others[] = {"",	  "101",       "101>",	      ">102",
					     "101 > 102", "0101>102",  "101>102 ",    "+1>102",
					     "101>102>3", "pool>pool", "4294967296>1"};
	char pair[WAKES_PAIR_LEN];
	uint32_t waker = 1, woken = 2;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert(!wakes_pair_parse(others[i], &waker, &woken), "%s", others[i]);
	cr_assert(waker == 1 && woken == 2);
	cr_assert(wakes_pair_parse("0>102", &waker, &woken) && waker == 0 && woken == 102);
	wakes_pair_print(UINT32_MAX, UINT32_MAX, pair);
	cr_assert_str_eq(pair, "4294967295>4294967295");
	cr_assert(wakes_pair_parse(pair, &waker, &woken) && waker == UINT32_MAX);
}
