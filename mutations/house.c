/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of mutations. */
#include "mutations/house.h"

#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/owned.h"

int house_path(char ret[RECORD_PATH], struct diag *d, const char *fmt, ...)
{
	char made[RECORD_PATH];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(made, sizeof(made), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= RECORD_PATH)
		return diag_set(d, -ENAMETOOLONG, NULL, 0, "a shorter path",
				"a path would be longer than %d bytes", RECORD_PATH - 1);
	memcpy(ret, made, (size_t)n + 1);
	return 0;
}

static bool has_sources(const char *top)
{
	char a[RECORD_PATH], b[RECORD_PATH];

	return !house_path(a, NULL, "%s/workloads/driver/main.c", top) && !access(a, R_OK) &&
	       !house_path(b, NULL, "%s/mutations/module.mk", top) && !access(b, R_OK);
}

/* The folder itself or one above it. */
static int find_sources(char ret[RECORD_PATH], const char *from, struct diag *d)
{
	char at[RECORD_PATH];
	int rc = house_path(at, d, "%s", from);

	while (!rc && at[0]) {
		if (has_sources(at)) {
			strcpy(ret, at);
			return 0;
		}
		*strrchr(at, '/') = '\0';
	}
	return rc ? rc
		  : diag_set(d, -ENOENT, from, 0, "--source DIR, the top of assay's sources",
			     "no sources of workloads above it");
}

static int name_records(struct house *h, const char *records, struct diag *d)
{
	char real[PATH_MAX];

	if (!records)
		return house_path(h->records, d, "%s/mutations", h->source);
	if (!realpath(records, real))
		return file_error(d, -errno, records, "read");
	return house_path(h->records, d, "%s", real);
}

int house_open(struct house *h, const char *build, const char *source, const char *records,
	       struct diag *d)
{
	char real[PATH_MAX];
	struct house v;
	int rc;

	if (source && !realpath(source, real))
		return file_error(d, -errno, source, "read");
	if (source && !has_sources(real))
		return diag_set(d, -ENOENT, source, 0, "the top of assay's sources",
				"it holds no workloads/driver and mutations");
	rc = house_path(v.build, d, "%s", build);
	if (!rc)
		rc = source ? house_path(v.source, d, "%s", real)
			    : find_sources(v.source, v.build, d);
	if (!rc)
		rc = name_records(&v, records, d);
	if (!rc)
		rc = house_path(v.variants, d, "%s/variants", v.build);
	if (!rc)
		rc = house_path(v.library, d, "%s/lib/libassay.a", v.build);
	if (!rc)
		*h = v;
	return rc;
}

int house_scratch(const struct house *h, char ret[RECORD_PATH], struct diag *d)
{
	char folder[RECORD_PATH];
	int rc = house_path(folder, d, "%s/t", h->variants);

	if (!rc)
		rc = dir_make(folder, d);
	return rc ? rc : owned_new(folder, "", ret, d);
}

int house_remove(const char *path, struct diag *d)
{
	char *const paths[] = {(char *)path, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;
	int rc = 0;

	if (!fts)
		return file_error(d, -errno, path, "remove");
	while (!rc && (e = fts_read(fts))) {
		if (e->fts_info == FTS_D || e->fts_info == FTS_NS)
			continue;
		if (remove(e->fts_accpath) && errno != ENOENT)
			rc = file_error(d, -errno, e->fts_path, "remove");
	}
	fts_close(fts);
	return rc;
}
