/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations on disk: one folder each. */
#include "mutations/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/hash.h"
#include "lib/suggest.h"
#include "mutations/house.h"

enum { RECORD_BYTES_MAX = 1 << 20 };

static int join(char ret[RECORD_PATH], const char *folder, const char *name, struct diag *d)
{
	if (path_join(ret, RECORD_PATH, folder, name))
		return diag_set(d, -ENAMETOOLONG, folder, 0, NULL, "the path is too long");
	return 0;
}

static int check_file(const struct mutation *m, const char *name, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = name[0] ? join(path, m->folder, name, d) : 0;

	if (!rc && name[0] && access(path, R_OK))
		rc = file_error(d, -errno, path, "read");
	return rc;
}

static int check_files(const struct mutation *m, struct diag *d)
{
	int rc = check_file(m, m->repaired, d);

	for (unsigned f = 0; !rc && f < FORM_CNT; f++) {
		rc = check_file(m, m->forms[f].patch, d);
		if (!rc)
			rc = check_file(m, m->forms[f].config, d);
	}
	return rc;
}

/* ---- chains ---- */

static int load_at(const char *folder, unsigned depth, struct mutation *ret, struct diag *d);

/* What a chain can go on from: one body, in the same workloads, with a manifest that holds. */
static const char *cannot_follow(const struct mutation *m, const struct mutation *last)
{
	const struct form_spec *f = &last->forms[FORM_MUTANT];

	if (!f->patch[0] || f->flags_cnt || f->config[0] || last->forms[FORM_BASE].patch[0] ||
	    last->onset)
		return "its mutant is more than a patch of the sources";
	if (!last->repaired[0])
		return "it has no repaired manifest";
	if (m->workloads_cnt != last->workloads_cnt ||
	    memcmp(m->workloads, last->workloads, sizeof(m->workloads)))
		return "it is of other workloads";
	return NULL;
}

static int follow(struct mutation *m, const struct mutation *last, struct diag *d)
{
	const char *why = cannot_follow(m, last);
	struct chain_link *l = &m->before[last->before_cnt];

	if (!why && last->before_cnt == RECORD_CHAIN_MAX)
		why = "the chain is longer than four";
	if (why)
		return diag_set(d, -EINVAL, m->folder, 0, "after: the id of another mutation",
				"it cannot follow %s: %s", m->after, why);
	memcpy(m->before, last->before, sizeof(m->before));
	memcpy(l->id, last->id, sizeof(l->id));
	memcpy(l->patch, last->forms[FORM_MUTANT].patch, sizeof(l->patch));
	memcpy(l->repaired, last->repaired, sizeof(l->repaired));
	m->before_cnt = last->before_cnt + 1;
	return 0;
}

static int load_chain(struct mutation *m, unsigned depth, struct diag *d)
{
	struct mutation *last = malloc(sizeof(*last));
	char folder[RECORD_PATH];
	int rc = last ? house_path(folder, d, "%s/../%s", m->folder, m->after)
		      : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc && depth > RECORD_CHAIN_MAX)
		rc = diag_set(d, -EINVAL, m->folder, 0, "break the circle, or the chain in two",
			      "the chain behind it is longer than %d", RECORD_CHAIN_MAX);
	if (!rc)
		rc = load_at(folder, depth + 1, last, d);
	if (!rc)
		rc = follow(m, last, d);
	free(last);
	return rc;
}

int mutation_beside(const struct mutation *m, const struct chain_link *l, const char *file,
		    char ret[RECORD_PATH], struct diag *d)
{
	return house_path(ret, d, "%s/../%s/%s", m->folder, l->id, file);
}

/* ---- loading ---- */

static int load_at(const char *folder, unsigned depth, struct mutation *ret, struct diag *d)
{
	char path[RECORD_PATH], *text;
	const char *name = strrchr(folder, '/');
	struct mutation *m = malloc(sizeof(*m));
	size_t len;
	int rc = m ? join(path, folder, "record.yaml", d) : -ENOMEM;

	if (!rc)
		rc = file_read(path, RECORD_BYTES_MAX, &text, &len, d);
	if (!rc) {
		rc = mutation_parse(text, len, path, m, d);
		free(text);
	}
	if (!rc && strcmp(m->id, name ? name + 1 : folder))
		rc = diag_set(d, -EINVAL, path, 0, "name the folder like the mutation",
			      "its id is %s", m->id);
	if (!rc) {
		snprintf(m->folder, sizeof(m->folder), "%s", folder);
		rc = check_files(m, d);
	}
	if (!rc && m->after[0])
		rc = load_chain(m, depth, d);
	if (!rc)
		*ret = *m;
	free(m);
	return rc;
}

int mutation_load(const char *folder, struct mutation *ret, struct diag *d)
{
	return load_at(folder, 1, ret, d);
}

static int is_mutation(const char *folder, const char *name)
{
	char path[RECORD_PATH];

	return name[0] != '.' &&
	       snprintf(path, sizeof(path), "%s/%s/record.yaml", folder, name) <
		       (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int add(struct mutation_list *l, const char *folder, const char *name, struct diag *d)
{
	char path[RECORD_PATH];
	struct mutation *v = realloc(l->v, (l->cnt + 1) * sizeof(*v));
	int rc;

	if (!v)
		return diag_set(d, -ENOMEM, folder, 0, NULL, "out of memory");
	l->v = v;
	rc = join(path, folder, name, d);
	if (!rc)
		rc = mutation_load(path, &v[l->cnt], d);
	if (!rc)
		l->cnt++;
	return rc;
}

int mutation_scan(const char *folder, struct mutation_list *ret, struct diag *d)
{
	struct mutation_list l = {0};
	struct dirent **names;
	int rc = 0, cnt = scandir(folder, &names, NULL, alphasort);

	if (cnt < 0)
		return file_error(d, -errno, folder, "read");
	for (int i = 0; i < cnt; i++) {
		if (!rc && is_mutation(folder, names[i]->d_name))
			rc = add(&l, folder, names[i]->d_name, d);
		free(names[i]);
	}
	free(names);
	if (rc)
		mutation_list_free(&l);
	else
		*ret = l;
	return rc;
}

void mutation_list_free(struct mutation_list *l)
{
	free(l->v);
	*l = (struct mutation_list){0};
}

int mutation_find(const struct mutation_list *l, const char *id, const struct mutation **ret,
		  struct diag *d)
{
	const char *names[512], *near;
	char cure[256] = "assay mutate list";
	size_t cnt = 0;

	for (size_t i = 0; i < l->cnt; i++) {
		if (!strcmp(l->v[i].id, id)) {
			*ret = &l->v[i];
			return 0;
		}
		if (cnt < 512)
			names[cnt++] = l->v[i].id;
	}
	near = suggest(id, names, cnt);
	if (near)
		snprintf(cure, sizeof(cure), "did you mean %s? (assay mutate list)", near);
	return diag_set(d, -ENOENT, NULL, 0, cure, "no mutation is called %.64s", id);
}

bool mutation_on(const struct mutation *m, const char *workload)
{
	for (uint32_t i = 0; i < m->workloads_cnt; i++)
		if (!strcmp(m->workloads[i], workload))
			return true;
	return false;
}

static int hash_file(const char *folder, const char *name, uint64_t *h, struct diag *d)
{
	char path[RECORD_PATH], *text;
	size_t len;
	int rc = join(path, folder, name, d);

	*h = hash_bytes(name, strlen(name), *h);
	if (!rc)
		rc = file_read(path, RECORD_BYTES_MAX, &text, &len, d);
	if (!rc) {
		*h = hash_bytes(text, len, *h);
		free(text);
	}
	return rc;
}

static int hash_folder(const char *folder, uint64_t *h, struct diag *d)
{
	struct dirent **names;
	int rc = 0, cnt = scandir(folder, &names, NULL, alphasort);

	if (cnt < 0)
		return file_error(d, -errno, folder, "read");
	for (int i = 0; i < cnt; i++) {
		if (!rc && names[i]->d_name[0] != '.')
			rc = hash_file(folder, names[i]->d_name, h, d);
		free(names[i]);
	}
	free(names);
	return rc;
}

int mutation_hash(const struct mutation *m, uint64_t *ret, struct diag *d)
{
	char folder[RECORD_PATH];
	uint64_t h = 0;
	int rc = hash_folder(m->folder, &h, d);

	for (uint32_t i = 0; !rc && i < m->before_cnt; i++) {
		rc = mutation_beside(m, &m->before[i], "", folder, d);
		if (!rc)
			rc = hash_folder(folder, &h, d);
	}
	if (!rc)
		*ret = h;
	return rc;
}
