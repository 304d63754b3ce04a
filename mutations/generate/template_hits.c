/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates by which one act is several hits: GRAN, FAILED, STACKED. */
#include <stdio.h>
#include <string.h>

#include "mutations/generate/template.h"

static bool is_use(const struct spot *s)
{
	return s->d->event == EVENT_USE && s->place >= 0;
}

/* Twice as much of what only counts is as good. */
static void make_gran(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const struct operator_text *o = &g->s->op;
	unsigned pieces = 2 + g->k[0] % 4;
	bool gives = !operator_is_void(o);
	char head[CHANGE_TEXT] = "", tail[CHANGE_TEXT] = "";

	if (gives) {
		change_say(head, "\t%s%s = %s(%s);\n\n", o->result, g->word[2], o->name, g->args);
		change_say(tail, "\treturn %s;\n", g->word[2]);
	}
	strcpy(c->through, g->word[1]);
	change_say(c->call, "%s\tfor (unsigned i = %s ? %u : 1; i > %u; i--)\n\t\t%s(%s);\n%s",
		   head, cond, pieces, (unsigned)gives, o->name, g->args, tail);
}

/* Void, and with a structure in which the caller says that nothing is to be done. */
static bool is_quiet(const struct spot *s)
{
	return !s->at_return && operator_is_void(&s->op) && s->own >= 0 && s->place >= 0;
}

static void refuse(const struct drawing *g, struct change *c)
{
	const struct param *own = &g->s->op.params[g->s->own];

	strcpy(c->fields[0].tag, own->tag);
	strcpy(c->fields[0].name, g->word[3]);
	change_say(c->first, "\tif (%s->%s) {\n\t\t%s->%s--;\n\t\treturn;\n\t}\n", own->name,
		   g->word[3], own->name, g->word[3]);
}

/* Some attempts come first that are refused. */
static void make_failed(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const struct operator_text *o = &g->s->op;
	const struct param *own = &o->params[g->s->own];

	refuse(g, c);
	strcpy(c->through, g->word[0]);
	change_say(c->call, "\tif (%s)\n\t\tfor (%s->%s = %u; %s->%s;)\n\t\t\t%s(%s);\n\t%s(%s);\n",
		   cond, own->name, g->word[3], 1 + g->k[0] % 3, own->name, g->word[3], o->name,
		   g->args, o->name, g->args);
}

static bool fits_stacked(const struct spot *s)
{
	struct operator_text other;

	return is_quiet(s) && template_other(s, 0, &other);
}

/* Another operator goes through this one, which does nothing then. */
static void make_stacked(const struct drawing *g, const char *cond, bool twin, struct change *c)
{
	const struct operator_text *o = &g->s->op;
	char args[CHANGE_TEXT] = "", own[OPERATOR_WORD] = "";

	refuse(g, c);
	strcpy(c->other, g->other.name);
	for (unsigned i = 0; i < o->params_cnt; i++)
		for (unsigned j = 0; j < g->other.params_cnt; j++) {
			if (strcmp(o->params[i].type, g->other.params[j].type) != 0)
				continue;
			snprintf(args + strlen(args), sizeof(args) - strlen(args), "%s%s",
				 args[0] ? ", " : "", g->other.params[j].name);
			if ((int)i == g->s->own)
				strcpy(own, g->other.params[j].name);
			break;
		}
	change_say(c->other_first, "\tif (%s) {\n\t\t%s->%s = 1;\n\t\t%s(%s);\n\t}\n", cond, own,
		   g->word[3], o->name, args);
}

static bool has_type(const struct operator_text *o, const char *type)
{
	for (unsigned i = 0; i < o->params_cnt; i++)
		if (!strcmp(o->params[i].type, type))
			return true;
	return false;
}

static bool takes_all(const struct operator_text *other, const struct operator_text *o)
{
	for (unsigned i = 0; i < o->params_cnt; i++)
		if (!has_type(other, o->params[i].type))
			return false;
	return strcmp(other->name, o->name) != 0;
}

bool template_other(const struct spot *s, uint32_t draw, struct operator_text *ret)
{
	const struct manifest *m = s->manifest;
	uint32_t first = draw % m->descriptors_cnt;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++) {
		const struct manifest_descriptor *d =
			&m->descriptors[(first + i) % m->descriptors_cnt];

		if (d->site.kind != SITE_USDT && operator_find(s->texts, d->site.symbol, ret) &&
		    takes_all(ret, &s->op))
			return true;
	}
	return false;
}

const struct template template_gran = {
	.name = "gran",
	.class = CLASS_GRAN,
	.parts = true,
	.what = "%s is called several times for one use",
	.naive = "objects are used many times over",
	.why = "a use is several calls",
	.fits = is_use,
	.make = make_gran,
};

const struct template template_failed = {
	.name = "failed",
	.class = CLASS_FAILED,
	.parts = true,
	.what = "%s is tried first, and refuses",
	.naive = "objects are used or given back more often than they are taken",
	.why = "attempts that are refused pass it, too",
	.fits = is_quiet,
	.make = make_failed,
};

const struct template template_stacked = {
	.name = "stacked",
	.class = CLASS_STACKED,
	.parts = true,
	.what = "another operator goes through %s, which has nothing to do then",
	.naive = "objects are used or given back more often than they are taken",
	.why = "what another operator does passes it, too",
	.fits = fits_stacked,
	.make = make_stacked,
};
