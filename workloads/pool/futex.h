/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two futex calls of the pool (futex(2), process-private). pool_sleep returns 0 (woken),
 * -EAGAIN (the word had changed) or -EINTR; pool_wake how many it woke, at most one.
 */
#ifndef ASSAY_WORKLOADS_POOL_FUTEX_H
#define ASSAY_WORKLOADS_POOL_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

int pool_sleep(_Atomic uint32_t *word, uint32_t expected);
int pool_wake(_Atomic uint32_t *word);

#endif
