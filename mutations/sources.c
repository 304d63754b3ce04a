/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree of patched sources: copied, changed, and checked that truth was left alone. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/build.h"
#include "mutations/files.h"
#include "mutations/guard.h"
#include "mutations/tool.h"

struct sources {
	const struct house *h;
	const char *workload, *tree;
	bool changed; /* the patch did something */
};

static int copy_one(const char *name, void *arg, struct diag *d)
{
	const struct sources *s = arg;
	char from[RECORD_PATH], to[RECORD_PATH], *text;
	size_t len;
	int rc = house_path(from, d, "%s/%s", s->h->source, name);

	if (!rc)
		rc = house_path(to, d, "%s/%s", s->tree, name);
	if (!rc)
		rc = file_read(from, SOURCE_BYTES_MAX, &text, &len, d);
	if (!rc) {
		rc = file_write(to, text, len, d);
		free(text);
	}
	return rc;
}

static int copy_folder(struct sources *s, const char *workload, struct diag *d)
{
	char folder[RECORD_PATH];
	int rc = house_path(folder, d, "%s/workloads/%s", s->tree, workload);

	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = house_path(folder, d, "workloads/%s", workload);
	return rc ? rc : each_source(s->h->source, folder, "ch", copy_one, s, d);
}

/* ---- patches ---- */

static int semantic_patch(const struct sources *s, const char *patch, struct diag *d)
{
	char folder[RECORD_PATH];
	char *argv[] = {(char *)"spatch",
			(char *)"--very-quiet",
			(char *)"--in-place",
			(char *)"--sp-file",
			(char *)patch,
			(char *)"--dir",
			folder,
			NULL};
	int rc = house_path(folder, d, "workloads/%s", s->workload);

	return rc ? rc : tool_must(argv, s->tree, "spatch --parse-cocci FILE says more", d);
}

static int apply(const struct sources *s, const char *patch, struct diag *d)
{
	const char *dot = strrchr(patch, '.');
	struct diag why = {0};
	int rc;

	if (dot && !strcmp(dot, ".cocci"))
		rc = semantic_patch(s, patch, &why);
	else if (dot && !strcmp(dot, ".patch"))
		rc = tool_patch(patch, s->tree, "the sources have changed: make the patch anew",
				&why);
	else
		return diag_set(d, -EINVAL, patch, 0, "NAME.patch or NAME.cocci",
				"the kind of patch cannot be told by its name");
	if (rc == -EINVAL)
		return diag_set(d, rc, patch, 0, why.cure, "it does not apply: %s", why.reason);
	if (rc)
		*d = why;
	return rc;
}

/* ---- what it did ---- */

/* NULL where the file is not there. */
static int read_if_there(const char *top, const char *name, char **ret, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = house_path(path, d, "%s/%s", top, name);

	*ret = NULL;
	if (rc || access(path, F_OK))
		return rc;
	return file_read(path, SOURCE_BYTES_MAX, ret, NULL, d);
}

static int judge_one(const char *name, void *arg, struct diag *d)
{
	struct sources *s = arg;
	char *before = NULL, *after = NULL;
	int rc = read_if_there(s->h->source, name, &before, d);

	if (!rc)
		rc = read_if_there(s->tree, name, &after, d);
	if (!rc)
		rc = guard_file(name, before, after, d);
	if (!rc && (!before || !after || strcmp(before, after)))
		s->changed = true;
	free(before);
	free(after);
	return rc;
}

/* Both ways, since a patch may make files and remove them. */
static int judge(struct sources *s, const char *folder, struct diag *d)
{
	char name[RECORD_PATH];
	int rc = house_path(name, d, "workloads/%s", folder);

	if (!rc)
		rc = each_source(s->h->source, name, "ch", judge_one, s, d);
	return rc ? rc : each_source(s->tree, name, "ch", judge_one, s, d);
}

/* What its chain did, then its own; "" for its own: the base of a chain. */
static int apply_all(struct sources *s, const struct mutation *m, const char *own, struct diag *d)
{
	char patch[RECORD_PATH];
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->before_cnt; i++) {
		rc = mutation_beside(m, &m->before[i], m->before[i].patch, patch, d);
		if (!rc)
			rc = apply(s, patch, d);
	}
	if (rc || !own[0])
		return rc;
	rc = house_path(patch, d, "%s/%s", m->folder, own);
	return rc ? rc : apply(s, patch, d);
}

static int patched(struct sources *s, const struct mutation *m, const char *patch, struct diag *d)
{
	int rc = apply_all(s, m, patch, d);

	if (!rc)
		rc = judge(s, s->workload, d);
	if (!rc)
		rc = judge(s, "driver", d);
	if (!rc && !s->changed)
		rc = diag_set(d, -EINVAL, patch, 0, "name the files and lines as they stand",
			      "the patch of %s changes nothing", m->id);
	return rc;
}

int build_sources(const struct house *h, const struct build_spec *b, char ret[RECORD_PATH],
		  struct diag *d)
{
	const struct mutation *m = b->mutation;
	const char *patch = m ? m->forms[b->form].patch : "";
	char tree[RECORD_PATH];
	struct sources s = {.h = h, .workload = b->workload, .tree = tree};
	int rc = house_scratch(h, tree, d);

	if (rc)
		return rc;
	rc = copy_folder(&s, b->workload, d);
	if (!rc)
		rc = copy_folder(&s, "driver", d);
	if (!rc && m && (patch[0] || m->before_cnt))
		rc = patched(&s, m, patch, d);
	if (rc)
		house_remove(tree, NULL);
	else
		strcpy(ret, tree);
	return rc;
}
