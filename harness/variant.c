/* SPDX-License-Identifier: BSD-2-Clause */
/* From a variant's name to its program, configuration, manifest and the truth of its descriptors.
 */
#include "harness/variant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/folder.h"
#include "mutations/lookalike.h"
#include "mutations/repair.h"

unsigned variant_ailment(const char *name)
{
	static const char base[] = "base+";
	size_t len = sizeof(base) - 1;
	int label = strncmp(name, base, len) ? -1 : diagnosis_parse(name + len, strlen(name + len));

	return label < 0 ? 0 : (unsigned)label;
}

int variant_name_parse(const char *name, char ret_id[RECORD_WORD], enum form *ret, struct diag *d)
{
	const char *dash = strrchr(name, '-');
	int form = dash ? form_parse(dash + 1, strlen(dash + 1)) : -1;

	if (!strcmp(name, "base") || !strncmp(name, "base.", 5) || variant_ailment(name)) {
		ret_id[0] = '\0';
		*ret = FORM_BASE;
		return 0;
	}
	if (form < 0 || dash == name || dash - name >= RECORD_WORD)
		return diag_set(d, -EINVAL, NULL, 0,
				"base, base+LABEL (assay list workloads), or ID-base, ID-mutant, "
				"ID-twin (assay mutate list)",
				"no variant is called %.64s", name);
	memcpy(ret_id, name, (size_t)(dash - name));
	ret_id[dash - name] = '\0';
	*ret = (enum form)form;
	return 0;
}

int variant_manifest(const struct house *h, const char *build, const char *workload,
		     char ret[PATH_LEN], struct diag *d)
{
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/workloads/%s/manifest.yaml", build, workload);

	if (!rc && access(path, R_OK) && h)
		rc = path_format(path, d, "%s/workloads/%s/manifest.yaml", h->source, workload);
	if (!rc)
		strcpy(ret, access(path, R_OK) ? "" : path);
	return rc;
}

/* What the record says of a descriptor of the mutant; NULL: it holds. */
static const struct invalid_spec *find_invalid(const struct variant *v, uint32_t id)
{
	for (uint32_t i = 0; v->form == FORM_MUTANT && i < v->mutation.invalid_cnt; i++)
		if (v->mutation.invalid[i].descriptor == id)
			return &v->mutation.invalid[i];
	return NULL;
}

/* The record may only speak of descriptors that the manifest has. */
static int check_invalid(const struct variant *v, struct diag *d)
{
	for (uint32_t i = 0; i < v->mutation.invalid_cnt; i++) {
		uint32_t id = v->mutation.invalid[i].descriptor;

		if (!v->has_old || !manifest_descriptor_by_id(&v->old, id))
			return diag_set(d, -EINVAL, v->mutation.folder, 0,
					"an id of the workload's manifest.yaml",
					"invalid: the workload's manifest has no descriptor %u",
					id);
	}
	return 0;
}

static int fill_descriptors(struct variant *v, struct diag *d)
{
	int rc;

	if (!v->manifest[0])
		return check_invalid(v, d);
	rc = manifest_load(v->manifest, &v->old, d);
	if (rc)
		return rc;
	v->has_old = true;
	rc = check_invalid(v, d);
	if (rc)
		return rc;
	v->descriptors = calloc(v->old.descriptors_cnt + 1, sizeof(*v->descriptors));
	if (!v->descriptors)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	v->descriptors_cnt = v->old.descriptors_cnt;
	for (size_t i = 0; i < v->descriptors_cnt; i++) {
		const struct manifest_descriptor *m = &v->old.descriptors[i];
		const struct invalid_spec *bad = find_invalid(v, m->id);

		v->descriptors[i] = (struct trial_descriptor){
			.id = m->id,
			.resource = manifest_resource_of(&v->old, m)->name,
			.valid = !bad,
		};
		if (bad && bad->shown.is_event) {
			v->descriptors[i].shown_event = bad->shown.event;
			v->descriptors[i].shown_class = bad->shown.class;
		}
	}
	return 0;
}

/* Of mutants but those of the list of lookalikes; a NULL means what its base means. */
static int find_health(const struct house *h, struct variant *v, struct diag *d)
{
	struct lookalikes l;
	int rc;

	if (v->form != FORM_MUTANT || v->mutation.class == CLASS_NULL)
		return 0;
	rc = lookalikes_load(h, &l, d);
	if (rc)
		return rc;
	v->undiagnosed = !lookalike_label(&l, v->mutation.id);
	lookalikes_free(&l);
	return 0;
}

int variant_open(const struct house *h, const char *build, const struct mutation *m, enum form form,
		 const char *workload, struct variant *ret, struct diag *d)
{
	struct variant *v = ret; /* its descriptors point into it */
	int rc = 0;

	memset(v, 0, sizeof(*v));
	v->form = form;
	if (m)
		v->mutation = *m;
	if (m && m->forms[form].config[0])
		rc = path_format(v->config, d, "%s/%s", m->folder, m->forms[form].config);
	if (!rc)
		rc = m && m->before_cnt ? repair_start(h, m, workload, v->manifest, d)
					: variant_manifest(h, build, workload, v->manifest, d);
	if (!rc)
		rc = fill_descriptors(v, d);
	if (!rc)
		rc = find_health(h, v, d);
	if (rc)
		variant_free(v);
	return rc;
}

void variant_free(struct variant *v)
{
	free(v->descriptors);
	if (v->has_old)
		manifest_free(&v->old);
	memset(v, 0, sizeof(*v));
}

int variant_next(const char *build, const char *workload, const char *bin, struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc = path_format(from, d, "%s/workloads/%s/next", build, workload);

	if (!rc)
		rc = path_format(to, d, "%s/next", bin);
	return rc || access(from, R_OK) ? rc : file_copy(from, to, d);
}

uint64_t variant_salt(void)
{
	uint64_t salt = 0;

	while (getrandom(&salt, sizeof(salt), 0) != (ssize_t)sizeof(salt))
		;
	return salt;
}
