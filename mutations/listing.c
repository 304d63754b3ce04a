/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of one entry a line. */
#include "mutations/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"

int listing_each(const char *text, const char *path, listing_take *take, void *list, struct diag *d)
{
	char *copy = strdup(text), *at = copy, *line;
	int rc = copy ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (uint64_t n = 1; !rc && (line = strsep(&at, "\n")); n++)
		if (line[0] && line[0] != '#')
			rc = take(list, line, path, n, d);
	free(copy);
	return rc;
}

int listing_read(const struct house *h, const char *name, char ret_path[RECORD_PATH],
		 char **ret_text, struct diag *d)
{
	int rc = house_path(ret_path, d, "%s/%s", h->records, name);

	if (rc)
		return rc;
	if (!access(ret_path, F_OK))
		return file_read(ret_path, 1 << 20, ret_text, NULL, d);
	*ret_text = NULL;
	return 0;
}
