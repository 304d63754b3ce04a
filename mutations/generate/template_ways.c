/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates that lead calls past the site: BYPASS, SPLIT, SITESET, INLINE. */
#include <stdio.h>
#include <string.h>

#include "mutations/generate/template.h"

static bool fits_all(const struct spot *s)
{
	return s->place >= 0;
}

/* Those for which the condition holds go to the sibling. */
static void go(const struct drawing *g, const char *cond, enum body body, struct change *c)
{
	const struct operator_text *o = &g->s->op;

	c->body = body;
	strcpy(c->sibling, g->word[0]);
	strcpy(c->through, g->word[1]);
	if (operator_is_void(o))
		change_say(c->call, "\tif (%s)\n\t\t%s(%s);\n\telse\n\t\t%s(%s);\n", cond,
			   c->sibling, g->args, o->name, g->args);
	else
		change_say(c->call, "\treturn %s ? %s(%s) : %s(%s);\n", cond, c->sibling, g->args,
			   o->name, g->args);
}

static void make_bypass(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	go(g, cond, BODY_MOVES, c);
}

/* As compilers call their parts and clones. */
static void make_split(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	go(g, cond, BODY_MOVES, c);
	snprintf(c->label, sizeof(c->label), "%.48s.part.%u", g->s->op.name, g->k[0] % 2);
}

static void make_siteset(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	static const char *const marks[] = {"isra", "constprop", "part"};

	go(g, cond, BODY_COPIED, c);
	snprintf(c->label, sizeof(c->label), "%.48s.%s.%u", g->s->op.name, marks[g->k[0] % 3],
		 g->k[1] % 3);
}

static void make_inline(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	go(g, cond, BODY_HERE, c);
}

/* What only one file knows cannot be said in a header. */
static bool fits_inline(const struct spot *s)
{
	const char *text = s->texts->v[s->op.file].s;
	size_t len;
	const char *body = operator_body(s->texts, &s->op, &len);
	char copy[4096], name[OPERATOR_WORD];

	if (s->place < 0 || len >= sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)len, body);
	for (const char *at = text; (at = strstr(at, "\nstatic ")); at++) {
		const char *end = strchrnul(at, '('), *from = end;

		while (from > at && from[-1] != ' ' && from[-1] != '*')
			from--;
		snprintf(name, sizeof(name), "%.*s", (int)(end - from), from);
		if (name[0] && word_find(copy, name))
			return false;
	}
	return true;
}

const struct template template_bypass = {
	.name = "bypass",
	.class = CLASS_BYPASS,
	.repair = REPAIR_SITE,
	.parts = true,
	.symbols = true,
	.what = "calls of %s go to a function of another name; the old one is a wrapper around it",
	.naive = "what passes the old function is all that there is",
	.why = "calls pass a sibling",
	.fits = fits_all,
	.make = make_bypass,
};

const struct template template_split = {
	.name = "split",
	.class = CLASS_SPLIT,
	.repair = REPAIR_SITE,
	.parts = true,
	.symbols = true,
	.what = "callers of %s go to its hot part, which is a function of its own",
	.naive = "what passes the function is all that there is",
	.why = "callers go to its hot part",
	.fits = fits_all,
	.make = make_split,
};

const struct template template_siteset = {
	.name = "siteset",
	.class = CLASS_SITESET,
	.repair = REPAIR_SITES,
	.parts = true,
	.symbols = true,
	.what = "there are two copies of %s, and callers go to either",
	.naive = "what passes one copy is all that there is",
	.why = "it is one of two copies",
	.fits = fits_all,
	.make = make_siteset,
};

const struct template template_inline = {
	.name = "inline",
	.class = CLASS_INLINE,
	.repair = REPAIR_CANDIDATE,
	.parts = true,
	.what = "%s is inlined into callers, and the function stays for the others",
	.naive = "what passes the function is all that there is",
	.why = "calls that were inlined do not pass it",
	.fits = fits_inline,
	.make = make_inline,
};
