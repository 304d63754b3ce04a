/* SPDX-License-Identifier: BSD-2-Clause */
/* Which system calls the collector looks at, and which kinds of file it tells apart. */
#ifndef ASSAY_PROFILERS_COLLECTOR_CALLS_H
#define ASSAY_PROFILERS_COLLECTOR_CALLS_H

#include <stdint.h>

struct collector; /* the skeleton */
struct collector_settings;

/* Between open and load: the calls that are wanted, by enum collect_want. */
void calls_choose(struct collector_settings *s, uint32_t want);

/*
 * After load, before attach: opens a file of each kind and has the kernel side look at them. A kind
 * that cannot be opened here (no /dev/ptmx) is not known; calls on such files are no records.
 * Negative errno where the kernel side cannot be run.
 */
int calls_learn_files(struct collector *skel);

#endif
