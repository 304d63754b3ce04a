/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What every program of the collector shares: whom it watches, and how it emits a record.
 *
 * Include once, from collector.bpf.c, after the kernel's types and the helpers.
 */
#ifndef ASSAY_BPF_EMIT_BPF_H
#define ASSAY_BPF_EMIT_BPF_H

#include "bpf/collector.h"
#include "bpf/evidence.h"

const volatile struct collector_settings settings;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} records SEC(".maps");

/* tgids that are watched, and how many rings each has created; user space puts the root in before
 * attach, forks add theirs */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, COLLECTOR_TREE_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} tree SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct collector_cpu);
} cpus SEC(".maps");

static __always_inline bool watched(__u32 tgid)
{
	return bpf_map_lookup_elem(&tree, &tgid) != NULL;
}

static __always_inline __u32 current_tgid(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

static __always_inline struct collector_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

/* ---- emission ---- */

/* An interrupt between the count and the reserve swaps two neighbours: readers allow for it. */
static __always_inline __u16 next_seq(struct collector_cpu *c)
{
	if (!++c->seq)
		c->seq = 1;
	return c->seq;
}

/* Nine significant bits: the processor has no logarithm that a BPF program could ask for. */
static __always_inline void set_ago(struct ev_rec *r, __u64 ns)
{
	__u8 scale = 1;

	if (ns >> 40) /* 18 minutes */
		return;
	if (ns >> 24) {
		ns >>= 16;
		scale += 16;
	}
	if (ns >> 16) {
		ns >>= 8;
		scale += 8;
	}
	if (ns >> 12) {
		ns >>= 4;
		scale += 4;
	}
	if (ns >> 10) {
		ns >>= 2;
		scale += 2;
	}
	if (ns >> 9) {
		ns >>= 1;
		scale += 1;
	}
	r->ago_scale = scale + (ns >> 8);
	r->ago = ns;
}

/* Which record of its CPU it is, and how long after the one before: so the next that is kept tells
 * when the last that was lost should have come. */
static __always_inline void emit_number(struct ev_rec *r)
{
	struct collector_cpu *c = this_cpu();
	__u64 before;

	r->seq = r->ago = r->ago_scale = 0;
	if (!c)
		return;
	r->seq = next_seq(c);
	before = c->before;
	c->before = r->t;
	if (before && r->t > before)
		set_ago(r, r->t - before);
}

/* Says, in its place in the order, what this CPU could not say before. */
static __noinline int emit_lost(struct collector_cpu *c)
{
	struct ev_rec *r;

	if (!c)
		return 0;
	r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
	if (!r)
		return 0;
	__builtin_memset(r, 0, sizeof(*r));
	r->t = c->lost_last;
	r->kind = EV_LOST;
	r->cpu = bpf_get_smp_processor_id();
	r->b = c->lost_first;
	/* exchange: an interrupt's program may add on this CPU between read and write */
	r->a = __sync_lock_test_and_set(&c->lost, 0);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Set by the first loss: until then no record has to look whether its CPU has some to tell. */
bool lossy;

static __noinline int count_lost(void)
{
	struct collector_cpu *c = this_cpu();
	__u64 t = bpf_ktime_get_ns();

	if (!c)
		return 0;
	next_seq(c); /* it would have been this CPU's next */
	c->before = t;
	lossy = true;
	c->lost_last = t;
	if (!__sync_fetch_and_add(&c->lost, 1))
		c->lost_first = t;
	__sync_fetch_and_add(&c->lost_total, 1);
	return 0;
}

static __noinline int tell_lost(void)
{
	struct collector_cpu *c = this_cpu();

	return c && c->lost ? emit_lost(c) : 0;
}

/* A record of the current task, arguments zero; NULL if it is lost (and counted). */
static __always_inline struct ev_rec *emit_begin(__u16 kind)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	__u64 id = bpf_get_current_pid_tgid();
	struct ev_rec *r;

	if (lossy)
		tell_lost();
	r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
	if (!r) {
		count_lost();
		return NULL;
	}
	r->t = bpf_ktime_get_ns();
	r->tid = (__u32)id;
	r->tgid = id >> 32;
	r->kind = kind;
	r->flags = task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ? EV_F_KERNEL : 0;
	r->cpu = bpf_get_smp_processor_id();
	emit_number(r);
	r->a = r->b = r->c = r->d = r->e = 0;
	return r;
}

/*
 * User space polls; waking it for every record would cost far more than the record. It is woken
 * only when it falls behind, and whether it does is looked at about every 256 records: those whose
 * time happens to end so.
 */
static __always_inline void emit_end(struct ev_rec *r)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (!(r->t & 255) && bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) >= settings.wake_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(r, flags);
}

#endif
