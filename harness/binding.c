/* SPDX-License-Identifier: BSD-2-Clause */
/* Manifests stamped for a run. */
#include "harness/binding.h"

#include <errno.h>
#include <string.h>

#include "harness/provenance.h"
#include "lib/formats/manifest.h"

static int stamp(const char *manifest, const char *program, const char *to, struct diag *d)
{
	char id[64];
	int rc = build_id(program, id);

	if (rc)
		return diag_set(d, rc, program, 0, "link it with -Wl,--build-id",
				"it has no build-id: %s", strerror(-rc));
	return manifest_stamp_file(manifest, id, to, d);
}

int binding_write(const char *manifest, const char *binding, const char *exe, const char *base,
		  const char *to, struct diag *d)
{
	int how = manifest_binding_parse(binding, strlen(binding));

	if (how < 0)
		return diag_set(d, -EINVAL, NULL, 0, "stamped, best-effort or strict",
				"\"%.32s\" is no binding", binding);
	return stamp(manifest, how == BINDING_STAMPED ? exe : base, to, d);
}
