/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the adapter contract gives beside the process or the evidence: program, manifest, binding.
 *
 * Read and bound once, before anything attaches. A manifest of another build is refused unless the
 * binding is best-effort: no error, but every descriptor starts as refused. Owned by the caller;
 * not to be copied once open, since the joiner's setup points into it.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_INPUTS_H
#define ASSAY_PROFILERS_ADAPTER_INPUTS_H

#include "lib/resolve.h"
#include "profilers/adapter/joiner.h"

struct input_words { /* as given on the command line; NULL: not given */
	const char *exe, *manifest, *binding;
	const char *base; /* an earlier build, for profilers that may read the binary */
};

struct inputs {
	struct manifest manifest;
	struct bound_manifest bound; /* all zero without exe or manifest, or if refused */
	struct diag refused;	     /* err: why, or 0 */
	struct join_setup setup;
};

/* -EINVAL where the word is no binding; NULL is fine. */
int inputs_check(const struct input_words *w, struct diag *d);

/* The error of a file, or -EINVAL for a binding that is none. Free in any case. */
int inputs_open(const struct input_words *w, struct inputs *ret, struct diag *d);
void inputs_close(struct inputs *in);

#endif
