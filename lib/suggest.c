/* SPDX-License-Identifier: BSD-2-Clause */
/* The word that was probably meant. */
#include "lib/suggest.h"

#include <stdint.h>
#include <string.h>

enum { SUGGEST_MAX = 63 };

static size_t min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Three rows of the table are enough: a swap looks back two. */
size_t suggest_distance(const char *a, const char *b)
{
	size_t rows[3][SUGGEST_MAX + 1];
	size_t alen = strlen(a), blen = strlen(b);

	if (alen > SUGGEST_MAX || blen > SUGGEST_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= blen; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= alen; i++) {
		size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= blen; j++) {
			now[j] = min2(min2(up[j], now[j - 1]) + 1,
				      up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min2(now[j], up2[j - 2] + 1);
		}
	}
	return rows[alen % 3][blen];
}

const char *suggest(const char *word, const char *const *words, size_t cnt)
{
	size_t len = strlen(word);
	size_t best = (len + 2) / 3 + 1; /* the first distance that is too far */
	const char *found = NULL;

	for (size_t i = 0; i < cnt; i++) {
		size_t d = words[i] ? suggest_distance(word, words[i]) : SIZE_MAX;

		if (d < best) {
			best = d;
			found = words[i];
		}
	}
	for (size_t i = 0; i < cnt && !found && len >= 2; i++)
		if (words[i] && !strncmp(word, words[i], len))
			found = words[i];
	return found;
}
