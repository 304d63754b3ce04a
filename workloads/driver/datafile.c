/* SPDX-License-Identifier: BSD-2-Clause */
/* A file to read from. */
#include "workloads/driver/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workloads/driver/workload.h"

int datafile_open(const char *folder)
{
	char path[PATH_MAX], block[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/data-XXXXXX", folder) >= (int)sizeof(path))
		run_fail(-ENAMETOOLONG, "folder '%s'", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		run_fail(-errno, "cannot make a data file in '%s'", folder);
	unlink(path);
	for (unsigned at = 0; at < DATAFILE_BYTES; at += sizeof(block)) {
		memset(block, (int)(at / sizeof(block)), sizeof(block));
		if (pwrite(fd, block, sizeof(block), at) != (ssize_t)sizeof(block))
			run_fail(-errno, "cannot fill the data file in '%s'", folder);
	}
	return fd;
}
