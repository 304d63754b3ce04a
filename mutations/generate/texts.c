/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources read, spliced and compared. */
#include "mutations/generate/texts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "mutations/files.h"
#include "mutations/tool.h"

static int no_memory(struct diag *d)
{
	return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
}

/* ---- sets ---- */

struct loading {
	const struct house *h;
	struct texts *t;
};

static int load_one(const char *name, void *arg, struct diag *d)
{
	struct loading *l = arg;
	struct text *t = &l->t->v[l->t->cnt];
	char path[RECORD_PATH];
	int rc = house_path(path, d, "%s/%s", l->h->source, name);

	if (!rc && (l->t->cnt == TEXTS_MAX || strlen(name) >= TEXT_NAME))
		rc = diag_set(d, -E2BIG, path, 0, NULL, "more than %d sources", TEXTS_MAX);
	if (!rc)
		rc = file_read(path, SOURCE_BYTES_MAX, &t->s, NULL, d);
	if (rc)
		return rc;
	strcpy(t->name, name);
	l->t->cnt++;
	return 0;
}

int texts_load(const struct house *h, const char *workload, struct texts *ret, struct diag *d)
{
	struct loading l = {h, ret};
	char folder[RECORD_PATH];
	int rc = house_path(folder, d, "workloads/%s", workload);

	memset(ret, 0, sizeof(*ret));
	if (!rc)
		rc = each_source(h->source, folder, "ch", load_one, &l, d);
	if (rc)
		texts_free(ret);
	return rc;
}

int texts_copy(const struct texts *from, struct texts *ret, struct diag *d)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < from->cnt; i++) {
		ret->v[i].s = strdup(from->v[i].s);
		if (!ret->v[i].s) {
			texts_free(ret);
			return no_memory(d);
		}
		strcpy(ret->v[i].name, from->v[i].name);
		ret->cnt++;
	}
	return 0;
}

void texts_free(struct texts *t)
{
	for (unsigned i = 0; i < t->cnt; i++)
		free(t->v[i].s);
	t->cnt = 0;
}

/* ---- texts ---- */

int text_splice(struct text *t, size_t at, size_t len, const char *with)
{
	char *s = text_printed("%.*s%s%s", (int)at, t->s, with, t->s + at + len);

	if (!s)
		return -ENOMEM;
	free(t->s);
	t->s = s;
	return 0;
}

char *text_printed(const char *fmt, ...)
{
	char *s;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}

/* ---- differences ---- */

static int write_both(const char *folder, const char *from, const char *to, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = house_path(path, d, "%s/from", folder);

	if (!rc)
		rc = file_write(path, from, strlen(from), d);
	if (!rc)
		rc = house_path(path, d, "%s/to", folder);
	return rc ? rc : file_write(path, to, strlen(to), d);
}

static int compare(const char *folder, const char *name, char **ret, struct diag *d)
{
	char before[TEXT_NAME + 2], after[TEXT_NAME + 2];
	char *argv[] = {(char *)"diff", (char *)"-u",	   (char *)"--label",
			before,		(char *)"--label", after,
			(char *)"from", (char *)"to",	   NULL};
	int rc;

	snprintf(before, sizeof(before), "a/%s", name);
	snprintf(after, sizeof(after), "b/%s", name);
	rc = tool_run(argv, folder, ret, d);
	if (rc <= 1)
		return rc < 0 ? rc : 0;
	free(*ret);
	return diag_set(d, -EINVAL, name, 0, NULL, "diff ended with %d", rc);
}

int text_diff(const struct house *h, const char *name, const char *from, const char *to, char **ret,
	      struct diag *d)
{
	char folder[RECORD_PATH];
	int rc = house_scratch(h, folder, d);

	if (rc)
		return rc;
	rc = write_both(folder, from, to, d);
	if (!rc)
		rc = compare(folder, name, ret, d);
	house_remove(folder, NULL);
	return rc;
}

int texts_diff(const struct house *h, const struct texts *from, const struct texts *to, char **ret,
	       struct diag *d)
{
	char *all = strdup(""), *one, *grown;
	int rc = all ? 0 : no_memory(d);

	for (unsigned i = 0; !rc && i < from->cnt; i++) {
		if (!strcmp(from->v[i].s, to->v[i].s))
			continue;
		rc = text_diff(h, from->v[i].name, from->v[i].s, to->v[i].s, &one, d);
		if (rc)
			break;
		grown = text_printed("%s%s", all, one);
		free(one);
		free(all);
		all = grown;
		rc = all ? 0 : no_memory(d);
	}
	if (rc)
		free(all);
	else
		*ret = all;
	return rc;
}
