/* SPDX-License-Identifier: BSD-2-Clause */
/* Who did not get the lock of tracefs takes nothing, so that nothing is removed. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/leftovers.h"
#include "harness/process.h"

#define TRACING "/sys/kernel/tracing"

static int tracing(void)
{
	int fd = open(TRACING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		cr_skip_test("no tracefs to lock");
	return fd;
}

/* While another process has the lock nobody here needs to, unless it lets go in between. */
static void take_locked(int fd, struct leftovers *ret)
{
	int log_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char names[96];

	for (;;) {
		bool ours = !flock(fd, LOCK_EX | LOCK_NB);

		leftovers_take(ret, log_fd);
		if (ours || ret->lock < 0)
			break;
		leftovers_remove(ret, names, sizeof(names));
	}
	close(log_fd);
}

Test(harness_leftovers, takes_nothing_when_a_signal_ends_the_wait, .timeout = 60)
{
	struct leftovers l;
	char names[96] = "?";
	int fd = tracing();

	cr_assert_eq(process_setup(NULL), 0);
	kill(getpid(), SIGTERM); /* blocked: the wait meets it */
	take_locked(fd, &l);
	cr_expect_eq(l.lock, -1);
	cr_expect_null(l.probes);
	cr_expect_null(l.instances);
	leftovers_remove(&l, names, sizeof(names));
	cr_expect_str_eq(names, "");
	close(fd);
}
