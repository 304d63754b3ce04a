/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of a profiler that attaches and is no joiner: describe, and run until SIGINT
 * (contracts §3). Options, errors and exit codes are the same for all: 0; 1 it failed; 2 usage; 77
 * it may not attach here. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_WATCHER_H
#define ASSAY_PROFILERS_ADAPTER_WATCHER_H

#include <stdint.h>

#include "lib/diag.h"

/* What `run` was given; strings point into argv, NULL where nothing was said. */
struct watcher_run {
	uint32_t pid;
	int ready_fd;
	const char *claims;
	const char *exe, *manifest, *binding;
	int stop_fd; /* readable once it shall drain */
};

struct watcher {
	const char *name, *purpose;
	const char *describe; /* the object */
	const char *exe_help; /* what it makes of --exe */
	const char *example;  /* more words of the last example, "" for none */
	/* Attaches, says that it is ready, drains, writes. 0, or negative errno with *d. */
	int (*run)(const struct watcher_run *r, struct diag *d);
};

int watcher_main(int argc, char **argv, const struct watcher *w);

#endif
