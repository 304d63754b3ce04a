/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variants as cells see them: a name in a plan, a program with a salt of its own, what truth has to
 * say of its descriptors.
 *
 * A variant is called "base" (the workload's sources as they stand), "base+LABEL" (the same, made
 * to suffer from something in the middle of its run), "base.SETTING" (the same, with parameters of
 * its own) or ID-FORM, where ID is a mutation's. Each is
 * linked anew for whoever runs it.
 * Owned by the caller; not thread-safe.
 */
#ifndef ASSAY_HARNESS_VARIANT_H
#define ASSAY_HARNESS_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/programs.h"
#include "harness/trial.h"
#include "lib/diag.h"
#include "lib/formats/manifest.h"
#include "mutations/build.h"
#include "mutations/house.h"
#include "mutations/record.h"

struct variant {
	struct mutation mutation; /* id "": none */
	enum form form;
	char config[PATH_LEN];	 /* "": none */
	char manifest[PATH_LEN]; /* the old manifest, "": the workload has none */
	struct trial_descriptor *descriptors;
	size_t descriptors_cnt;
	struct manifest old; /* owns what descriptors point to */
	bool has_old;
	bool undiagnosed; /* nobody has said whether its program is healthy */
};

/* What "base+LABEL" suffers from, enum diagnosis; 0: of any other name. */
unsigned variant_ailment(const char *name);

/* "ID-FORM" taken apart; -EINVAL where it is neither that nor a base. *ret_id gets "" for
 * base. */
int variant_name_parse(const char *name, char ret_id[RECORD_WORD], enum form *ret, struct diag *d);

/* The manifest of a workload: beside its program, or in the sources (h may be NULL). "" in ret
 * where it has none. */
int variant_manifest(const struct house *h, const char *build, const char *workload,
		     char ret[PATH_LEN], struct diag *d);

/*
 * One form of a mutation of a workload, its descriptors judged by the record; NULL for m: nothing
 * was done to the workload. Builds nothing. h may be NULL where there are no sources. *ret must not
 * be copied; it is all zero on failure.
 */
int variant_open(const struct house *h, const char *build, const struct mutation *m, enum form form,
		 const char *workload, struct variant *ret, struct diag *d);
void variant_free(struct variant *v); /* fine on zeros */

/* A program that goes on as another build of itself has that beside it, in bin; it is the same for
 * all variants. Nothing happens for all other workloads. */
int variant_next(const char *build, const char *workload, const char *bin, struct diag *d);

/* From the kernel; a salt that nobody knows beforehand. */
uint64_t variant_salt(void);

#endif
