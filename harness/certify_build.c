/* SPDX-License-Identifier: BSD-2-Clause */
/* Which compilers and levels, and with which salt. */
#include "harness/certify_build.h"

#include <string.h>

#include "lib/hash.h"

const struct certify_build certify_builds[CERTIFY_BUILDS] = {
	{COMPILER_GCC, 2}, {COMPILER_GCC, 0}, {COMPILER_CLANG, 2}, {COMPILER_CLANG, 0}};

bool certify_wants(const struct mutation *m, unsigned build)
{
	const struct certify_build *b = &certify_builds[build];

	return (b->compiler == COMPILER_GCC ? m->gcc : m->clang) && (b->level ? m->o2 : m->o0);
}

unsigned certify_first(const struct mutation *m)
{
	unsigned b = 0;

	while (b < CERTIFY_BUILDS - 1 && !certify_wants(m, b))
		b++;
	return b;
}

uint64_t certify_salt(const char *workload)
{
	return hash_bytes(workload, strlen(workload), 1);
}
