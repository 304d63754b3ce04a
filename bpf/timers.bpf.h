/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timers that a process arms and whose expiry it takes: timerfds and POSIX timers.
 *
 * Which arming an expiry belongs to is decided here, from the last two: the newer, unless it cannot
 * have expired yet. Arming is noted when the call is entered, since a short timer may have expired
 * before it returns. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_TIMERS_BPF_H
#define ASSAY_BPF_TIMERS_BPF_H

#include "bpf/calls.bpf.h"
#include "bpf/files.bpf.h"

enum {
	SI_TIMER = -2,	   /* asm-generic/siginfo.h */
	TIMER_ABSTIME = 1, /* TFD_TIMER_ABSTIME is the same */
	CLOCK_MONOTONIC = 1,
};

struct arming {
	__u64 t;   /* 0: none */
	__u64 due; /* on the clock of the records; UINT64_MAX: it was disarmed */
	__u32 tid;
	__u32 bits; /* enum ev_timer_bit */
};

struct timer {
	struct arming now, before;
	__u64 ns; /* as asked for */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_TIMERS_MAX);
	__type(key, __u64);
	__type(value, struct timer);
} timers SEC(".maps");

struct user_itimerspec {
	__u64 interval_s, interval_ns, value_s, value_ns;
};

struct user_siginfo { /* head of siginfo_t, of SI_TIMER */
	__s32 signo, err, code, pad;
	__s32 timer, overrun;
};

static __always_inline __u64 timer_posix(__u32 id)
{
	return (__u64)current_tgid() << 32 | id;
}

/* The timer that a call of timerfd_settime or timer_settime is about; 0: none. */
static __always_inline __u64 timer_of(const struct call *c, __u8 call)
{
	struct file *file;

	if (call == CALL_TIMER_SET)
		return timer_posix(c->arg[0]);
	file = file_of_fd(c->arg[0]);
	return file_kind(file) == FILE_TIMERFD ? (__u64)file_private(file) : 0;
}

/* When it is due, as far as the clock of the records tells; never too late. */
static __always_inline __u64 timer_due(__u64 name, __u8 call, bool absolute, __u64 ns, __u64 now)
{
	struct timerfd_ctx *ctx = (struct timerfd_ctx *)name;

	if (!ns)
		return ~0ull;
	if (!absolute)
		return now + ns;
	if (call == CALL_TIMERFD_SET && FIELD(struct timerfd_ctx, ctx, clockid) == CLOCK_MONOTONIC)
		return ns;
	return now;
}

static __always_inline void timer_enter(const struct call *c, __u8 call)
{
	__u64 name = timer_of(c, call), now = bpf_ktime_get_ns(), ns;
	bool absolute = c->arg[1] & TIMER_ABSTIME;
	struct user_itimerspec spec = {};
	struct timer fresh = {}, *t;

	if (!name || bpf_probe_read_user(&spec, sizeof(spec), (void *)c->arg[2]))
		return;
	ns = spec.value_s * 1000000000 + spec.value_ns;
	t = bpf_map_lookup_elem(&timers, &name);
	if (!t) {
		bpf_map_update_elem(&timers, &name, &fresh, BPF_NOEXIST);
		t = bpf_map_lookup_elem(&timers, &name);
		if (!t)
			return;
	}
	t->before = t->now;
	t->ns = ns;
	t->now.t = now;
	t->now.due = timer_due(name, call, absolute, ns, now);
	t->now.tid = bpf_get_current_pid_tgid();
	t->now.bits = (absolute ? EV_TIMER_ABSOLUTE : 0) |
		      (spec.interval_s | spec.interval_ns ? EV_TIMER_PERIODIC : 0);
}

static __always_inline void timer_emit(__u16 kind, __u64 name, __u32 id, __u64 d, __u8 what,
				       const struct arming *a, __u32 bits)
{
	struct ev_rec *r = emit_begin(kind);

	if (!r)
		return;
	r->a = name;
	r->b = id;
	r->c = a ? a->t : 0;
	r->d = d;
	r->e = what | (bits | (a ? a->bits : 0)) << 8 | (a ? (__u64)a->tid << 32 : 0);
	emit_end(r);
}

static __always_inline void timer_exit(const struct call *c, __u8 call)
{
	__u64 name = timer_of(c, call);
	struct timer *t = name ? bpf_map_lookup_elem(&timers, &name) : NULL;

	if (!t)
		return;
	if (c->ret < 0) {
		t->now = t->before;
		return;
	}
	timer_emit(EV_TIMER_SET, name, c->arg[0], t->ns,
		   call == CALL_TIMER_SET ? EV_TIMER_POSIX : EV_TIMER_FD, &t->now, 0);
}

/* The arming whose expiry is seen now. */
static __always_inline struct arming *timer_expired(__u64 name)
{
	struct timer *t = bpf_map_lookup_elem(&timers, &name);

	if (!t)
		return NULL;
	return t->now.due <= bpf_ktime_get_ns() || !t->before.t ? &t->now : &t->before;
}

/* The exit of a read of a timerfd. */
static __always_inline void timer_read(const struct call *c, struct file *file)
{
	__u64 name = (__u64)file_private(file), ticks = 0;

	bpf_probe_read_user(&ticks, sizeof(ticks), (void *)c->arg[1]);
	timer_emit(EV_TIMER_TAKE, name, c->arg[0], ticks, EV_TIMER_FD, timer_expired(name), 0);
}

static __always_inline void timer_signal(const struct user_siginfo *i, __u32 how)
{
	__u64 name = timer_posix(i->timer);

	if (i->code == SI_TIMER)
		timer_emit(EV_TIMER_TAKE, name, i->timer, 1 + (__u64)(__u32)i->overrun,
			   EV_TIMER_POSIX, timer_expired(name), how);
}

/* The exit of a sigtimedwait that was given where to say which signal it took. */
static __always_inline void timer_waited(const struct call *c)
{
	struct user_siginfo i = {};

	if (c->ret <= 0 || !c->arg[1] || bpf_probe_read_user(&i, sizeof(i), (void *)c->arg[1]))
		return;
	timer_signal(&i, EV_TIMER_WAITED);
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(signalled, int sig, void *info)
{
	struct user_siginfo i = {}; /* the kernel's has the same head */

	if (!watched(current_tgid()) || bpf_probe_read_kernel(&i, sizeof(i), info))
		return 0;
	timer_signal(&i, EV_TIMER_SIGNAL);
	return 0;
}

/* A timerfd's context begins with its hrtimer. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(expired, struct hrtimer *hrtimer)
{
	__u64 name = (__u64)hrtimer;
	struct ev_rec *r;
	struct timer *t = bpf_map_lookup_elem(&timers, &name);

	if (!t)
		return 0;
	r = emit_begin(EV_TIMER_EXPIRE);
	if (!r)
		return 0;
	r->flags |= EV_F_IRQ;
	if (!watched(r->tgid))
		r->flags |= EV_F_OTHER;
	r->a = name;
	r->c = t->now.t;
	r->e = EV_TIMER_FD | t->now.bits << 8 | (__u64)t->now.tid << 32;
	emit_end(r);
	return 0;
}

#endif
