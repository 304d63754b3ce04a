/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions, made by the preprocessor: DEFINE_n(p) defines all with n more digits after p. */
#include "workloads/flat/flat.h"

/* The step of burn.c: a round depends on the one before it. */
static inline __attribute__((always_inline)) uint64_t rounds(uint64_t x, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return x;
}

// clang-format off
#define EACH_DIGIT(DO, p) \
	DO(p##0) DO(p##1) DO(p##2) DO(p##3) DO(p##4) DO(p##5) DO(p##6) DO(p##7) \
	DO(p##8) DO(p##9) DO(p##a) DO(p##b) DO(p##c) DO(p##d) DO(p##e) DO(p##f)
#define EACH_DIGIT_2(DO, p) \
	DO(p##0) DO(p##1) DO(p##2) DO(p##3) DO(p##4) DO(p##5) DO(p##6) DO(p##7) \
	DO(p##8) DO(p##9) DO(p##a) DO(p##b) DO(p##c) DO(p##d) DO(p##e) DO(p##f)
#define EACH_DIGIT_3(DO, p) \
	DO(p##0) DO(p##1) DO(p##2) DO(p##3) DO(p##4) DO(p##5) DO(p##6) DO(p##7) \
	DO(p##8) DO(p##9) DO(p##a) DO(p##b) DO(p##c) DO(p##d) DO(p##e) DO(p##f)
// clang-format on

#define DEFINE(p)                                                                                  \
	static __attribute__((noinline)) uint64_t flat_##p(uint64_t x)                             \
	{                                                                                          \
		return rounds(x, FLAT_ROUNDS(0x##p));                                              \
	}
#define DEFINE_1(p) EACH_DIGIT(DEFINE, p)
#define DEFINE_2(p) EACH_DIGIT_2(DEFINE_1, p)
EACH_DIGIT_3(DEFINE_2, )

#define NAME(p)	  flat_##p,
#define NAME_1(p) EACH_DIGIT(NAME, p)
#define NAME_2(p) EACH_DIGIT_2(NAME_1, p)
flat_function *const flat_functions[FLAT_FUNCTIONS] = {EACH_DIGIT_3(NAME_2, )};
