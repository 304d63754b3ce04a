/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of lookalikes. */
#include "mutations/lookalike.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vocab.h"
#include "mutations/listing.h"

unsigned lookalike_label(const struct lookalikes *l, const char *id)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->v[i].id, id))
			return l->v[i].label;
	return 0;
}

void lookalikes_free(struct lookalikes *l)
{
	free(l->v);
	*l = (struct lookalikes){0};
}

static bool read_line(const char *line, struct lookalike *ret)
{
	const char *space = strchr(line, ' ');
	int label = space ? diagnosis_parse(line, (size_t)(space - line)) : -1;

	if (label <= 0 || !space[1] || strchr(space + 1, ' ') || strlen(space + 1) >= RECORD_WORD)
		return false;
	ret->label = (unsigned)label;
	strcpy(ret->id, space + 1);
	return true;
}

static int take_entry(void *list, char *line, const char *path, uint64_t number, struct diag *d)
{
	struct lookalikes *l = list;
	struct lookalike v, *grown;

	if (!read_line(line, &v))
		return diag_set(d, -EINVAL, path, number, "such as: leak inline-calls-1",
				"a line is: what it looks like, id; one space between");
	if (lookalike_label(l, v.id))
		return diag_set(d, -EINVAL, path, number, "remove one of the two",
				"%s stands here twice", v.id);
	grown = realloc(l->v, (l->cnt + 1) * sizeof(*grown));
	if (!grown)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	l->v = grown;
	l->v[l->cnt++] = v;
	return 0;
}

int lookalikes_parse(const char *text, const char *path, struct lookalikes *ret, struct diag *d)
{
	struct lookalikes l = {0};
	int rc = listing_each(text, path, take_entry, &l, d);

	if (rc)
		lookalikes_free(&l);
	else
		*ret = l;
	return rc;
}

int lookalikes_load(const struct house *h, struct lookalikes *ret, struct diag *d)
{
	char path[RECORD_PATH], *text;
	int rc = listing_read(h, "looks-like.list", path, &text, d);

	if (rc)
		return rc;
	if (text)
		rc = lookalikes_parse(text, path, ret, d);
	else
		*ret = (struct lookalikes){0};
	free(text);
	return rc;
}
