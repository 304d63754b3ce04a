/* SPDX-License-Identifier: BSD-2-Clause */
/* Words and lists that would tell the forms of a quad apart. */
#include "mutations/leaks.h"

#include <errno.h>
#include <string.h>

#define CURE "let the patch use no words of its own; the program's folder is a hash"

static int leak(const char *program, const char *where, const char *what, struct diag *d)
{
	return diag_set(d, -EPERM, program, 0, CURE, "%s tell: \"%.200s\"", where, what);
}

/* The path below the variants: what stands above is the same for all. */
static const char *own_path(const struct house *h, const char *program)
{
	size_t len = strlen(h->variants);

	return strncmp(program, h->variants, len) ? program : program + len;
}

int leaks_scan(const struct house *h, const struct mutation *m, const char *program,
	       const struct image *image, struct diag *d)
{
	const char *const words[] = {
		m->id,
		"mutant",
		"mutat",
		"twin",
		"variant",
		h->source,
		h->variants,
		m->forms[FORM_MUTANT].patch[0] ? m->forms[FORM_MUTANT].patch : "mutant",
		m->forms[FORM_TWIN].patch[0] ? m->forms[FORM_TWIN].patch : "twin",
		NULL};
	const char *path = own_path(h, program), *found;

	for (size_t i = 0; words[i]; i++)
		if (strcasestr(path, words[i]))
			return leak(program, "path names", path, d);
	found = names_hold(&image->symbols, words);
	if (found)
		return leak(program, "symbols", found, d);
	found = names_hold(&image->sections, words);
	if (found)
		return leak(program, "sections", found, d);
	found = names_hold(&image->words, words);
	if (found)
		return leak(program, "strings", found, d);
	for (size_t i = 0; i < image->sections.cnt; i++)
		if (!strncmp(image->sections.v[i], ".debug", 6))
			return leak(program, "debug sections", image->sections.v[i], d);
	return 0;
}

int leaks_compare(const struct mutation *m, const struct image images[FORM_CNT], struct diag *d)
{
	for (unsigned f = FORM_MUTANT; f < FORM_CNT; f++) {
		const char *found = names_differ(&images[FORM_BASE].sections, &images[f].sections);

		if (found)
			return leak(form_name(f), "sections", found, d);
		if (m->symbols_change)
			continue;
		found = names_differ(&images[FORM_BASE].words, &images[f].words);
		if (found)
			return leak(form_name(f), "strings", found, d);
	}
	return 0;
}
