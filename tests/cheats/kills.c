/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the rivals of its own run that join beside it: all are of one user. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"

enum { FOR_MS = 1500 };

/* Of this run and no other, which may have some of the same name. */
static bool is_rival(const char *name, const char *run)
{
	char path[300], text[4096];
	bool found = false;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.255s/cmdline", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (!strstr(text, "/causal/causal"))
		return false;
	for (char *at = text; at < text + n; at += strlen(at) + 1)
		found |= !strncmp(at, run, strlen(run));
	return found;
}

static unsigned look(const char *run)
{
	DIR *all = opendir("/proc");
	unsigned killed = 0;
	struct dirent *e;

	while (all && (e = readdir(all)))
		if (atoi(e->d_name) > 0 && is_rival(e->d_name, run))
			killed += !kill(atoi(e->d_name), SIGKILL);
	if (all)
		closedir(all);
	return killed;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	char run[PATH_MAX], *work = NULL;
	unsigned killed = 0;

	(void)r;
	(void)honest;
	(void)out;
	if (getcwd(run, sizeof(run)))
		work = strrchr(run, '/');
	if (!work)
		return 0;
	*work = '\0';
	for (unsigned i = 0; i < FOR_MS; i++) {
		killed += look(run);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	printf("kills: %u rivals\n", killed);
	return 0;
}

const struct cheat cheat = {
	.declares = DECLARES_HANDOFFS, .launch = "[\"join\"]", .needs = "[]", .tell = tell};
