/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims from one form into the other. */
#include "harness/convert.h"

/* Words are interned in the order of their ids; an error sticks to the writer. */
struct claims_writer *convert_open(const struct claims *c, const char *to, enum claims_form form,
				   struct diag *d)
{
	struct claims_writer *w = claims_writer_open(to, form, &c->header, d);

	for (uint32_t i = 1; w && i < strtab_count(c->strings); i++)
		if (claims_writer_str(w, strtab_get(c->strings, i)) < 0)
			break;
	return w;
}

int convert_write(const struct claims *c, const char *to, enum claims_form form, struct diag *d)
{
	struct claims_writer *w = convert_open(c, to, form, d);
	int rc = w ? 0 : d->err;

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
