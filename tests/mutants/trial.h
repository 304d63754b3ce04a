/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trying one mutant: compile its file alone, link it before the archive that holds the original,
 * run the tests against it. The mutated file alone is built with AddressSanitizer, so that reading
 * or writing one element too far is noticed.
 *
 * Everything happens in a folder of the worker's own under the build folder; the work tree is only
 * read. The commands are shell text with the words @SRC@, @OBJ@ and @EXE@ in place of files.
 */
#ifndef ASSAY_TESTS_MUTANTS_TRIAL_H
#define ASSAY_TESTS_MUTANTS_TRIAL_H

#include "tests/mutants/sites.h"

struct commands {
	const char *compile, *link;
	const char *sanitize; /* flag for both in place of @SAN@; not for files that ask_heavy */
	/* what the unmutated program is given, then, from what it took, what a mutant is given */
	unsigned light_s, heavy_s;
};

enum verdict {
	VERDICT_CAUGHT = 0,
	VERDICT_SURVIVED = 1,
	VERDICT_EQUIVALENT = 2, /* survived, and the source says why it must */
	VERDICT_STILLBORN = 3,	/* does not compile: no mutant */
	VERDICT_BROKEN = 4,	/* the machinery failed */
	VERDICT_CNT = 5,
};

/* folder: exists, and is the caller's alone. */
enum verdict trial(const struct site *x, const struct commands *c, const char *folder);

/* Does a mutant of this file ask for the suites that run long? */
bool asks_heavy(const char *file);

/*
 * Do the tests pass on the program as it is? 0, or the exit code of those that do not. Shortens
 * light_s and heavy_s to a few times of what they took: a mutant that hangs is caught by the clock.
 */
int trial_unmutated(struct commands *c, const char *folder, bool heavy);

#endif
