/* SPDX-License-Identifier: BSD-2-Clause */
/* What live regimes mean for a trial; children that burn and write. */
#include "harness/regime_live.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"

/* Room for 227 records, where a profiler that polls a hundred times a second sees a thousand
 * between. */
static const char small[] = "ASSAY_RING_BYTES=16384";

/* A quarter of the time that the operations take as they arrive. */
static uint64_t late(const struct cell *c)
{
	uint64_t ops = cell_param(c, "ops", 1), rate = cell_param(c, "rate", 0);

	return rate ? (uint64_t)(NS_PER_S * (double)ops / (double)rate / 4) : NS_PER_S / 10;
}

struct regime_live regime_live(const struct regime *r, const struct cell *c)
{
	return (struct regime_live){
		.more = {r->kind == REGIME_SMALL_BUFFERS ? (char *)small : NULL},
		.late_ns = r->kind == REGIME_LATE_ATTACH ? late(c) : 0,
		.pressure = r->kind == REGIME_PRESSURE,
	};
}

enum { HOGS_MAX = 64 };

struct pressure {
	struct process v[HOGS_MAX + 1];
	unsigned cnt;
};

/* Shells, so that they are programs of the machine like any other; their folder goes with the
 * cell. */
static int add(struct pressure *p, const char *folder, const char *what, struct diag *d)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)what, NULL};
	struct process_spec s = {
		.argv = argv, .cwd = folder, .out_fd = -1, .err_fd = -1, .extra_fd = -1};
	int rc = process_start(&s, &p->v[p->cnt], d);

	p->cnt += !rc;
	return rc;
}

static struct pressure *start(const char *folder, long each, bool writes, struct diag *d)
{
	long hogs = each * sysconf(_SC_NPROCESSORS_ONLN);
	struct pressure *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p) {
		diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
		return NULL;
	}
	for (long i = 0; !rc && i < hogs && i < HOGS_MAX; i++)
		rc = add(p, folder, "while :; do :; done", d);
	if (!rc && writes)
		rc = add(p, folder,
			 "while dd if=/dev/zero of=written bs=1M count=16 conv=fsync; do :; done",
			 d);
	if (!rc)
		return p;
	pressure_stop(p);
	errno = -rc;
	return NULL;
}

struct pressure *pressure_start(const char *folder, struct diag *d)
{
	return start(folder, 1, true, d);
}

struct pressure *hogs_start(const char *folder, struct diag *d)
{
	return start(folder, 2, false, d);
}

/* What a shell had started comes to the harness when the shell is gone; it is dead already. */
static void stop(struct process *p)
{
	pid_t group = p->pid;

	process_kill(p);
	while (waitpid(-group, NULL, 0) > 0 || errno == EINTR)
		;
}

void pressure_stop(struct pressure *p)
{
	for (unsigned i = 0; p && i < p->cnt; i++)
		stop(&p->v[i]);
	free(p);
}
