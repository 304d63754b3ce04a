/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's folder on disk: cells, their final states, working folders, names, free space.
 *
 * A cell has ended when cells/CELL/status.json exists; it is written last, by rename. Whatever
 * else lies in the folder of a cell without one is a leftover and is removed before a new try.
 */
#ifndef ASSAY_HARNESS_FOLDER_H
#define ASSAY_HARNESS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/plan.h"
#include "lib/diag.h"
#include "results/run_dir.h"

struct cell_status {
	enum cell_state state;
	char reason[512], cure[256]; /* "" for ok, unless there is something to say */
	double seconds;
	double idle; /* share of all processors' time in its run; negative: none, or not known */
	bool beside_builds; /* programs of other cells were built beside its run, at idle priority
			     */
	/* Runs with the profiler that were broken while the one without it was sound. */
	unsigned broken_tries;
	/* Its doubts could not have been had when they are dated, and were dated anew. */
	bool redated;
	/* Whether they could have been had then could not be asked. */
	bool undated;
	/* What its profiler declared before it saw the run (enum declares of lib/formats/claims.h):
	 * of claims that declare what went well every headline would be 1. */
	bool has_declares;
	uint32_t declares;
};

/* Formats into ret (PATH_LEN bytes); -ENAMETOOLONG with *d where it does not fit. */
int path_format(char ret[PATH_LEN], struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What of path is below the folder, "/" before it; "" for the folder itself, NULL for any other
 * path and for NULL. Of the words alone: no link is followed. */
const char *path_below(const char *path, const char *folder);

int folder_remove(const char *path, struct diag *d);		 /* rm -rf; absent is fine */
int file_copy(const char *from, const char *to, struct diag *d); /* hard link where it can be */

int status_write(const char *run, const char *cell, const struct cell_status *s, struct diag *d);

/* -ENOENT: not ended (nothing in *d); -EINVAL: a malformed file. */
int status_read(const char *run, const char *cell, struct cell_status *ret, struct diag *d);

/* What to do about it; where that is to read the cell's log, by its path, in ret. */
const char *status_cure(const char *run, const char *cell, const struct cell_status *s,
			char ret[PATH_LEN]);

/* Planned cells by final state; planned = sum of counts + open. */
struct tally {
	size_t planned, counts[CELL_STATE_CNT], open;
};
int tally_run(const char *run, const struct plan *p, struct tally *ret, struct diag *d);

/* The exit code that a tally means (contracts §6): 0 all ok or unsupported, 1 a profiler failed,
 * 3 cells are open, 4 a run is broken or nothing was executed, 77 nothing is supported here. */
int tally_exit_code(const struct tally *t);

/*
 * Whether programs of a run could see a folder there: of /dev they see little but /dev/shm
 * (room.h). -ENOTSUP with *d; path is real and absolute.
 */
int run_folder_seen(const char *path, struct diag *d);

/* RESULTS/runs/YYYYMMDD-HHMMSS-SUITE, made fresh; a number is added where it exists. */
int run_folder_new(const char *results, const char *suite, char ret[PATH_LEN], struct diag *d);

/* RESULTS/latest points at the run (a relative symlink, replaced by rename). */
int run_folder_latest(const char *run, struct diag *d);

/*
 * Nobody else makes these cells: an exclusive lock on the run, or, for one of several shards, on
 * the shard. Returns a descriptor that holds it until it is closed, or -EBUSY with *d; -ENOTSUP as
 * above.
 */
int run_folder_lock(const char *run, unsigned shard, unsigned shards, struct diag *d);

/*
 * Waits until no other process rewrites the run's own files; for the read and write of one of them.
 * Shards hold locks of their own meanwhile. Returns a descriptor to close, or negative errno and
 * *d.
 */
int run_folder_edit(const char *run, struct diag *d);

/* A fresh, empty working folder with a name that tells nothing; the caller removes it. */
int work_folder_new(const char *run, char ret[PATH_LEN], struct diag *d);

/* $TMPDIR/name, or below /tmp; negative errno with the variable in the cure if nobody may write
 * there. Nothing is made. */
int temp_path(const char *name, char ret[PATH_LEN], struct diag *d);

/* Removes working folders that dead harnesses of this host left behind. */
void work_folder_prune(const char *run);

/* A result may create a file or replace a plain one, never a device or a folder: -EINVAL. */
int output_check(const char *path, struct diag *d);

/* 0, or -ENOSPC with the figures and a cure in *d if less than `bytes` are free. */
int space_check(const char *path, uint64_t bytes, struct diag *d);

#endif
