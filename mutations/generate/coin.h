/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that say nothing: a verb or a noun as any programmer would take, that is not there yet.
 *
 * None of them is a word of the benchmark. Pure.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_COIN_H
#define ASSAY_MUTATIONS_GENERATE_COIN_H

#include <stdbool.h>
#include <stdint.h>

#include "mutations/generate/operator.h"

/* A function's name in the manner of `like`, or a member's or variable's; the first from draw on
 * that no text has. */
void coin_function(const struct texts *t, const char *like, uint32_t draw, char ret[OPERATOR_WORD]);
void coin_member(const struct texts *t, uint32_t draw, char ret[OPERATOR_WORD]);

#endif
