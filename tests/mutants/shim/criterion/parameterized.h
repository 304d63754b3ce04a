/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameterized tests of Criterion, in one process: see criterion.h beside this file. */
#ifndef ASSAY_TESTS_MUTANTS_SHIM_PARAMETERIZED_H
#define ASSAY_TESTS_MUTANTS_SHIM_PARAMETERIZED_H

#include "criterion.h"

#define cr_malloc malloc
#define cr_make_param_array(type, array, len)                                                      \
	((struct shim_params){.v = (array), .size = sizeof(type), .cnt = (len)})

#define ParameterizedTestParameters(s, n) static struct shim_params s##_##n##_params(void)
#define ParameterizedTest(param, s, n)                                                             \
	static void s##_##n##_run(param);                                                          \
	static void s##_##n##_with(void *p)                                                        \
	{                                                                                          \
		s##_##n##_run(p);                                                                  \
	}                                                                                          \
	__attribute__((constructor)) static void s##_##n##_add(void)                               \
	{                                                                                          \
		static struct shim_test t = {.suite = #s,                                          \
					     .name = #n,                                           \
					     .run_with = s##_##n##_with,                           \
					     .params = s##_##n##_params};                          \
		shim_add_test(&t);                                                                 \
	}                                                                                          \
	static void s##_##n##_run(param)

#endif
