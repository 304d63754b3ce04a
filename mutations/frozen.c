/* SPDX-License-Identifier: BSD-2-Clause */
/* The frozen list on disk. */
#include "mutations/frozen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "mutations/listing.h"
#include "mutations/repair.h"

static const char list_name[] = "witnessed.list";
static const char head[] =
	"# SPDX-License-Identifier: BSD-2-Clause\n"
	"# Mutations whose evidence witness fired: the denominator of detection. Frozen by\n"
	"# assay mutate verify --freeze; one a line: id, class, workloads, stale resources.\n";

int frozen_add(struct frozen_list *l, const struct frozen *v)
{
	struct frozen *grown = realloc(l->v, (l->cnt + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->v = grown;
	l->v[l->cnt++] = *v;
	return 0;
}

void frozen_free(struct frozen_list *l)
{
	free(l->v);
	*l = (struct frozen_list){0};
}

const struct frozen *frozen_find(const struct frozen_list *l, const char *id)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->v[i].id, id))
			return &l->v[i];
	return NULL;
}

/* ---- the line of a mutation ---- */

/* "a,b" without repeats. */
static void add_name(char *to, size_t cap, const char *name)
{
	size_t len = strlen(to), n = strlen(name);

	for (const char *at = to; (at = strstr(at, name)); at += n)
		if ((at == to || at[-1] == ',') && (at[n] == ',' || !at[n]))
			return;
	snprintf(to + len, cap - len, "%s%s", len ? "," : "", name);
}

static int add_resources(const struct house *h, const struct mutation *m, struct frozen *v,
			 struct diag *d)
{
	char path[RECORD_PATH];
	struct manifest old;
	int rc = repair_start(h, m, m->workloads[0], path, d);

	if (!rc)
		rc = manifest_load(path, &old, d);
	if (rc)
		return rc;
	for (uint32_t i = 0; !rc && i < m->invalid_cnt; i++) {
		uint32_t id = m->invalid[i].descriptor;
		const struct manifest_descriptor *at = manifest_descriptor_by_id(&old, id);

		if (at)
			add_name(v->resources, sizeof(v->resources),
				 manifest_resource_of(&old, at)->name);
		else
			rc = diag_set(d, -EINVAL, m->folder, 0,
				      "an id of the workload's manifest.yaml",
				      "invalid: the workload's manifest has no descriptor %u", id);
	}
	manifest_free(&old);
	return rc;
}

int frozen_line(const struct house *h, const struct mutation *m, struct frozen *ret, struct diag *d)
{
	struct frozen v = {.resources = ""};
	int rc = m->invalid_cnt ? add_resources(h, m, &v, d) : 0;

	if (rc)
		return rc;
	memcpy(v.id, m->id, sizeof(v.id));
	snprintf(v.class, sizeof(v.class), "%s", mutation_class_name(m->class));
	for (uint32_t i = 0; i < m->workloads_cnt; i++)
		add_name(v.workloads, sizeof(v.workloads), m->workloads[i]);
	if (!v.resources[0])
		strcpy(v.resources, "-");
	*ret = v;
	return 0;
}

/* ---- reading ---- */

static bool take_word(char **at, char *to, size_t cap)
{
	const char *word = strsep(at, " ");

	return word && word[0] && (size_t)snprintf(to, cap, "%s", word) < cap;
}

static bool read_line(char *line, struct frozen *ret)
{
	char *at = line;

	return take_word(&at, ret->id, sizeof(ret->id)) &&
	       take_word(&at, ret->class, sizeof(ret->class)) &&
	       take_word(&at, ret->workloads, sizeof(ret->workloads)) &&
	       take_word(&at, ret->resources, sizeof(ret->resources)) && !at &&
	       mutation_class_parse(ret->class, strlen(ret->class)) >= 0;
}

static int take_entry(void *list, char *line, const char *path, uint64_t number, struct diag *d)
{
	struct frozen_list *l = list;
	struct frozen v = {0};

	if (!read_line(line, &v))
		return diag_set(d, -EINVAL, path, number, "assay mutate verify --freeze",
				"a line is: id, class, workloads, resources; one space between");
	if (frozen_find(l, v.id))
		return diag_set(d, -EINVAL, path, number, "remove one of the two",
				"%s stands here twice", v.id);
	return frozen_add(l, &v) ? diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory") : 0;
}

int frozen_parse(const char *text, const char *path, struct frozen_list *ret, struct diag *d)
{
	struct frozen_list l = {.there = true};
	int rc = listing_each(text, path, take_entry, &l, d);

	if (rc)
		frozen_free(&l);
	else
		*ret = l;
	return rc;
}

/* ---- the file ---- */

int frozen_load(const struct house *h, struct frozen_list *ret, struct diag *d)
{
	char path[RECORD_PATH], *text;
	int rc = listing_read(h, list_name, path, &text, d);

	if (rc)
		return rc;
	if (text)
		rc = frozen_parse(text, path, ret, d);
	else
		*ret = (struct frozen_list){0};
	free(text);
	return rc;
}

int frozen_save(const struct house *h, const struct frozen_list *l, struct diag *d)
{
	char path[RECORD_PATH];
	struct file_out o;
	int rc = house_path(path, d, "%s/%s", h->records, list_name);

	if (!rc)
		rc = file_out_open(&o, path, d);
	if (rc)
		return rc;
	fputs(head, o.f);
	for (size_t i = 0; i < l->cnt; i++)
		fprintf(o.f, "%s %s %s %s\n", l->v[i].id, l->v[i].class, l->v[i].workloads,
			l->v[i].resources);
	return file_out_commit(&o, d);
}
