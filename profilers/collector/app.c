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
	struct app_tally *now, *told; /* one a descriptor */
	uint32_t *attached;	      /* sites of each descriptor that are attached */
	int *error;		      /* of each descriptor: positive errno of a site that is not */
	struct app_tally *cpus;	      /* one a possible CPU */
	int cpus_cnt;
};

static size_t desc_cnt(const struct app *a)
{
	return a->o ? a->o->descs_cnt : 0;
}

static void size_map(struct bpf_map *map, size_t cnt)
{
	bpf_map__set_max_entries(map, cnt ? (uint32_t)cnt : 1);
}

static void choose(struct app *a)
{
	bool multi = desc_cnt(a) && !a->o->perf && app_links_multi();

	if (a->o && a->o->replaced)
		multi = !a->o->perf && app_links_multi();
	app_links_choose(a->skel, a->o, multi);
	a->links.multi = multi;
	if (a->o && a->o->replaced)
		return; /* for as many as there can be */
	size_map(a->skel->maps.descriptors, desc_cnt(a));
	size_map(a->skel->maps.tallies, desc_cnt(a));
	if (!desc_cnt(a))
		size_map(a->skel->maps.calls, 1);
}

static int open_tables(struct app *a, const struct app_options *o)
{
	size_t cnt = o ? o->descs_cnt + 1 : 1;

	a->o = o && (o->descs_cnt || o->replaced) ? o : NULL;
	a->now = calloc(cnt, sizeof(*a->now));
	a->told = calloc(cnt, sizeof(*a->told));
	a->attached = calloc(cnt, sizeof(*a->attached));
	a->error = calloc(cnt, sizeof(*a->error));
	if (!a->now || !a->told || !a->attached || !a->error)
		return -ENOMEM;
	return app_links_new(&a->links, o ? o->sites_cnt : 0);
}

static void close_tables(struct app *a)
{
	app_links_free(&a->links);
	free(a->now);
	free(a->told);
	free(a->attached);
	free(a->error);
	a->links = (struct app_links){0};
	a->now = a->told = NULL;
	a->attached = NULL;
	a->error = NULL;
}

struct app *app_new(struct collector *skel, const struct app_options *o)
{
	struct app *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->skel = skel;
	a->cpus_cnt = libbpf_num_possible_cpus();
	a->cpus = a->cpus_cnt > 0 ? calloc((size_t)a->cpus_cnt, sizeof(*a->cpus)) : NULL;
	if (open_tables(a, o) || !a->cpus) {
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
	close_tables(a);
	free(a->cpus);
	free(a);
}

static void sum_up(struct app *a)
{
	for (size_t i = 0; i < desc_cnt(a); i++)
		a->error[i] = a->o->descs[i].refused;
	for (size_t i = 0; i < a->o->sites_cnt; i++) {
		uint32_t desc = a->o->sites[i].desc;

		if (a->links.error[i])
			a->error[desc] = a->links.error[i];
		else
			a->attached[desc]++;
	}
}

int app_attach(struct app *a)
{
	int fd = bpf_map__fd(a->skel->maps.descriptors), err;

	if (!a->o)
		return 0;
	for (uint32_t i = 0; i < desc_cnt(a); i++) {
		err = bpf_map_update_elem(fd, &i, &a->o->descs[i].prog, BPF_ANY);
		if (err)
			return err;
	}
	err = app_links_attach(&a->links, a->skel, a->o);
	if (!err)
		sum_up(a);
	return err;
}

/* What was counted was said of others. */
static int clear_tallies(struct app *a)
{
	int fd = bpf_map__fd(a->skel->maps.tallies), err = 0;

	memset(a->cpus, 0, (size_t)a->cpus_cnt * sizeof(*a->cpus));
	for (uint32_t i = 0; i < desc_cnt(a) && !err; i++)
		err = bpf_map_update_elem(fd, &i, a->cpus, BPF_ANY);
	return err;
}

/* What is numbered begins anew, as for one who comes late. */
static int clear_lives(struct app *a)
{
	struct bpf_map *map = a->skel->maps.lives;
	size_t size = bpf_map__key_size(map);
	uint8_t key[64];
	int err = size <= sizeof(key) ? 0 : -E2BIG;

	while (!err && !bpf_map__get_next_key(map, NULL, key, size))
		err = bpf_map__delete_elem(map, key, size, 0);
	return err == -ENOENT ? 0 : err;
}

int app_replace(struct app *a, const struct app_options *o)
{
	bool multi = a->links.multi;
	int err;

	if (o && o->descs_cnt > DESC_MAX)
		return -E2BIG;
	close_tables(a);
	err = open_tables(a, o);
	a->links.multi = multi;
	if (!err && a->o)
		err = clear_tallies(a);
	if (!err)
		err = clear_lives(a);
	if (!err)
		err = app_attach(a);
	a->skel->bss->app_off = 0;
	return err;
}

void app_detach(struct app *a)
{
	a->skel->bss->app_off = 1;
	app_links_drop(&a->links);
}

int app_count(struct app *a)
{
	int fd = bpf_map__fd(a->skel->maps.tallies), err;

	for (uint32_t i = 0; i < desc_cnt(a); i++) {
		struct app_tally sum = {0};

		if (!a->attached[i])
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

static size_t desc_of(const struct app *a, uint32_t id)
{
	size_t i = 0;

	while (i < desc_cnt(a) && a->o->descs[i].prog.id != id)
		i++;
	return i;
}

void app_passes_on(struct app *a, const struct ev_rec *r)
{
	size_t i = r->kind == EV_APP ? desc_of(a, (uint32_t)r->e) : desc_cnt(a);

	if (i == desc_cnt(a))
		return;
	a->now[i].hits++;
	a->now[i].passed++;
}

static int tell_hits(struct app *a, size_t i, uint64_t now, app_tell_fn *fn, void *arg)
{
	const struct app_tally *n = &a->now[i];

	a->told[i] = *n;
	return fn(arg, &(struct ev_rec){.t = now,
					.kind = EV_APP_HITS,
					.a = a->o->descs[i].prog.id,
					.b = n->hits,
					.c = n->passed,
					.d = n->unsaved});
}

/* Capacity sites are no descriptors: nothing is told of them but the capacity itself. */
static bool is_descriptor(const struct app *a, size_t i)
{
	return a->o->descs[i].prog.event != DESC_EVENT_CAPACITY;
}

static enum ev_app_how how_of(const struct app *a, const struct app_site *s)
{
	if (s && s->kind == APP_USDT)
		return EV_APP_USDT;
	return a->links.multi ? EV_APP_MULTI : EV_APP_PERF;
}

static const struct app_site *first_site(const struct app *a, size_t desc)
{
	for (size_t i = 0; i < a->o->sites_cnt; i++)
		if (a->o->sites[i].desc == desc)
			return &a->o->sites[i];
	return NULL;
}

int app_tell_sites(const struct app *a, uint64_t now, app_tell_fn *fn, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < desc_cnt(a) && err >= 0; i++) {
		const struct app_site *s = first_site(a, i);

		if (is_descriptor(a, i))
			err = fn(arg, &(struct ev_rec){.t = now,
						       .kind = EV_APP_SITE,
						       .a = a->o->descs[i].prog.id,
						       .b = (uint64_t)a->error[i],
						       .c = a->attached[i],
						       .d = s ? s->offset : 0,
						       .e = how_of(a, s)});
	}
	return err < 0 ? err : 0;
}

int app_tell(struct app *a, uint64_t now, bool all, app_tell_fn *fn, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < desc_cnt(a) && err >= 0; i++)
		if (is_descriptor(a, i) && (all || a->now[i].hits != a->told[i].hits))
			err = tell_hits(a, i, now, fn, arg);
	return err < 0 ? err : 0;
}

struct app_counts app_counts(const struct app *a)
{
	struct app_counts c = {.multi = a->links.multi};

	for (size_t i = 0; i < desc_cnt(a); i++) {
		c.unsaved += a->now[i].unsaved;
		*(a->attached[i] ? &c.attached : &c.failed) += 1;
	}
	return c;
}
