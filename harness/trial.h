/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a workload, with or without somebody watching.
 *
 * The workload is started with the truth channel and stops itself; the watcher (collector or
 * profiler) attaches and says that it is ready; the workload goes on, stops again when it is quiet;
 * the watcher drains; the workload ends. `scored` is what lies between the two stops. Whatever
 * goes wrong is charged to one side and never ends the harness: a session returns an error only
 * when it was interrupted or the harness itself cannot go on (disk, memory).
 *
 * Under late-attach the workload goes on from its first stop alone, and the watcher comes while it
 * works: `scored` begins when it is ready, in the middle of operations.
 *
 * One that wraps starts the workload itself, from the words behind its "--", and is there when it
 * stops first; the workload ends before its watcher is to write.
 *
 * The watcher gets a working folder, a descriptor to say that it is ready, and nothing else. Every
 * workload is started with a file of settings, empty where there are none, so that no argument
 * tells; it is gone when the workload has read it.
 */
#ifndef ASSAY_HARNESS_TRIAL_H
#define ASSAY_HARNESS_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/plan.h"
#include "harness/process.h"
#include "harness/programs.h"
#include "lib/diag.h"
#include "results/run_dir.h"

/* The descriptor by which a watcher says that it is ready, and the one by which it is told more;
 * threads that may
 * record beside two for each worker; decoys. */
enum { READY_FD = 3, CONTROL_FD_OF_WATCHER = 4, TRIAL_SLOTS = 16, TRIAL_DECOY_PPM = 20000 };

/* The limits that hold where the user gives none. */
#define TRIAL_PATIENCE_NS (20 * NS_PER_S)
#define TRIAL_FILE_BYTES  (UINT64_C(1) << 30)

struct trial_limits {
	uint64_t patience_ns; /* to start, attach, drain, end */
	uint64_t file_bytes;  /* largest file that a watcher may write */
};

/* What truth is to say of a descriptor. One that is not valid is contradicted by the first event of
 * its own after it became so, or by the first of the kind and class that show it. */
struct trial_descriptor {
	uint32_t id;
	const char *resource;
	bool valid;
	uint8_t shown_event;	 /* enum event_kind */
	const char *shown_class; /* NULL: its own events */
};

struct regime_live;

/* How the watcher works (contracts §3). */
struct trial_launch {
	enum launch how; /* 0: LAUNCH_ATTACH; LAUNCH_ENV: attaches to what its variables began */
	/* Fills argv as watcher does, for `env`. */
	void (*environment)(void *arg, char *argv[32]);
	enum process_rights rights;
	bool secret;	    /* it may look into the workload, so truth lies where no look gets */
	bool litters;	    /* what it leaves under global names is removed: one at a time */
	bool control;	    /* it gets the control descriptor */
	const char *reload; /* manifest that it is told to take in the middle; NULL: none */
};

/* The moments of a run at which somebody may want to read what was used so far. */
enum trial_moment {
	TRIAL_ALONE, /* the workload stands at its first stop, nobody has been started */
	TRIAL_READY, /* the watcher has said so; the workload still stands */
	TRIAL_GOES,  /* the next thing is that it goes on */
	TRIAL_QUIET, /* its second stop */
	TRIAL_OVER,  /* the watcher has drained; the workload still stands */
	TRIAL_MOMENT_CNT,
};

/* For runs whose cost is measured. */
struct trial_meter {
	const char *load_group, *watcher_group;	   /* as process_spec.group; NULL: none */
	const cpu_set_t *load_cpus, *watcher_cpus; /* as process_spec.cpus */
	void (*at)(void *arg, enum trial_moment m);
	void *arg;
};

/* For runs whose truth channel is not as always. */
struct trial_truth {
	bool off;	    /* the workload gets none, and nothing is collected */
	unsigned decoy_ppm; /* 0: TRIAL_DECOY_PPM */
	/* By how much the workload's clock, and with it the log's, is ahead of everybody else's; of
	 * what is collected it is taken off again. A workload that its watcher starts has
	 * everybody's. */
	int64_t ahead_ns;
};

struct trial_spec {
	const struct workload *workload;
	const struct cell *cell; /* parameters, seed, variant */
	const char *exe;	 /* program in place of the workload's own, NULL: that */
	const char *config;	 /* settings, NULL: none; nobody who watches can read them */
	unsigned ail;		 /* enum diagnosis: what it shall suffer from; 0: nothing */
	uint64_t turn;		 /* and from which operation on */
	bool wakes;		 /* somebody says who woke whom: truth has to know it */
	bool uncosted;		 /* nobody asks what an operation cost: truth has no costs */
	bool undiagnosed;	 /* what its program suffers from is not known: truth is silent */
	const struct trial_descriptor *descriptors;
	size_t descriptors_cnt;
	uint64_t onset; /* number of the operation at which those not valid became so; 0: before all
			 */
	/* Fills argv (at most 32, NULL-terminated) for the watcher of this pid, which is 0 where it
	 * starts the workload itself; NULL: nobody watches. Strings live as long as arg. */
	void (*watcher)(void *arg, pid_t pid, char *argv[32]);
	/* Called while the workload stands still: before anybody watches it, and before the watcher
	 * is told to drain. NULL: nobody looks. */
	int (*look)(void *arg, pid_t pid, struct diag *d);
	void *arg;
	struct trial_launch launch;
	const struct regime_live *live;	 /* NULL: nothing is made hard */
	const struct trial_meter *meter; /* NULL: nobody measures */
	const struct trial_truth *truth; /* NULL: as always */
	const char *work;		 /* working folder of the watcher */
	const char *data;		 /* folder for the workload's files */
	const struct veil *veil;	 /* what neither is to see on disk; NULL: nothing */
	const char *truth_path;		 /* written if the run is sound */
	const char *load_path; /* what the workload printed; written if the run is sound */
	int log_fd;	       /* gets what both say */
	struct trial_limits limits;
};

struct trial_result {
	bool sound;	     /* the workload ran to its end and its truth passed the self-checks */
	bool unsupported;    /* it said (77) that this machine cannot run it */
	struct diag trouble; /* why it is not sound */
	enum cell_state watcher; /* CELL_OK, CELL_TIMEOUT or CELL_CRASHED */
	struct diag complaint;	 /* why the watcher is not ok */
	char left[192];		 /* what it left behind and was removed; "": nothing */
	uint64_t scored[2];
	double idle; /* share of all processors' time within scored; negative: not known */
	double seconds;
	uint64_t waited_ns; /* before, for others on the machine; no part of seconds */
};

int trial_run(const struct trial_spec *s, struct trial_result *ret, struct diag *d);

#endif
