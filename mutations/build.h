/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variants: a workload's sources, patched, compiled, and linked anew with a secret salt.
 *
 * The salt decides the order of objects, and objects of neutral functions and constants between
 * them, so that no two runs have the same addresses, sizes or build-ids, and a table of hashes of
 * known variants knows nothing. Objects are cached by the content of all that they are made from,
 * programs by their objects and salt: the same salt gives the same program. Nothing in a program
 * says what was done to it: it is called like its workload, its folder is a hash.
 *
 * Several processes may build at once: whatever appears under its name is whole.
 */
#ifndef ASSAY_MUTATIONS_BUILD_H
#define ASSAY_MUTATIONS_BUILD_H

#include "mutations/house.h"
#include "mutations/record.h"

enum compiler { COMPILER_GCC, COMPILER_CLANG, COMPILER_CNT };
const char *compiler_name(unsigned v);

struct build_spec {
	const struct mutation *mutation; /* NULL: the workload as it stands */
	const char *workload;
	enum form form;
	enum compiler compiler;
	unsigned level; /* of -O: 0 or 2 */
	uint64_t salt;
	bool debug; /* with debug information: to be looked at, never to be run */
};

/*
 * Makes the program if it is not there and gives its path. -EPERM where a patch touches a line that
 * records, -EINVAL where it does not apply, changes nothing or does not compile: *d names the file.
 */
int build_variant(const struct house *h, const struct build_spec *s, char ret[RECORD_PATH],
		  struct diag *d);

/*
 * The patched sources alone: a fresh folder with workloads/NAME and workloads/driver in it, the
 * caller's to remove. The same errors.
 */
int build_sources(const struct house *h, const struct build_spec *s, char ret[RECORD_PATH],
		  struct diag *d);

/* All that the variants of a workload are made from, records aside: sources, headers, compilers. */
int build_inputs_hash(const struct house *h, const char *workload, uint64_t *ret, struct diag *d);

#endif
