/* SPDX-License-Identifier: BSD-2-Clause */
/* One error, reported once: object, reason, cure. */
#include "lib/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

int diag_set(struct diag *d, int err, const char *file, uint64_t line, const char *cure,
	     const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return err;
	memset(d, 0, sizeof(*d));
	d->err = err;
	d->line = line;
	if (file)
		snprintf(d->file, sizeof(d->file), "%s", file);
	if (cure)
		snprintf(d->cure, sizeof(d->cure), "%s", cure);
	va_start(ap, fmt);
	vsnprintf(d->reason, sizeof(d->reason), fmt, ap);
	va_end(ap);
	return err;
}

void diag_print(const struct diag *d, FILE *out)
{
	fputs("assay: ", out);
	if (d->file[0] && d->line)
		fprintf(out, "%s:%" PRIu64 ": ", d->file, d->line);
	else if (d->file[0])
		fprintf(out, "%s: ", d->file);
	fprintf(out, "%s\n", d->reason);
	if (d->cure[0])
		fprintf(out, "       try: %s\n", d->cure);
}
