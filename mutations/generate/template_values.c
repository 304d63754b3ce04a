/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates by which arguments mean something else: ABIARG, UNIT, CUMUL, FLAGBITS, ALIAS. */
#include <stdio.h>
#include <string.h>

#include "mutations/generate/template.h"

static bool fits_unit(const struct spot *s)
{
	return s->unit >= 0 && s->place >= 0;
}

static const char *unit(const struct drawing *g)
{
	return g->s->op.params[g->s->unit].name;
}

static const char *instance(const struct drawing *g)
{
	return g->s->op.params[g->s->instance].name;
}

/* Callers change arguments before the call, and the operator before it does anything. */
static void pass(const struct drawing *g, const char *before, const char *within, struct change *c)
{
	const struct operator_text *o = &g->s->op;

	strcpy(c->through, g->word[0]);
	change_say(c->call, "%s\t%s%s(%s);\n", before, operator_is_void(o) ? "" : "return ",
		   o->name, g->args);
	change_say(c->first, "%s", within);
}

static void encode(const struct drawing *g, const char *cond, const char *x, const char *there,
		   const char *back, struct change *c)
{
	char before[CHANGE_TEXT], within[CHANGE_TEXT];

	change_say(before, "\tif (%s)\n\t\t%s = %s;\n", cond, x, there);
	change_say(within, "\tif (%s)\n\t\t%s = %s;\n", cond, x, back);
	pass(g, before, within, c);
}

/* ---- units ---- */

static void make_offset(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	unsigned by = (8 + g->k[0] % 120) * (g->s->member[0] || g->k[1] % 2 ? 64 : 1);
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s + %u", unit(g), by);
	change_say(back, "%s - %u", unit(g), by);
	encode(g, cond, unit(g), there, back, c);
}

static void make_xor(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	char to[CHANGE_TEXT];

	change_say(to, "%s ^ 0x%x", unit(g), 0x1000 | (g->k[0] & 0x3ffff));
	encode(g, cond, unit(g), to, to, c);
}

/* What is left of a whole. */
static void make_complement(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	char to[CHANGE_TEXT];

	change_say(to, "%u - %s", 1u << (13 + g->k[0] % 8), unit(g));
	encode(g, cond, unit(g), to, to, c);
}

static void make_scale(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	static const unsigned by[] = {2, 3, 4, 8, 16, 64, 100, 512};
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "%s * %u", unit(g), by[g->k[0] % 8]);
	change_say(back, "%s / %u", unit(g), by[g->k[0] % 8]);
	encode(g, cond, unit(g), there, back, c);
}

static void make_argument_bits(const struct drawing *g, const char *cond, bool twin,
			       struct change *c)
{
	unsigned bit = 18 + g->k[0] % 12;
	char before[CHANGE_TEXT], within[CHANGE_TEXT];

	change_say(before, "\tif (%s)\n\t\t%s |= 1u << %u;\n", cond, unit(g), bit);
	change_say(within, "\t%s &= (1u << %u) - 1;\n", unit(g), bit);
	pass(g, before, within, c);
}

static bool fits_cumul(const struct spot *s)
{
	return fits_unit(s) && s->own >= 0;
}

/* The caller adds up, the operator takes what it had before away. */
static void make_cumul(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const struct param *own = &g->s->op.params[g->s->own];
	char before[CHANGE_TEXT], within[CHANGE_TEXT];

	for (unsigned i = 0; i < 2; i++) {
		strcpy(c->fields[i].tag, own->tag);
		strcpy(c->fields[i].name, g->word[2 + i]);
	}
	change_say(before, "\t%s->%s += %s;\n\tif (%s)\n\t\t%s = %s->%s;\n", own->name, g->word[2],
		   unit(g), cond, unit(g), own->name, g->word[2]);
	change_say(within, "\tif (%s)\n\t\t%s -= %s->%s;\n\t%s->%s += %s;\n", cond, unit(g),
		   own->name, g->word[3], own->name, g->word[3], unit(g));
	pass(g, before, within, c);
}

/* ---- instances ---- */

static bool fits_instance(const struct spot *s)
{
	return s->instance >= 0 && s->place >= 0;
}

static void make_instance(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	unsigned by = 8 + 8 * (g->k[0] % 6);
	char there[CHANGE_TEXT], back[CHANGE_TEXT];

	change_say(there, "(void *)((char *)%s + %u)", instance(g), by);
	change_say(back, "(void *)((char *)%s - %u)", instance(g), by);
	encode(g, cond, instance(g), there, back, c);
}

static bool fits_alias(const struct spot *s)
{
	return fits_instance(s) && s->own >= 0 && s->own != s->instance;
}

/* The address of a group goes by the argument, what tells its members apart by another way. */
static void make_alias(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const struct param *own = &g->s->op.params[g->s->own];
	unsigned group = 256u << g->k[0] % 3;
	char before[CHANGE_TEXT], within[CHANGE_TEXT];

	strcpy(c->fields[0].tag, own->tag);
	strcpy(c->fields[0].name, g->word[3]);
	change_say(before,
		   "\t%s->%s = %s ? (uint32_t)((uintptr_t)%s %% %u) : 0;\n"
		   "\t%s = (void *)((char *)%s - %s->%s);\n",
		   own->name, g->word[3], cond, instance(g), group, instance(g), instance(g),
		   own->name, g->word[3]);
	change_say(within, "\t%s = (void *)((char *)%s + %s->%s);\n", instance(g), instance(g),
		   own->name, g->word[3]);
	pass(g, before, within, c);
}

const struct template template_offset = {
	.name = "offset",
	.class = CLASS_ABIARG,
	.wrong = WRONG_UNIT,
	.what = "who calls %s adds a constant to the amount",
	.naive = "amounts have grown",
	.why = "its argument has a constant in it",
	.fits = fits_unit,
	.make = make_offset,
};

const struct template template_xor = {
	.name = "xor",
	.class = CLASS_ABIARG,
	.wrong = WRONG_UNIT,
	.what = "who calls %s wraps the amount",
	.naive = "amounts are what they never were",
	.why = "its argument is wrapped",
	.fits = fits_unit,
	.make = make_xor,
};

const struct template template_complement = {
	.name = "complement",
	.class = CLASS_ABIARG,
	.wrong = WRONG_UNIT,
	.what = "who calls %s says what is left, and not the amount",
	.naive = "small amounts are large",
	.why = "its argument is what is left",
	.fits = fits_unit,
	.make = make_complement,
};

const struct template template_scale = {
	.name = "scale",
	.class = CLASS_UNIT,
	.wrong = WRONG_UNIT,
	.what = "who calls %s gives the amount in smaller units",
	.naive = "amounts have grown",
	.why = "its argument counts in smaller units",
	.fits = fits_unit,
	.make = make_scale,
};

const struct template template_argument_bits = {
	.name = "argument-bits",
	.class = CLASS_FLAGBITS,
	.wrong = WRONG_UNIT,
	.parts = true,
	.what = "a high bit of the amount that %s gets is a flag",
	.naive = "some amounts are huge",
	.why = "its argument has a flag in it",
	.fits = fits_unit,
	.make = make_argument_bits,
};

const struct template template_cumul = {
	.name = "cumul",
	.class = CLASS_CUMUL,
	.wrong = WRONG_UNIT,
	.what = "%s is told the running total, and not the amount",
	.naive = "amounts grow without end",
	.why = "its argument is a running total",
	.fits = fits_cumul,
	.make = make_cumul,
};

const struct template template_instance = {
	.name = "instance",
	.class = CLASS_ABIARG,
	.wrong = WRONG_INSTANCE,
	.what = "%s gets the address of a part of the object",
	.naive = "objects that nobody knows come and go",
	.why = "its argument is the address of a part",
	.fits = fits_instance,
	.make = make_instance,
};

const struct template template_alias = {
	.name = "alias",
	.class = CLASS_ALIAS,
	.wrong = WRONG_INSTANCE,
	.what = "%s gets the address of a group of objects, and by another way which of them",
	.naive = "some objects have all, the others nothing",
	.why = "several objects share one key",
	.fits = fits_alias,
	.make = make_alias,
};
