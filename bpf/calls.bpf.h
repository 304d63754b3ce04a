/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * System calls: futexes and io_uring_enter, of either architecture and every form.
 *
 * Include once, from collector.bpf.c, after ring_of_fd.
 */
#ifndef ASSAY_BPF_CALLS_BPF_H
#define ASSAY_BPF_CALLS_BPF_H

#include "bpf/emit.bpf.h"

struct call {
	__u64 arg[6];
	__s64 ret;
};

/* The call's number, of either architecture; arguments are still there on exit. */
static __always_inline __u32 call_nr(void *regs)
{
	struct pt_regs___x86 *x = regs;
	struct pt_regs___arm64 *a = regs;

	if (bpf_core_field_exists(x->orig_ax))
		return x->orig_ax;
	if (bpf_core_field_exists(a->syscallno))
		return a->syscallno;
	return NR_ABSENT;
}

static __always_inline void call_args(struct call *c, void *regs)
{
	struct pt_regs___x86 *x = regs;
	struct pt_regs___arm64 *a = regs;

	if (bpf_core_field_exists(x->di)) {
		c->arg[0] = x->di;
		c->arg[1] = x->si;
		c->arg[2] = x->dx;
		c->arg[3] = x->r10;
		c->arg[4] = x->r8;
		c->arg[5] = x->r9;
	} else if (bpf_core_field_exists(a->orig_x0)) {
		c->arg[0] = a->orig_x0;
		c->arg[1] = a->regs[1];
		c->arg[2] = a->regs[2];
		c->arg[3] = a->regs[3];
		c->arg[4] = a->regs[4];
		c->arg[5] = a->regs[5];
	}
}

struct user_waitv { /* struct futex_waitv of linux/futex.h */
	__u64 val, uaddr;
	__u32 flags, reserved;
};

static __always_inline __u64 waitv_uaddr(__u64 waiters, __u64 i)
{
	struct user_waitv w = {};

	bpf_probe_read_user(&w, sizeof(w), (void *)(waiters + i * sizeof(w)));
	return w.uaddr;
}

/* Brings every futex call to one form; c->ret is looked at on exit only. */
static __always_inline void futex_fill(struct ev_rec *r, const struct call *c, __u32 nr, bool exit)
{
	r->a = c->arg[0];
	if (nr == settings.nr.futex) {
		r->b = (__u32)c->arg[1];
		r->c = (__u32)c->arg[2];
		r->d = (__u32)c->arg[5];
		r->e = c->arg[4];
	} else if (nr == settings.nr.futex_wait) {
		r->b = FUTEX_WAIT_BITSET | (c->arg[3] & FUTEX_PRIVATE_FLAG);
		r->c = c->arg[1];
		r->d = c->arg[2];
	} else if (nr == settings.nr.futex_wake) {
		r->b = FUTEX_WAKE_BITSET | (c->arg[3] & FUTEX_PRIVATE_FLAG);
		r->c = (__u32)c->arg[2];
		r->d = c->arg[1];
	} else if (nr == settings.nr.futex_requeue) {
		r->a = waitv_uaddr(c->arg[0], 0);
		r->b = FUTEX_CMP_REQUEUE | (c->arg[1] & FUTEX_PRIVATE_FLAG);
		r->c = (__u32)c->arg[2];
		r->e = waitv_uaddr(c->arg[0], 1);
	} else if (nr == settings.nr.futex_waitv) {
		r->a = exit && c->ret >= 0 ? waitv_uaddr(c->arg[0], c->ret) : 0;
		r->b = EV_FUTEX_WAITV;
	} else {
		r->a = 0;
		r->b = EV_FUTEX_RESTART;
	}
	if (exit)
		r->c = c->ret;
}

static __always_inline bool is_futex(__u32 nr)
{
	return nr == settings.nr.futex || nr == settings.nr.futex_wait ||
	       nr == settings.nr.futex_wake || nr == settings.nr.futex_requeue ||
	       nr == settings.nr.futex_waitv || nr == settings.nr.restart_syscall;
}

static __always_inline void emit_futex(__u16 kind, const struct call *c, __u32 nr)
{
	struct ev_rec *r = emit_begin(kind);

	if (!r)
		return;
	futex_fill(r, c, nr, kind == EV_FUTEX_EXIT);
	emit_end(r);
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

SEC("tp_btf/sys_enter")
int BPF_PROG(call_enter, void *regs, long id)
{
	struct call c = {};
	__u32 nr = id;

	if (nr != settings.nr.io_uring_enter && !is_futex(nr))
		return 0;
	if (!watched(current_tgid()))
		return 0;
	call_args(&c, regs);
	if (nr == settings.nr.io_uring_enter)
		emit_ring(EV_IO_ENTER, &c);
	else
		emit_futex(EV_FUTEX_ENTER, &c, nr);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(call_exit, void *regs, long ret)
{
	struct call c = {.ret = ret};
	__u32 nr = call_nr(regs);

	if (nr != settings.nr.io_uring_enter && !is_futex(nr))
		return 0;
	if (!watched(current_tgid()))
		return 0;
	call_args(&c, regs);
	if (nr == settings.nr.io_uring_enter)
		emit_ring(EV_IO_EXIT, &c);
	else
		emit_futex(EV_FUTEX_EXIT, &c, nr);
	return 0;
}

#endif
