/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimal string alignment distance on three rows. */
#include "harness/suggest.h"

#include <string.h>

enum { WORD_MAX = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned suggest_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned same = up[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = min3(up[j] + 1, row[j - 1] + 1, same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < row[j])
				row[j] = up2[j - 2] + 1;
		}
	}
	return rows[la % 3][lb];
}

const char *suggest(const char *word, const char *const *words, size_t cnt)
{
	unsigned limit = (unsigned)strlen(word) / 3, best;
	const char *found = NULL;

	best = limit < 2 ? 3 : limit + 1;
	for (size_t i = 0; i < cnt; i++) {
		unsigned distance = suggest_distance(word, words[i]);

		if (distance < best) {
			best = distance;
			found = words[i];
		}
	}
	return found;
}
