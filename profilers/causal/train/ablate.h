/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each kind of test is worth: the corpus joined again without it.
 *
 * Every run is judged by the table of its class, which has no part in it (FOLDER/CLASS.def), once
 * with all tests and once without each. Counted as contracts §5.4 counts: a resource with an
 * invalid descriptor is found out if one of its descriptors falls, naming an invariant, once it is
 * invalid; any other fall is an alarm. A mutation is found if all such resources are in all of its
 * runs. Levels are those of the whole table: a test less does not lower them.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_TRAIN_ABLATE_H
#define ASSAY_PROFILERS_CAUSAL_TRAIN_ABLATE_H

#include "profilers/causal/train/corpus.h"

#define ABLATION_HEADER                                                                            \
	"without\tchecks\tfrozen\tfound\tothers\tothers_found\tvalid\talarms\tlost\tgained"

/*
 * Writes FOLDER/ablation.tsv, ABLATION_HEADER and a row a test, the first for all of them ("-"):
 * mutations in the frozen list and found, others with an invalid descriptor and found, resources of
 * runs that were valid and those with an alarm; which mutations are no longer found, and which only
 * now, with commas, or "-". `checks` says how many runs made such checks.
 */
int ablate(const struct corpus *c, const char *folder, struct diag *d);

#endif
