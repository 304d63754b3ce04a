/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C source as tokens, as far as mutation needs it: where an operand begins and ends.
 *
 * No preprocessor and no types: comments, preprocessor lines and white space lie between tokens. A
 * cast is known by its look: names of types alone within the parentheses. Precedence is that of
 * C17 6.5. The text stays the caller's.
 */
#ifndef ASSAY_TESTS_MUTANTS_TOKENS_H
#define ASSAY_TESTS_MUTANTS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_PUNCT, TOKEN_QUOTED };

#define TOKEN_UNMATCHED ((size_t)-1)

struct token {
	const char *at;
	size_t len;
	size_t match; /* of a bracket: the place of its partner, or TOKEN_UNMATCHED */
	enum token_kind kind;
	unsigned line, column; /* from 1 */
};

/* "mutant: equivalent because …", or "mutant X Y: …" for these replacements alone. */
struct excuse {
	const char *to; /* what stands between "mutant" and the colon */
	size_t len;
	unsigned from, last; /* lines for which it speaks */
};

struct tokens {
	struct token *v;
	size_t cnt, room;
	struct excuse *excuses;
	size_t excuses_cnt, excuses_room;
};

/* 0, or -ENOMEM. */
int tokens_read(struct tokens *ret, const char *text);
void tokens_free(struct tokens *t);

bool token_is(const struct token *t, const char *word);

/* Is t.v[i] an operator between two operands? */
bool token_is_binary(const struct tokens *t, size_t i);

/* The operands of the binary or assigning operator at i: [*ret_from, i) and [i + 1, *ret_to). */
void token_operands(const struct tokens *t, size_t i, size_t *ret_from, size_t *ret_to);

#endif
