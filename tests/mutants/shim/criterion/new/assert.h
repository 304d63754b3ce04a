/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed comparisons of Criterion, in one process: see criterion.h one folder up. */
#ifndef ASSAY_TESTS_MUTANTS_SHIM_NEW_ASSERT_H
#define ASSAY_TESTS_MUTANTS_SHIM_NEW_ASSERT_H

#include <math.h>

#define eq(type, a, b) ((a) == (b))
#define ne(type, a, b) ((a) != (b))
#define lt(type, a, b) ((a) < (b))
#define le(type, a, b) ((a) <= (b))
#define gt(type, a, b) ((a) > (b))
#define ge(type, a, b) ((a) >= (b))
#define zero(type, a)  ((a) == 0)
#define not(x) (!(x))
#define epsilon_eq(type, a, b, epsilon) (fabs((double)(a) - (double)(b)) <= (double)(epsilon))

#endif
