/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The knobs of a workload program: what `run` takes and what `describe` prints.
 *
 * Numbers are strict: decimal digits only, inside the stated range. Errors go to a diag that names
 * the option and what would be right.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_OPTIONS_H
#define ASSAY_WORKLOADS_DRIVER_OPTIONS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"

enum { OPTIONS_CPUS = 256 };

struct run_options {
	uint64_t ops;	      /* operations, all workers together */
	uint64_t rate;	      /* open loop: arrivals a second, all workers together; 0: closed */
	unsigned depth;	      /* closed loop: operations in flight, all workers together */
	unsigned workers;     /* threads that take arrivals */
	unsigned queue_depth; /* operations that one worker may have in flight */
	unsigned fanout;      /* parts that one operation is split into */
	unsigned cost_us;     /* CPU that one operation burns, µs */
	uint64_t seed;
	unsigned cpus[OPTIONS_CPUS]; /* thread i is pinned to cpus[i mod cpus_cnt] */
	unsigned cpus_cnt;
	const char *data;   /* folder for files */
	const char *path;   /* handoffs of a request, in order; NULL: the workload's own mix */
	const char *config; /* file of settings, see settings.h; NULL: none */
	/* For a workload that somebody else's program starts: where they are not inherited. */
	const char *channel, *output;
	bool serial;	/* one worker, depth 1, nothing that depends on timing */
	bool calibrate; /* SIGSTOP before anything, then acts by which keys are learned */
	bool stop;	/* SIGSTOP before the first thread and after the last */
};

/*
 * Reads the words after `run` over the defaults already in *o. CPUs that were not named are those
 * that the process may use. -EINVAL and *d; *o is then half-filled.
 */
int run_options_parse(struct run_options *o, int argc, char **argv, struct diag *d);

/* Name and help of option i for `describe`; NULL beyond the last. */
const char *run_options_name(unsigned i);
const char *run_options_help(unsigned i);

#endif
