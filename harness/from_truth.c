/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of truth into a file of claims. */
#include "harness/from_truth.h"

#include <string.h>

static int write_claims(const struct truth *t, enum truth_claims mode, const char *path,
			enum claims_form form, struct diag *d)
{
	struct claims_header h;
	struct claims_writer *w;
	int rc, closed;

	truth_claims_header(mode, &h);
	w = claims_writer_open(path, form, &h, d);
	if (!w)
		return d->err;
	rc = truth_to_claims(t, mode, w);
	closed = claims_writer_close(w, d);
	if (rc && !closed)
		diag_set(d, rc, path, 0, NULL, "cannot be made: %s", strerror(-rc));
	return closed ? closed : rc;
}

int from_truth(const char *truth, enum truth_claims mode, const char *claims, enum claims_form form,
	       struct diag *d)
{
	struct truth t;
	int rc = truth_load(truth, &t, d);

	if (rc)
		return rc;
	rc = truth_check(&t, truth, d);
	if (!rc)
		rc = write_claims(&t, mode, claims, form, d);
	truth_free(&t);
	return rc;
}
