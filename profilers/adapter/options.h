/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the adapter contract: a typed table a command, strict values, one clear error.
 *
 * Every option is `--name VALUE` or `--name=VALUE`. The table's targets are written only for
 * options that were given, and strings point into argv. Not thread-safe (getopt).
 */
#ifndef ASSAY_PROFILERS_ADAPTER_OPTIONS_H
#define ASSAY_PROFILERS_ADAPTER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

enum option_kind {
	OPTION_STRING = 0, /* const char **; not empty */
	OPTION_PID = 1,	   /* uint32_t *; 1 … 2^22 (PID_MAX_LIMIT) */
	OPTION_FD = 2,	   /* int *; 0 … 2^20 */
	OPTION_BYTES = 3,  /* uint64_t *; a decimal count with an optional K, M or G (binary) */
};

struct option_def {
	const char *name;
	enum option_kind kind;
	bool required;
	void *target;
	const char *value; /* how help names the value */
	const char *help;
};

enum { OPTIONS_MAX = 16 };

/*
 * argv[0] is the command's name. -EINVAL with *d for an unknown option, a bad or missing value, a
 * missing required option or a stray word.
 */
int options_parse(int argc, char **argv, const struct option_def *defs, size_t cnt, struct diag *d);

/* One line an option, for --help. */
void options_print(const struct option_def *defs, size_t cnt, FILE *out);

#endif
