/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims from one form into the other. */
#include "harness/convert.h"

int convert_write(const struct claims *c, const char *to, enum claims_form form, struct diag *d)
{
	struct claims_writer *w = claims_writer_open(to, form, &c->header, d);
	int rc = w ? 0 : d->err;

	/* Interned in the order of their ids, so that every strN keeps its value. */
	for (uint32_t i = 1; !rc && i < strtab_count(c->strings); i++) {
		int64_t id = claims_writer_str(w, strtab_get(c->strings, i));

		rc = id < 0 ? (int)id : 0;
	}
	for (size_t i = 0; !rc && i < c->cnt; i++)
		rc = claims_writer_put(w, &c->v[i]);
	if (w) {
		int closed = claims_writer_close(w, d);

		rc = rc ? rc : closed;
	}
	return rc;
}

int convert_claims(const char *from, const char *to, enum claims_form form, struct diag *d)
{
	struct claims c;
	int rc = claims_load(from, &c, d);

	if (rc)
		return rc;
	rc = convert_write(&c, to, form, d);
	claims_free(&c);
	return rc;
}
