/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of names that are compared: symbols, words, signatures, what a process shows.
 *
 * A list owns its strings. names_sort makes it sorted and unique; the functions that compare want
 * both lists so. Not thread-safe for one list.
 */
#ifndef ASSAY_MUTATIONS_NAMES_H
#define ASSAY_MUTATIONS_NAMES_H

#include <stddef.h>

struct name_list {
	char **v;
	size_t cnt, cap;
};

int names_add(struct name_list *l, const char *s, size_t len); /* -ENOMEM */
void names_sort(struct name_list *l);
void names_free(struct name_list *l); /* fine on zeros */

/* The first name that only one of two lists has, NULL where they are equal. */
const char *names_differ(const struct name_list *a, const struct name_list *b);

/* The same, but for names of which the other list has one with the same end, and one of the two has
 * at most `before` bytes more: among read-only data a constant that happens to be printable stands
 * before a string as if it belonged to it. */
const char *names_differ_in_end(const struct name_list *a, const struct name_list *b,
				size_t before);

/* The first name of the list that holds one of the words, in any case; NULL: none does. */
const char *names_hold(const struct name_list *l, const char *const *words);

#endif
