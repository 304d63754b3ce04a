/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells whose claims are made from truth: what must score perfectly, and what must never. */
#include "harness/runner.h"

#include <errno.h>

#include "groundtruth/to_claims.h"
#include "harness/from_truth.h"

int cell_make_truth(struct making *m, struct diag *d)
{
	char source[PATH_LEN], truth[PATH_LEN], claims[PATH_LEN];
	int mode = truth_claims_parse(m->c->profiler), rc = making_source(m, source, d);
	struct diag why = {0};

	if (mode < 0) {
		diag_set(&why, -ENOTSUP, NULL, 0, "oracle, liar or liar-decoys",
			 "nothing called %.64s is made from truth", m->c->profiler);
		making_end(m, CELL_UNSUPPORTED, &why);
		return 0;
	}
	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", source);
	if (!rc)
		rc = path_format(claims, d, "%s/claims.bin", m->folder);
	if (rc)
		return rc;
	rc = from_truth(truth, (enum truth_claims)mode, claims, CLAIMS_BINARY, &why);
	if (rc == -EINVAL) {
		making_end(m, CELL_BROKEN, &why);
		return 0;
	}
	if (rc)
		*d = why;
	return rc;
}
