/* SPDX-License-Identifier: BSD-2-Clause */
/* Every site of a manifest in turn, and what binding makes of the outcome. */
#include "lib/resolve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve_parts.h"

static const char *const bindings[BINDING_CNT] = {"stamped", "best-effort", "strict"};

const char *manifest_binding_name(unsigned v)
{
	return bindings[v];
}

int manifest_binding_parse(const char *s, size_t len)
{
	for (int i = 0; i < BINDING_CNT; i++)
		if (strlen(bindings[i]) == len && !memcmp(bindings[i], s, len))
			return i;
	return -1;
}

static int no_memory(struct resolving *w)
{
	return diag_set(w->d, -ENOMEM, w->r->exe, 0, "free memory", "memory is full");
}

/* The place is that of the site in the manifest. */
static int add_note(struct resolving *w, struct resolve_note **list, size_t *cnt, int err,
		    const char *cure, const char *text)
{
	struct resolve_note *p = reallocarray(*list, *cnt + 1, sizeof(*p));

	if (!p)
		return no_memory(w);
	*list = p;
	p += (*cnt)++;
	p->is_capacity = w->is_capacity;
	p->index = w->index;
	diag_set(&p->diag, err, w->m->path, w->site->line, cure, "column %u: %s", w->site->column,
		 text);
	return 0;
}

int resolve_warn(struct resolving *w, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return add_note(w, &w->r->warnings, &w->r->warnings_cnt, 0, NULL, text);
}

int resolve_fail(struct resolving *w, const char *cure, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (w->failed)
		return 0;
	w->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return add_note(w, &w->r->failures, &w->r->failures_cnt, -ENOENT, cure, text);
}

/* A site fails as a whole: half of its places would be worse than none. */
static int resolve_one(struct resolving *w)
{
	size_t before = w->r->sites_cnt;
	int rc;

	w->failed = false;
	rc = w->site->kind == SITE_USDT ? resolve_usdt(w) : resolve_symbol(w);
	if (w->failed)
		w->r->sites_cnt = before;
	return rc;
}

static int resolve_all(struct resolving *w)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->m->descriptors_cnt && !rc; i++) {
		w->index = i;
		w->site = &w->m->descriptors[i].site;
		rc = resolve_one(w);
	}
	w->is_capacity = true;
	for (uint32_t i = 0; i < w->m->resources_cnt && !rc; i++) {
		w->index = i;
		w->site = &w->m->resources[i].capacity_site;
		if (w->m->resources[i].has_capacity)
			rc = resolve_one(w);
	}
	return rc;
}

int manifest_resolve(const struct manifest *m, const char *exe, struct resolution *ret,
		     struct diag *d)
{
	struct resolution r = {.sites_cnt = 0};
	struct resolving w = {.m = m, .r = &r, .d = d};
	int rc = elf_file_open(exe, &w.elf, d);

	if (rc)
		return rc;
	snprintf(r.exe, sizeof(r.exe), "%s", exe);
	strcpy(r.build_id, elf_file_build_id(w.elf));
	rc = resolve_all(&w);
	elf_file_close(w.elf);
	if (rc) {
		resolution_free(&r);
		return rc;
	}
	*ret = r;
	return 0;
}

void resolution_free(struct resolution *r)
{
	free(r->sites);
	free(r->warnings);
	free(r->failures);
	*r = (struct resolution){.sites_cnt = 0};
}

bool resolution_has(const struct resolution *r, uint32_t descriptor)
{
	for (size_t i = 0; i < r->sites_cnt; i++)
		if (!r->sites[i].is_capacity && r->sites[i].index == descriptor)
			return true;
	return false;
}

/* ---- binding ---- */

static int check_build(const struct manifest *m, const struct resolution *r,
		       enum manifest_binding how, struct diag *d)
{
	char cure[200];

	snprintf(cure, sizeof(cure),
		 "a manifest validated on this build, or --binding best-effort");
	if (!m->build_id[0])
		return diag_set(d, -ESTALE, m->path, 0, "assay manifest stamp FILE EXE",
				"refused: it names no build_id, %s binds by it",
				manifest_binding_name(how));
	if (!r->build_id[0])
		return diag_set(d, -ESTALE, r->exe, 0, "link it with -Wl,--build-id",
				"refused: the binary has no build-id");
	return diag_set(d, -ESTALE, m->path, m->build_id_place.line, cure,
			"refused: validated on build %s, %.200s is %s", m->build_id, r->exe,
			r->build_id);
}

int manifest_bind(const struct manifest *m, const char *exe, enum manifest_binding how,
		  struct bound_manifest *ret, struct diag *d)
{
	struct bound_manifest b = {.m = m, .how = how, .start = HEALTH_VALIDATED};
	int rc = manifest_resolve(m, exe, &b.sites, d);

	if (rc)
		return rc;
	b.degraded = !m->build_id[0] || strcmp(m->build_id, b.sites.build_id);
	if (b.degraded && how != BINDING_BEST_EFFORT) {
		rc = check_build(m, &b.sites, how, d);
		resolution_free(&b.sites);
		return rc;
	}
	if (b.degraded)
		b.start = HEALTH_SUSPECT;
	*ret = b;
	return 0;
}

void bound_manifest_free(struct bound_manifest *b)
{
	resolution_free(&b->sites);
	*b = (struct bound_manifest){.m = NULL};
}
