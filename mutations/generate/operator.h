/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operators as a workload's sources have them: where they are declared and defined, what they take.
 *
 * Read by text, not by a compiler: an operator is a function that one file defines with the word
 * OPERATOR in front and one header declares, as all of them are written. What cannot be read that
 * way is no operator. Offsets are into the texts that were searched, and hold until those change.
 * Plain data. Pure, thread-safe.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_OPERATOR_H
#define ASSAY_MUTATIONS_GENERATE_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "mutations/generate/texts.h"

enum { OPERATOR_WORD = 64, OPERATOR_PARAMS = 6 };

struct param {
	char type[OPERATOR_WORD]; /* "struct job *", "unsigned " */
	char name[OPERATOR_WORD];
	char tag[OPERATOR_WORD]; /* of a pointer to a structure: "job" */
	bool number;		 /* an unsigned number of 32 bits or more */
};

struct operator_text {
	char name[OPERATOR_WORD];
	char result[OPERATOR_WORD]; /* "void ", "struct job *" */
	struct param params[OPERATOR_PARAMS];
	unsigned params_cnt;
	unsigned file;		/* that defines it: index of the texts */
	size_t from, open, end; /* OPERATOR, its {, and behind its last } */
	unsigned header;	/* that declares it */
};

/* False: there is no operator of that name. */
bool operator_find(const struct texts *t, const char *name, struct operator_text *ret);

bool operator_is_void(const struct operator_text *o);
bool operator_gives_pointer(const struct operator_text *o);

/* "struct job *j, unsigned n" and "j, n". */
void operator_params(const struct operator_text *o, char *ret, size_t cap);
void operator_args(const struct operator_text *o, char *ret, size_t cap);

/* The body, from behind its { to before its }: a view of len bytes. */
const char *operator_body(const struct texts *t, const struct operator_text *o, size_t *ret_len);

/* Where a header defines a structure: behind the ; of its last member. False: none does. */
bool struct_find(const struct texts *t, const char *tag, unsigned *ret_file, size_t *ret_end);
/* Where the declaration of a member of 32 bits begins that has a line of its own. */
bool member_find(const struct texts *t, const char *tag, const char *member, unsigned *ret_file,
		 size_t *ret_from);

/* Whether a text has the word as a whole one. */
const char *word_find(const char *s, const char *word);

#endif
