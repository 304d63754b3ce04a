/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adapter contract (contracts §3) for built-in profilers: describe, join, and run where the
 * joiner has a live form.
 *
 * A main is one call of adapter_main. Claims go to the file that the harness names: JSON Lines, or
 * the packed form if the name ends in ".bin". Exit codes: 0 good, 1 failed, 2 usage, 77 this
 * machine cannot.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_ADAPTER_H
#define ASSAY_PROFILERS_ADAPTER_ADAPTER_H

#include "lib/diag.h"
#include "profilers/adapter/inputs.h"
#include "profilers/adapter/joiner.h"

/* A join that is open: records go in, claims come out in the file. */
struct adapter_join;

/* setup must outlive the join. */
struct adapter_join *adapter_join_open(const struct joiner *j, const struct join_setup *setup,
				       const char *claims, struct diag *d);
int adapter_join_record(void *join, const struct ev_rec *r); /* 0 or negative errno */
/* As joiner.reload. */
int adapter_join_reload(struct adapter_join *join, const struct join_setup *setup, uint64_t from,
			uint64_t to);
/* Finishes the joiner and the file, frees; failed: the error that broke the stream off, or 0. */
int adapter_join_close(struct adapter_join *join, int failed, struct diag *d);

struct adapter_run {
	uint32_t pid;
	const char *claims;
	int ready_fd;
	int control_fd;	     /* where `reload PATH` comes from; -1: nowhere */
	uint64_t ring_bytes; /* 0: default */
	const struct input_words *words;
	const struct inputs *in;
};

/* How a joiner is run live. NULL in adapter_main: it is for evidence only. */
struct adapter_live {
	/* Called first thing in main, so that a SIGINT during attach ends the session in order. */
	int (*prepare)(void);
	/* prepared: what prepare returned. 0, or negative errno with *d. */
	int (*run)(const struct joiner *j, const struct adapter_run *r, int prepared,
		   struct diag *d);
	const char *needs; /* JSON list of what it needs */
};

int adapter_main(int argc, char **argv, const struct joiner *j, const struct adapter_live *live);

#endif
