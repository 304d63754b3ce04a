/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures behind the look-up of ends, against asking every window. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scoring/handoff_keyless.h"
#include "scoring/handoff_line.h"
#include "scoring/handoff_stab.h"
#include "scoring/handoff_wanted.h"

static uint64_t rng;

/* splitmix64, Steele, Lea & Flood 2014. */
static uint64_t below(uint64_t n)
{
	uint64_t z = rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n;
}

/* ---- the line of time ---- */

enum { PLACES = 600 };

struct lane {
	struct line line;
	struct mem mem;
	uint64_t first[PLACES], end[LINE_CNT][PLACES];
	size_t cnt;
};

static void lane_put(struct lane *l, uint64_t first, uint64_t src, uint64_t life)
{
	l->first[l->cnt] = first;
	l->end[LINE_SRC][l->cnt] = src;
	l->end[LINE_LIFE][l->cnt] = life;
	line_put(&l->line, l->cnt++, first, src, life);
}

/* mean: of lengths; one in `stray` places lasts to nearly the end. */
static void lane_fill(struct lane *l, size_t cnt, uint64_t mean, uint64_t stray)
{
	uint64_t now = 100;

	mem_init(&l->mem, 0);
	cr_assert_eq(line_init(&l->line, cnt, &l->mem), 0);
	l->cnt = 0;
	for (size_t i = 0; i < cnt; i++) {
		uint64_t src = now + below(mean) + (below(2 * stray) ? 0 : 2000);
		uint64_t end = now + below(mean) + (below(stray) ? 0 : 4000);

		lane_put(l, now, below(9) ? src : 0, end);
		now += below(12);
	}
	line_finish(&l->line);
}

/* A place without that end may be given at its first time: its record says that it has none. */
static size_t lane_back(const struct lane *l, enum line_of what, size_t at, uint64_t t)
{
	do
		at = line_back(&l->line, what, at, t);
	while (at != SIZE_MAX && !l->end[what][at]);
	return at;
}

static void lane_check(const struct lane *l, enum line_of what, uint64_t t, size_t hint)
{
	size_t from = 0, at;

	while (from < l->cnt && l->first[from] <= t)
		from++;
	at = line_until(&l->line, t, hint);
	cr_assert_eq(at, from);
	for (size_t i = from; i-- > 0;) {
		if (l->end[what][i] < t)
			continue;
		at = lane_back(l, what, at, t);
		cr_assert_eq(at, i, "t %lu: %zu, not %zu", t, at, i);
	}
	cr_assert_eq(lane_back(l, what, at, t), SIZE_MAX);
}

Test(score_handoff_lookup, the_line_finds_exactly_what_reaches_a_moment)
{
	static const size_t cnts[] = {1, 15, 16, 17, 255, 256, 257, 300, PLACES};
	static struct lane l;

	for (unsigned k = 0; k < sizeof(cnts) / sizeof(*cnts); k++)
		for (unsigned round = 0; round < 4; round++) {
			rng = k * 10 + round;
			lane_fill(&l, cnts[k], round & 1 ? 8 : 60, round & 2 ? 40 : 1000000);
			for (uint64_t t = 90; t < 100 + 13 * cnts[k]; t += 1 + below(3)) {
				lane_check(&l, LINE_SRC, t, below(cnts[k] + 1));
				lane_check(&l, LINE_LIFE, t, below(cnts[k] + 1));
			}
			mem_free(&l.mem);
		}
}

Test(score_handoff_lookup, a_length_beyond_32_bits_reaches_what_it_reaches)
{
	static struct lane l;

	mem_init(&l.mem, 0);
	cr_assert_eq(line_init(&l.line, 20, &l.mem), 0);
	lane_put(&l, 5, 0, 5 + (uint64_t)UINT32_MAX - 1);
	lane_put(&l, 6, 0, 6 + (uint64_t)UINT32_MAX);
	lane_put(&l, 7, 0, UINT64_MAX);
	for (int i = 3; i < 20; i++)
		lane_put(&l, 8, 0, 8);
	line_finish(&l.line);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 1, 5 + (uint64_t)UINT32_MAX - 1), 0u);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 1, 5 + (uint64_t)UINT32_MAX), SIZE_MAX);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 2, 6 + (uint64_t)UINT32_MAX), 1u);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 3, UINT64_MAX), 2u, "nothing is lost");
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 20, UINT64_MAX), 2u, "nor behind it");
	mem_free(&l.mem);
}

/* ---- tags side by side ---- */

Test(score_handoff_lookup, a_row_has_a_tag_wherever_it_stands)
{
	uint16_t row[LINE_ROW];

	for (unsigned i = 0; i < LINE_ROW; i++)
		row[i] = (uint16_t)(1000 + i);
	for (unsigned i = 0; i < LINE_ROW; i++)
		cr_expect(line_row_has(row, (uint16_t)(1000 + i)), "%u", i);
	cr_expect_not(line_row_has(row, 999));
	cr_expect_not(line_row_has(row, 1000 + LINE_ROW));
	cr_expect_not(line_row_has(row, 0));
}

/* Few tags, so that rows have none, one or several of them, and some that do not reach t. */
Test(score_handoff_lookup, the_line_finds_each_of_a_tag_that_reaches_a_moment)
{
	enum { ROWS = (PLACES + LINE_ROW - 1) / LINE_ROW };
	static struct lane l;
	uint16_t *tags = calloc(ROWS * LINE_ROW, sizeof(*tags));
	size_t found = 0;

	for (unsigned round = 0; round < 8; round++) {
		rng = 77 + round;
		lane_fill(&l, PLACES - round, round & 1 ? 8 : 90, round & 2 ? 40 : 1000000);
		for (size_t i = 0; i < l.cnt; i++)
			tags[i] = (uint16_t)below(round & 4 ? 3 : 40);
		for (uint64_t t = 90; t < 100 + 13 * PLACES; t += 1 + below(5)) {
			size_t at = line_until(&l.line, t, 0), from = at;
			uint16_t tag = (uint16_t)below(3);

			while (from-- > 0) {
				if (tags[from] != tag || l.end[LINE_LIFE][from] < t)
					continue;
				at = line_tagged(&l.line, tags, tag, at, t);
				cr_assert_eq(at, from, "t %lu: %zu, not %zu", t, at, from);
				found++;
			}
			cr_assert_eq(line_tagged(&l.line, tags, tag, at, t), SIZE_MAX);
		}
		mem_free(&l.mem);
	}
	cr_expect_gt(found, 1000u);
	free(tags);
}

/* ---- handoffs without a key ---- */

Test(score_handoff_lookup, an_end_near_one_without_a_key_is_told_and_few_others_are)
{
	enum { CNT = 50, SPAN = 1000000 };
	static struct keyless k;
	struct window w[CNT];
	unsigned wrong = 0;

	rng = 5;
	keyless_init(&k, &(struct window){1000, 1000 + SPAN});
	for (uint32_t i = 0; i < CNT; i++) {
		w[i].t0 = 1000 + below(SPAN - 4000);
		w[i].t1 = w[i].t0 + below(4000);
		keyless_add(&k, i, &w[i]);
	}
	for (uint32_t i = 0; i < CNT; i++) {
		cr_expect(keyless_may(&k, i, w[i].t0));
		cr_expect(keyless_may(&k, i, (w[i].t0 + w[i].t1) / 2));
		cr_expect(keyless_may(&k, i, w[i].t1));
		for (uint64_t t = 1000; t < 1000 + SPAN; t += 5000)
			wrong += keyless_may(&k, i + 64 * (i % 2), t) &&
				 !(w[i].t0 <= t && t <= w[i].t1);
		cr_expect_not(keyless_may(&k, 60, w[i].t0), "of another tag");
		cr_expect_not(keyless_may(&k, i, 999), "before all");
		cr_expect_not(keyless_may(&k, i, UINT64_MAX));
	}
	cr_expect_lt(wrong, CNT * 200 / 50, "%u", wrong);
}

Test(score_handoff_lookup, what_lasts_long_without_a_key_is_near_at_any_time)
{
	static struct keyless k;
	const struct window all = {1 << 20, (1 << 20) + (1 << 19) - 1};

	keyless_init(&k, &all);
	cr_expect_eq(k.shift, 10u, "as many parts as there are");
	keyless_init(&k, &(struct window){all.t0, all.t1 + 1});
	cr_expect_eq(k.shift, 11u, "one moment more is one part too many");
	keyless_init(&k, &all);
	keyless_add(&k, 3, &(struct window){all.t0, all.t0 + (KEYLESS_LONG << 10)});
	cr_expect_eq(k.every, 0u);
	cr_expect(keyless_may(&k, 3, all.t0 + (KEYLESS_LONG << 10)));
	cr_expect_not(keyless_may(&k, 3, all.t0 + ((KEYLESS_LONG + 1) << 10)));
	keyless_add(&k, 4, &(struct window){all.t0, all.t1});
	cr_expect(keyless_may(&k, 4, all.t1));
	cr_expect(keyless_may(&k, 4, all.t0 + 77777));
	cr_expect_not(keyless_may(&k, 5, all.t0));
	keyless_add(&k, 5, &(struct window){all.t1, all.t1});
	cr_expect(keyless_may(&k, 5, all.t1), "the last part is one");
	cr_expect_not(keyless_may(&k, 5, all.t1 + 1), "nothing is behind it");
}

/* A block that nothing reaches is stepped over whole; where nothing at all does, the search ends.
 */
Test(score_handoff_lookup, the_line_steps_over_dead_blocks)
{
	static struct lane l;

	mem_init(&l.mem, 0);
	cr_assert_eq(line_init(&l.line, 512, &l.mem), 0);
	for (uint64_t i = 0; i < 512; i++)
		lane_put(&l, 10 + i, 0, i == 3 ? 1000 : 10 + i);
	line_finish(&l.line);
	cr_expect_eq(line_dead(&l.line, LINE_LIFE, 512, 600), 256u);
	cr_expect_eq(line_dead(&l.line, LINE_LIFE, 256, 600), 16u, "the third is among them");
	cr_expect_eq(line_dead(&l.line, LINE_LIFE, 16, 600), 0u);
	cr_expect_eq(line_dead(&l.line, LINE_LIFE, 511, 600), 0u, "not at the end of a block");
	cr_expect_eq(line_dead(&l.line, LINE_LIFE, 512, 521), 0u, "the last reaches it");
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 512, 600), 3u);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 512, 1000), 3u);
	cr_expect_eq(line_back(&l.line, LINE_LIFE, 512, 1001), SIZE_MAX);
	cr_expect_eq(l.line.v[2].reach[LINE_LIFE], 0u, "of those so far");
	for (size_t i = 3; i < 512; i++)
		cr_expect_eq(l.line.v[i].reach[LINE_LIFE], 1000u - 10 - i);
	cr_expect_eq(l.line.v[511].reach[LINE_SRC], 0u);
	mem_free(&l.mem);
}

/* ---- windows by group ---- */

enum { GROUPS = 3, ITEMS = 900 };

static void stab_check(const struct stab *s, const struct stab_item *v, size_t cnt, uint32_t g,
		       uint64_t t)
{
	size_t at = stab_from(s, g, t), found = 0, expected = 0;
	uint64_t sum = 0, expected_sum = 0;

	while ((at = stab_next(s, g, at, t)) != SIZE_MAX) {
		found++;
		sum += s->v[at].id;
	}
	for (size_t i = 0; i < cnt; i++)
		if (v[i].group == g && v[i].w.t0 <= t && t <= v[i].w.t1) {
			expected++;
			expected_sum += v[i].id;
		}
	cr_assert_eq(found, expected, "group %u, %lu: %zu, not %zu", g, t, found, expected);
	cr_assert_eq(sum, expected_sum);
}

Test(score_handoff_lookup, a_stab_finds_exactly_the_windows_of_its_group_that_hold_a_moment)
{
	static const size_t cnts[] = {1, 16, 17, 48, 300, ITEMS};
	static struct stab_item v[ITEMS];

	for (unsigned k = 0; k < 2 * sizeof(cnts) / sizeof(*cnts); k++) {
		size_t cnt = cnts[k / 2];
		struct mem m;
		struct stab s;

		rng = k;
		mem_init(&m, 0);
		for (size_t i = 0; i < cnt; i++) {
			uint64_t t0 = below(4 * cnt) + 1;

			v[i] = (struct stab_item){
				.w = {t0, t0 + below(k % 2 ? 6 : 80) + (below(50) ? 0 : 2000)},
				.group = (uint32_t)below(GROUPS),
				.id = (uint32_t)(i * i)};
		}
		cr_assert_eq(stab_init(&s, v, cnt, GROUPS, &m), 0);
		for (uint32_t g = 0; g < GROUPS; g++)
			for (uint64_t t = 0; t < 4 * cnt + 100; t++)
				stab_check(&s, v, cnt, g, t);
		mem_free(&m);
	}
}

/* One of many alone reaches the moment, the first of its block or the last: no block is stepped
 * over that holds it, however large the blocks are. */
enum { MANY = 8300 };

static void one_window_reaches(size_t k)
{
	static struct stab_item v[MANY];
	struct mem m;
	struct stab s;
	size_t at;

	mem_init(&m, 0);
	for (size_t i = 0; i < MANY; i++)
		v[i] = (struct stab_item){.w = {i, i == k ? 50000 : i}, .id = (uint32_t)i};
	cr_assert_eq(stab_init(&s, v, MANY, 1, &m), 0);
	at = stab_next(&s, 0, stab_from(&s, 0, 9000), 9000);
	cr_assert_eq(at, k);
	cr_assert_eq(stab_next(&s, 0, at, 9000), SIZE_MAX);
	mem_free(&m);
}

static void one_place_reaches(size_t k)
{
	struct mem m;
	struct line l;
	size_t at;

	mem_init(&m, 0);
	cr_assert_eq(line_init(&l, MANY, &m), 0);
	for (size_t i = 0; i < MANY; i++)
		line_put(&l, i, i, i == k ? 50000 : i, i == k ? 50000 : i);
	line_finish(&l);
	for (int what = 0; what < LINE_CNT; what++) {
		at = line_back(&l, (enum line_of)what, line_until(&l, 9000, 0), 9000);
		cr_assert_eq(at, k);
		cr_assert_eq(line_back(&l, (enum line_of)what, at, 9000), SIZE_MAX);
	}
	mem_free(&m);
}

Test(score_handoff_lookup, the_one_that_reaches_is_not_stepped_over)
{
	for (size_t block = 16; block <= 4096; block *= 16)
		for (size_t k = 0; k < MANY; k += block) {
			if (k > 3 * block && k + 3 * block < MANY)
				continue;
			one_window_reaches(k);
			one_place_reaches(k);
			one_window_reaches(k + block <= MANY ? k + block - 1 : MANY - 1);
			one_place_reaches(k + block <= MANY ? k + block - 1 : MANY - 1);
		}
}

/* ---- listed threads ---- */

Test(score_handoff_lookup, each_listed_thread_has_a_place_of_its_own)
{
	static uint32_t threads[1000];

	for (size_t cnt = 1; cnt <= 1000; cnt += 1 + cnt / 3) {
		struct truth t = {.threads = threads, .threads_cnt = cnt};
		struct tids s;

		rng = cnt;
		for (size_t i = 0; i < cnt; i++)
			threads[i] = (uint32_t)(i % 7 ? below(1u << 30) * 2 : i * 1024);
		cr_assert_eq(tids_init(&s, &t), 0);
		for (size_t i = 0; i < cnt; i++) {
			uint32_t place = tids_place(&s, threads[i]);

			cr_assert_lt(place, s.cnt);
			cr_assert_eq(s.tid[place], threads[i]);
			cr_assert_eq(tids_place(&s, (uint32_t)below(1u << 30) * 2 + 1), UINT32_MAX);
		}
		tids_free(&s);
	}
}

/* ---- what is wanted ---- */

/* 640 ns in cells of 16: of any window that holds the moment it is wanted, of none that ends a cell
 * before it or begins a cell behind. */
Test(score_handoff_lookup, what_is_wanted_at_a_moment_is_wanted_of_all_around_it)
{
	enum { FROM = 1000, SPAN = 640, CELL = 16, LONG = 240 /* is wanted anyway */ };
	struct mem m;

	mem_init(&m, 0);
	for (uint64_t t = FROM; t < FROM + SPAN; t += 5) {
		struct wanted w;

		/* there are more cells for more claims, but no longer ones */
		cr_assert_eq(wanted_init(&w, &(struct window){FROM, FROM + SPAN - 1},
					 t % 2 ? 260 : 1, &m),
			     0);
		wanted_add(&w, WANT_FAR, 69, t);
		for (uint64_t t0 = FROM - 40; t0 < FROM + SPAN + 40; t0 += 3)
			for (uint64_t t1 = t0; t1 < FROM + SPAN + 40; t1 += 1 + below(40)) {
				const struct window in = {t0, t1};
				bool is = wanted_in(&w, WANT_FAR, 69, &in);

				cr_assert(is || t < t0 || t > t1, "%lu in %lu %lu", t, t0, t1);
				cr_assert(!is || t1 - t0 >= LONG ||
						  (t0 <= t + CELL && t <= t1 + CELL),
					  "%lu not in %lu %lu", t, t0, t1);
				cr_assert_not(wanted_in(&w, WANT_NEAR, 69, &in) && t1 - t0 < LONG);
				cr_assert_not(wanted_in(&w, WANT_FAR, 70, &in) && t1 - t0 < LONG);
			}
	}
	mem_free(&m);
}
