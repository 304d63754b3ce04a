/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Work items that watched processes queue, wherever they run, and page faults.
 *
 * Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_WORK_BPF_H
#define ASSAY_BPF_WORK_BPF_H

#include "bpf/emit.bpf.h"

/* items that a watched process has queued: they run on the kernel's threads */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_WORKS_MAX);
	__type(key, __u64);
	__type(value, __u8);
} works SEC(".maps");

static __always_inline int emit_work(__u16 kind, struct work_struct *work, bool ours)
{
	__u64 name = (__u64)work;
	struct ev_rec *r;

	if (!ours && !bpf_map_lookup_elem(&works, &name))
		return 0;
	r = emit_begin(kind);
	if (!r)
		return 0;
	if (!watched(r->tgid))
		r->flags |= EV_F_OTHER;
	r->a = name;
	r->b = (__u64)work->func;
	emit_end(r);
	return 0;
}

SEC("tp_btf/workqueue_queue_work")
int BPF_PROG(work_queued, int cpu, void *pwq, struct work_struct *work)
{
	bool ours = watched(current_tgid());
	__u64 name = (__u64)work;
	__u8 one = 1;

	if (ours && !bpf_map_lookup_elem(&works, &name))
		bpf_map_update_elem(&works, &name, &one, BPF_ANY);
	return emit_work(EV_WORK_QUEUE, work, ours);
}

SEC("tp_btf/workqueue_activate_work")
int BPF_PROG(work_activated, struct work_struct *work)
{
	return emit_work(EV_WORK_ACTIVATE, work, false);
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(work_started, struct work_struct *work)
{
	return emit_work(EV_WORK_START, work, false);
}

/* The item may be freed already: its address is all that may be looked at. */
SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(work_ended, struct work_struct *work)
{
	__u64 name = (__u64)work;
	struct ev_rec *r;

	if (!bpf_map_lookup_elem(&works, &name))
		return 0;
	r = emit_begin(EV_WORK_END);
	if (!r)
		return 0;
	r->flags |= EV_F_OTHER;
	r->a = name;
	emit_end(r);
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(faulted, unsigned long address, void *regs, unsigned long code)
{
	struct pt_regs___x86 *x = regs;
	struct ev_rec *r;

	if (!watched(current_tgid()))
		return 0;
	r = emit_begin(EV_FAULT_USER);
	if (!r)
		return 0;
	r->a = address;
	if (bpf_core_field_exists(x->ip))
		r->b = x->ip;
	r->c = code;
	emit_end(r);
	return 0;
}

#endif
