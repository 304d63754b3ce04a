/* SPDX-License-Identifier: BSD-2-Clause */
/* Tallies and what a mutant may change of them; certificates; images; padding. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/certificate.h"
#include "mutations/house.h"
#include "mutations/image.h"
#include "mutations/leaks.h"
#include "mutations/padding.h"
#include "mutations/tally.h"

/* ---- tallies ---- */

static struct run_tally tally(uint64_t acquires, uint64_t releases, uint64_t units, uint64_t ios)
{
	struct run_tally t = {.classes_cnt = 1};

	strcpy(t.classes[0].name, "pool.frame");
	t.classes[0].events[EVENT_ACQUIRE] = acquires;
	t.classes[0].events[EVENT_RELEASE] = releases;
	t.classes[0].units[EVENT_ACQUIRE] = units;
	t.handoffs[HANDOFF_IO] = ios;
	return t;
}

static struct mutation fewer_releases(void)
{
	struct mutation m = {.changes_cnt = 1};

	m.changes[0] = (struct change_spec){
		.is_event = true, .event = EVENT_RELEASE, .class = "pool.frame", .way = WAY_FEWER};
	return m;
}

Test(mutations_tally, takes_the_declared_change_and_no_other)
{
	struct mutation m = fewer_releases(), none = {.changes_cnt = 0};
	struct run_tally base = tally(10, 10, 10, 5), good = tally(10, 8, 10, 5);
	struct run_tally other = tally(9, 8, 10, 5), io = tally(10, 8, 10, 6);
	struct run_tally units = tally(10, 8, 90, 5), more = tally(10, 11, 10, 5);
	struct diag d = {0};

	cr_assert_eq(tally_check(&m, &base, &good, &d), 0, "%s", d.reason);
	cr_assert_eq(tally_check(&m, &base, &base, &d), -EINVAL);
	cr_assert_eq(tally_check(&m, &base, &more, &d), -EINVAL);
	cr_assert_eq(tally_check(&m, &base, &other, &d), -EINVAL);
	cr_assert(strstr(d.reason, "ACQUIRE pool.frame"), "%s", d.reason);
	cr_assert_eq(tally_check(&m, &base, &io, &d), -EINVAL);
	cr_assert_eq(tally_check(&m, &base, &units, &d), -EINVAL);
	cr_assert_eq(tally_check(&none, &base, &base, &d), 0);
}

Test(mutations_tally, sees_a_class_that_only_the_mutant_has)
{
	struct mutation none = {.changes_cnt = 0};
	struct run_tally base = {.classes_cnt = 0}, mutant = tally(1, 1, 1, 0);

	cr_assert_eq(tally_check(&none, &base, &mutant, NULL), -EINVAL);
}

Test(mutations_tally, counts_what_has_to_be_reached)
{
	struct run_tally t = tally(4, 3, 2, 1);
	struct act_spec e = {.is_event = true, .event = EVENT_RELEASE, .class = "pool.frame"};
	struct act_spec h = {.is_handoff = true, .handoff = HANDOFF_IO};
	struct act_spec no = {.is_event = true, .event = EVENT_RELEASE, .class = "other"};

	cr_assert_eq(tally_reached(&t, &e), 3);
	cr_assert_eq(tally_reached(&t, &h), 1);
	cr_assert_eq(tally_reached(&t, &no), 0);
}

/* ---- certificates ---- */

static struct certificate passed(void)
{
	struct certificate c = {.hash = 0x1234};

	for (unsigned s = 0; s < STEP_CNT; s++)
		certificate_set(&c, (enum step)s, STEP_PASSED, "%u times", s);
	return c;
}

Test(mutations_certificate, holds_only_without_a_failed_or_open_step)
{
	struct certificate c = passed();
	unsigned unchecked = 9;

	cr_assert(certificate_holds(&c, &unchecked));
	cr_assert_eq(unchecked, 0);
	cr_assert(certificate_witnessed(&c));
	certificate_set(&c, STEP_WITNESS, STEP_UNCHECKED, "no BPF");
	cr_assert(certificate_holds(&c, &unchecked));
	cr_assert_eq(unchecked, 1);
	cr_assert_not(certificate_witnessed(&c));
	certificate_set(&c, STEP_CANON, STEP_FAILED, "why");
	cr_assert_not(certificate_holds(&c, NULL));
	cr_assert_eq(certificate_failed(&c), STEP_CANON);
	c = passed();
	c.state[STEP_CODE] = STEP_OPEN;
	cr_assert_not(certificate_holds(&c, NULL));
}

Test(mutations_certificate, is_read_as_it_was_written)
{
	struct certificate c = passed(), back;
	struct diag d = {0};
	struct house h = {.variants = "/tmp/assay-variants-XXXXXX"};
	char path[sizeof(h.variants) + 8];

	cr_assert_not_null(mkdtemp(h.variants));
	certificate_set(&c, STEP_LEAKS, STEP_FAILED, "two\nlines");
	cr_assert_eq(certificate_load(&h, "x", &back, &d), -ENOENT);
	cr_assert_eq(certificate_save(&h, "x", &c, &d), 0, "%s", d.reason);
	cr_assert_eq(certificate_load(&h, "x", &back, &d), 0, "%s", d.reason);
	cr_assert_eq(back.hash, 0x1234);
	cr_assert_eq(back.state[STEP_LEAKS], STEP_FAILED);
	cr_assert_str_eq(back.text[STEP_LEAKS], "two lines");
	cr_assert_str_eq(back.text[STEP_CANON], c.text[STEP_CANON]);
	snprintf(path, sizeof(path), "%s/c/x", h.variants);
	cr_assert_eq(truncate(path, 30), 0);
	cr_assert_eq(certificate_load(&h, "x", &back, &d), -EINVAL);
	cr_assert(d.cure[0]);
	house_remove(h.variants, NULL);
}

/* ---- scratch ---- */

/* Whoever removes at the end what it was given removes nothing of others then. */
Test(mutations_house, gives_no_folder_where_none_can_be_made)
{
	struct house h = {.variants = "/dev/null"};
	char scratch[RECORD_PATH] = "";
	struct diag d = {0};

	cr_assert_lt(house_scratch(&h, scratch, &d), 0);
	cr_assert_str_eq(scratch, "");
	cr_assert(d.reason[0]);
}

/* Makes BUILD/variants/t/NODE…; returns whether the next scratch folder leaves it there. */
static bool stays(const struct house *h, const char *node, const char *name)
{
	char path[RECORD_PATH], scratch[RECORD_PATH];

	cr_assert_eq(house_path(path, NULL, "%s/t/%s%s", h->variants, node, name), 0);
	cr_assert_eq(dir_make(path, NULL), 0);
	cr_assert_eq(house_scratch(h, scratch, NULL), 0);
	cr_assert_eq(access(scratch, W_OK), 0);
	return !access(path, F_OK);
}

Test(mutations_house, removes_what_a_command_left_that_is_gone_and_nothing_else)
{
	struct house h = {.variants = "/tmp/assay-variants-XXXXXX"};
	char scratch[RECORD_PATH];
	struct utsname u;

	uname(&u);
	cr_assert_not_null(mkdtemp(h.variants));
	cr_assert_eq(house_scratch(&h, scratch, NULL), 0);
	cr_expect_not(stays(&h, u.nodename, "-99999999-abcdef/tree"));
	cr_expect_not(stays(&h, u.nodename, "-99999999-abcdef"));
	cr_expect(stays(&h, u.nodename, "-99999999"));
	cr_expect(stays(&h, u.nodename, "-99999999-a.b"));
	cr_expect(stays(&h, u.nodename, "-1-abcdef"));
	cr_expect(stays(&h, "other", "-99999999-abcdef"));
	cr_expect_eq(access(scratch, W_OK), 0, "its own process lives");
	house_remove(h.variants, NULL);
}

/* ---- images ---- */

Test(mutations_image, lists_what_a_stranger_can_read)
{
	struct image m;
	struct diag d = {0};
	const char *const there[] = {"a_word_that_only_this_test_has", NULL};

	cr_assert_eq(image_load("/proc/self/exe", &m, &d), 0, "%s", d.reason);
	cr_assert_gt(m.symbols.cnt, 10);
	cr_assert_neq(m.code, 0);
	cr_assert_not_null(names_hold(&m.words, there));
	for (size_t i = 1; i < m.symbols.cnt; i++)
		cr_assert_lt(strcmp(m.symbols.v[i - 1], m.symbols.v[i]), 0);
	image_free(&m);
	cr_assert_eq(image_load("/etc/passwd", &m, &d), -EINVAL);
	cr_assert_eq(image_load("/nowhere", &m, &d), -ENOENT);
}

Test(mutations_image, finds_the_first_name_that_one_list_lacks)
{
	char *a[] = {(char *)"a", (char *)"b", (char *)"d"}, *b[] = {(char *)"a", (char *)"c"};
	struct name_list x = {.v = a, .cnt = 3}, y = {.v = b, .cnt = 2};

	cr_assert_str_eq(names_differ(&x, &y), "b");
	cr_assert_str_eq(names_differ(&y, &x), "b");
	cr_assert_null(names_differ(&x, &x));
	x.cnt = 1;
	cr_assert_str_eq(names_differ(&x, &y), "c");
}

Test(mutations_names, differ_in_end_takes_a_constant_before_a_string_for_none_of_it)
{
	char *a[] = {(char *)"Cmemory of it", (char *)"other"};
	char *b[] = {(char *)"memory of it", (char *)"other"};
	char *c[] = {(char *)"memory of us", (char *)"other"};
	struct name_list x = {.v = a, .cnt = 2}, y = {.v = b, .cnt = 2}, z = {.v = c, .cnt = 2};

	cr_assert_null(names_differ_in_end(&x, &y, 8));
	cr_assert_null(names_differ_in_end(&y, &x, 8));
	cr_assert_str_eq(names_differ_in_end(&x, &y, 0), "Cmemory of it");
	cr_assert_str_eq(names_differ_in_end(&y, &z, 8), "memory of it");
	cr_assert_str_eq(names_differ_in_end(&z, &y, 8), "memory of it");
	z.cnt = 0;
	cr_assert_str_eq(names_differ_in_end(&y, &z, 8), "memory of it");
	cr_assert_str_eq(names_differ_in_end(&z, &y, 8), "memory of it");
}

Test(mutations_leaks, finds_a_word_in_a_string_and_in_a_path)
{
	static char *words[] = {(char *)"a Mutant here"};
	struct image clean = {.code = 1}, told = {.words = {.v = words, .cnt = 1}};
	struct house h = {.source = "/src", .variants = "/src/build/variants"};
	struct mutation m = {.id = "own-pool-1"};
	struct diag d = {0};

	cr_assert_eq(leaks_scan(&h, &m, "/src/build/variants/00ff/pool", &clean, &d), 0);
	cr_assert_eq(leaks_scan(&h, &m, "/src/build/variants/00ff/pool", &told, &d), -EPERM);
	cr_assert(strstr(d.reason, "Mutant"), "%s", d.reason);
	cr_assert_eq(leaks_scan(&h, &m, "/src/build/variants/own-pool-1/pool", &clean, &d), -EPERM);
}

Test(mutations_leaks, finds_a_string_that_one_form_has_alone)
{
	static char *words[] = {(char *)"hello there"};
	struct image images[FORM_CNT] = {{.code = 1}, {.code = 2}, {.code = 3}};
	struct mutation m = {.id = "own-pool-1"};
	struct diag d = {0};

	cr_assert_eq(leaks_compare(&m, images, &d), 0);
	images[FORM_TWIN].words = (struct name_list){.v = words, .cnt = 1};
	cr_assert_eq(leaks_compare(&m, images, &d), -EPERM);
	m.symbols_change = true;
	cr_assert_eq(leaks_compare(&m, images, &d), 0);
}

/* ---- padding ---- */

static char *padding(uint64_t salt, unsigned i)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	padding_write(salt, i, f);
	fclose(f);
	return text;
}

Test(mutations_padding, is_the_salts_and_nothing_else)
{
	char *a = padding(1, 0), *b = padding(1, 0), *c = padding(2, 0);

	cr_assert_str_eq(a, b);
	cr_assert_str_neq(a, c);
	for (uint64_t salt = 0; salt < 200; salt++) {
		unsigned n = padding_files(salt);
		char names[8][RECORD_WORD];

		cr_assert(n >= 2 && n <= 5);
		for (unsigned i = 0; i < n; i++) {
			padding_name(salt, i, names[i]);
			for (unsigned j = 0; j < i; j++)
				cr_assert_str_neq(names[i], names[j]);
		}
	}
	free(a);
	free(b);
	free(c);
}

static bool is_among(char *const *of, unsigned cnt, const char *text)
{
	for (unsigned i = 0; i < cnt; i++)
		if (!strcmp(of[i], text))
			return true;
	return false;
}

/* Compiled once each, they make room for thousands of links. */
Test(mutations_padding, few_files_are_ever_written)
{
	enum { FEW = 128 };
	char *seen[FEW + 1];
	unsigned cnt = 0;

	for (uint64_t salt = 0; salt < 1000 && cnt <= FEW; salt++) {
		char *text = padding(salt, 0);

		if (is_among(seen, cnt, text))
			free(text);
		else
			seen[cnt++] = text;
	}
	cr_assert(cnt > FEW / 2 && cnt <= FEW, "%u", cnt);
	while (cnt)
		free(seen[--cnt]);
}
