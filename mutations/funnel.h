/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The funnel: how many mutations pass each step of their certificates.
 *
 * Plain data, owned by the caller. A mutation counts at a step when it passed that step and all
 * before it; steps that do not apply or were not checked are counted beside. The deprecated count
 * nowhere but among the verdicts. Printed by `assay mutate verify`, and with all that is known of
 * each mutation by `assay mutate list --json`.
 */
#ifndef ASSAY_MUTATIONS_FUNNEL_H
#define ASSAY_MUTATIONS_FUNNEL_H

#include <stdio.h>

#include "mutations/certificate.h"
#include "mutations/frozen.h"
#include "mutations/record.h"

/* What is known of a mutation. */
enum verdict {
	VERDICT_DEPRECATED,
	VERDICT_UNVERIFIED, /* no certificate here */
	VERDICT_FAILS,
	VERDICT_CERTIFIED, /* without a witness that fired */
	VERDICT_WITNESSED,
	VERDICT_CNT
};
const char *verdict_name(unsigned v);

struct funnel {
	unsigned written;
	unsigned passed[STEP_CNT], none[STEP_CNT], unchecked[STEP_CNT];
	unsigned certified; /* witnessed included */
	unsigned verdicts[VERDICT_CNT];
	unsigned misleading; /* certified mutants of which a descriptor is invalid */
	unsigned misread;    /* and who trusts the manifest is shown to be wrong on them */
};

/* c: its certificate, NULL where there is none. */
enum verdict verdict_of(const struct mutation *m, const struct certificate *c);
void funnel_add(struct funnel *f, const struct mutation *m, const struct certificate *c);

/* Of the certificates on disk, up to date or not; a malformed one counts as none. */
int funnel_of(const struct house *h, const struct mutation_list *l, struct funnel *ret,
	      struct diag *d);

/* A line a step; kept: certificates that were not made anew. */
void funnel_print(const struct funnel *f, unsigned kept, FILE *out);

/*
 * One object on a line: "mutations", an array with everything that is known of each, and "funnel".
 * assay-mutation(5) names the fields. Errors as of funnel_of and frozen_line.
 */
int funnel_json(const struct house *h, const struct mutation_list *l,
		const struct frozen_list *frozen, FILE *out, struct diag *d);

#endif
