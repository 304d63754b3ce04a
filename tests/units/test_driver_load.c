/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrivals, latencies and burns of the driver. */
#include <criterion/criterion.h>
#include <math.h>

#include "workloads/driver/arrivals.h"
#include "workloads/driver/burn.h"
#include "workloads/driver/histogram.h"

Test(driver_arrivals, are_poisson_at_the_asked_rate)
{
	enum { N = 200000 };
	struct arrivals a;
	double last = 0, sum = 0, squares = 0;
	uint64_t at;

	arrivals_init(&a, rng_stream(3, 1), N, 1000, N, 0);
	for (unsigned i = 0; i < N; i++) {
		double gap;

		cr_assert(arrivals_take(&a, UINT64_MAX / 2, &at));
		gap = (double)at - last;
		last = (double)at;
		sum += gap;
		squares += gap * gap;
	}
	/* exponential: the mean is 1 ms and so is the deviation; 6 standard errors of N draws */
	cr_expect_float_eq(sum / N, 1e6, 6e6 / sqrt(N));
	cr_expect_float_eq(sqrt(squares / N - sum / N * (sum / N)), 1e6, 2e7 / sqrt(N));
	cr_expect_not(arrivals_take(&a, UINT64_MAX / 2, &at));
}

Test(driver_arrivals, are_fixed_by_the_seed_and_not_by_the_server)
{
	struct arrivals fast, slow;
	uint64_t p = 0, q = 0;

	arrivals_init(&fast, rng_stream(9, 1), 100, 5000, 100, 1000);
	arrivals_init(&slow, rng_stream(9, 1), 100, 5000, 1, 1000);
	for (unsigned i = 0; i < 100; i++) {
		cr_assert(arrivals_take(&fast, UINT64_MAX / 2, &p));
		cr_assert(arrivals_take(&slow, UINT64_MAX / 2, &q));
		cr_assert_eq(p, q);
		cr_assert(i == 99 || arrivals_wait(&slow, UINT64_MAX / 2) == UINT64_MAX);
		arrivals_done(&slow);
	}
	cr_assert(arrivals_finished(&slow) && !arrivals_finished(&fast));
}

Test(driver_arrivals, wait_for_the_intended_moment)
{
	struct arrivals a;
	uint64_t at;

	arrivals_init(&a, rng_stream(1, 1), 1, 1000, 1, 500);
	cr_assert_not(arrivals_take(&a, 500, &at));
	cr_assert_lt(arrivals_wait(&a, 500), UINT64_MAX);
	cr_assert(arrivals_take(&a, 500 + arrivals_wait(&a, 500), &at));
	arrivals_init(&a, rng_stream(1, 1), 1, 0, 1, 500);
	cr_assert(arrivals_take(&a, 700, &at) && at == 700, "closed loop: now");
}

Test(driver_histogram, keeps_quantiles_within_a_64th)
{
	static struct histogram h, half;

	for (uint64_t i = 1; i <= 100000; i++)
		histogram_add(i % 2 ? &h : &half, i * 37);
	histogram_merge(&h, &half);
	for (double q = 0.01; q < 1; q += 0.01) {
		double exact = ceil(q * 100000) * 37;

		cr_expect_geq((double)histogram_quantile(&h, q), exact);
		cr_expect_leq((double)histogram_quantile(&h, q), exact * (1 + 1.0 / 64));
	}
	cr_expect_eq(histogram_quantile(&h, 1), 3700000u);
	cr_expect_eq(h.cnt, 100000u);
}

Test(driver_histogram, takes_every_value)
{
	static struct histogram h;
	static const uint64_t v[] = {0, 1, 63, 64, 65, 127, 128, UINT64_MAX / 2, UINT64_MAX};

	cr_assert_eq(histogram_quantile(&h, 0.5), 0u);
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		histogram_add(&h, v[i]);
	cr_assert_eq(histogram_quantile(&h, 1), UINT64_MAX);
	cr_assert_eq(histogram_quantile(&h, 0.01), 0u);
}

Test(driver_burn, costs_what_was_asked)
{
	uint64_t rounds = burn_calibrate(), best = UINT64_MAX;
	volatile uint64_t sink;

	for (int i = 0; i < 50; i++) {
		uint64_t t0 = arrivals_clock(), t;

		sink = burn_rounds(rounds * 200);
		t = arrivals_clock() - t0;
		best = t < best ? t : best;
	}
	(void)sink;
	cr_expect_geq(best, 190000u, "200 us took %lu ns", (unsigned long)best);
	cr_expect_leq(best, 300000u, "200 us took %lu ns", (unsigned long)best);
}

Test(driver_arrivals, next_gives_every_operation_once_and_not_before_its_moment)
{
	struct arrivals a;
	uint64_t at, last = 0;
	unsigned n = 0;

	arrivals_init(&a, rng_stream(5, 1), 50, 100000, 50, arrivals_clock());
	for (; arrivals_next(&a, &at); n++) {
		cr_assert(at > last && at <= arrivals_clock(), "operation %u", n);
		last = at;
		arrivals_done(&a);
	}
	cr_expect_eq(n, 50);
}

Test(driver_arrivals, next_gives_none_to_a_worker_without_a_place)
{
	struct arrivals a;
	uint64_t at = 7;

	arrivals_init(&a, rng_stream(5, 1), 50, 0, 0, 0);
	cr_expect(!arrivals_next(&a, &at));
	cr_expect_eq(at, 7);
}
