/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits of a tracepoint, told apart by who was running: the threads of one control group, or anybody
 * else (other processes, kernel threads, an idle processor). Counted by a BPF program of our own at
 * the same tracepoint. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_HIT_TALLY_H
#define ASSAY_HARNESS_HIT_TALLY_H

#include <stdint.h>

struct hit_tally;

/* group: id in the unified hierarchy, the inode number of its folder (cgroup_id of
 * Documentation/admin-guide/cgroup-v2.rst). NULL: it cannot be counted here. */
struct hit_tally *hit_tally_new(const char *tracepoint, uint64_t group);
void hit_tally_free(struct hit_tally *t); /* fine on NULL */

/* Since it began. */
void hit_tally_read(const struct hit_tally *t, double *ret_group, double *ret_others);

#endif
