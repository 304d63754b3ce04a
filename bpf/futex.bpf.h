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
#include "bpf/files.bpf.h"

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

/* ---- words that processes share: each may have them at an address of its own ---- */

struct futex_page {
	__u64 address;
	__u32 tgid, pad;
};

struct futex_mapped {
	__u64 inode, offset;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_PAGES_MAX);
	__type(key, struct futex_page);
	__type(value, struct futex_mapped);
} pages SEC(".maps");

/* include/linux/mm.h */
enum { VM_SHARED = 0x8 };

struct futex_look {
	__u64 address;
	struct futex_mapped found; /* inode 0: the process's own memory */
};

static long futex_vma(struct task_struct *task, struct vm_area_struct *vma, struct futex_look *l)
{
	struct file *file = vma->vm_file;

	if (!file || !(vma->vm_flags & VM_SHARED))
		return 0;
	l->found.inode = FIELD(struct inode, FIELD(struct file, file, f_inode), i_ino);
	l->found.offset = vma->vm_pgoff * settings.page_bytes + (l->address - vma->vm_start);
	return 0;
}

/* Where the address space is locked just now, what was said of the page before still holds. */
static __noinline int futex_page(__u64 word)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct futex_page key = {.address = word & ~(__u64)(settings.page_bytes - 1),
				 .tgid = current_tgid()};
	struct futex_look l = {.address = key.address};
	struct futex_mapped *known;
	struct ev_rec *r;

	if (bpf_find_vma(task, word, futex_vma, &l, 0))
		return 0;
	known = bpf_map_lookup_elem(&pages, &key);
	if (known && known->inode == l.found.inode && known->offset == l.found.offset)
		return 0;
	bpf_map_update_elem(&pages, &key, &l.found, BPF_ANY);
	r = emit_begin(EV_FUTEX_PAGE);
	if (!r) {
		bpf_map_delete_elem(&pages, &key); /* said with the next call */
		return 0;
	}
	r->a = key.address;
	r->b = l.found.inode;
	r->c = l.found.offset;
	emit_end(r);
	return 0;
}

static __always_inline bool futex_private(const struct call *c, __u8 call)
{
	return (call == CALL_FUTEX ? c->arg[1] : c->arg[3]) & FUTEX_PRIVATE_FLAG;
}

/* ---- calls ---- */

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
	struct ev_rec *r;

	if (call <= CALL_FUTEX_WAKE && !futex_private(c, call))
		futex_page(word);
	r = emit_begin(EV_FUTEX_ENTER);
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

struct waking {
	__u64 caller, waiter, word; /* c, d and e of EV_SCHED_WAKING */
};

/* Which call of current's, and which wait of p's, a sched_waking may belong to. Apart from the
 * record: older verifiers forget that one is there when it is asked for twice. */
static __always_inline void futex_waking(struct task_struct *p, struct waking *ret)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct futex_state *waker = bpf_task_storage_get(&threads, task, NULL, 0);
	struct futex_state *wakee = bpf_task_storage_get(&threads, p, NULL, 0);
	bool waits = wakee && wakee->in == FUTEX_WAITS;
	bool wakes = waker && waker->in == FUTEX_WAKES;

	if (waits)
		ret->waiter = wakee->entered;
	if (wakes) {
		ret->caller = waker->entered;
		ret->word = waker->word;
	}
	if (waits && wakes) {
		wakee->woken++;
		waker->woken++;
	}
}

#endif
