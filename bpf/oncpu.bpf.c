// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Context switches and wake-ups of one process group, for the evaluator: CPU time of segments and
 * what ended which sleep are truth made of them. It runs beside whatever a profiler attaches and
 * must cost next to nothing: no ring to reserve in, nobody to wake, no table to look up in but the
 * log.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include "bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/oncpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { NET_TX_SOFTIRQ = 2, NET_RX_SOFTIRQ = 3 }; /* include/linux/interrupt.h */

const volatile int group; /* process group, as the initial pid namespace numbers it */
const volatile bool wakes_asked;

/* one a CPU; user space sets how many, maps them and reads */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct switch_log);
} logs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wake_log);
} wakes SEC(".maps");

struct task_struct___named {
	char comm[WAKE_NAME_LEN];
} __attribute__((preserve_access_index));

/* how deep this CPU is in interrupts that have nothing to do with who runs */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} depth SEC(".maps");

static __always_inline __u32 *interrupts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&depth, &zero);
}

/* Nobody switches within an interrupt. An end that the kernel kept from its program, since another
 * was under way in it (__bpf_trace_run, kernel/trace/bpf_trace.c), is made good no later than here.
 */
static __always_inline void no_interrupt(void)
{
	__u32 *d = wakes_asked ? interrupts() : 0;

	if (d)
		*d = 0;
}

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

	no_interrupt();
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
	r->prev = from && !preempt && prev->__state ? from | SWITCH_SLEEPS : from;
	r->next = to;
	/* exchange: orders the record before its count, which the reader loads with acquire;
	 * nobody else writes on this CPU */
	__sync_lock_test_and_set(&log->cnt, cnt + 1);
	return 0;
}

static __always_inline int enter(void)
{
	__u32 *d = interrupts();

	if (d)
		++*d;
	return 0;
}

/* One that was under way when the programs were attached was not entered. */
static __always_inline int leave(void)
{
	__u32 *d = interrupts();

	if (d && *d)
		--*d;
	return 0;
}

/*
 * Ends stand before beginnings, since programs are attached in this order: of an interrupt whose
 * beginning was counted the end must be.
 */
SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_ends, int irq)
{
	return leave();
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(timer_ends, void *timer)
{
	return leave();
}

/* What is sent over the loopback device is delivered by a soft interrupt of the sender's own. */
static __always_inline bool is_sent(unsigned int softirq)
{
	return softirq == NET_TX_SOFTIRQ || softirq == NET_RX_SOFTIRQ;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_ends, unsigned int nr)
{
	return is_sent(nr) ? 0 : leave();
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_begins, int irq)
{
	return enter();
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(timer_begins, void *timer)
{
	return enter();
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_begins, unsigned int nr)
{
	return is_sent(nr) ? 0 : enter();
}

/* A byte at a time, as the verifier wants it: a third of what the helpers take. */
static __always_inline void name(const struct task_struct *p, char *ret)
{
	const struct task_struct___named *named = (const void *)p;

	for (int i = 0; i < WAKE_NAME_LEN; i++)
		ret[i] = named->comm[i];
}

/* Fires in the waker's context, wherever the woken will run. Idle runs nothing of its own: it is
 * thread 0. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *p)
{
	__u32 woken = ours(p), cpu = bpf_get_smp_processor_id(), *interrupted;
	const struct task_struct *waker = bpf_get_current_task_btf();
	struct wake_log *log;
	struct wake_rec *r;
	__u64 cnt;

	if (!woken)
		return 0;
	log = bpf_map_lookup_elem(&wakes, &cpu);
	if (!log)
		return 0;
	interrupted = interrupts();
	cnt = log->cnt;
	r = &log->v[cnt % WAKES_KEPT];
	r->t = bpf_ktime_get_ns();
	r->waker = interrupted && *interrupted ? 0 : waker->pid;
	r->woken = woken;
	name(waker, r->waker_name);
	name(p, r->woken_name);
	/* as above: interrupts are off */
	__sync_lock_test_and_set(&log->cnt, cnt + 1);
	return 0;
}
