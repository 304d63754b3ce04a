/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates by which a member is somewhere else: LAYOUT, PLAUSIBLE, RESIDUE. */
#include <stdio.h>
#include <string.h>

#include "mutations/generate/template.h"

static bool fits_member(const struct spot *s)
{
	unsigned file;
	size_t from;

	return s->member[0] && member_find(s->texts, s->tag, s->member, &file, &from);
}

/* The mutant's new member comes before, the twin's behind all others. */
static void move(const struct drawing *g, bool twin, struct change *c)
{
	strcpy(c->tag, g->s->tag);
	strcpy(c->member, g->s->member);
	strcpy(c->added, g->word[3]);
	c->behind = twin;
}

static void make_layout(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	move(g, twin, c);
	c->written = c->fixed = true;
	c->more = g->k[0] % 4000;
}

static void make_plausible(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	move(g, twin, c);
	c->written = true;
	c->more = 16 << g->k[0] % 5;
}

static bool is_reset(const struct spot *s)
{
	char reset[OPERATOR_WORD + 16];

	snprintf(reset, sizeof(reset), "->%s = 0;", s->member);
	for (unsigned i = 0; i < s->texts->cnt; i++)
		if (strstr(s->texts->v[i].s, reset))
			return true;
	return false;
}

static void make_residue(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	move(g, twin, c);
	c->written = c->written_before = true;
	c->resets_only = is_reset(g->s);
}

const struct template template_layout = {
	.name = "layout",
	.class = CLASS_LAYOUT,
	.repair = REPAIR_OFFSET,
	.wrong = WRONG_PLACE,
	.whole = true,
	.what = "the structure that %s is given has one more number before the amount",
	.naive = "all amounts are the same",
	.why = "its offset is that of another number",
	.fits = fits_member,
	.make = make_layout,
};

const struct template template_plausible = {
	.name = "plausible",
	.class = CLASS_PLAUSIBLE,
	.repair = REPAIR_OFFSET,
	.wrong = WRONG_PLACE,
	.whole = true,
	.what = "the structure that %s is given has the amount with its head, where the amount "
		"stood",
	.naive = "more is given back than was taken",
	.why = "its offset is that of the amount with the head",
	.fits = fits_member,
	.make = make_plausible,
};

const struct template template_residue = {
	.name = "residue",
	.class = CLASS_RESIDUE,
	.repair = REPAIR_OFFSET,
	.wrong = WRONG_PLACE,
	.whole = true,
	.what = "the structure that %s is given remembers the last amount, where its own stood",
	.naive = "what is given back is what others took",
	.why = "its offset is that of the last amount",
	.fits = fits_member,
	.make = make_residue,
};

const struct template *const templates[] = {
	&template_bypass,
	&template_split,
	&template_siteset,
	&template_inline,
	&template_offset,
	&template_xor,
	&template_complement,
	&template_scale,
	&template_cumul,
	&template_argument_bits,
	&template_instance,
	&template_alias,
	&template_result_tag,
	&template_result_bits,
	&template_result_errno,
	&template_result_complement,
	&template_result_scale,
	&template_result_inside,
	&template_gran,
	&template_failed,
	&template_stacked,
	&template_layout,
	&template_plausible,
	&template_residue,
	NULL,
};
