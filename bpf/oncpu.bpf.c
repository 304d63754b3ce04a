// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Context switches of one process group, for the evaluator: CPU time of segments is truth made of
 * them. It runs beside whatever a profiler attaches and must cost next to nothing: no ring to
 * reserve in, nobody to wake, no table to look up in but the log.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include "bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/oncpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile int group; /* process group, as the initial pid namespace numbers it */

/* one a CPU; user space sets how many, maps them and reads */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct switch_log);
} logs SEC(".maps");

/* A process whose leader has been reaped has no group any more: it runs nothing of its own. */
static __always_inline __u32 ours(struct task_struct *p)
{
	struct pid *leader = p->signal->pids[PIDTYPE_PGID];

	return leader->numbers[0].nr == group ? p->pid : 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 from = ours(prev), to = ours(next), cpu = bpf_get_smp_processor_id();
	struct switch_log *log;
	struct switch_rec *r;
	__u64 cnt;

	if (!from && !to)
		return 0;
	log = bpf_map_lookup_elem(&logs, &cpu);
	if (!log)
		return 0;
	cnt = log->cnt;
	r = &log->v[cnt % SWITCHES_KEPT];
	r->t = bpf_ktime_get_ns();
	r->ran = from ? prev->se.sum_exec_runtime : 0;
	r->delayed = 0;
	if (from && bpf_core_field_exists(prev->sched_info))
		r->delayed = prev->sched_info.run_delay;
	r->prev = from;
	r->next = to;
	/* exchange: orders the record before its count, which the reader loads with acquire;
	 * nobody else writes on this CPU */
	__sync_lock_test_and_set(&log->cnt, cnt + 1);
	return 0;
}
