/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates of several mutations at once.
 *
 * Two children for each processor take one mutation after another from its builds to its last run.
 * So compilers work while runs wait for arrivals; they are niced, and runs go first. Any two runs
 * may overlap, compilers and collectors too: serial runs are compared by what they mean, watched
 * ones by figures over hits, none by time. A collector follows one process tree and makes nothing
 * under a name of the kernel's that another could meet. What shows of a process is asked of each by
 * itself. A base's own runs are made once, by who comes first (certify_run.h).
 *
 * Company can only make a certificate fail (a witness by delay, of which there is none, would be
 * disturbed on all three forms alike): a witness has to tell k of k times on the mutant and
 * never on base and twin, which are disturbed as much. What fails in a run, or was not sound, or
 * did not compile (for want of memory, perhaps), is to be made again alone, with runs of the base
 * that were made alone as well, and that counts.
 */
#ifndef ASSAY_HARNESS_CERTIFY_CREW_H
#define ASSAY_HARNESS_CERTIFY_CREW_H

#include "harness/certify.h"

/*
 * Certifies those of a list that a mask of its length names, as many as are begun before the
 * deadline (CLOCK_MONOTONIC, ns; 0: none), and saves what was made: made[i] says of which.
 * Whatever trouble of the machine kept one from being made is found again by who makes it alone.
 * -EINTR, -ENOMEM and the like.
 */
int certify_crew(const struct certifier *c, const struct mutation_list *l, const bool *wanted,
		 uint64_t deadline, bool *made, struct diag *d);

/* Whether it failed by something that company can be blamed for. */
bool certify_disturbed(const struct certificate *c);

#endif
