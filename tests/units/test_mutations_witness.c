/* SPDX-License-Identifier: BSD-2-Clause */
/* Witnesses: each figure on hits that can be counted by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "mutations/witness.h"

/* Twenty hits of nobody fill the time in which nothing is judged. */
enum { LEAD = 20 };

struct hits {
	struct seen v[LEAD + 32];
	size_t cnt;
};

static void open_hits(struct hits *h)
{
	h->cnt = 0;
	h->v[h->cnt++] = (struct seen){.t = 0, .descriptor = 99};
	h->v[h->cnt++] = (struct seen){.t = 100, .descriptor = 99};
}

static void hit(struct hits *h, uint32_t descriptor, uint64_t instance, uint64_t units,
		uint32_t tid, uint64_t t)
{
	h->v[h->cnt++] = (struct seen){.t = 100 + t,
				       .instance = instance,
				       .units = units,
				       .tid = tid,
				       .descriptor = descriptor};
}

static double measure(const struct hits *h, enum measure m)
{
	struct witness_spec w = {.measure = m, .of = {{.descriptor = 1}, {.descriptor = 3}}};
	struct seen_list l = {.v = (struct seen *)h->v, .cnt = h->cnt};
	double v = -1;

	w.of_cnt = m == MEASURE_COUNT || m == MEASURE_MEAN || m == MEASURE_MAX ? 1 : 2;
	cr_assert_eq(witness_measure(&w, &l, 10, &v, NULL), 0);
	return v;
}

Test(mutations_witness, measures_clean_pairs)
{
	struct hits h;

	open_hits(&h);
	for (unsigned i = 0; i < 4; i++) {
		hit(&h, 1, 7, 2, 5, 10 * i);
		hit(&h, 3, 7, 1, 5, 10 * i + 4);
	}
	cr_assert_eq(measure(&h, MEASURE_COUNT), 400);
	cr_assert_eq(measure(&h, MEASURE_RATIO), 1);
	cr_assert_eq(measure(&h, MEASURE_UNITS), 2);
	cr_assert_eq(measure(&h, MEASURE_OUTSTANDING), 0);
	cr_assert_eq(measure(&h, MEASURE_UNPAIRED), 0);
	cr_assert_eq(measure(&h, MEASURE_OVERLAP), 0);
	cr_assert_eq(measure(&h, MEASURE_MOVED), 0);
	cr_assert_eq(measure(&h, MEASURE_DELAY), 4);
	cr_assert_eq(measure(&h, MEASURE_MEAN), 2);
	cr_assert_eq(measure(&h, MEASURE_UNEQUAL), 1, "two were taken, one given back");
	cr_assert_eq(measure(&h, MEASURE_MAX), 2);
	cr_assert_eq(measure(&h, MEASURE_UNUSED), 0);
}

Test(mutations_witness, sees_what_is_out_of_order)
{
	struct hits h;

	open_hits(&h);
	hit(&h, 1, 7, 1, 5, 0);
	hit(&h, 1, 7, 9, 5, 1);	 /* still live */
	hit(&h, 3, 8, 1, 5, 2);	 /* never was */
	hit(&h, 3, 7, 1, 6, 3);	 /* on another thread; one of the two lives on */
	hit(&h, 1, 10, 1, 5, 4); /* never released */
	cr_assert_float_eq(measure(&h, MEASURE_OVERLAP), 1.0 / 3, 1e-9);
	cr_assert_float_eq(measure(&h, MEASURE_UNPAIRED), 0.5, 1e-9);
	cr_assert_eq(measure(&h, MEASURE_UNEQUAL), 1, "it had 10, and nothing");
	cr_assert_float_eq(measure(&h, MEASURE_OUTSTANDING), 2.0 / 3, 1e-9);
	cr_assert_eq(measure(&h, MEASURE_MOVED), 1);
	cr_assert_eq(measure(&h, MEASURE_MAX), 9);
	cr_assert_float_eq(measure(&h, MEASURE_UNUSED), 1.0 / 3, 1e-9,
			   "7 was taken twice in a row");
}

Test(mutations_witness, compares_what_is_in_use_with_what_a_third_says)
{
	struct witness_spec w = {.measure = MEASURE_PEAK,
				 .of = {{.descriptor = 1}, {.descriptor = 3}, {.descriptor = 5}},
				 .of_cnt = 3};
	struct seen_list l;
	struct hits h;
	double v;

	open_hits(&h);
	hit(&h, 5, 0, 12, 5, 0); /* as many as there are */
	hit(&h, 1, 7, 1, 5, 1);
	hit(&h, 1, 8, 1, 5, 2);
	hit(&h, 5, 7, 1, 5, 3); /* right */
	hit(&h, 3, 7, 1, 5, 4);
	hit(&h, 5, 7, 1, 5, 5); /* given back, and yet there */
	hit(&h, 1, 9, 2, 5, 6);
	l = (struct seen_list){.v = h.v, .cnt = h.cnt};
	cr_assert_eq(witness_measure(&w, &l, 10, &v, NULL), 0);
	cr_assert_float_eq(v, 3.0 / 14, 1e-9);
	w.measure = MEASURE_MISCOUNT;
	cr_assert_eq(witness_measure(&w, &l, 10, &v, NULL), 0);
	cr_assert_float_eq(v, 2.0 / 3, 1e-9, "%g: the first names no instance in use", v);
}

Test(mutations_witness, does_not_judge_what_it_only_learns)
{
	struct hits h;

	open_hits(&h);
	h.v[0] = (struct seen){.t = 0, .descriptor = 3, .instance = 4};
	h.v[1] = (struct seen){.t = 1, .descriptor = 1, .instance = 4};
	hit(&h, 3, 4, 1, 5, 900);
	cr_assert_eq(measure(&h, MEASURE_UNPAIRED), 0, "the release at the start is not judged");
}

Test(mutations_witness, has_no_figure_without_hits)
{
	struct hits h;

	open_hits(&h);
	cr_assert(isnan(measure(&h, MEASURE_RATIO)));
	cr_assert(isnan(measure(&h, MEASURE_DELAY)));
	cr_assert(isnan(measure(&h, MEASURE_MAX)));
	cr_assert_eq(measure(&h, MEASURE_COUNT), 0);
}

Test(mutations_witness, reads_hits_submissions_and_wakes_by_time)
{
	struct ev_rec v[] = {
		{.t = 5, .kind = EV_APP, .tid = 2, .a = 77, .b = 3, .e = 4 | 1ull << 32},
		{.t = 4, .kind = EV_IO_SUBMIT, .tid = 1, .c = 9},
		{.t = 6, .kind = EV_FUTEX_ENTER, .b = 1 | 128, .a = 8},
		{.t = 7, .kind = EV_FUTEX_ENTER, .b = 0 | 128, .a = 8}, /* a wait */
		{.t = 8, .kind = EV_SCHED_SWITCH},
	};
	struct evidence e = {.v = v, .cnt = 5};
	struct seen_list l;

	cr_assert_eq(seen_read(&e, &l, NULL), 0);
	cr_assert_eq(l.cnt, 3);
	cr_assert_eq(l.v[0].kind, SEEN_IO);
	cr_assert_eq(l.v[1].kind, SEEN_HIT);
	cr_assert_eq(l.v[1].descriptor, 4);
	cr_assert_eq(l.v[1].instance, 77);
	cr_assert_eq(l.v[1].units, 3);
	cr_assert_eq(l.v[2].kind, SEEN_WAKE);
	seen_free(&l);
}
