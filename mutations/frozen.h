/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frozen list: mutations whose evidence witness fired when it was written.
 *
 * SOURCE/mutations/witnessed.list is the denominator of detection (contracts §5.4): it is written
 * by `assay mutate verify --freeze` before a validator is tuned, and a certificate that disagrees
 * with it afterwards is an error. One mutation a line, by id: "ID CLASS WORKLOADS RESOURCES"; the
 * last two are lists with commas, resources those of the descriptors that become invalid, "-" where
 * none does. Lines that begin with # are comments. Plain data, owned by the caller.
 */
#ifndef ASSAY_MUTATIONS_FROZEN_H
#define ASSAY_MUTATIONS_FROZEN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/diag.h"
#include "mutations/house.h"
#include "mutations/record.h"

struct frozen {
	char id[RECORD_WORD];
	char class[RECORD_WORD];
	char workloads[RECORD_WORKLOADS_MAX * RECORD_WORD];
	char resources[RECORD_TEXT];
};

struct frozen_list {
	struct frozen *v;
	size_t cnt;
	bool there; /* the file is; without it nothing has been frozen and nothing disagrees */
};

/* A file that is not there is an empty list. -EINVAL with line and cure; *ret untouched then. */
int frozen_load(const struct house *h, struct frozen_list *ret, struct diag *d);
int frozen_save(const struct house *h, const struct frozen_list *l, struct diag *d);
void frozen_free(struct frozen_list *l); /* fine on zeros */

/* The same from memory, exposed for tests. */
int frozen_parse(const char *text, const char *path, struct frozen_list *ret, struct diag *d);

/* -ENOMEM. The caller adds by id, in order. */
int frozen_add(struct frozen_list *l, const struct frozen *v);

/* NULL: it is not in the list. */
const struct frozen *frozen_find(const struct frozen_list *l, const char *id);

/*
 * The line of a mutation, with the resources that the manifest of its first workload gives.
 * -EINVAL where that has no descriptor that the record calls invalid.
 */
int frozen_line(const struct house *h, const struct mutation *m, struct frozen *ret,
		struct diag *d);

#endif
