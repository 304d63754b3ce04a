/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in tracefs, before and after. */
#include "harness/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"
#include "lib/files.h"

#define TRACING	  "/sys/kernel/tracing"
#define INSTANCES TRACING "/instances"
#define PROBES	  TRACING "/dynamic_events"

enum { LIST_MAX_BYTES = 1 << 20, NAME_MAX_LEN = 256 };

static char *list_instances(void)
{
	DIR *dir = opendir(INSTANCES);
	char *text = NULL;
	size_t len;
	struct dirent *e;
	FILE *f;

	if (!dir)
		return NULL;
	f = open_memstream(&text, &len);
	while (f && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			fprintf(f, "%s\n", e->d_name);
	closedir(dir);
	if (f)
		fclose(f);
	return text;
}

static char *list_probes(void)
{
	char *text;

	return file_read(PROBES, LIST_MAX_BYTES, &text, NULL, NULL) ? NULL : text;
}

/* A child waits, and what it locks is ours, of the same open file (flock(2)): signals are blocked
 * here (process_setup), none would end a call that waits, and who only looks now and then meets
 * those who take it again and again always between. Returns whether it was got. */
static bool wait_for_lock(int fd)
{
	pid_t parent = getpid();
	struct process child = {.pid = fork()};

	if (child.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() != parent || flock(fd, LOCK_EX));
	}
	if (child.pid < 0)
		return false;
	if (process_wait_exit(&child, UINT64_MAX) != PROCESS_EXITED) {
		process_kill(&child);
		return false;
	}
	return WIFEXITED(child.status) && !WEXITSTATUS(child.status);
}

/* -1: there is nothing to lock, or it was not got. */
static int lock_tracing(int log_fd, uint64_t *ret_waited_ns)
{
	int fd = open(TRACING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t start = now_ns();

	*ret_waited_ns = 0;
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	dprintf(log_fd, "-- another assay's profiler runs on this machine: waiting for its end\n");
	if (!wait_for_lock(fd)) {
		dprintf(log_fd,
			"-- nothing that is left in tracefs will be removed: no lock was got\n");
		close(fd);
		fd = -1;
	}
	*ret_waited_ns = now_ns() - start;
	return fd;
}

void leftovers_take(struct leftovers *ret, int log_fd)
{
	uint64_t waited_ns;
	int lock = lock_tracing(log_fd, &waited_ns);

	*ret = (struct leftovers){.lock = lock, .waited_ns = waited_ns};
	if (lock < 0) /* what is new may be another's */
		return;
	ret->probes = list_probes();
	ret->instances = list_instances();
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *at = text; at && *at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, line, len) && (at[len] == '\n' || !at[len]))
			return true;
	}
	return false;
}

static bool remove_instance(const char *name, size_t len)
{
	char path[sizeof(INSTANCES) + NAME_MAX_LEN];

	snprintf(path, sizeof(path), "%s/%.*s", INSTANCES, (int)len, name);
	return !rmdir(path);
}

/* "p:group/event …" is removed by "-:group/event" (kernel: Documentation/trace/uprobetracer.rst);
 * kinds have a number behind their letter, as in "r2:" or "p0:". */
static bool remove_probe(const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? strcspn(colon + 1, " \n") : 0;
	char words[2 + NAME_MAX_LEN];
	int fd, n;
	bool done;

	if (!name || name >= NAME_MAX_LEN)
		return false;
	n = snprintf(words, sizeof(words), "-:%.*s", (int)name, colon + 1);
	fd = open(PROBES, O_WRONLY | O_APPEND | O_CLOEXEC);
	done = fd >= 0 && write(fd, words, (size_t)n) == n;
	if (fd >= 0)
		close(fd);
	return done;
}

/* Calls remove for each line of `now` that is not in `before`; returns how many there are. */
static unsigned remove_new(const char *before, const char *now,
			   bool (*remove)(const char *, size_t), unsigned *ret_kept)
{
	unsigned cnt = 0;

	for (const char *at = now; at && *at;) {
		size_t len = strcspn(at, "\n");

		if (len && !has_line(before, at, len)) {
			cnt++;
			*ret_kept += !remove(at, len);
		}
		at += len + (at[len] == '\n');
	}
	return cnt;
}

void leftovers_remove(struct leftovers *l, char *ret, size_t len)
{
	char *probes = l->probes ? list_probes() : NULL;
	char *instances = l->instances ? list_instances() : NULL;
	unsigned kept = 0, a, b;

	a = remove_new(l->instances, instances, remove_instance, &kept);
	b = remove_new(l->probes, probes, remove_probe, &kept);
	ret[0] = '\0';
	if (a || b)
		snprintf(ret, len, "%u tracefs instance%s and %u dynamic probe%s%s", a,
			 a == 1 ? "" : "s", b, b == 1 ? "" : "s",
			 kept ? ", not all of which could be removed" : "");
	free(probes);
	free(instances);
	free(l->probes);
	free(l->instances);
	if (l->lock >= 0)
		close(l->lock);
	*l = (struct leftovers){.lock = -1};
}
