/* SPDX-License-Identifier: BSD-2-Clause */
/* Manifests, repaired. */
#include "mutations/repair.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "mutations/tool.h"

static int apply(const struct mutation *m, const char *folder, struct diag *d)
{
	char patch[RECORD_PATH];
	char *argv[] = {(char *)"patch",
			(char *)"-p1",
			(char *)"--silent",
			(char *)"--fuzz=0",
			(char *)"--no-backup-if-mismatch",
			(char *)"--reject-file=-",
			(char *)"--input",
			patch,
			NULL};
	struct diag why = {0};
	int rc = house_path(patch, d, "%s/%s", m->folder, m->repaired);

	if (rc)
		return rc;
	rc = tool_must(argv, folder, "the manifest has changed: make the patch anew", &why);
	if (rc == -EINVAL)
		return diag_set(d, rc, patch, 0, why.cure, "it does not apply: %s", why.reason);
	if (rc)
		*d = why;
	return rc;
}

int repair_make(const struct house *h, const struct mutation *m, const char *workload,
		const char *folder, char ret[RECORD_PATH], struct diag *d)
{
	char from[RECORD_PATH], to[RECORD_PATH], *text;
	size_t len;
	int rc = house_path(from, d, "%s/workloads/%s/manifest.yaml", h->source, workload);

	if (!rc)
		rc = house_path(to, d, "%s/manifest.yaml", folder);
	if (!rc)
		rc = file_read(from, MANIFEST_BYTES_MAX, &text, &len, d);
	if (rc)
		return rc;
	rc = file_write(to, text, len, d);
	free(text);
	if (!rc)
		rc = apply(m, folder, d);
	return rc ? rc : house_path(ret, d, "%s", to);
}
