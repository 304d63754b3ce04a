/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * io_uring: rings, submissions, completions, and io_uring_enter.
 *
 * Several forms of a tracepoint's program stand here for kernels whose prototypes differ; user
 * space loads the one that fits the kernel's BTF. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_URING_BPF_H
#define ASSAY_BPF_URING_BPF_H

#include "bpf/calls.bpf.h"
#include "bpf/files.bpf.h"

/* rings of watched processes, with their numbers: completions may run on threads outside the tree
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_RINGS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} rings SEC(".maps");

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
	struct file *file = NULL;

	if (!registered) {
		file = file_of_fd(fd);
	} else {
		if (fd >= 16 || !bpf_core_field_exists(struct io_uring_task, registered_rings))
			return 0;
		bpf_probe_read_kernel(&file, sizeof(file),
				      TASK_FIELD(io_uring)->registered_rings + fd);
	}
	return file ? (__u64)file_private(file) : 0;
}

SEC("tp_btf/io_uring_create")
int BPF_PROG(io_create, int fd, void *ring_ctx, __u32 sq_entries, __u32 cq_entries, __u32 flags)
{
	__u32 tgid = current_tgid(), number, *made = bpf_map_lookup_elem(&tree, &tgid);
	__u64 ring = (__u64)ring_ctx;
	struct ev_rec *r;

	if (!made) {
		/* the address may have been one of ours before */
		bpf_map_delete_elem(&rings, &ring);
		return 0;
	}
	number = __sync_fetch_and_add(made, 1) + 1;
	if (number & (COLLECTOR_UNNUMBERED | 0xffff0000))
		number = 0;
	bpf_map_update_elem(&rings, &ring, &number, BPF_ANY);
	r = emit_begin(EV_IO_CREATE);
	if (!r)
		return 0;
	r->a = ring;
	r->b = fd;
	r->c = sq_entries;
	r->d = cq_entries;
	r->e = flags | (__u64)number << 32;
	emit_end(r);
	return 0;
}

/* which submission each request is in: addresses are used again at once */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_REQUESTS_MAX);
	__type(key, __u64);
	__type(value, __u64);
} requests SEC(".maps");

/* A ring counts the SQEs that it takes. */
static __always_inline __u64 stamp_request(struct io_kiocb *req)
{
	__u64 key = (__u64)req, stamp = req->ctx->cached_sq_head, *old;

	old = bpf_map_lookup_elem(&requests, &key);
	if (old)
		*old = stamp;
	else
		bpf_map_update_elem(&requests, &key, &stamp, BPF_ANY);
	return stamp << EV_IO_STAMP;
}

/* the newest of what can post CQEs that name no request: several of a submission, messages */
struct uring_name {
	__u64 ring, user_data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_NAMES_MAX);
	__type(key, struct uring_name);
	__type(value, __u64);
} names SEC(".maps");

static __always_inline void stamp_name(__u64 ring, __u64 user_data, __u64 stamp)
{
	struct uring_name key = {ring, user_data};

	bpf_map_update_elem(&names, &key, &stamp, BPF_ANY);
}

static __always_inline __u64 stamp_of(__u64 ring, __u64 req, __u64 user_data)
{
	struct uring_name key = {ring, user_data};
	__u64 *stamp =
		req ? bpf_map_lookup_elem(&requests, &req) : bpf_map_lookup_elem(&names, &key);

	return stamp ? *stamp << EV_IO_STAMP : 0;
}

/* Whether requests of this opcode can post more than one CQE. */
static __always_inline bool can_repeat(__u8 opcode)
{
	switch (opcode) {
	case IORING_OP_POLL_ADD:
	case IORING_OP_RECVMSG:
	case IORING_OP_TIMEOUT:
	case IORING_OP_ACCEPT:
	case IORING_OP_RECV:
	case IORING_OP_URING_CMD:
	case IORING_OP_SEND_ZC:
	case IORING_OP_SENDMSG_ZC:
	case IORING_OP_READ_MULTISHOT:
	case IORING_OP_RECV_ZC:
		return true;
	default:
		return false;
	}
}

static __always_inline void emit_msg(struct io_kiocb *req)
{
	__u32 fd = req->cqe.fd;
	bool fixed = req->flags & IOSQE_FIXED_FILE;
	struct io_msg *msg = (void *)req;
	__u64 data = 0, target;
	struct ev_rec *r;
	__u32 len = 0;

	if (!bpf_core_field_exists(msg->user_data))
		return;
	bpf_core_read(&data, sizeof(data), &msg->user_data);
	bpf_core_read(&len, sizeof(len), &msg->len);
	target = fixed ? 0 : ring_of_fd(fd, false);
	r = emit_begin(EV_IO_MSG);
	if (!r) { /* what is lost makes the one before it no newer */
		stamp_name(target, data, bpf_ktime_get_ns());
		return;
	}
	stamp_name(target, data, r->t);
	r->a = (__u64)req->ctx;
	r->b = (__u64)req;
	r->c = data;
	r->d = fd | (__u64)len << 32;
	r->e = target;
	emit_end(r);
}

static __always_inline __u64 ring_number(__u64 ctx)
{
	__u32 *number = bpf_map_lookup_elem(&rings, &ctx);

	return number ? (__u64)*number << EV_IO_NUMBER : 0;
}

static __always_inline void emit_submit(struct io_kiocb *req, __u32 how)
{
	__u64 ctx = (__u64)req->ctx, stamp;
	int flags = ring_flags(ctx);
	struct ev_rec *r;

	if (flags < 0)
		return;
	stamp = stamp_request(req);
	if (can_repeat(req->opcode))
		stamp_name(ctx, req->cqe.user_data, stamp >> EV_IO_STAMP);
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
		r->e = (req->flags & 0xff) | how | ring_number(ctx) | stamp;
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
	struct io_uring_task *its = TASK_FIELD(io_uring);

	if (!bpf_core_field_exists(struct io_uring_task, in_cancel) || !its)
		return 0;
	return FIELD(struct io_uring_task, its, in_cancel.counter) > 0 ? EV_CQE_DYING : 0;
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
	r->e = cflags | dying() | stamp_of(ctx, req, user_data);
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

static __always_inline void emit_ring(__u16 kind, const struct call *c)
{
	struct ev_rec *r = emit_begin(kind);

	if (!r)
		return;
	r->a = (__u32)c->arg[0];
	r->d = (__u32)c->arg[3];
	if (kind == EV_IO_ENTER) {
		r->b = (__u32)c->arg[1];
		r->c = (__u32)c->arg[2];
		r->e = ring_of_fd(r->a, r->d & IORING_ENTER_REGISTERED_RING);
	} else {
		r->b = c->ret;
	}
	emit_end(r);
}

#endif
