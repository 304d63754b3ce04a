/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who woke whom: the wake-ups of a run, and pairs of threads in words.
 *
 * A wake-up is what the kernel's sched_waking saw, in the context of whoever caused it: a thread of
 * the application, another one, or an interrupt, which is nobody and has the number 0. Times are
 * CLOCK_MONOTONIC, ns; thread ids are the kernel's. Immutable once made; owned by whoever made it.
 */
#ifndef ASSAY_GROUNDTRUTH_WAKES_H
#define ASSAY_GROUNDTRUTH_WAKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TASK_COMM_LEN (include/linux/sched.h), NUL included; "4294967295>4294967295" */
enum { WAKES_NAME_LEN = 16, WAKES_PAIR_LEN = 24 };

struct wake {
	uint64_t t;
	uint32_t waker, woken;
	char waker_name[WAKES_NAME_LEN], woken_name[WAKES_NAME_LEN]; /* at that time */
};

struct wakes;

/* Sorts v, and copies it. NULL: no memory. */
struct wakes *wakes_make(struct wake *v, size_t cnt);
void wakes_free(struct wakes *x); /* NULL is fine */

/* The first of a thread in [t0, t1], NULL: none. */
const struct wake *wakes_first(const struct wakes *x, uint32_t woken, uint64_t t0, uint64_t t1);

/* "101>102": who was woken stands second. */
void wakes_pair_print(uint32_t waker, uint32_t woken, char ret[WAKES_PAIR_LEN]);

/* Whether a word is spelt as one of these is. Then the two threads. */
bool wakes_pair_parse(const char *word, uint32_t *ret_waker, uint32_t *ret_woken);

#endif
