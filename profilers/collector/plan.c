/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a manifest is to be probed. */
#include "profilers/collector/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plan {
	struct app_options o; /* first, so that it can be freed by its address */
	struct app_desc *descs;
	struct app_site *sites;
};

void app_options_free(struct app_options *o)
{
	struct plan *p = (struct plan *)o;

	if (!p)
		return;
	free(p->descs);
	free(p->sites);
	free(p);
}

static int refusal(const struct inputs *in, uint32_t descriptor)
{
	if (in->refused.err)
		return -in->refused.err;
	for (size_t i = 0; i < in->bound.sites.failures_cnt; i++) {
		const struct resolve_note *n = &in->bound.sites.failures[i];

		if (!n->is_capacity && n->index == descriptor)
			return n->diag.err ? -n->diag.err : ENOENT;
	}
	return 0;
}

/* Descriptors in the order of the manifest, then one a resource for its capacity. */
static void add_descs(struct plan *p, const struct inputs *in)
{
	const struct manifest *m = &in->manifest;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		p->descs[p->o.descs_cnt++] = (struct app_desc){
			.prog = manifest_prog(&m->descriptors[i]), .refused = refusal(in, i)};
	for (uint32_t i = 0; i < m->resources_cnt; i++)
		p->descs[p->o.descs_cnt++].prog = manifest_capacity_prog(m, i);
}

static void add_site(struct plan *p, const struct manifest *m, const struct resolved_site *r)
{
	struct app_site *s = &p->sites[p->o.sites_cnt];
	const struct manifest_site *named = r->is_capacity ? &m->resources[r->index].capacity_site
							   : &m->descriptors[r->index].site;

	*s = (struct app_site){
		.desc = r->is_capacity ? m->descriptors_cnt + r->index : r->index,
		.offset = r->offset,
	};
	if (named->kind == SITE_USDT) {
		/* libbpf finds all of a name by itself */
		if (p->o.sites_cnt && s[-1].desc == s->desc)
			return;
		s->kind = APP_USDT;
		snprintf(s->provider, sizeof(s->provider), "%s", named->provider);
		snprintf(s->name, sizeof(s->name), "%s", named->name);
	} else {
		s->kind = r->on_return ? APP_RETURN : APP_ENTRY;
	}
	p->o.sites_cnt++;
}

int plan_new_replaced(const struct inputs *in, struct app_options **ret)
{
	struct app_options *o = NULL;
	int err = plan_new(in, &o);

	if (!err && !o) {
		struct plan *p = calloc(1, sizeof(*p));

		o = p ? &p->o : NULL;
		err = p ? 0 : -ENOMEM;
	}
	if (err)
		return err;
	o->replaced = true;
	*ret = o;
	return 0;
}

int plan_new(const struct inputs *in, struct app_options **ret)
{
	const struct manifest *m = &in->manifest;
	const struct resolution *r = &in->bound.sites;
	struct plan *p;

	*ret = NULL;
	if (!in->setup.manifest || !in->setup.exe)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->descs = calloc(m->descriptors_cnt + m->resources_cnt + 1, sizeof(*p->descs));
	p->sites = calloc(r->sites_cnt + 1, sizeof(*p->sites));
	if (!p->descs || !p->sites) {
		app_options_free(&p->o);
		return -ENOMEM;
	}
	p->o.exe = in->setup.exe;
	p->o.descs = p->descs;
	p->o.sites = p->sites;
	add_descs(p, in);
	for (size_t i = 0; i < r->sites_cnt; i++)
		add_site(p, m, &r->sites[i]);
	*ret = &p->o;
	return 0;
}
