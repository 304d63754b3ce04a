/* SPDX-License-Identifier: BSD-2-Clause */
/* From gnuplot's SVG file to a part of an HTML page. */
#include "results/plots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "results/text.h"

#define SVG_MAX (64u << 20) /* bytes; a plot has some ten thousand */

static bool starts(const char *s, const char *word)
{
	return !strncmp(s, word, strlen(word));
}

/* Behind <title>…</title> and <desc>…</desc>, which only name gnuplot's own parts. */
static const char *skip_names(const char *s)
{
	const char *end = NULL;

	if (starts(s, "<title>"))
		end = strstr(s, "</title>");
	else if (starts(s, "<desc>"))
		end = strstr(s, "</desc>");
	return end ? strchr(end, '>') + 1 : s;
}

/* Length of an attribute that ends where an id begins, or 0. */
static size_t id_follows(const char *s)
{
	static const char *const heads[] = {" id=\"", " id='", "xlink:href='#", "xlink:href=\"#",
					    "url(#"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (starts(s, heads[i]))
			return strlen(heads[i]);
	return 0;
}

static void copy_body(const char *s, const char *name, FILE *out)
{
	while (*s) {
		size_t head;

		s = skip_names(s);
		head = id_follows(s);
		if (head) {
			fwrite(s, 1, head, out);
			fprintf(out, "%s-", name);
			s += head;
		} else if (*s) {
			putc(*s++, out);
		}
	}
}

int plot_inline(const struct plot *p, const char *run_dir, FILE *out)
{
	char path[4096];
	const char *svg;
	char *text;
	int err;

	snprintf(path, sizeof(path), "%s/plots/%s.svg", run_dir, p->name);
	err = file_read(path, SVG_MAX, &text, NULL, NULL);
	if (err)
		return err;
	svg = strstr(text, "<svg");
	if (!svg) {
		free(text);
		return -EINVAL;
	}
	fputs("<svg role=\"img\" aria-label=\"", out);
	text_html(out, p->alt);
	putc('"', out);
	copy_body(svg + strlen("<svg"), p->name, out);
	free(text);
	return 0;
}
