/* SPDX-License-Identifier: BSD-2-Clause */
/* Source files of a tree. */
#include "mutations/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/hash.h"
#include "mutations/house.h"

static int is_wanted(const char *name, const char *suffixes)
{
	const char *dot = strrchr(name, '.');

	return name[0] != '.' && dot && dot[1] && !dot[2] && strchr(suffixes, dot[1]);
}

int each_source(const char *top, const char *folder, const char *suffixes,
		int (*each)(const char *name, void *arg, struct diag *d), void *arg, struct diag *d)
{
	char path[RECORD_PATH];
	struct dirent **names;
	int rc = house_path(path, d, "%s/%s", top, folder), cnt;

	if (rc)
		return rc;
	cnt = scandir(path, &names, NULL, alphasort);
	if (cnt < 0)
		return errno == ENOENT ? 0 : file_error(d, -errno, path, "read");
	for (int i = 0; i < cnt; i++) {
		if (!rc && is_wanted(names[i]->d_name, suffixes)) {
			rc = house_path(path, d, "%s/%s", folder, names[i]->d_name);
			if (!rc)
				rc = each(path, arg, d);
		}
		free(names[i]);
	}
	free(names);
	return rc;
}

int hash_source(const char *top, const char *name, uint64_t *h, struct diag *d)
{
	char path[RECORD_PATH], *text;
	size_t len;
	int rc = house_path(path, d, "%s/%s", top, name);

	if (!rc)
		rc = file_read(path, SOURCE_BYTES_MAX, &text, &len, d);
	if (!rc) {
		*h = hash_bytes(text, len, hash_bytes(name, strlen(name), *h));
		free(text);
	}
	return rc;
}

struct hashing {
	const char *top;
	uint64_t h;
};

static int hash_each(const char *name, void *arg, struct diag *d)
{
	struct hashing *x = arg;

	return hash_source(x->top, name, &x->h, d);
}

int hash_sources(const char *top, const char *folder, const char *suffixes, uint64_t *h,
		 struct diag *d)
{
	struct hashing x = {top, *h};
	int rc = each_source(top, folder, suffixes, hash_each, &x, d);

	*h = x.h;
	return rc;
}
