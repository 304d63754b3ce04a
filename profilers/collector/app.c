/* SPDX-License-Identifier: BSD-2-Clause */
/* The application's probe sites: tallies and what is told of them. */
#include "profilers/collector/app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/collector.h"
#include "bpf/collector.skel.h"
#include "profilers/collector/app_links.h"

struct app {
	struct collector *skel;
	const struct app_options *o; /* NULL: no sites */
	struct app_links links;
	struct app_tally *now, *told; /* one a site */
	struct app_tally *cpus;	      /* one a possible CPU */
	int cpus_cnt;
	bool sites_told;
};

static size_t site_cnt(const struct app *a)
{
	return a->o ? a->o->cnt : 0;
}

static void size_map(struct bpf_map *map, size_t cnt)
{
	bpf_map__set_max_entries(map, cnt ? (uint32_t)cnt : 1);
}

static void choose(struct app *a)
{
	bool multi = site_cnt(a) && !a->o->perf && app_links_multi();

	app_links_choose(a->skel, a->o, multi);
	a->links.multi = multi;
	size_map(a->skel->maps.descriptors, site_cnt(a));
	size_map(a->skel->maps.tallies, site_cnt(a));
	if (!site_cnt(a))
		size_map(a->skel->maps.calls, 1);
}

struct app *app_new(struct collector *skel, const struct app_options *o)
{
	struct app *a = calloc(1, sizeof(*a));
	size_t cnt = o ? o->cnt : 0;

	if (!a)
		return NULL;
	a->skel = skel;
	a->o = o && o->cnt ? o : NULL;
	a->cpus_cnt = libbpf_num_possible_cpus();
	a->now = calloc(cnt + 1, sizeof(*a->now));
	a->told = calloc(cnt + 1, sizeof(*a->told));
	a->cpus = a->cpus_cnt > 0 ? calloc((size_t)a->cpus_cnt, sizeof(*a->cpus)) : NULL;
	if (!a->now || !a->told || !a->cpus || app_links_new(&a->links, cnt)) {
		app_free(a);
		return NULL;
	}
	choose(a);
	return a;
}

void app_free(struct app *a)
{
	if (!a)
		return;
	app_links_free(&a->links);
	free(a->now);
	free(a->told);
	free(a->cpus);
	free(a);
}

int app_attach(struct app *a)
{
	int fd = bpf_map__fd(a->skel->maps.descriptors), err;

	for (uint32_t i = 0; i < site_cnt(a); i++) {
		err = bpf_map_update_elem(fd, &i, &a->o->sites[i].prog, BPF_ANY);
		if (err)
			return err;
	}
	return a->o ? app_links_attach(&a->links, a->skel, a->o) : 0;
}

void app_detach(struct app *a)
{
	app_links_drop(&a->links);
}

int app_count(struct app *a)
{
	int fd = bpf_map__fd(a->skel->maps.tallies), err;

	for (uint32_t i = 0; i < site_cnt(a); i++) {
		struct app_tally sum = {0};

		if (a->links.error[i])
			continue;
		err = bpf_map_lookup_elem(fd, &i, a->cpus);
		if (err)
			return err;
		for (int k = 0; k < a->cpus_cnt; k++) {
			sum.hits += a->cpus[k].hits;
			sum.passed += a->cpus[k].passed;
			sum.unsaved += a->cpus[k].unsaved;
		}
		a->now[i] = sum;
	}
	return 0;
}

static int tell_site(struct app *a, size_t i, uint64_t now, app_tell_fn *fn, void *arg)
{
	const struct app_site *s = &a->o->sites[i];
	enum ev_app_how how = s->kind == APP_USDT ? EV_APP_USDT
			      : a->links.multi	  ? EV_APP_MULTI
						  : EV_APP_PERF;

	return fn(arg, &(struct ev_rec){.t = now,
					.kind = EV_APP_SITE,
					.a = s->prog.id,
					.b = (uint64_t)a->links.error[i],
					.c = a->links.error[i] ? 0 : 1,
					.d = s->offset,
					.e = how});
}

static int tell_hits(struct app *a, size_t i, uint64_t now, app_tell_fn *fn, void *arg)
{
	const struct app_tally *n = &a->now[i];

	a->told[i] = *n;
	return fn(arg, &(struct ev_rec){.t = now,
					.kind = EV_APP_HITS,
					.a = a->o->sites[i].prog.id,
					.b = n->hits,
					.c = n->passed,
					.d = n->unsaved});
}

/* Capacity sites are no descriptors: nothing is told of them but the capacity itself. */
static bool is_descriptor(const struct app *a, size_t i)
{
	return a->o->sites[i].prog.event != DESC_EVENT_CAPACITY;
}

int app_tell(struct app *a, uint64_t now, bool all, app_tell_fn *fn, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < site_cnt(a) && !a->sites_told && err >= 0; i++)
		if (is_descriptor(a, i))
			err = tell_site(a, i, now, fn, arg);
	a->sites_told = true;
	for (size_t i = 0; i < site_cnt(a) && err >= 0; i++)
		if (is_descriptor(a, i) && (all || a->now[i].hits != a->told[i].hits))
			err = tell_hits(a, i, now, fn, arg);
	return err < 0 ? err : 0;
}

struct app_counts app_counts(const struct app *a)
{
	struct app_counts c = {.multi = a->links.multi};

	for (size_t i = 0; i < site_cnt(a); i++) {
		c.unsaved += a->now[i].unsaved;
		*(a->links.error[i] ? &c.failed : &c.attached) += 1;
	}
	return c;
}
