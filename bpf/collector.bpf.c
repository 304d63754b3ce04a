// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The collector: what one process tree does asynchronously, as raw records. Scheduler, block I/O,
 * processes and the dispatch of system calls stand here, the rest in files of their own.
 *
 * The kernel side filters, stamps and emits.
 */
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/ptrace.h>

#include "bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/emit.bpf.h"

#include "bpf/app.bpf.h"
#include "bpf/files.bpf.h"
#include "bpf/futex.bpf.h"
#include "bpf/streams.bpf.h"
#include "bpf/timers.bpf.h"
#include "bpf/uring.bpf.h"
#include "bpf/work.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- system calls ---- */

SEC("tp_btf/sys_enter")
int BPF_PROG(call_enter, void *regs, long id)
{
	__u8 call = call_of(id);
	struct call c = {};

	/* of the others only the exit tells anything */
	if (call == CALL_NONE ||
	    (call > CALL_RING_ENTER && call != CALL_TIMERFD_SET && call != CALL_TIMER_SET))
		return 0;
	if (!watched(current_tgid()))
		return 0;
	call_args(&c, regs);
	if (call <= CALL_FUTEX_LAST)
		futex_enter(&c, call);
	else if (call == CALL_RING_ENTER)
		emit_ring(EV_IO_ENTER, &c);
	else
		timer_enter(&c, call);
	return 0;
}

/* A read or write that moved something. */
static __noinline int file_exit(const struct call *c, __u8 call)
{
	struct file *file = file_of_fd(c->arg[0]);
	enum collector_file kind = file_kind(file);

	if (kind == FILE_OTHER)
		return 0;
	if (kind != FILE_TIMERFD)
		stream_call(c, call, file, kind);
	else if (call == CALL_READ)
		timer_read(c, file);
	return 0;
}

/* A call that made streams. */
static __noinline int birth_exit(const struct call *c, __u8 call)
{
	if (call == CALL_PIPE)
		streams_born(c->arg[0]);
	else if (call == CALL_SOCKETPAIR)
		streams_born(c->arg[3]);
	else
		stream_born(c->ret);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(call_exit, void *regs, long ret)
{
	__u8 call = call_of(call_nr(regs));
	struct call c = {.ret = ret};

	if (call == CALL_NONE || !watched(current_tgid()))
		return 0;
	call_args(&c, regs);
	if (call <= CALL_FUTEX_LAST)
		futex_exit(&c, call);
	else if (call == CALL_RING_ENTER)
		emit_ring(EV_IO_EXIT, &c);
	else if (call == CALL_TIMERFD_SET || call == CALL_TIMER_SET)
		timer_exit(&c, call);
	else if (call == CALL_SIGWAIT)
		timer_waited(&c);
	else if (call > CALL_STREAM_LAST)
		ret >= 0 ? birth_exit(&c, call) : 0;
	else if (ret > 0 && !call_peeks(&c, call))
		file_exit(&c, call);
	return 0;
}

/* ---- scheduler ---- */

/* Idle runs nothing of its own, so what it seems to wake is woken by an interrupt. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *p)
{
	struct waking w = {};
	__u32 tgid = p->tgid;
	struct ev_rec *r;

	if (!watched(tgid))
		return 0;
	futex_waking(p, &w);
	r = emit_begin(EV_SCHED_WAKING);
	if (!r)
		return 0;
	if (r->tgid != tgid && !watched(r->tgid))
		r->flags |= EV_F_OTHER;
	if (!r->tid)
		r->flags |= EV_F_IRQ;
	r->a = p->pid;
	r->b = tgid;
	r->c = w.caller;
	r->d = w.waiter;
	r->e = w.word;
	emit_end(r);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 next_tgid = next->tgid, prev_tgid = prev->tgid;
	bool ours = watched(prev_tgid);
	struct ev_rec *r;

	if (!ours && !watched(next_tgid))
		return 0;
	r = emit_begin(EV_SCHED_SWITCH);
	if (!r)
		return 0;
	if (!ours)
		r->flags |= EV_F_OTHER;
	r->a = next->pid;
	r->b = preempt ? 0 : prev->__state;
	r->c = next_tgid;
	emit_end(r);
	return 0;
}

/* ---- block I/O ---- */

/* requests that a watched process issued: they complete in whatever context */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_BLOCKS_MAX);
	__type(key, __u64);
	__type(value, __u8);
} blocks SEC(".maps");

static __always_inline void emit_block(__u16 kind, struct request *rq, __u32 bytes)
{
	struct ev_rec *r = emit_begin(kind);

	if (!r)
		return;
	if (!watched(r->tgid))
		r->flags |= EV_F_OTHER;
	r->a = (__u64)rq;
	r->b = rq->__sector;
	r->c = bytes;
	r->d = rq->cmd_flags & 0xff; /* REQ_OP_MASK */
	r->e = bpf_core_field_exists(rq->part) && rq->part ? rq->part->bd_dev : 0;
	emit_end(r);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_issue, struct request *rq)
{
	__u64 key = (__u64)rq;
	__u8 one = 1;

	if (!watched(current_tgid()))
		return 0;
	bpf_map_update_elem(&blocks, &key, &one, BPF_ANY);
	emit_block(EV_BLOCK_ISSUE, rq, rq->__data_len);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_done, struct request *rq, int error, unsigned int nr_bytes)
{
	__u64 key = (__u64)rq;

	if (bpf_map_delete_elem(&blocks, &key))
		return 0;
	emit_block(EV_BLOCK_DONE, rq, nr_bytes);
	return 0;
}

/* ---- processes ---- */

static __always_inline void follow(__u32 tgid)
{
	struct collector_cpu *c = this_cpu();
	__u32 none = 0;

	if (bpf_map_update_elem(&tree, &tgid, &none, BPF_ANY) && c)
		__sync_fetch_and_add(&c->unfollowed, 1);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = child->tgid;
	struct ev_rec *r;

	if (!watched(parent->tgid))
		return 0;
	if (tgid != (__u32)parent->tgid)
		follow(tgid);
	r = emit_begin(EV_PROC_FORK);
	if (!r)
		return 0;
	r->a = child->pid;
	r->b = tgid;
	emit_end(r);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(execed, struct task_struct *p, int old_pid)
{
	__u32 tgid = p->tgid, *rings_made;
	struct ev_rec *r;

	rings_made = bpf_map_lookup_elem(&tree, &tgid);
	if (!rings_made)
		return 0;
	*rings_made = 0; /* a new program counts its rings from the beginning */
	r = emit_begin(EV_PROC_EXEC);
	if (!r)
		return 0;
	r->a = old_pid;
	emit_end(r);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct *p)
{
	__u32 tgid = p->tgid;
	bool last = p->signal->live.counter == 0;
	struct ev_rec *r;

	if (!watched(tgid))
		return 0;
	r = emit_begin(EV_PROC_EXIT);
	if (r) {
		r->a = last;
		r->b = p->se.sum_exec_runtime;
		emit_end(r);
	}
	return 0;
}

/* Not on exit: a thread may find that none is left and be traced before the one before it. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(freed, struct task_struct *p)
{
	__u32 tgid = p->tgid;

	if (p->pid == p->tgid)
		bpf_map_delete_elem(&tree, &tgid);
	return 0;
}
