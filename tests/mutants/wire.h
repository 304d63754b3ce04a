/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program of all mutants is asked, and answers: shim/runner.c serves, suite.c asks.
 *
 * One request at a time over two pipes, descriptors 0 and 1 of the server; each is tried in a
 * process of its own. Descriptor 3 is memory of MUTANTS_MAX bytes that both sides map: what the
 * process came by, see switch.h; the asker clears it.
 */
#ifndef ASSAY_TESTS_MUTANTS_WIRE_H
#define ASSAY_TESTS_MUTANTS_WIRE_H

#include <stdint.h>

enum { WIRE_ASK_FD = 0, WIRE_ANSWER_FD = 1, WIRE_MET_FD = 3 };

struct wire_ask {
	uint32_t mutant, test; /* the test's place in what --list prints */
	uint64_t cpu_us;       /* more than this much CPU is a failure */
};

struct wire_answer {
	uint32_t failed; /* 0 or 1 */
	uint32_t hung;	 /* it was ended by a limit */
	uint64_t cpu_us; /* used */
};

#endif
