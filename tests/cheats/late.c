/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes more time than it has: it ends when it is told to and leaves somebody behind who writes. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"

/* Once whoever started it is gone; in a session of its own, so that no signal to a group ends it.
 */
static _Noreturn void linger(const char *path, const struct claims *honest)
{
	struct claims_header h = {.profiler = "late", .version = "1", .declares = cheat.declares};
	struct pollfd parent = {.events = POLLIN};
	struct claims_writer *out;

	setsid();
	parent.fd = (int)syscall(SYS_pidfd_open, getppid(), 0); /* -1: it is gone */
	poll(&parent, parent.fd >= 0, -1);
	out = claims_writer_open(path, CLAIMS_JSON, &h, NULL);
	if (out && !cheat_put_all(out, honest))
		claims_writer_close(out, NULL);
	_exit(0);
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	(void)out;
	if (!fork())
		linger(r->claims, honest);
	return 0;
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"attach\"]",
			    .needs = "[\"root\",\"bpf\",\"btf\"]",
			    .tell = tell};
