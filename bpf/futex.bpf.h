/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Futex calls, every form brought to one, and who wakes whom in them.
 *
 * Which call a thread is in is kept with the thread, so that a wake and a wait's exit name the wait
 * that they end whatever becomes of other records. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_FUTEX_BPF_H
#define ASSAY_BPF_FUTEX_BPF_H

#include "bpf/calls.bpf.h"

/* include/linux/errno.h: restart_syscall will go on with the wait */
enum { ERESTART_RESTARTBLOCK = 516 };

struct futex_state {
	__u64 entered; /* when; 0: never, or the call is over for good */
	__u64 word;
	__u32 woken; /* see EV_FUTEX_EXIT */
	__u8 in;     /* enum futex_side, while in the call */
	__u8 side;   /* kept for the restart of an interrupted call */
	__u8 pad[2];
};

enum futex_side { FUTEX_OUT = 0, FUTEX_WAITS = 1, FUTEX_WAKES = 2 };

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct futex_state);
} threads SEC(".maps");

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

/* c->ret is looked at on exit only. */
static __always_inline void futex_fill(struct ev_rec *r, const struct call *c, __u8 call, bool exit)
{
	r->a = c->arg[0];
	switch (call) {
	case CALL_FUTEX:
		r->b = (__u32)c->arg[1];
		r->c = (__u32)c->arg[2];
		r->d = (__u32)c->arg[5];
		r->e = c->arg[4];
		break;
	case CALL_FUTEX_WAIT:
		r->b = FUTEX_WAIT_BITSET | (c->arg[3] & FUTEX_PRIVATE_FLAG);
		r->c = c->arg[1];
		r->d = (__u32)c->arg[2];
		break;
	case CALL_FUTEX_WAKE:
		r->b = FUTEX_WAKE_BITSET | (c->arg[3] & FUTEX_PRIVATE_FLAG);
		r->c = (__u32)c->arg[2];
		r->d = (__u32)c->arg[1];
		break;
	case CALL_FUTEX_REQUEUE:
		r->a = waitv_uaddr(c->arg[0], 0);
		r->b = FUTEX_CMP_REQUEUE | (c->arg[1] & FUTEX_PRIVATE_FLAG);
		r->c = (__u32)c->arg[2];
		r->e = waitv_uaddr(c->arg[0], 1);
		break;
	case CALL_FUTEX_WAITV:
		r->a = exit && c->ret >= 0 ? waitv_uaddr(c->arg[0], c->ret) : 0;
		r->b = EV_FUTEX_WAITV;
		break;
	default:
		r->a = 0;
		r->b = EV_FUTEX_RESTART;
	}
	if (exit)
		r->c = c->ret;
}

static __always_inline __u8 futex_side(const struct call *c, __u8 call)
{
	switch (call) {
	case CALL_FUTEX_WAIT:
	case CALL_FUTEX_WAITV:
		return FUTEX_WAITS;
	case CALL_FUTEX_WAKE:
	case CALL_FUTEX_REQUEUE:
		return FUTEX_WAKES;
	default:
		break;
	}
	switch (c->arg[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return FUTEX_WAITS;
	default:
		return FUTEX_WAKES;
	}
}

static __always_inline void futex_enter(const struct call *c, __u8 call)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct futex_state *s =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 t = bpf_ktime_get_ns(), word = c->arg[0];
	struct ev_rec *r = emit_begin(EV_FUTEX_ENTER);

	if (r) {
		t = r->t;
		futex_fill(r, c, call, false);
		word = r->a;
		emit_end(r);
	}
	if (!s)
		return;
	if (call == CALL_FUTEX_RESTART) {
		s->in = s->side;
		return;
	}
	s->side = s->in = futex_side(c, call);
	s->word = word;
	s->woken = 0;
	s->entered = t;
}

static __always_inline void futex_exit(const struct call *c, __u8 call)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct futex_state *s = bpf_task_storage_get(&threads, task, NULL, 0);
	struct ev_rec *r = emit_begin(EV_FUTEX_EXIT);

	if (r) {
		futex_fill(r, c, call, true);
		if (s && s->in) {
			r->b |= (__u64)s->woken << 32;
			r->d |= s->entered << 32;
		}
		emit_end(r);
	}
	if (!s)
		return;
	s->in = FUTEX_OUT;
	if (c->ret != -ERESTART_RESTARTBLOCK)
		s->side = FUTEX_OUT;
}

/* Which call of current's, and which wait of p's, a sched_waking may belong to. */
static __always_inline void futex_waking(struct ev_rec *r, struct task_struct *p)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct futex_state *waker = bpf_task_storage_get(&threads, task, NULL, 0);
	struct futex_state *wakee = bpf_task_storage_get(&threads, p, NULL, 0);
	bool waits = wakee && wakee->in == FUTEX_WAITS;
	bool wakes = waker && waker->in == FUTEX_WAKES;

	if (waits && r)
		r->d = wakee->entered;
	if (wakes && r) {
		r->c = waker->entered;
		r->e = waker->word;
	}
	if (waits && wakes) {
		wakee->woken++;
		waker->woken++;
	}
}

#endif
