/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF programs that somebody else loaded, looked at from outside: where they are attached, how
 * often they ran, what their ring buffers moved and what their maps take.
 *
 * The programs are those of which given processes hold a descriptor, of the program, of a link or
 * of a perf event (/proc/PID/fdinfo, BPF_TASK_FD_QUERY); what is pinned and let go is not seen.
 * Places come from links (raw and BTF tracepoints, uprobe.multi; bpf_link_info) and perf events.
 * What costs a probe is decided by the bytes that stand there (lib/insn.h).
 * Runs are run_cnt and run_time_ns of bpf_prog_info: 0 but while the kernel counts
 * (bpf_enable_stats). At a tracepoint everybody on the machine hits a program: whose hits they are
 * is told by a program of our own beside it (hit_tally.h). A ring buffer's second page tells how
 * much was ever put in
 * (Documentation/bpf/ringbuf.rst). Not thread-safe.
 */
#ifndef ASSAY_HARNESS_BPF_LOOK_H
#define ASSAY_HARNESS_BPF_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scoring/overhead.h"

struct bpf_look;

/* What happened in a stretch of time. */
struct bpf_counts {
	double hits[OVERHEAD_CLASS_CNT], run_ns[OVERHEAD_CLASS_CNT]; /* by the workload */
	double others[OVERHEAD_CLASS_CNT];			     /* hits by anybody else */
	double ring_bytes;   /* negative: there is no ring buffer */
	double kernel_bytes; /* of all maps, at the end; negative: there is none */
};

/* The programs of these processes, ending with 0. exe: a path of the workload's program; sites
 * there are told apart. group: the id of its control group. NULL: out of memory. */
struct bpf_look *bpf_look_new(const pid_t *watchers, const char *exe, uint64_t group);
void bpf_look_free(struct bpf_look *l); /* fine on NULL */

/* A stretch begins, and ends. */
void bpf_look_begin(struct bpf_look *l);
void bpf_look_end(struct bpf_look *l, struct bpf_counts *ret);

/* Programs of a class; one on several kinds of sites is divided among them. */
double bpf_look_programs(const struct bpf_look *l, unsigned class);

/* Places of all programs; of these, the offsets in the workload's file, each once. */
size_t bpf_look_places(const struct bpf_look *l);
size_t bpf_look_sites(const struct bpf_look *l, const uint64_t **ret);

#endif
