/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making cells: each ends in one of six states, whatever the programs in it do.
 *
 * What a cell leaves: status.json (last), log, and, where they apply, truth.bin, evidence.bin,
 * claims.bin, load.json (what the workload printed), claims.rejected (claims that were invalid),
 * manifest.yaml (as the profiler got it), program and earlier (for joins), overhead.jsonl.
 * A runner borrows everything; not thread-safe.
 */
#ifndef ASSAY_HARNESS_RUNNER_H
#define ASSAY_HARNESS_RUNNER_H

#include <stdbool.h>

#include "harness/folder.h"
#include "harness/machine.h"
#include "harness/plan.h"
#include "harness/trial.h"
#include "harness/programs.h"

struct stage;
struct stock;
struct veil;

struct runner {
	const char *run; /* folder */
	struct programs *programs;
	const struct machine *machine;
	const struct plan *plan;
	const char *reference; /* folder of the stored runs */
	struct stock *stock;   /* programs that are built ahead; NULL: none */
	struct trial_limits limits;
	/* Seconds for which cells waited for others on the machine: no time of theirs. Shared by
	 * the copies of a runner, so that it is the outer cell's, too. */
	double *waited;
	bool wakes; /* of recordings: whoever reads their truth may ask who woke whom */
	/* For cells whose cost is measured. */
	const struct trial_meter *meter; /* NULL: nobody measures */
	const struct trial_truth *truth; /* NULL: as always */
	const char *program;		 /* of every cell, one and the same; NULL: built for it */
	bool unwatched;			 /* live cells run without their profiler */
	/* The collector works beside the profiler of a live cell, whose folder keeps its evidence,
	 * unless it came to grief. */
	bool beside;
};

/*
 * Makes one cell and writes its status. Returns 0 whatever became of the cell; a negative errno
 * only where the run cannot go on: -EINTR, -ENOSPC, -ENOMEM, an unwritable folder. The cell is then
 * without a status and is made again by --resume.
 */
int runner_cell(struct runner *r, const struct cell *c, struct cell_status *ret, struct diag *d);

/* ---- parts, in cell_*.c ---- */

/* One cell while it is made. */
struct making {
	struct runner *r;
	const struct cell *c;
	char folder[PATH_LEN], work[PATH_LEN], data[PATH_LEN];
	char bin[PATH_LEN]; /* of the program, where the cell runs one */
	int log_fd;
	struct cell_status status;
};

/* The whole of one kind of cell: fills m->status; negative errno only as runner_cell. */
int cell_make_record(struct making *m, struct diag *d);
int cell_make_reference(struct making *m, struct diag *d);
int cell_make_join(struct making *m, struct diag *d);
int cell_make_live(struct making *m, struct diag *d);
int cell_make_truth(struct making *m, struct diag *d);
int cell_make_overhead(struct making *m, struct diag *d);

/* What an overhead cell calls nobody, and the requests in flight where capacity is measured. Its
 * parameters: pairs, closed (pairs at capacity), ms (of a run), bare (0: without the third arm),
 * rate, workers, queue_depth, fanout, load_cpus and watcher_cpus (bit sets; 0: all). */
#define OVERHEAD_NOBODY "none"
enum { OVERHEAD_DEPTH = 16 };

/* Sets the state; the diag gives reason and cure (NULL: none). */
void making_end(struct making *m, enum cell_state state, const struct diag *why);

/*
 * Whether the cell can be made here at all; decided from describe and the machine before anything
 * is started. Otherwise sets the status: unsupported, or crashed for a profiler that cannot even
 * describe itself, or broken where what it is made from is.
 */
bool making_supported(struct making *m);

/* The form in which a live cell starts its profiler: its parameter `launch`, else the profiler's
 * own. */
enum launch cell_launch(const struct cell *c, const struct profiler *p);

/* A file that a program should have written becomes claims.bin, or the cell is invalid. */
int making_take_claims(struct making *m, const char *path, struct diag *d);

/* What a program of the cell does not see: the run, but its working folder and what it is given. Of
 * m and s, which must outlive it. */
int making_veil(const struct making *m, const struct stage *s, bool shows_base, struct veil *ret,
		struct diag *d);

/* The folder of the cell that c is made from, or of c itself. */
int making_source(const struct making *m, char ret[PATH_LEN], struct diag *d);

#endif
