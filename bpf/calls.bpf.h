/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * System calls, of either architecture: what a call is and its arguments.
 *
 * Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_CALLS_BPF_H
#define ASSAY_BPF_CALLS_BPF_H

#include "bpf/emit.bpf.h"

struct call {
	__u64 arg[6];
	__s64 ret; /* on exit only */
};

static __always_inline __u8 call_of(__u32 nr)
{
	if (nr >= COLLECTOR_CALL_NUMBERS)
		return CALL_NONE;
	barrier_var(nr); /* or the compiler checks another register than it uses */
	return settings.call[nr & (COLLECTOR_CALL_NUMBERS - 1)];
}

/* The call's number, of either architecture; arguments are still there on exit. */
static __always_inline __u32 call_nr(void *regs)
{
	struct pt_regs___x86 *x = regs;
	struct pt_regs___arm64 *a = regs;

	if (bpf_core_field_exists(x->orig_ax))
		return x->orig_ax;
	if (bpf_core_field_exists(a->syscallno))
		return a->syscallno;
	return COLLECTOR_CALL_NUMBERS;
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

#endif
