/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that stand in for a recording: a stored run, unpacked and checked. */
#include "harness/runner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "groundtruth/truth.h"
#include "harness/reference.h"
#include "lib/formats/evidence.h"

/* Stored files are as suspect as any others: both are loaded and checked. */
static int check_stored(struct making *m, struct diag *d)
{
	char truth[PATH_LEN], evidence[PATH_LEN];
	struct diag why = {0};
	struct evidence e;
	struct truth t;
	int rc = path_format(truth, d, "%s/truth.bin", m->folder);

	if (!rc)
		rc = path_format(evidence, d, "%s/evidence.bin", m->folder);
	if (rc)
		return rc;
	if (truth_load(truth, &t, &why)) {
		making_end(m, CELL_BROKEN, &why);
		return 0;
	}
	if (truth_check(&t, truth, &why))
		making_end(m, CELL_BROKEN, &why);
	else if (evidence_load(evidence, &e, &why))
		making_end(m, CELL_BROKEN, &why);
	else
		evidence_free(&e);
	truth_free(&t);
	return 0;
}

int cell_make_reference(struct making *m, struct diag *d)
{
	struct diag why = {0};
	int rc;

	if (!reference_has(m->r->reference, m->c->workload)) {
		char cure[200];

		snprintf(cure, sizeof(cure), "as root, assay record %.64s --store %.80s",
			 m->c->workload, m->r->reference);
		diag_set(&why, -ENOENT, m->r->reference, 0, cure, "there is no stored run of %.64s",
			 m->c->workload);
		making_end(m, CELL_UNSUPPORTED, &why);
		return 0;
	}
	rc = reference_unpack(m->r->reference, m->c->workload, m->folder, &why);
	if (rc == -EINVAL) {
		making_end(m, CELL_BROKEN, &why);
		return 0;
	}
	if (rc) {
		*d = why;
		return rc;
	}
	return check_stored(m, d);
}
