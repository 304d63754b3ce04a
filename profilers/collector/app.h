/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The application's probe sites: descriptors into the kernel, hits out of it.
 *
 * Sites come resolved: offsets in the file, or USDT names. All entry sites share one uprobe.multi
 * program and link, all return sites another; the attach cookie is the index of the site. Where the
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
	struct desc_prog prog;
	enum app_site_kind kind;
	uint64_t offset;	     /* in the file; not of USDT */
	char provider[64], name[64]; /* USDT */
	int refused;		     /* positive errno: not to be attached, and why */
};

struct app_options {
	const char *exe;
	const struct app_site *sites; /* at most DESC_MAX; must outlive the attachment */
	size_t cnt;
	bool perf; /* perf uprobes even where uprobe.multi can be had: to compare the two */
};

struct collector; /* the skeleton */
struct app;

/* Between open and load: chooses programs, sizes maps. o may be NULL: no sites. NULL: no memory. */
struct app *app_new(struct collector *skel, const struct app_options *o);
void app_free(struct app *a);

/* After load. Negative errno only where nothing can go on: a map that cannot be filled. */
int app_attach(struct app *a);
void app_detach(struct app *a);

/* Reads the tallies. Records that are handed on between this and app_tell are not too few. */
int app_count(struct app *a);

typedef int app_tell_fn(void *arg, const struct ev_rec *r);

/* The EV_APP_SITE records, once; then EV_APP_HITS of sites that were hit since they were last told
 * (all: of all sites). fn returns negative to stop. */
int app_tell(struct app *a, uint64_t now, bool all, app_tell_fn *fn, void *arg);

/* Hits whose arguments were evicted; sites that are attached, that are not. */
struct app_counts {
	uint64_t unsaved;
	uint32_t attached, failed;
	bool multi; /* by uprobe.multi */
};
struct app_counts app_counts(const struct app *a);

#endif
