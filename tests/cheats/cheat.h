/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profilers that want a better score than they earn, and keep the adapter contract meanwhile.
 *
 * Each is one file with one `const struct cheat`; frame.c does the rest. Most have an honest
 * built-in profiler do the work, in a process of its own, and then tell another story. Its program
 * is looked for where the build has it, two folders above this one. Not thread-safe.
 */
#ifndef ASSAY_TESTS_CHEATS_CHEAT_H
#define ASSAY_TESTS_CHEATS_CHEAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/formats/claims.h"

struct cheat_run {
	pid_t pid;		  /* of the workload; 0: a join */
	const char *exe, *claims; /* NULL: not given */
	const char *honest;	  /* as cheat.honest; begin may change its mind */
};

struct cheat {
	const char *honest; /* name of a built-in profiler; NULL: nobody works */
	uint32_t declares;
	const char *launch, *needs; /* JSON lists */
	/* What the header of its claims declares. NULL: declares */
	uint32_t (*header)(const struct claims *honest);
	/* When it is asked what it is. NULL: nothing */
	void (*described)(void);
	/* While the workload stands still, before it is ready. Not 0: exits with that. NULL:
	 * nothing */
	int (*begin)(struct cheat_run *r);
	/* Every millisecond while the workload runs, where nobody works. NULL: nothing */
	void (*meanwhile)(void);
	/* The workload stands still again. honest: what was claimed, NULL: nobody worked. 0 or
	 * negative errno. */
	int (*tell)(const struct cheat_run *r, const struct claims *honest,
		    struct claims_writer *out);
};

extern const struct cheat cheat;

/* Whether the name that it was started under has that in it: one program can cheat in many ways. */
bool cheat_is(const char *word);

/* Writes a claim whose words are of honest's table. 0 or negative errno. */
int cheat_put(struct claims_writer *out, const struct claims *honest, const struct claim *c);

/* All as it is. */
int cheat_put_all(struct claims_writer *out, const struct claims *honest);

/* A file of this cheat's that outlives runs, beside its program; ret: PATH_MAX. */
void cheat_memory(char *ret);

#endif
