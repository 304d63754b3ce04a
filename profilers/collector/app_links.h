/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes on an application's sites: which programs, which links. For app.c only. */
#ifndef ASSAY_PROFILERS_COLLECTOR_APP_LINKS_H
#define ASSAY_PROFILERS_COLLECTOR_APP_LINKS_H

#include "profilers/collector/app.h"

struct bpf_link;

struct app_links {
	struct bpf_link **v;
	size_t cnt, cap;
	size_t apart; /* so many of the first are independent of all others; not so USDT's */
	int *error;   /* one a site: 0, or why it is not attached (positive errno) */
	size_t sites;
	bool multi;
};

int app_links_new(struct app_links *l, size_t sites); /* -ENOMEM; free in any case */
void app_links_drop(struct app_links *l);	      /* detaches */
void app_links_free(struct app_links *l);

/* Whether this kernel has uprobe.multi: by asking for a link that must fail in a known way. */
bool app_links_multi(void);

/* Which programs are loaded; o NULL: none. */
void app_links_choose(struct collector *skel, const struct app_options *o, bool multi);

/* Attaches what it can and says what it cannot; -ENOMEM. */
int app_links_attach(struct app_links *l, struct collector *skel, const struct app_options *o);

#endif
