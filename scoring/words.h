/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a claims file in terms of truth's words.
 *
 * Truth and claims intern their strings apart. The map gives, for each string id of the claims,
 * the id of the same word in truth, or WORD_UNKNOWN where truth never says it. Owned by the
 * caller, who frees `of` with free(3).
 */
#ifndef ASSAY_SCORING_WORDS_H
#define ASSAY_SCORING_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

#define WORD_UNKNOWN UINT32_MAX

struct words {
	uint32_t *of; /* strtab_count(claims->strings) entries */
};

int words_map(const struct truth *t, const struct claims *c, struct words *ret); /* -ENOMEM */

/* Words of both sides in one numbering, sorted by strcmp: what a report is keyed by. */
struct wordlist {
	const char **v; /* borrowed from the string tables */
	uint32_t cnt;
	uint32_t *of_truth, *of_claims; /* position of a string id, WORD_UNKNOWN: not marked */
};

/* String ids that belong to a list; `extra` is a word beside them, or NULL. */
struct wordlist_use {
	const bool *truth, *claims; /* indexed by string id */
	const char *extra;
};

/* -ENOMEM. Free with wordlist_free. */
int wordlist_make(const struct truth *t, const struct claims *c, const struct wordlist_use *u,
		  struct wordlist *ret);
void wordlist_free(struct wordlist *l);

/* Position of a word, or WORD_UNKNOWN. */
uint32_t wordlist_find(const struct wordlist *l, const char *word);

#endif
