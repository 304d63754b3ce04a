/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of `assay mutate` share.
 *
 * One command after another, on one thread. A shop is opened by mutate_with_shop and closed again
 * when its function returns; nothing that it holds may be kept.
 */
#ifndef ASSAY_HARNESS_MUTATE_H
#define ASSAY_HARNESS_MUTATE_H

#include "harness/command.h"
#include "lib/opts.h"
#include "mutations/funnel.h"
#include "mutations/house.h"
#include "mutations/record.h"

struct shop {
	struct workshop w;
	struct house house;
	struct mutation_list list;
};

extern const char *mutate_source; /* --source */

/* A row of a table of options. */
#define SOURCE_OPT                                                                                 \
	{                                                                                          \
		"source", 0, OPT_STR, "DIR", "top of assay's sources (above the command)",         \
			&mutate_source, 0, 0, NULL                                                 \
	}

/* Reads the options, opens a shop, calls run with the arguments left; returns an exit code. */
int mutate_with_shop(const struct opts *o, int argc, char **argv,
		     int (*run)(struct shop *, int, char **));

/* Prints the error of a wrong argument; returns its exit code. */
int mutate_usage(const struct diag *d);

int mutate_verify(int argc, char **argv);
int mutate_list(int argc, char **argv);
int mutate_train(int argc, char **argv);
int mutate_generate(int argc, char **argv);

#endif
