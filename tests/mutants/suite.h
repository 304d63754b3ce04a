/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tests as a server (shim/runner.c): one of them, as one mutant, at a time.
 *
 * A suite is used by one thread at a time; a process may have several.
 */
#ifndef ASSAY_TESTS_MUTANTS_SUITE_H
#define ASSAY_TESTS_MUTANTS_SUITE_H

#include <stddef.h>
#include <sys/types.h>

#include "tests/mutants/switch.h"
#include "tests/mutants/wire.h"

struct suite {
	pid_t pid;
	int ask, answer;
	unsigned char *met; /* of the last run: MUTANTS_MAX bytes */
};

/* The names of its tests, in the order of their numbers. 0, or negative errno. */
int suite_list(const char *exe, char ***ret_names, size_t *ret_cnt);
void suite_list_free(char **names, size_t cnt);

/* 0, or negative errno. */
int suite_start(struct suite *ret, const char *exe);
int suite_run(struct suite *s, const struct wire_ask *ask, struct wire_answer *ret);
void suite_end(struct suite *s);

#endif
