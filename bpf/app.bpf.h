/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors: what the application's own probe sites say, evaluated where they are hit.
 *
 * One program serves all entry sites, one all return sites, one all USDT sites; the attach cookie
 * is the index of the descriptor. A return site that needs an argument has an entry site as well,
 * which saves the arguments under (thread, descriptor, stack pointer), so that recursion and a
 * return that never comes confuse nobody. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_APP_BPF_H
#define ASSAY_BPF_APP_BPF_H

#include <bpf/usdt.bpf.h>

#include "bpf/descriptor.h"
#include "bpf/emit.bpf.h"

enum { APP_ARGS = 6 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DESC_MAX);
	__type(key, __u32);
	__type(value, struct desc_prog);
} descriptors SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DESC_MAX);
	__type(key, __u32);
	__type(value, struct app_tally);
} tallies SEC(".maps");

struct app_call {
	__u32 tid, desc;
	__u64 sp;
};

struct app_regs {
	__u64 arg[8]; /* APP_ARGS of them; eight, so that a mask bounds the index */
	__u64 ret;
	__u64 ip;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_CALLS_MAX);
	__type(key, struct app_call);
	__type(value, struct app_regs);
} calls SEC(".maps");

/* of each instance of each resource: how many events so far */
struct app_life {
	__u64 instance;
	__u32 tgid, resource;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COLLECTOR_LIVES_MAX);
	__type(key, struct app_life);
	__type(value, __u32);
} lives SEC(".maps");

/* 1 … 255 and round again; 0 where there is no room. */
static __always_inline __u64 app_sequence(__u64 instance, __u8 resource)
{
	struct app_life key = {instance, current_tgid(), resource};
	__u32 *cnt = bpf_map_lookup_elem(&lives, &key), zero = 0;

	if (!cnt) {
		bpf_map_update_elem(&lives, &key, &zero, BPF_NOEXIST);
		cnt = bpf_map_lookup_elem(&lives, &key);
	}
	return cnt ? 1 + __sync_fetch_and_add(cnt, 1) % 255 : 0;
}

/* ---- expressions ---- */

static __always_inline __u64 app_narrow(__u64 v, __u8 width, bool is_signed)
{
	__u32 shift = width == 1 ? 56 : width == 2 ? 48 : width == 4 ? 32 : 0;

	v <<= shift;
	return is_signed ? (__u64)((__s64)v >> shift) : v >> shift;
}

/* Little-endian: what is not read stays zero. */
static __always_inline long app_read(__u64 *v, __u8 width, __u64 from)
{
	const void *p = (const void *)from;

	*v = 0;
	switch (width) {
	case 1:
		return bpf_probe_read_user(v, 1, p);
	case 2:
		return bpf_probe_read_user(v, 2, p);
	case 4:
		return bpf_probe_read_user(v, 4, p);
	default:
		return bpf_probe_read_user(v, 8, p);
	}
}

/* 0, or negative where memory could not be read; *ret is 0 then. */
static __noinline long app_eval(const struct desc_expr *e, const struct app_regs *r, __u64 *ret)
{
	__u64 v = 0;

	*ret = 0;
	if (e->kind == EXPR_CONST)
		v = e->value;
	else if (e->kind == EXPR_ARG)
		v = r->arg[e->reg & 7];
	else if (e->kind == EXPR_RETVAL)
		v = r->ret;
	if (e->loads == 1) {
		if (app_read(&v, e->width, v + e->off[0]))
			return -1;
	} else if (e->loads == 2) {
		if (app_read(&v, 8, v + e->off[0]) || app_read(&v, e->width, v + e->off[1]))
			return -1;
	}
	*ret = app_narrow(v, e->width, e->is_signed);
	return 0;
}

static __always_inline bool app_compare(const struct desc_when *w, __u64 v)
{
	bool below = w->is_signed ? (__s64)v < (__s64)w->value : v < w->value;

	switch (w->op) {
	case WHEN_EQ:
		return v == w->value;
	case WHEN_NE:
		return v != w->value;
	case WHEN_LT:
		return below;
	case WHEN_LE:
		return below || v == w->value;
	case WHEN_GT:
		return !below && v != w->value;
	case WHEN_GE:
		return !below;
	case WHEN_AND:
		return v & w->value;
	default:
		return true;
	}
}

/* ---- hits ---- */

/* Whether the guard lets the hit pass; one that cannot be read does, and says so. */
static __always_inline bool app_passes(const struct desc_prog *p, const struct app_regs *r,
				       __u64 *faults)
{
	__u64 v;

	if (p->when.op == WHEN_ALWAYS)
		return true;
	if (app_eval(&p->when.lhs, r, &v)) {
		*faults |= EV_APP_FAULT_WHEN;
		return true;
	}
	return app_compare(&p->when, v);
}

static __always_inline void app_emit(const struct desc_prog *p, const struct app_regs *r,
				     __u64 faults)
{
	bool capacity = p->event == DESC_EVENT_CAPACITY;
	__u64 instance, units, target;
	struct ev_rec *v;
	__u64 seq = 0;

	if (app_eval(&p->instance, r, &instance))
		faults |= EV_APP_FAULT_INSTANCE;
	else if (!capacity)
		seq = app_sequence(instance, p->resource);
	if (app_eval(&p->units, r, &units))
		faults |= EV_APP_FAULT_UNITS;
	if (app_eval(&p->target, r, &target))
		faults |= EV_APP_FAULT_TARGET;
	v = emit_begin(capacity ? EV_APP_CAPACITY : EV_APP);
	if (!v)
		return;
	if (faults)
		v->flags |= EV_F_FAULT;
	v->a = instance;
	v->b = units;
	v->c = target;
	v->d = r->ip;
	v->e = p->id | (__u64)p->event << 32 | seq << 40 | faults << 48;
	emit_end(v);
}

/* Sites come and go one after the other: what is hit meanwhile would be half a story. */
volatile __u32 app_off = 0;

static __noinline int app_hit(const struct app_regs *r, __u32 index, __u32 unsaved)
{
	struct desc_prog *p = bpf_map_lookup_elem(&descriptors, &index);
	struct app_tally *t = bpf_map_lookup_elem(&tallies, &index);
	__u64 faults = unsaved ? EV_APP_FAULT_UNSAVED : 0;

	if (!p || !t || app_off)
		return 0;
	t->hits++;
	t->unsaved += unsaved;
	if (!app_passes(p, r, &faults))
		return 0;
	t->passed++;
	app_emit(p, r, faults);
	return 0;
}

static __always_inline void app_args(struct app_regs *r, struct pt_regs *ctx)
{
	r->arg[0] = PT_REGS_PARM1(ctx);
	r->arg[1] = PT_REGS_PARM2(ctx);
	r->arg[2] = PT_REGS_PARM3(ctx);
	r->arg[3] = PT_REGS_PARM4(ctx);
	r->arg[4] = PT_REGS_PARM5(ctx);
	r->arg[5] = PT_REGS_PARM6(ctx);
	r->ip = PT_REGS_IP(ctx);
}

static __always_inline int app_enter(struct pt_regs *ctx)
{
	struct app_regs r = {};

	if (!watched(current_tgid()))
		return 0;
	app_args(&r, ctx);
	return app_hit(&r, bpf_get_attach_cookie(ctx), 0);
}

/* Where the return address is pushed, the stack is one word higher once it has been popped. */
#if defined(__TARGET_ARCH_x86)
enum { APP_POPPED = 8 };
#else
enum { APP_POPPED = 0 };
#endif

static __always_inline struct app_call app_call_of(struct pt_regs *ctx, __u64 popped)
{
	return (struct app_call){
		.tid = bpf_get_current_pid_tgid(),
		.desc = bpf_get_attach_cookie(ctx),
		.sp = PT_REGS_SP(ctx) - popped,
	};
}

static __always_inline int app_save(struct pt_regs *ctx)
{
	struct app_regs r = {};
	struct app_call key;

	if (!watched(current_tgid()))
		return 0;
	key = app_call_of(ctx, 0);
	app_args(&r, ctx);
	bpf_map_update_elem(&calls, &key, &r, BPF_ANY);
	return 0;
}

/* What was saved at the entry; if it is not there (evicted), the hit says so. */
static __always_inline int app_return(struct pt_regs *ctx)
{
	__u32 index = bpf_get_attach_cookie(ctx), unsaved = 0;
	struct app_regs r = {}, *saved;
	struct desc_prog *p;
	struct app_call key;

	if (!watched(current_tgid()))
		return 0;
	p = bpf_map_lookup_elem(&descriptors, &index);
	if (!p)
		return 0;
	if (p->needs_args) {
		key = app_call_of(ctx, APP_POPPED);
		saved = bpf_map_lookup_elem(&calls, &key);
		if (saved) {
			r = *saved;
			bpf_map_delete_elem(&calls, &key);
		} else {
			unsaved = 1;
		}
	}
	r.ret = PT_REGS_RC(ctx);
	r.ip = PT_REGS_IP(ctx);
	return app_hit(&r, index, unsaved);
}

/* ---- sites; the second form of each is for kernels without uprobe_multi ---- */

SEC("uprobe.multi")
int app_enter_multi(struct pt_regs *ctx)
{
	return app_enter(ctx);
}

SEC("uprobe.multi")
int app_save_multi(struct pt_regs *ctx)
{
	return app_save(ctx);
}

SEC("uprobe.multi")
int app_return_multi(struct pt_regs *ctx)
{
	return app_return(ctx);
}

SEC("uprobe")
int app_enter_one(struct pt_regs *ctx)
{
	return app_enter(ctx);
}

SEC("uprobe")
int app_save_one(struct pt_regs *ctx)
{
	return app_save(ctx);
}

SEC("uretprobe")
int app_return_one(struct pt_regs *ctx)
{
	return app_return(ctx);
}

static __always_inline __u32 app_named(const struct desc_expr *e)
{
	return e->kind == EXPR_ARG ? 1u << (e->reg & 7) : 0;
}

SEC("usdt")
int app_usdt(struct pt_regs *ctx)
{
	__u32 index = bpf_usdt_cookie(ctx), named, missing = 0;
	struct app_regs r = {};
	struct desc_prog *p;

	if (!watched(current_tgid()))
		return 0;
	p = bpf_map_lookup_elem(&descriptors, &index);
	if (!p)
		return 0;
	named = app_named(&p->instance) | app_named(&p->units) | app_named(&p->target) |
		app_named(&p->when.lhs);
#pragma unroll
	for (__u32 i = 0; i < APP_ARGS; i++)
		if (named & 1u << i && bpf_usdt_arg(ctx, i, (long *)&r.arg[i]))
			missing = 1;
	r.ip = PT_REGS_IP(ctx);
	return app_hit(&r, index, missing);
}

#endif
