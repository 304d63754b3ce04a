/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs themselves, as the harness runs them: watch a child, join what was recorded.
 *
 * Files lie in a folder of the test's own, which is removed by programs_end. A program that exits
 * 77 ends the test with 77, any other trouble with 1.
 */
#ifndef ASSAY_TESTS_LIVE_RIG_COLLECTOR_PROGRAMS_H
#define ASSAY_TESTS_LIVE_RIG_COLLECTOR_PROGRAMS_H

#include "lib/formats/claims.h"
#include "tests/live/rig/collector_rig.h"

void programs_begin(const char *self); /* argv[0]: the programs lie beside the tests */
void programs_end(void);

/* A path in the folder; valid until 32 more were asked for. */
char *programs_file(const char *name);

enum { PROGRAM_ARGS = 16 };

/* Runs a program such as "causal/causal" to its end; args end with NULL. */
void programs_run(const char *program, const char *const args[PROGRAM_ARGS]);

/* Runs the child between the attach and the drain of a program; --pid and --ready-fd are added. */
void programs_watch(const char *program, const char *const args[PROGRAM_ARGS], void (*child)(void));

struct claims programs_claims(const char *path); /* free with claims_free */

#endif
