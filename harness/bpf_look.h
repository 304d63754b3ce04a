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
 * (bpf_enable_stats). A ring buffer's second page tells how much was ever put in
 * (Documentation/bpf/ringbuf.rst). Not thread-safe.
 */
#ifndef ASSAY_HARNESS_BPF_LOOK_H
#define ASSAY_HARNESS_BPF_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scoring/overhead.h"

struct bpf_look;

struct bpf_reading {
	double hits[OVERHEAD_CLASS_CNT], run_ns[OVERHEAD_CLASS_CNT];
	double ring_bytes;   /* negative: there is no ring buffer */
	double kernel_bytes; /* of all maps; negative: there is none */
};

/* The programs of these processes, ending with 0. exe: a path of the workload's program; sites
 * there are told apart. NULL: out of memory. */
struct bpf_look *bpf_look_new(const pid_t *watchers, const char *exe);
void bpf_look_free(struct bpf_look *l); /* fine on NULL */

void bpf_look_read(const struct bpf_look *l, struct bpf_reading *ret);

/* Programs of a class; one on several kinds of sites is divided among them. */
double bpf_look_programs(const struct bpf_look *l, unsigned class);

/* Places of all programs; of these, the offsets in the workload's file, each once. */
size_t bpf_look_places(const struct bpf_look *l);
size_t bpf_look_sites(const struct bpf_look *l, const uint64_t **ret);

#endif
