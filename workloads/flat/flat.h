/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 4096 functions, flat_000 to flat_fff, none of which costs much more than another.
 *
 * A call of function number n takes FLAT_ROUNDS(n) rounds of the driver's spin, all of them in the
 * function's own code; how often which is called follows from the seed alone.
 */
#ifndef ASSAY_WORKLOADS_FLAT_FLAT_H
#define ASSAY_WORKLOADS_FLAT_FLAT_H

#include <stdint.h>

struct worker;
struct sent;

enum { FLAT_FUNCTIONS = 4096, FLAT_LEAST = 64, FLAT_SPREAD = 61 };

#define FLAT_ROUNDS(n) (FLAT_LEAST + (n) % FLAT_SPREAD)

typedef uint64_t flat_function(uint64_t x);
extern flat_function *const flat_functions[FLAT_FUNCTIONS];

/* ---- ops.c: one part of `parts` ---- */
void flat_part(struct worker *w, const struct sent *s, unsigned parts);

#endif
