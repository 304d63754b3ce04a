/* SPDX-License-Identifier: BSD-2-Clause */
/* The harness's own view of what a run costs. */
#include "harness/cost_watch.h"

#include <stdio.h>

#include "lib/elf_file.h"

static void say(int log_fd, const char *kind, const struct diag *why)
{
	if (why->err)
		dprintf(log_fd, "truth has no cost '%s' here: %s\n", kind, why->reason);
}

void cost_watch_start(struct cost_watch *w, pid_t pid, bool wakes, int log_fd)
{
	struct diag why = {0};

	switches_open(pid, wakes, &w->switches, &why);
	say(log_fd, "cpu", &why);
}

void cost_watch_stop(struct cost_watch *w, int log_fd)
{
	struct diag why = {0}, no_wakes = {0};

	if (w->switches)
		switches_close(w->switches, &w->timeline, &why, &w->wakes, &no_wakes);
	w->switches = NULL;
	say(log_fd, "cpu", &why);
	say(log_fd, "blocked", &no_wakes);
}

static const char *function_at(const void *program, uint64_t addr)
{
	const struct elf_symbol *s = elf_file_at(program, addr);

	return s && s->addr == addr ? s->name : NULL;
}

void cost_watch_lend(struct cost_watch *w, const char *exe, struct collect_info *to)
{
	struct diag unread;

	to->timeline = w->timeline;
	to->no_cpu = &w->no_cpu;
	to->no_off_cpu = &w->no_off_cpu;
	to->wakes = w->wakes;
	if (elf_file_open(exe, &w->program, &unread))
		return; /* it was a program when it ran: then no function of it has a name */
	to->function_at = function_at;
	to->program = w->program;
}

void cost_watch_end(struct cost_watch *w, int log_fd)
{
	say(log_fd, "cpu", &w->no_cpu);
	say(log_fd, "off-cpu", &w->no_off_cpu);
	timeline_free(w->timeline);
	wakes_free(w->wakes);
	elf_file_close(w->program);
	*w = (struct cost_watch){0};
}
