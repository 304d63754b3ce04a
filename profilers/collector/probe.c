/* SPDX-License-Identifier: BSD-2-Clause */
/* Which programs of the collector fit this kernel. */
#include "profilers/collector/probe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "bpf/collector.h"
#include "bpf/collector.skel.h"
#include "profilers/collector/collect.h"

/* Arguments of a tracepoint as its BTF prototype has them, or -1 where there is no such one. */
static int tracepoint_args(const struct btf *btf, const char *name)
{
	char typedef_name[96];
	const struct btf_type *t;
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -1;
	t = btf__type_by_id(btf, btf__type_by_id(btf, id)->type); /* the pointer */
	if (!t || !btf_is_ptr(t))
		return -1;
	t = btf__type_by_id(btf, t->type);
	if (!t || !btf_is_func_proto(t))
		return -1;
	return btf_vlen(t) - 1; /* the first is the private data of the probe */
}

struct choice {
	uint32_t want; /* the feature that it belongs to */
	bool vital;    /* without it the feature is off */
	const char *tracepoint;
	int args_min, args_max;
	size_t program; /* offset in the skeleton */
	const char *alternative_of;
};

#define COLLECT_CALLS (COLLECT_IO | COLLECT_FUTEX | COLLECT_STREAM | COLLECT_TIMER)
#define PROGRAM(name) offsetof(struct collector, progs.name)

/* Forms of one tracepoint stand together, newest first; the first that fits is taken. */
static const struct choice choices[] = {
	{COLLECT_IO, true, "io_uring_create", 5, 5, PROGRAM(io_create), NULL},
	{COLLECT_IO, true, "io_uring_submit_req", 1, 1, PROGRAM(io_submit_req), "submit"},
	{COLLECT_IO, true, "io_uring_submit_sqe", 2, 2, PROGRAM(io_submit_sqe), "submit"},
	{COLLECT_IO, true, "io_uring_complete", 3, 3, PROGRAM(io_complete_cqe), "complete"},
	{COLLECT_IO, true, "io_uring_complete", 7, 7, PROGRAM(io_complete_args), "complete"},
	{COLLECT_IO, false, "io_uring_req_failed", 3, 3, PROGRAM(io_refused), NULL},
	{COLLECT_IO, false, "io_uring_cqe_overflow", 5, 5, PROGRAM(io_overflow), NULL},
	{COLLECT_IO, false, "io_uring_queue_async_work", 2, 2, PROGRAM(io_punt), NULL},
	{COLLECT_CALLS, true, "sys_enter", 2, 2, PROGRAM(call_enter), NULL},
	{COLLECT_CALLS, true, "sys_exit", 2, 2, PROGRAM(call_exit), NULL},
	{COLLECT_SCHED, true, "sched_waking", 1, 1, PROGRAM(waking), NULL},
	{COLLECT_SWITCH, true, "sched_switch", 3, 4, PROGRAM(switched), NULL},
	{COLLECT_BLOCK, true, "block_rq_issue", 1, 1, PROGRAM(block_issue), NULL},
	{COLLECT_BLOCK, true, "block_rq_complete", 3, 3, PROGRAM(block_done), NULL},
	{COLLECT_TIMER, false, "signal_deliver", 3, 3, PROGRAM(signalled), NULL},
	{COLLECT_TIMER, false, "hrtimer_expire_entry", 2, 2, PROGRAM(expired), NULL},
	{COLLECT_WORK, true, "workqueue_queue_work", 3, 3, PROGRAM(work_queued), NULL},
	{COLLECT_WORK, false, "workqueue_activate_work", 1, 1, PROGRAM(work_activated), NULL},
	{COLLECT_WORK, true, "workqueue_execute_start", 1, 1, PROGRAM(work_started), NULL},
	{COLLECT_WORK, true, "workqueue_execute_end", 1, 2, PROGRAM(work_ended), NULL},
	{COLLECT_FAULT, true, "page_fault_user", 3, 3, PROGRAM(faulted), NULL},
	{COLLECT_PROC, true, "sched_process_fork", 2, 2, PROGRAM(forked), NULL},
	{COLLECT_PROC, false, "sched_process_exec", 3, 3, PROGRAM(execed), NULL},
	{COLLECT_PROC, false, "sched_process_exit", 1, 2, PROGRAM(exited), NULL},
	{COLLECT_PROC, false, "sched_process_free", 1, 1, PROGRAM(freed), NULL},
};
enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static void say(char *missing, size_t size, const char *what)
{
	size_t len = strlen(missing);

	snprintf(missing + len, size - len, "%s%s", len ? ", " : "", what);
}

static bool fits(const struct choice *c, const struct btf *btf)
{
	int args = tracepoint_args(btf, c->tracepoint);

	return args >= c->args_min && args <= c->args_max;
}

/* Whether a form of the same tracepoint is taken already, or a later one fits. */
static bool covered(const struct btf *btf, size_t i)
{
	if (!choices[i].alternative_of)
		return false;
	for (size_t k = 0; k < CHOICES; k++)
		if (k != i && choices[k].alternative_of &&
		    !strcmp(choices[k].alternative_of, choices[i].alternative_of) &&
		    fits(&choices[k], btf))
			return true;
	return false;
}

static struct bpf_program *program_of(struct collector *skel, const struct choice *c)
{
	return *(struct bpf_program **)((char *)skel + c->program);
}

uint32_t probe_programs(struct collector *skel, const struct btf *btf, uint32_t want, char *missing,
			size_t size)
{
	uint32_t can = want;
	bool fit[CHOICES];

	missing[0] = 0;
	for (size_t i = 0; i < CHOICES; i++) {
		fit[i] = fits(&choices[i], btf);
		if (fit[i] || !(choices[i].want & want) || covered(btf, i))
			continue;
		say(missing, size, choices[i].tracepoint);
		if (choices[i].vital)
			can &= ~choices[i].want;
	}
	for (size_t i = 0; i < CHOICES; i++)
		bpf_program__set_autoload(program_of(skel, &choices[i]),
					  fit[i] && (choices[i].want & can));
	return can;
}
