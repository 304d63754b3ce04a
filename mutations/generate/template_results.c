/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates by which results mean something else: FLAGBITS, FAILED, SEMREDEF, UNIT. */
#include <stdio.h>
#include <string.h>

#include "mutations/generate/template.h"

static bool fits_pointer(const struct spot *s)
{
	return s->instance_result && s->place >= 0 && operator_gives_pointer(&s->op);
}

static bool fits_number(const struct spot *s)
{
	return s->unit_result && s->place >= 0 && !operator_gives_pointer(&s->op);
}

static bool fits_errno(const struct spot *s)
{
	return fits_pointer(s) && s->d->when.op == WHEN_NE && s->d->when.value == 0;
}

/* The operator says `there` of its result where the condition holds, callers say `back`. x is the
 * result in both. */
static void turn(const struct drawing *g, const char *cond, const char *there, const char *back,
		 struct change *c)
{
	const struct operator_text *o = &g->s->op;
	const char *x = g->word[2];

	c->body = BODY_INSIDE;
	strcpy(c->sibling, g->word[0]);
	strcpy(c->through, g->word[1]);
	change_say(c->around, "\t%s%s = %s(%s);\n\n\tif (%s)\n\t\t%s = %s;\n\treturn %s;\n",
		   o->result, x, c->sibling, g->args, cond, x, there, x);
	change_say(c->call, "\t%s%s = %s(%s);\n\n\tif (%s)\n\t\t%s = %s;\n\treturn %s;\n",
		   o->result, x, o->name, g->args, cond, x, back, x);
}

/* The same where what was said can be told from the result. */
static void mark(const struct drawing *g, const char *cond, const char *there, const char *back,
		 struct change *c)
{
	const struct operator_text *o = &g->s->op;

	turn(g, cond, there, back, c);
	change_say(c->call, "\t%s%s = %s(%s);\n\n\treturn %s;\n", o->result, g->word[2], o->name,
		   g->args, back);
}

static void make_tag(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const char *x = g->word[2];
	unsigned bit = 1u << g->k[0] % 3;
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s ? (void *)((uintptr_t)%s | %u) : %s", x, x, bit, x);
	change_say(back, "(void *)((uintptr_t)%s & ~(uintptr_t)%u)", x, bit);
	mark(g, cond, there, back, c);
}

static void make_bits(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const char *x = g->word[2];
	unsigned bit = 8 + g->k[0] % 20;
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s ? %s | 1u << %u : 0", x, x, bit);
	change_say(back, "%s & ((1u << %u) - 1)", x, bit);
	mark(g, cond, there, back, c);
}

static void make_errno(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	static const unsigned codes[] = {2, 11, 12, 16, 28, 105};
	const char *x = g->word[2];
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s ? %s : (void *)-(intptr_t)%u", x, x, codes[g->k[0] % 6]);
	change_say(back, "(intptr_t)%s < 0 ? 0 : %s", x, x);
	mark(g, cond, there, back, c);
}

static void make_complement(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	char to[CHANGE_TEXT];

	change_say(to, "%u - %s", 1u << (6 + g->k[0] % 10), g->word[2]);
	turn(g, cond, to, to, c);
}

static void make_scale(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	static const unsigned by[] = {2, 4, 8, 10, 64, 1000};
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s * %u", g->word[2], by[g->k[0] % 6]);
	change_say(back, "%s / %u", g->word[2], by[g->k[0] % 6]);
	turn(g, cond, there, back, c);
}

static void make_inside(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const char *x = g->word[2];
	unsigned by = 8 + 8 * (g->k[0] % 6);
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s ? (void *)((char *)%s + %u) : 0", x, x, by);
	change_say(back, "%s ? (void *)((char *)%s - %u) : 0", x, x, by);
	turn(g, cond, there, back, c);
}

const struct template template_result_tag = {
	.name = "result-tag",
	.class = CLASS_FLAGBITS,
	.wrong = WRONG_INSTANCE,
	.parts = true,
	.what = "a low bit of the address that %s returns is a flag",
	.naive = "there are more objects than before, and some never go",
	.why = "its result has a flag in it",
	.fits = fits_pointer,
	.make = make_tag,
};

const struct template template_result_bits = {
	.name = "result-bits",
	.class = CLASS_FLAGBITS,
	.wrong = WRONG_UNIT,
	.parts = true,
	.what = "a high bit of the number that %s returns is a flag",
	.naive = "some get far more than they asked for",
	.why = "its result has a flag in it",
	.fits = fits_number,
	.make = make_bits,
};

const struct template template_result_errno = {
	.name = "result-errno",
	.class = CLASS_FAILED,
	.repair = REPAIR_GUARD,
	.wrong = WRONG_INSTANCE,
	.parts = true,
	.what = "%s that finds nothing returns an errno in the pointer, and not NULL",
	.naive = "everybody finds something",
	.why = "who gets nothing passes its guard",
	.fits = fits_errno,
	.make = make_errno,
};

const struct template template_result_complement = {
	.name = "result-complement",
	.class = CLASS_SEMREDEF,
	.wrong = WRONG_UNIT,
	.what = "%s returns what is left, and not what it did",
	.naive = "small amounts are large",
	.why = "its result is what is left",
	.fits = fits_number,
	.make = make_complement,
};

const struct template template_result_scale = {
	.name = "result-scale",
	.class = CLASS_UNIT,
	.wrong = WRONG_UNIT,
	.what = "%s counts in smaller units",
	.naive = "amounts have grown",
	.why = "its result counts in smaller units",
	.fits = fits_number,
	.make = make_scale,
};

const struct template template_result_inside = {
	.name = "result-inside",
	.class = CLASS_SEMREDEF,
	.wrong = WRONG_INSTANCE,
	.what = "%s returns the address behind the head of the object",
	.naive = "objects come and never go, others go that never came",
	.why = "its result is the address of a part",
	.fits = fits_pointer,
	.make = make_inside,
};
