// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The collector: scheduler, io_uring and futex calls of one process tree, as raw records.
 *
 * The kernel side filters, stamps and emits. Several forms of a tracepoint's program stand here
 * for kernels whose prototypes differ; user space loads the one that fits the kernel's BTF.
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* rings of watched processes: their completions may run on threads outside the tree */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_RINGS_MAX);
	__type(key, __u64);
	__type(value, __u8);
} rings SEC(".maps");

/* ---- io_uring ---- */

/* Whose event on a ring it is: EV_F_OTHER set or not, or -1 where it is nothing to us. */
static __always_inline int ring_flags(__u64 ctx)
{
	if (watched(current_tgid()))
		return 0;
	return bpf_map_lookup_elem(&rings, &ctx) ? EV_F_OTHER : -1;
}

/* The ring behind a descriptor of the current task; 0 where it cannot be told. */
static __always_inline __u64 ring_of_fd(__u32 fd, bool registered)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct file *file = NULL, **array;
	void *ctx = NULL;

	if (registered) {
		if (fd >= 16 || !bpf_core_field_exists(struct io_uring_task, registered_rings))
			return 0;
		array = task->io_uring->registered_rings;
	} else {
		if (fd >= task->files->fdt->max_fds)
			return 0;
		array = task->files->fdt->fd;
	}
	if (bpf_probe_read_kernel(&file, sizeof(file), array + fd) || !file)
		return 0;
	bpf_core_read(&ctx, sizeof(ctx), &file->private_data);
	return (__u64)ctx;
}

SEC("tp_btf/io_uring_create")
int BPF_PROG(io_create, int fd, void *ring_ctx, __u32 sq_entries, __u32 cq_entries, __u32 flags)
{
	__u64 ring = (__u64)ring_ctx;
	struct ev_rec *r;
	__u8 one = 1;

	if (!watched(current_tgid())) {
		/* the address may have been one of ours before */
		bpf_map_delete_elem(&rings, &ring);
		return 0;
	}
	bpf_map_update_elem(&rings, &ring, &one, BPF_ANY);
	r = emit_begin(EV_IO_CREATE);
	if (!r)
		return 0;
	r->a = ring;
	r->b = fd;
	r->c = sq_entries;
	r->d = cq_entries;
	r->e = flags;
	emit_end(r);
	return 0;
}

static __always_inline void emit_msg(struct io_kiocb *req)
{
	__u32 fd = req->cqe.fd;
	bool fixed = req->flags & IOSQE_FIXED_FILE;
	struct io_msg *msg = (void *)req;
	struct ev_rec *r;
	__u64 data = 0;
	__u32 len = 0;

	if (!bpf_core_field_exists(msg->user_data))
		return;
	bpf_core_read(&data, sizeof(data), &msg->user_data);
	bpf_core_read(&len, sizeof(len), &msg->len);
	r = emit_begin(EV_IO_MSG);
	if (!r)
		return;
	r->a = (__u64)req->ctx;
	r->b = (__u64)req;
	r->c = data;
	r->d = fd | (__u64)len << 32;
	r->e = fixed ? 0 : ring_of_fd(fd, false);
	emit_end(r);
}

static __always_inline void emit_submit(struct io_kiocb *req, __u32 how)
{
	__u64 ctx = (__u64)req->ctx;
	int flags = ring_flags(ctx);
	struct ev_rec *r;

	if (flags < 0)
		return;
	r = emit_begin(EV_IO_SUBMIT);
	if (r) {
		/* of all io workers only the SQPOLL thread submits */
		if (r->flags & EV_F_KERNEL)
			r->flags |= EV_F_SQPOLL;
		r->flags |= flags;
		r->a = ctx;
		r->b = (__u64)req;
		r->c = req->cqe.user_data;
		r->d = req->opcode;
		r->e = (req->flags & 0xff) | how;
		emit_end(r);
	}
	if (req->opcode == IORING_OP_MSG_RING && !how)
		emit_msg(req);
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(io_submit_req, struct io_kiocb *req)
{
	emit_submit(req, 0);
	return 0;
}

SEC("tp_btf/io_uring_submit_sqe") /* 6.0 to 6.3: (req, force_nonblock) */
int BPF_PROG(io_submit_sqe, struct io_kiocb *req)
{
	emit_submit(req, 0);
	return 0;
}

SEC("tp_btf/io_uring_req_failed")
int BPF_PROG(io_refused, void *sqe, struct io_kiocb *req)
{
	emit_submit(req, EV_SUBMIT_REFUSED);
	return 0;
}

/* Whether the current task is cancelling all its requests, because it exits or execs. */
static __always_inline __u64 dying(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();

	if (!bpf_core_field_exists(struct io_uring_task, in_cancel) || !task->io_uring)
		return 0;
	return task->io_uring->in_cancel.counter > 0 ? EV_CQE_DYING : 0;
}

static __always_inline void emit_cqe(__u16 kind, __u64 ctx, __u64 req, __u64 user_data, __s32 res,
				     __u32 cflags)
{
	int flags = ring_flags(ctx);
	struct ev_rec *r;

	if (flags < 0)
		return;
	r = emit_begin(kind);
	if (!r)
		return;
	r->flags |= flags;
	r->a = ctx;
	r->b = req;
	r->c = user_data;
	r->d = (__s64)res;
	r->e = cflags | dying();
	emit_end(r);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(io_complete_cqe, void *ring, void *req, struct io_uring_cqe *cqe)
{
	emit_cqe(EV_IO_COMPLETE, (__u64)ring, (__u64)req, cqe->user_data, cqe->res, cqe->flags);
	return 0;
}

SEC("tp_btf/io_uring_complete") /* before 6.14 */
int BPF_PROG(io_complete_args, void *ring, void *req, __u64 user_data, int res, unsigned int cflags)
{
	emit_cqe(EV_IO_COMPLETE, (__u64)ring, (__u64)req, user_data, res, cflags);
	return 0;
}

SEC("tp_btf/io_uring_cqe_overflow")
int BPF_PROG(io_overflow, void *ring, __u64 user_data, __s32 res, __u32 cflags)
{
	emit_cqe(EV_IO_OVERFLOW, (__u64)ring, 0, user_data, res, cflags);
	return 0;
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(io_punt, struct io_kiocb *req, int rw)
{
	__u64 ring = (__u64)req->ctx;
	int flags = ring_flags(ring);
	struct ev_rec *r;

	if (flags < 0)
		return 0;
	r = emit_begin(EV_IO_PUNT);
	if (!r)
		return 0;
	r->flags |= flags;
	r->a = ring;
	r->b = (__u64)req;
	r->c = req->cqe.user_data;
	r->d = req->opcode;
	r->e = rw;
	emit_end(r);
	return 0;
}

#include "bpf/calls.bpf.h"

/* ---- scheduler ---- */

/* Idle runs nothing of its own, so what it seems to wake is woken by an interrupt. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *p)
{
	__u32 tgid = p->tgid;
	struct ev_rec *r;

	if (!watched(tgid))
		return 0;
	r = emit_begin(EV_SCHED_WAKING);
	if (!r)
		return 0;
	if (r->tgid != tgid && !watched(r->tgid))
		r->flags |= EV_F_OTHER;
	if (!r->tid)
		r->flags |= EV_F_IRQ;
	r->a = p->pid;
	r->b = tgid;
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
	__u8 one = 1;

	if (bpf_map_update_elem(&tree, &tgid, &one, BPF_ANY) && c)
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
	struct ev_rec *r;

	if (!watched(p->tgid))
		return 0;
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
