/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of Criterion as the scorer's tests use, for a program that serves them one at a time: see
 * shim/runner.c. A test ends at its first failure.
 *
 * Criterion starts its own runner for a test, which takes longer than most tests; here a process is
 * forked for it. Only mutation testing uses this; `make units` runs the same sources under
 * Criterion.
 */
#ifndef ASSAY_TESTS_MUTANTS_SHIM_CRITERION_H
#define ASSAY_TESTS_MUTANTS_SHIM_CRITERION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shim_data {
	void (*init)(void);
	void (*fini)(void);
};

struct shim_params {
	void *v;
	size_t size, cnt;
};

struct shim_test {
	const char *suite, *name;
	void (*run)(void);
	void (*run_with)(void *);
	struct shim_params (*params)(void);
};

void shim_add_test(struct shim_test *t);
void shim_add_suite(const char *suite, struct shim_data data);
void shim_check(bool ok, const char *file, int line, const char *what);

#define Test(s, n)                                                                                 \
	static void s##_##n##_run(void);                                                           \
	__attribute__((constructor)) static void s##_##n##_add(void)                               \
	{                                                                                          \
		static struct shim_test t = {.suite = #s, .name = #n, .run = s##_##n##_run};       \
		shim_add_test(&t);                                                                 \
	}                                                                                          \
	static void s##_##n##_run(void)

#define TestSuite(s, ...)                                                                          \
	__attribute__((constructor)) static void s##_suite(void)                                   \
	{                                                                                          \
		shim_add_suite(#s, (struct shim_data){__VA_ARGS__});                               \
	}                                                                                          \
	struct shim_data

#define cr_assert(x, ...)	     shim_check(x, __FILE__, __LINE__, #x)
#define cr_assert_fail(...)	     cr_assert(false)
#define cr_assert_not(a, ...)	     cr_assert(!(a))
#define cr_assert_eq(a, b, ...)	     cr_assert((a) == (b))
#define cr_assert_neq(a, b, ...)     cr_assert((a) != (b))
#define cr_assert_lt(a, b, ...)	     cr_assert((a) < (b))
#define cr_assert_leq(a, b, ...)     cr_assert((a) <= (b))
#define cr_assert_gt(a, b, ...)	     cr_assert((a) > (b))
#define cr_assert_geq(a, b, ...)     cr_assert((a) >= (b))
#define cr_assert_null(a, ...)	     cr_assert(!(a))
#define cr_assert_not_null(a, ...)   cr_assert((a) != NULL)
#define cr_assert_str_eq(a, b, ...)  cr_assert(!strcmp(a, b))
#define cr_assert_str_neq(a, b, ...) cr_assert(strcmp(a, b))
#define cr_expect		     cr_assert
#define cr_expect_fail		     cr_assert_fail
#define cr_expect_not		     cr_assert_not
#define cr_expect_eq		     cr_assert_eq
#define cr_expect_neq		     cr_assert_neq
#define cr_expect_lt		     cr_assert_lt
#define cr_expect_leq		     cr_assert_leq
#define cr_expect_gt		     cr_assert_gt
#define cr_expect_geq		     cr_assert_geq
#define cr_expect_null		     cr_assert_null
#define cr_expect_not_null	     cr_assert_not_null
#define cr_expect_str_eq	     cr_assert_str_eq
#define cr_expect_str_neq	     cr_assert_str_neq

#endif
