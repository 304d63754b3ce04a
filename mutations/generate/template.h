/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates: ways in which an operator can come to mean something else under its old name.
 *
 * A template fits some descriptors of some workloads, and makes the mutant and the twin of a quad
 * from what was drawn for it. Both forms are one text but for the condition: it holds in the mutant
 * for the drawn share of the calls, from the drawn moment on, and never in the twin. No template
 * changes what an operator does to the objects of the workload, so that truth stays what it was.
 * Plain data and pure functions.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_TEMPLATE_H
#define ASSAY_MUTATIONS_GENERATE_TEMPLATE_H

#include "lib/formats/manifest.h"
#include "mutations/generate/change.h"
#include "mutations/words.h"

enum { DRAWN_NUMBERS = 6, DRAWN_WORDS = 5 };

/* A descriptor with events of truth, and its operator. */
struct spot {
	const struct texts *texts;
	const struct manifest *manifest;
	const struct manifest_descriptor *d;
	struct operator_text op;
	char workload[RECORD_WORD];
	bool at_return;
	int instance, unit;				/* parameter that is it, -1: none */
	bool instance_result, unit_result;		/* what the operator returns is it */
	char tag[OPERATOR_WORD], member[OPERATOR_WORD]; /* that unit_key reads, "": none */
	int place;					/* a parameter that points to a structure */
	int own; /* one whose structure is the caller's alone, -1: none */
};

/* What was drawn for one quad. */
struct drawing {
	const struct spot *s;
	struct operator_text other; /* for templates that need a second operator */
	uint32_t k[DRAWN_NUMBERS];
	char word[DRAWN_WORDS][OPERATOR_WORD]; /* names that nobody has: two of functions first */
	char args[CHANGE_TEXT];
};

/* How the manifest becomes right again. */
enum repair {
	REPAIR_CANDIDATE, /* no expression says it */
	REPAIR_SITE,	  /* at the sibling */
	REPAIR_SITES,	  /* at the sibling, too */
	REPAIR_GUARD,	  /* only results above 0 */
	REPAIR_OFFSET,	  /* four bytes further */
};

/* Which descriptors become wrong: all of the operator; those that read what the drawn one takes for
 * its instance, or its unit; all that read its member or one behind. */
enum wrong { WRONG_ALL, WRONG_INSTANCE, WRONG_UNIT, WRONG_PLACE };

struct template
{
	const char *name;
	uint8_t class; /* enum mutation_class */
	enum repair repair;
	enum wrong wrong;
	bool parts;			/* may concern a share of the calls, and begin later */
	bool symbols;			/* adds some */
	bool whole;			/* has no condition: both forms say how they differ */
	const char *what, *naive, *why; /* of records; what has one %s, the operator's name */
	bool (*fits)(const struct spot *s);
	/* cond: of the form, an expression of the operator's parameters */
	void (*make)(const struct drawing *g, const char *cond, bool twin, struct change *ret);
};

extern const struct template *const templates[]; /* ends with NULL */

/* ---- the lists by file ---- */
extern const struct template template_bypass, template_split, template_siteset, template_inline;
extern const struct template template_offset, template_xor, template_complement, template_scale,
	template_cumul, template_argument_bits, template_instance, template_alias;
extern const struct template template_result_tag, template_result_bits, template_result_errno,
	template_result_complement, template_result_scale, template_result_inside;
extern const struct template template_gran, template_failed, template_stacked;
extern const struct template template_layout, template_plausible, template_residue;

/* Another operator of the workload that has all that `op` takes, and the caller's own structure. */
bool template_other(const struct spot *s, uint32_t draw, struct operator_text *ret);

#endif
