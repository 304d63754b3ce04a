/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that tell whose folder it is. */
#include "mutations/owned.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/house.h"

/* What all of this machine begin with. */
static void put_node(const char *lead, char ret[OWNED_STEM])
{
	struct utsname u;

	uname(&u);
	snprintf(ret, OWNED_STEM, "%.16s%.64s-", lead, u.nodename);
}

void owned_stem(const char *lead, char ret[OWNED_STEM])
{
	char node[OWNED_STEM];

	put_node(lead, node);
	snprintf(ret, OWNED_STEM, "%.100s%d", node, (int)getpid());
}

/* The process in the name of such a folder; 0: it is none. */
static pid_t owner(const char *name, const char *node)
{
	size_t len = strlen(node);
	long pid = 0;
	int end = 0;

	if (strncmp(name, node, len) != 0 ||
	    sscanf(name + len, "%9ld-%*[0-9A-Za-z]%n", &pid, &end) < 1 || !end || name[len + end])
		return 0;
	return (pid_t)pid;
}

void owned_prune(const char *folder, const char *lead)
{
	char node[OWNED_STEM], path[RECORD_PATH];
	DIR *dir = opendir(folder);
	struct dirent *e;

	put_node(lead, node);
	while (dir && (e = readdir(dir))) {
		pid_t pid = owner(e->d_name, node);

		if (pid > 0 && kill(pid, 0) && errno == ESRCH &&
		    !house_path(path, NULL, "%s/%s", folder, e->d_name))
			house_remove(path, NULL);
	}
	if (dir)
		closedir(dir);
}

int owned_new(const char *folder, const char *lead, char ret[RECORD_PATH], struct diag *d)
{
	char stem[OWNED_STEM], made[RECORD_PATH];
	int rc;

	owned_prune(folder, lead);
	owned_stem(lead, stem);
	rc = house_path(made, d, "%s/%s-XXXXXX", folder, stem);
	if (!rc && !mkdtemp(made))
		rc = file_error(d, -errno, folder, "write in");
	if (!rc)
		strcpy(ret, made);
	return rc;
}
