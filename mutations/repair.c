/* SPDX-License-Identifier: BSD-2-Clause */
/* Manifests, repaired. */
#include "mutations/repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "mutations/tool.h"

static int apply(const char *patch, const char *folder, struct diag *d)
{
	struct diag why = {0};
	int rc = tool_patch(patch, folder, "the manifest has changed: make the patch anew", &why);

	if (rc == -EINVAL)
		return diag_set(d, rc, patch, 0, why.cure, "it does not apply: %s", why.reason);
	if (rc)
		*d = why;
	return rc;
}

static int copy(const char *from, const char *to, struct diag *d)
{
	char *text;
	size_t len;
	int rc = file_read(from, MANIFEST_BYTES_MAX, &text, &len, d);

	if (rc)
		return rc;
	rc = file_write(to, text, len, d);
	free(text);
	return rc;
}

/* ---- where it begins ---- */

static int apply_chain(const struct mutation *m, const char *folder, struct diag *d)
{
	char patch[RECORD_PATH];
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->before_cnt; i++) {
		rc = mutation_beside(m, &m->before[i], m->before[i].repaired, patch, d);
		if (!rc)
			rc = apply(patch, folder, d);
	}
	return rc;
}

/* Whole under its name, whoever else makes it meanwhile. */
static int make_start(const struct house *h, const struct mutation *m, const char *from,
		      const char *to, struct diag *d)
{
	char scratch[RECORD_PATH], made[RECORD_PATH];
	int rc = house_scratch(h, scratch, d);

	if (rc)
		return rc;
	rc = house_path(made, d, "%s/manifest.yaml", scratch);
	if (!rc)
		rc = copy(from, made, d);
	if (!rc)
		rc = apply_chain(m, scratch, d);
	if (!rc && rename(made, to))
		rc = file_error(d, -errno, to, "write");
	house_remove(scratch, NULL);
	return rc;
}

int repair_start(const struct house *h, const struct mutation *m, const char *workload,
		 char ret[RECORD_PATH], struct diag *d)
{
	char from[RECORD_PATH], folder[RECORD_PATH], to[RECORD_PATH];
	int rc = house_path(from, d, "%s/workloads/%s/manifest.yaml", h->source, workload);

	if (rc || !m->before_cnt)
		return rc ? rc : house_path(ret, d, "%s", from);
	rc = house_path(folder, d, "%s/m", h->variants);
	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = house_path(to, d, "%s/%s-%s.yaml", folder, m->id, workload);
	if (!rc)
		rc = make_start(h, m, from, to, d);
	return rc ? rc : house_path(ret, d, "%s", to);
}

int repair_make(const struct house *h, const struct mutation *m, const char *workload,
		const char *folder, char ret[RECORD_PATH], struct diag *d)
{
	char from[RECORD_PATH], patch[RECORD_PATH], to[RECORD_PATH];
	int rc = repair_start(h, m, workload, from, d);

	if (!rc)
		rc = house_path(to, d, "%s/manifest.yaml", folder);
	if (!rc)
		rc = copy(from, to, d);
	if (!rc)
		rc = house_path(patch, d, "%s/%s", m->folder, m->repaired);
	if (!rc)
		rc = apply(patch, folder, d);
	return rc ? rc : house_path(ret, d, "%s", to);
}
