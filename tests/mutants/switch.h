/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program of all mutants asks at each place: am I this one? Included into every file that
 * tests/mutants/schema.c wrote. Set before the program's threads start; the notes are set only.
 */
#ifndef ASSAY_TESTS_MUTANTS_SWITCH_H
#define ASSAY_TESTS_MUTANTS_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#define MUTANTS_MAX (128u * 1024 + 4096)

extern unsigned mutant_now; /* 0: none */
extern unsigned char mutant_met[MUTANTS_MAX];

#define M(id) (mutant_met[id] = 1, __builtin_expect(mutant_now == (id), 0))

/* Two pointers have a difference but no sum: noted as MUTANT_STILLBORN, for no such mutant is C. */
enum { MUTANT_MET = 1, MUTANT_STILLBORN = 2 };
#define M_POINTER(x) (__builtin_classify_type(x) == 5)
#define M_SUM(id, x)                                                                               \
	(mutant_met[id] = M_POINTER(x) ? MUTANT_STILLBORN : MUTANT_MET,                            \
	 __builtin_expect(mutant_now == (id), 0))
#define M_ADDEND(x)    __builtin_choose_expr(M_POINTER(x), 0, x)
#define M_SUM_OF(a, b) __builtin_choose_expr(M_POINTER(b), (ptrdiff_t)0, (a) + M_ADDEND(b))

/* The library's forms take a bare constant only. */
#undef UINT64_C
#define UINT64_C(x) ((uint64_t)(x))
#undef UINT32_C
#define UINT32_C(x) ((uint32_t)(x))
#undef INT64_C
#define INT64_C(x) ((int64_t)(x))

#ifndef MUTANT_FIXED
#define MUTANT_FIXED 0
#endif
#define MF(id) (MUTANT_FIXED == (id))

#endif
