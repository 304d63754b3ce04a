/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a command, as a table.
 *
 * A command declares one const struct opts; parsing, checking, errors and --help come from it.
 * Every command knows -h and --help. Options and arguments may be mixed; "--" ends the options.
 * Names are not abbreviated, so that a typo is a typo: the error names the nearest option. The
 * specific problem is reported, never the whole help. Values are written as they are read, so
 * defaults are what stood in them before; strings point into argv.
 *
 * Uses getopt_long, hence not thread-safe.
 */
#ifndef ASSAY_LIB_OPTS_H
#define ASSAY_LIB_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"

enum opt_type {			  /* value points to */
		OPT_FLAG = 0,	  /* bool, set true */
		OPT_STR = 1,	  /* const char * */
		OPT_LIST = 2,	  /* struct opt_list: may be given several times */
		OPT_U64 = 3,	  /* uint64_t: decimal or 0x… (seeds, ids) */
		OPT_COUNT = 4,	  /* uint64_t: K M G are powers of 1,000 */
		OPT_BYTES = 5,	  /* uint64_t: K M G are powers of 1,024 */
		OPT_DURATION = 6, /* uint64_t, ns: with its unit ns us ms s */
		OPT_F64 = 7,	  /* double */
		OPT_CHOICE = 8,	  /* unsigned: index in choices */
};

enum { OPT_LIST_MAX = 32 };

struct opt_list {
	size_t cnt;
	const char *v[OPT_LIST_MAX];
};

struct opt {
	const char *name; /* without "--" */
	char letter;	  /* 0: none */
	uint8_t type;	  /* enum opt_type */
	const char *arg;  /* what --help calls the value; NULL for flags */
	const char *help; /* one line; says the default */
	void *value;
	uint64_t min, max;	    /* of whole numbers, inclusive; both 0: any */
	const char *const *choices; /* of OPT_CHOICE; ends with NULL */
};

struct opts {
	const char *command;	     /* "assay score" */
	const char *usage;	     /* what follows it: "RUN | --truth FILE --claims FILE" */
	const char *purpose;	     /* one sentence, no full stop */
	const struct opt *table;     /* ends with a NULL name; may be NULL */
	unsigned args_min, args_max; /* how many arguments that are no options */
	const char *examples[3];     /* whole command lines; all three are real ones */
};

/*
 * Reads argv (argv[0] is the command). 0: *ret_args is the index of the first of the arguments,
 * which have been moved to the end of argv. OPTS_HELP: help was asked for; nothing was printed.
 * -EINVAL: wrong usage, *d says what; values may have been written.
 */
enum { OPTS_HELP = 1 };
int opts_parse(const struct opts *o, int argc, char **argv, int *ret_args, struct diag *d);

/*
 * The same, for a command's first line: prints the help on stdout or the error on stderr. -1: go
 * on; otherwise the exit code (0 after help, 2 after wrong usage).
 */
int opts_start(const struct opts *o, int argc, char **argv, int *ret_args);

/* --help, at most 80 columns wide where the texts are. */
void opts_help(const struct opts *o, FILE *out);

/* "no command "recrod"", with the nearest of the names as cure; where none is near, with all of
 * them if they fit in a line. Always -EINVAL. */
int opts_unknown(struct diag *d, const char *what, const char *word, const char *const *names,
		 size_t cnt);

#endif
