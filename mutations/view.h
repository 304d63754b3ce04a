/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a stranger can read of a running program: its part of /proc and the files near it.
 *
 * Lines such as "thread pool", "argument --seed", "open 3 /memfd:x", "mapping r-xp BIN/pool": names
 * of threads, arguments, environment, links of exe, cwd, root and descriptors, names of mappings
 * (of maps and smaps), limits and cgroups, names of files in folders that are given. What is chance
 * in every run is left out: addresses, numbers of inodes and processes, the kernel's own io_uring
 * workers. Folders that differ from run to run are written by the words that the caller gives.
 */
#ifndef ASSAY_MUTATIONS_VIEW_H
#define ASSAY_MUTATIONS_VIEW_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/diag.h"
#include "mutations/names.h"

/* A path and what is written in its place. */
struct view_word {
	const char *path, *word;
};

/*
 * Adds what the process shows to *l; a process that has ended shows nothing and is -ESRCH. words
 * end with a NULL path, the longer path of two first. The caller sorts.
 */
int view_process(pid_t pid, const struct view_word *words, struct name_list *l, struct diag *d);

/* Adds "file WORD/NAME" for all in and below a folder. One that is not there holds nothing. */
int view_folder(const char *folder, const struct view_word *words, struct name_list *l,
		struct diag *d);

/* Adds "text LINE" for the lines of a file but those that begin with skip. */
int view_text(const char *path, const char *skip, const struct view_word *words,
	      struct name_list *l, struct diag *d);

#endif
