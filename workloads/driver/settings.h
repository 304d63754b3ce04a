/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of a run: numbers by name, read once before the start from a small file, and the moment
 * at which a service turns.
 *
 * One setting a line, `name=number`; `#` begins a comment, blank lines mean nothing. A name that
 * stands twice, that the workload does not list, or whose value is no number is an error. Three
 * names are every workload's: `turn`, the number of operations that have to begin before
 * settings_turned() holds (0, or none given: it never does), `mode`, a word for what a service
 * shall do then, and `ail`, what it shall suffer from then (enum diagnosis; 0: nothing). Reading is
 * for one thread; afterwards all may look.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_SETTINGS_H
#define ASSAY_WORKLOADS_DRIVER_SETTINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"

enum { SETTINGS_MAX = 32, SETTINGS_NAME = 32 };

struct settings {
	unsigned cnt;
	char names[SETTINGS_MAX][SETTINGS_NAME];
	uint64_t values[SETTINGS_MAX];
	uint64_t turn, mode, ail; /* 0: not given */
	_Atomic uint64_t begun;	  /* operations, all threads together */
	_Atomic uint64_t turned;  /* ns: just before it turned; 0: not yet */
};

extern struct settings settings;

/* Replaces what was read before. Negative errno and *d; the settings are then unspecified. */
int settings_read(const char *path, struct diag *d);

/* False: a name that stands in the file is in neither list; *ret is that name. `known` ends with
 * NULL and may be NULL. */
bool settings_known(const char *const *known, const char **ret);

/* The value of a name, or `otherwise` where the file does not give it. */
uint64_t setting(const char *name, uint64_t otherwise);

/* The same for a number that has bounds: ends the run (run_refuse) where it is not least to most.
 */
unsigned setting_within(const char *name, unsigned otherwise, unsigned least, unsigned most);

/* An operation begins; now: a moment before. */
static inline void settings_begun(uint64_t now)
{
	if (atomic_fetch_add_explicit(&settings.begun, 1, memory_order_relaxed) + 1 ==
	    settings.turn)
		atomic_store_explicit(&settings.turned, now, memory_order_relaxed);
}

/* True once `turn` operations have begun; it stays true. */
static inline bool settings_turned(void)
{
	uint64_t turn = settings.turn;

	return turn && atomic_load_explicit(&settings.begun, memory_order_relaxed) >= turn;
}

/* Whether the service suffers from it now: enum diagnosis. */
static inline bool settings_ail(unsigned what)
{
	return settings.ail == what && settings_turned();
}

#endif
