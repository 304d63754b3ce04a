/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of lookalikes. */
#include "mutations/lookalike.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/vocab.h"

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

static int parse_line(const char *line, const char *path, uint64_t number, struct lookalikes *l,
		      struct diag *d)
{
	struct lookalike v, *grown;

	if (!line[0] || line[0] == '#')
		return 0;
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
	char *copy = strdup(text), *at = copy, *line;
	int rc = copy ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (uint64_t n = 1; !rc && (line = strsep(&at, "\n")); n++)
		rc = parse_line(line, path, n, &l, d);
	free(copy);
	if (rc)
		lookalikes_free(&l);
	else
		*ret = l;
	return rc;
}

int lookalikes_load(const struct house *h, struct lookalikes *ret, struct diag *d)
{
	char path[RECORD_PATH], *text;
	int rc = house_path(path, d, "%s/looks-like.list", h->records);

	if (!rc && access(path, F_OK)) {
		*ret = (struct lookalikes){0};
		return 0;
	}
	if (!rc)
		rc = file_read(path, 1 << 20, &text, NULL, d);
	if (rc)
		return rc;
	rc = lookalikes_parse(text, path, ret, d);
	free(text);
	return rc;
}
