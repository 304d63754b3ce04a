/* SPDX-License-Identifier: BSD-2-Clause */
/* Spoils the truth of runs that it would lose: it sets, in the workload's memory, the mark of a log
 * that was full, and where it may not it kills the workload. "once": only the first time, so that
 * the run that is made again is sound. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"
#include "tests/cheats/truth_memory.h"

static bool was_here(void)
{
	char path[PATH_MAX];
	int fd;

	cheat_memory(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static bool spoil(pid_t pid)
{
	const uint64_t at = offsetof(struct log_slot, trouble);
	struct truth_memory m;
	int err = truth_memory_open(pid, ROUTE_MEM, &m);

	for (uint32_t i = 0; !err && i < truth_memory_head(&m)->slots_cnt; i++)
		err = truth_memory_write(
			&m, truth_memory_head(&m)->slots_off + i * sizeof(struct log_slot) + at,
			LOG_TROUBLE_FULL);
	truth_memory_close(&m);
	return !err;
}

static int begin(struct cheat_run *r)
{
	if (cheat_is("once") && was_here())
		return 0;
	if (!spoil(r->pid))
		kill(r->pid, SIGKILL);
	return 0;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	(void)r;
	(void)honest;
	(void)out;
	return 0;
}

const struct cheat cheat = {.declares = DECLARES_HANDOFFS,
			    .launch = "[\"attach\"]",
			    .needs = "[\"root\",\"ptrace\"]",
			    .begin = begin,
			    .tell = tell};
