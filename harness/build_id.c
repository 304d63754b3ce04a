/* SPDX-License-Identifier: BSD-2-Clause */
/* The build-id of a program on disk. */
#include "harness/provenance.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/elf_file.h"

int build_id(const char *path, char ret[64])
{
	struct elf_file *f;
	const char *id;
	int rc = elf_file_open(path, &f, NULL);

	if (rc)
		return rc;
	id = elf_file_build_id(f);
	if (id[0] && strlen(id) < 64)
		snprintf(ret, 64, "%s", id);
	else
		rc = -ENOENT;
	elf_file_close(f);
	return rc;
}
