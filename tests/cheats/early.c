/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Works when it is only asked what it is: what it leaves behind then has not lost its rights, looks
 * into the workload when that is watched, and hands on what it saw.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"
#include "tests/cheats/truth_memory.h"

enum { FOR_MS = 60000 };

static void wait_ms(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* The workload that somebody of this name was told to watch. 0: nobody was. */
static pid_t watched(pid_t process)
{
	char path[64], text[4096], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (n <= 0 || !strstr(text, program_invocation_short_name))
		return 0;
	for (at = text; at < text + n; at += strlen(at) + 1)
		if (!strcmp(at, "--pid"))
			return atoi(at + strlen(at) + 1);
	return 0;
}

static pid_t find(pid_t *ret_watcher)
{
	DIR *all = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;

	while (all && !found && (e = readdir(all)))
		if (atoi(e->d_name) > 0 && (found = watched(atoi(e->d_name))))
			*ret_watcher = atoi(e->d_name);
	if (all)
		closedir(all);
	return found;
}

/* How many records of truth it has read by the end, in a file in the watcher's folder. */
static void hand_on(pid_t watcher, const struct truth_memory *m)
{
	const struct log_channel *head = truth_memory_head(m);
	uint64_t cnt = 0;
	char path[64];
	FILE *f;

	for (uint32_t i = 0; i < head->slots_cnt; i++)
		cnt += truth_memory_slot(m, i)->cnt;
	snprintf(path, sizeof(path), "/proc/%d/cwd/seen", watcher);
	f = fopen(path, "we");
	if (f) {
		fprintf(f, "%llu\n", (unsigned long long)cnt);
		fclose(f);
	}
}

static void look(void)
{
	struct truth_memory m;
	pid_t watcher = 0, load = 0;

	for (int i = 0; i < FOR_MS && !load; i++, wait_ms())
		load = find(&watcher);
	if (!load || truth_memory_open(load, ROUTE_MEM, &m))
		return;
	while (!truth_memory_update(&m))
		wait_ms();
	hand_on(watcher, &m);
	truth_memory_close(&m);
}

static void described(void)
{
	if (fork())
		return;
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	look();
	_exit(0);
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	unsigned long long seen = 0;
	FILE *f = NULL;

	(void)r;
	(void)honest;
	(void)out;
	for (int i = 0; i < 2000 && !f; i++, wait_ms())
		f = fopen("seen", "re");
	if (f && fscanf(f, "%llu", &seen) != 1)
		seen = 0;
	if (f)
		fclose(f);
	printf("early: %llu records of truth\n", seen);
	return 0;
}

const struct cheat cheat = {.declares = DECLARES_HANDOFFS,
			    .launch = "[\"attach\"]",
			    .needs = "[\"root\"]",
			    .described = described,
			    .tell = tell};
