/* SPDX-License-Identifier: BSD-2-Clause */
/* Words and lists that would tell the forms of a quad apart. */
#include "mutations/leaks.h"

#include <errno.h>
#include <stdint.h>
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

enum { WORDS = 10, WORDS_OF_FOLDERS = 6 };

static void own_words(const struct house *h, const struct mutation *m, const char *ret[WORDS])
{
	const char *mutant = m->forms[FORM_MUTANT].patch, *twin = m->forms[FORM_TWIN].patch;
	const char *const v[WORDS] = {m->id, "mutant", "mutat", "twin",
				      mutant[0] ? mutant : "mutant", twin[0] ? twin : "twin",
				      /* from WORDS_OF_FOLDERS on */
				      "/variants", h->source, h->variants, NULL};

	memcpy(ret, v, sizeof(v));
}

static int scan_words(const char *program, const struct image *image, const char *const *words,
		      struct diag *d)
{
	const char *found = names_hold(&image->symbols, words);

	if (found)
		return leak(program, "symbols", found, d);
	found = names_hold(&image->sections, words);
	if (found)
		return leak(program, "sections", found, d);
	found = names_hold(&image->words, words);
	return found ? leak(program, "strings", found, d) : 0;
}

int leaks_debug(const struct house *h, const struct mutation *m, const char *program,
		const struct image *image, struct diag *d)
{
	const char *words[WORDS];

	own_words(h, m, words);
	words[WORDS_OF_FOLDERS] = NULL;
	return scan_words(program, image, words, d);
}

int leaks_scan(const struct house *h, const struct mutation *m, const char *program,
	       const struct image *image, struct diag *d)
{
	const char *words[WORDS], *path = own_path(h, program);
	int rc = 0;

	own_words(h, m, words);
	for (size_t i = 0; !rc && words[i]; i++)
		if (strcasestr(path, words[i]))
			rc = leak(program, "path names", path, d);
	if (!rc)
		rc = scan_words(program, image, words, d);
	for (size_t i = 0; !rc && i < image->sections.cnt; i++)
		if (!strncmp(image->sections.v[i], ".debug", 6))
			rc = leak(program, "debug sections", image->sections.v[i], d);
	return rc;
}

int leaks_shown(const struct house *h, const struct mutation *m,
		const struct name_list views[FORM_CNT], struct diag *d)
{
	const char *words[WORDS], *found;

	own_words(h, m, words);
	for (unsigned f = 0; f < FORM_CNT; f++) {
		found = names_hold(&views[f], words);
		if (!found && f != FORM_BASE)
			found = names_differ(&views[FORM_BASE], &views[f]);
		if (found)
			return leak(form_name(f), "/proc and files near it", found, d);
	}
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
		found = names_differ_in_end(&images[FORM_BASE].words, &images[f].words,
					    sizeof(uint64_t));
		if (found)
			return leak(form_name(f), "strings", found, d);
	}
	return 0;
}
