/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The application's probe sites: descriptors into the kernel, hits out of it.
 *
 * Sites come resolved: offsets in the file, or USDT names; a descriptor may have several, or none.
 * All entry sites share one uprobe.multi program and link, all return sites another; the attach
 * cookie is the index of the descriptor. Where the
 * kernel has no uprobe.multi (decided by trying) each site has a perf uprobe. USDT sites are
 * libbpf's. A site that cannot be attached costs only itself, and the records say so (EV_APP_SITE).
 * Probes are on the file, in whatever process; records come from the watched tree alone.
 * Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_APP_H
#define ASSAY_PROFILERS_COLLECTOR_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/descriptor.h"
#include "bpf/evidence.h"
#include "lib/diag.h"

enum app_site_kind { APP_ENTRY = 0, APP_RETURN = 1, APP_USDT = 2 };

struct app_site {
	uint32_t desc; /* index in descs */
	enum app_site_kind kind;
	uint64_t offset;	     /* in the file; not of USDT */
	char provider[64], name[64]; /* USDT: all sites of that name are one */
};

struct app_desc {
	struct desc_prog prog;
	int refused; /* positive errno: why it has no sites; 0: it has */
};

struct app_options {
	const char *exe;
	const struct app_desc *descs; /* at most DESC_MAX */
	size_t descs_cnt;
	const struct app_site *sites;
	size_t sites_cnt;
	bool replaced; /* others will come in their place (app_replace) */
	bool perf;     /* perf uprobes even where uprobe.multi can be had: to compare the two */
};

struct collector; /* the skeleton */
struct app;

/* Between open and load: chooses programs, sizes maps. o may be NULL: no sites; else it must
 * outlive the attachment. NULL: no memory. */
struct app *app_new(struct collector *skel, const struct app_options *o);
void app_free(struct app *a);

/* After load. Negative errno only where nothing can go on: a map that cannot be filled. */
int app_attach(struct app *a);
void app_detach(struct app *a);

/* After app_detach: other sites, in place of those that were. o as for app_new; it need not say
 * `replaced` again. */
int app_replace(struct app *a, const struct app_options *o);

/* Reads the tallies. */
int app_count(struct app *a);
/* Before app_tell, of a record that came after the tallies were read and has been handed on: is
 * added to its own, which are then told as of now, however long that took. */
void app_passes_on(struct app *a, const struct ev_rec *r);

typedef int app_tell_fn(void *arg, const struct ev_rec *r);

/* What came of each descriptor: its EV_APP_SITE. fn returns negative to stop. */
int app_tell_sites(const struct app *a, uint64_t now, app_tell_fn *fn, void *arg);
/* EV_APP_HITS of the descriptors that were hit since they were last told (all: of all). */
int app_tell(struct app *a, uint64_t now, bool all, app_tell_fn *fn, void *arg);

struct app_counts {
	uint64_t unsaved;	   /* hits whose arguments were not there */
	uint32_t attached, failed; /* descriptors */
	bool multi;		   /* by uprobe.multi */
};
struct app_counts app_counts(const struct app *a);

#endif
