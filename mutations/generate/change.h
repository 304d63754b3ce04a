/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one form of a generated quad does to the sources of a workload.
 *
 * An operator is called through a header and defined in a file. A change puts something between
 * both: callers go through an inline function of the header, the definition gets a sibling, a copy,
 * a function around it or a few statements in front, and structures get members for it. Or it moves
 * a member of a structure. Truth is never touched: its files call operators and are not changed.
 * Plain data; an empty text means that this part does not change.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_CHANGE_H
#define ASSAY_MUTATIONS_GENERATE_CHANGE_H

#include "mutations/generate/operator.h"

enum { CHANGE_TEXT = 1024, CHANGE_FIELDS = 2 };

enum body {
	BODY_STAYS,
	BODY_MOVES,  /* to the sibling, which the operator then calls */
	BODY_COPIED, /* both have it */
	BODY_INSIDE, /* the sibling is inlined into the operator, which is `around` */
	BODY_HERE,   /* the sibling is a copy of it in the header, inlined into callers */
};

struct field {
	char tag[OPERATOR_WORD], name[OPERATOR_WORD];
};

struct change {
	char name[OPERATOR_WORD]; /* of the operator */
	enum body body;
	char sibling[OPERATOR_WORD];
	char label[OPERATOR_WORD];   /* its symbol, if that is not its name */
	char around[CHANGE_TEXT];    /* BODY_INSIDE: statements of the operator */
	char first[CHANGE_TEXT];     /* statements in front of the body */
	char through[OPERATOR_WORD]; /* the function that callers go through … */
	char call[CHANGE_TEXT];	     /* … and its statements */
	char other[OPERATOR_WORD];   /* another operator, and statements in front of its body */
	char other_first[CHANGE_TEXT];
	struct field fields[CHANGE_FIELDS]; /* numbers at the end of structures */
	bool settings;			    /* something asks for the settings */
	/* ---- a member that moves: one more number before it, or behind the last ---- */
	char tag[OPERATOR_WORD], member[OPERATOR_WORD], added[OPERATOR_WORD];
	bool behind;
	bool written;	     /* with each write of the member: plus `more`, … */
	bool written_before; /* … or what it was before, … */
	bool fixed;	     /* … or `more` alone */
	bool resets_only;    /* writes of 0 alone */
	unsigned more;
};

/* Prints one of the texts. What is too long is cut short, and then does not compile. */
void change_say(char to[CHANGE_TEXT], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Changes *t, which is the workload's sources as they stand. -EINVAL where they are not as
 * expected: *t is then spoilt. */
int change_apply(const struct change *c, struct texts *t, struct diag *d);

#endif
