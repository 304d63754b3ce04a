/* SPDX-License-Identifier: BSD-2-Clause */
/* Program, manifest, binding. */
#include "profilers/adapter/inputs.h"

#include <errno.h>
#include <string.h>

static int parse_binding(const char *word, enum manifest_binding *ret, struct diag *d)
{
	int v = word ? manifest_binding_parse(word, strlen(word)) : BINDING_STAMPED;

	if (v < 0)
		return diag_set(d, -EINVAL, NULL, 0, "give stamped, best-effort or strict",
				"--binding %s: no such binding", word);
	*ret = (enum manifest_binding)v;
	return 0;
}

int inputs_check(const struct input_words *w, struct diag *d)
{
	enum manifest_binding how = BINDING_STAMPED;

	return parse_binding(w->binding, &how, d);
}

/* Without the program nothing can be compared: the manifest is taken at its word. */
static int bind_to(struct inputs *in, const char *exe, enum manifest_binding how, struct diag *d)
{
	int err = exe ? manifest_bind(&in->manifest, exe, how, &in->bound, &in->refused) : 0;

	in->setup.manifest = &in->manifest;
	in->setup.start = exe && !err ? in->bound.start : HEALTH_VALIDATED;
	if (err == -ESTALE) {
		in->setup.start = HEALTH_REFUSED;
		return 0;
	}
	if (err && d)
		*d = in->refused;
	return err;
}

int inputs_open(const struct input_words *w, struct inputs *ret, struct diag *d)
{
	enum manifest_binding how = BINDING_STAMPED;
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->setup.exe = w->exe;
	ret->setup.base = w->base;
	err = parse_binding(w->binding, &how, d);
	if (err || !w->manifest)
		return err;
	err = manifest_load(w->manifest, &ret->manifest, d);
	return err ? err : bind_to(ret, w->exe, how, d);
}

void inputs_close(struct inputs *in)
{
	bound_manifest_free(&in->bound);
	manifest_free(&in->manifest);
}
