/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The futex system calls that the pool makes, one operator each (futex(2)). Process-private.
 * Waits return 0 (woken), -EAGAIN (the word had changed) or -EINTR; wakes return how many they
 * woke.
 */
#ifndef ASSAY_WORKLOADS_WAKE_FUTEX_H
#define ASSAY_WORKLOADS_WAKE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

int futex_wait(_Atomic uint32_t *word, uint32_t expected);
int futex_wait_bits(_Atomic uint32_t *word, uint32_t expected, uint32_t bits);
int futex_wake(_Atomic uint32_t *word, int count);
int futex_wake_bits(_Atomic uint32_t *word, int count, uint32_t bits);

/* Wakes one waiter of `from` and moves the others to `to`; -EAGAIN where *from != expected. The sum
 * of both is returned. */
int futex_requeue(_Atomic uint32_t *from, _Atomic uint32_t *to, uint32_t expected);

#endif
