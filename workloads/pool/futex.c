/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw futex calls. */
#include "workloads/pool/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/driver/workload.h"

static int result(long r)
{
	return r < 0 ? -errno : (int)r;
}

OPERATOR int pool_sleep(_Atomic uint32_t *word, uint32_t expected)
{
	return result(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0));
}

OPERATOR int pool_wake(_Atomic uint32_t *word)
{
	return result(syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
}
