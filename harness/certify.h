/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputing a mutation's certificate (catalogue §3): builds, runs and compares its forms.
 *
 * Runs are trials (trial.h): serial ones for meaning, ordinary ones under the collector for the
 * witness. Nothing is taken from the record but what it declares. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_CERTIFY_H
#define ASSAY_HARNESS_CERTIFY_H

#include "harness/machine.h"
#include "harness/programs.h"
#include "harness/trial.h"
#include "mutations/certificate.h"
#include "mutations/house.h"
#include "mutations/record.h"

struct certifier {
	const struct house *house;
	struct programs *programs;
	const struct machine *machine;
	const char
		*folder; /* of what runs leave; the caller's, removed when the last is certified */
	struct trial_limits limits;
	unsigned repeats; /* k */
	uint64_t least;	  /* N: how often the changed site has to be reached */
	int build_nice;	  /* of compilers: 0, or more where others are measured beside them */
	uint64_t tools;	  /* certify_tools */
	bool alone; /* nothing runs beside it, and runs that were made in company do not count */
};

/* Fills c->tools: the hash of the library that workloads are linked with, of the collector and of
 * those who read and doubt for a certificate. What is not built is left out. */
int certify_tools(struct certifier *c, struct diag *d);

/* The hash of all that a certificate rests on; certificates with another are out of date. */
int certify_hash(const struct certifier *c, const struct mutation *m, uint64_t *ret,
		 struct diag *d);

/*
 * Fills *ret; a step that fails is in it and is no error. An error (-EINTR, no disk, no memory) is
 * one of the machine's.
 */
int certify(const struct certifier *c, const struct mutation *m, struct certificate *ret,
	    struct diag *d);

#endif
