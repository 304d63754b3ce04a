/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a certificate that run programs: canon, reached, witness, reading. */
#ifndef ASSAY_HARNESS_CERTIFY_RUN_H
#define ASSAY_HARNESS_CERTIFY_RUN_H

#include "harness/certify.h"
#include "harness/folder.h"
#include "harness/variant.h"
#include "mutations/tally.h"

struct certify_run {
	const struct certifier *certifier;
	const struct mutation *mutation;
	const char *workload;
	uint64_t salt;
	struct certificate *certificate;
};

/* Fills the last four steps as far as they get; negative errno only for trouble of the machine. */
int certify_runs(const struct certify_run *r, struct diag *d);

/* ---- between the parts ---- */

/* What a serial run says. */
struct meaning {
	char *canon;
	size_t len;
	struct run_tally tally;
};

struct runs {
	const struct certify_run *r;
	const struct workload *workload;
	char folder[PATH_LEN]; /* of everything that a run makes; removed at the end */
	struct variant forms[FORM_CNT];
	struct meaning meaning[FORM_CNT];
};

/* Arguments of the collector. */
struct watch_args {
	const char *program, *exe;
	char manifest[PATH_LEN]; /* "": none */
	char evidence[PATH_LEN], pid[16], fd[16];
};
void runs_watcher(void *arg, pid_t pid, char *argv[32]);
uint64_t runs_watched_ops(const struct mutation *m);

/* The step failed: fmt takes two strings. Always 0. */
int runs_fail(const struct runs *x, enum step s, const char *fmt, const char *what, const char *why)
	__attribute__((format(printf, 3, 0)));
bool runs_failed(const struct runs *x);

/*
 * Runs a form; truth.bin and, with a collector, the evidence lie in the folder then. 0 and *ret_why
 * filled (err != 0) where the run is not sound; negative errno for trouble of the machine.
 */
int runs_one(struct runs *x, enum form f, bool serial, struct watch_args *w, struct diag *ret_why,
	     struct diag *d);

/* Witness and reading, k of k (certify_watch.c). */
int runs_watched(struct runs *x, struct diag *d);

#endif
