/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw futex calls. */
#include "workloads/wake/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/driver/workload.h"

static int result(long r)
{
	return r < 0 ? -errno : (int)r;
}

OPERATOR int futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
	return result(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0));
}

OPERATOR int futex_wait_bits(_Atomic uint32_t *word, uint32_t expected, uint32_t bits)
{
	return result(
		syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, NULL, NULL, bits));
}

OPERATOR int futex_wake(_Atomic uint32_t *word, int count)
{
	return result(syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0));
}

OPERATOR int futex_wake_bits(_Atomic uint32_t *word, int count, uint32_t bits)
{
	return result(syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, count, NULL, NULL, bits));
}

OPERATOR int futex_requeue(_Atomic uint32_t *from, _Atomic uint32_t *to, uint32_t expected)
{
	return result(syscall(SYS_futex, from, FUTEX_CMP_REQUEUE_PRIVATE, 1, (long)INT_MAX, to,
			      expected));
}
