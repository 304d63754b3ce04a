/* SPDX-License-Identifier: BSD-2-Clause */
/* The questions that the rest of the harness asks of a machine that has been probed. */
#include "harness/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/suggest.h"

void probe_set(struct machine *m, enum probe_id id, bool can, const char *cure, const char *fmt,
	       ...)
{
	struct probe *p = &m->probes[id];
	va_list ap;

	p->can = can;
	snprintf(p->cure, sizeof(p->cure), "%s", cure && !can ? cure : "");
	va_start(ap, fmt);
	vsnprintf(p->detail, sizeof(p->detail), fmt, ap);
	va_end(ap);
}

static bool on_path(const char *program)
{
	static const char *const folders[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					      "/usr/bin",	 "/sbin",	   "/bin"};
	char path[256];

	if (program[0] == '/')
		return !access(program, X_OK);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%.100s", folders[i], program);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static const struct probe *find(const struct machine *m, const char *word)
{
	for (int i = 0; i < PROBE_CNT; i++)
		if (!strcmp(m->probes[i].name, word))
			return &m->probes[i];
	return NULL;
}

bool machine_probes(const struct machine *m, const char *word)
{
	return find(m, word);
}

const char *machine_program(const char *word)
{
	static const char mark[] = "program:";

	return strncmp(word, mark, sizeof(mark) - 1) ? word : word + sizeof(mark) - 1;
}

/* A program that is not there, or one of the words that are probed, misspelt. */
static bool no_program(const struct machine *m, const char *word, struct diag *d)
{
	const char *words[PROBE_CNT], *near;
	char cure[128] = "install it";

	for (int i = 0; i < PROBE_CNT; i++)
		words[i] = m->probes[i].name;
	near = suggest(word, words, PROBE_CNT);
	if (near && suggest_distance(word, near) == 1) /* bpftrace is no slip for ptrace */
		snprintf(cure, sizeof(cure), "install it, or did you mean %s?", near);
	diag_set(d, -ENOTSUP, NULL, 0, cure, "needs the program %s, which is not %s", word,
		 word[0] == '/' ? "there" : "on PATH");
	return false;
}

bool machine_has(const struct machine *m, const char (*needs)[NAME_LEN], unsigned cnt,
		 struct diag *d)
{
	for (unsigned i = 0; i < cnt; i++) {
		const struct probe *p = find(m, needs[i]);

		if (p && !p->can) {
			diag_set(d, -ENOTSUP, NULL, 0, p->cure, "needs %s: %s", p->name, p->detail);
			return false;
		}
	}
	return machine_has_programs(m, needs, cnt, d);
}

bool machine_has_programs(const struct machine *m, const char (*needs)[NAME_LEN], unsigned cnt,
			  struct diag *d)
{
	for (unsigned i = 0; i < cnt; i++)
		if (!find(m, needs[i]) && !on_path(machine_program(needs[i])))
			return no_program(m, machine_program(needs[i]), d);
	return true;
}

bool machine_can_record(const struct machine *m, struct diag *d)
{
	static const char needs[][NAME_LEN] = {"root",	  "bpf",   "ringbuf", "btf",
					       "tracefs", "pidns", "tp_btf"};

	return machine_has(m, needs, sizeof(needs) / sizeof(needs[0]), d);
}

unsigned machine_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

struct machine_ticks machine_ticks(void)
{
	struct machine_ticks t = {0};
	uint64_t v[8] = {0}; /* user nice system idle iowait irq softirq steal: proc_stat(5) */
	FILE *in = fopen("/proc/stat", "re");

	if (!in)
		return t;
	if (fscanf(in, "cpu %lu %lu %lu %lu %lu %lu %lu %lu", &v[0], &v[1], &v[2], &v[3], &v[4],
		   &v[5], &v[6], &v[7]) == 8) {
		t.idle = v[3] + v[4];
		for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
			t.all += v[i];
	}
	fclose(in);
	return t;
}

double machine_idle_since(const struct machine_ticks *then)
{
	struct machine_ticks now = machine_ticks();

	if (now.all <= then->all || now.idle < then->idle)
		return -1;
	return (double)(now.idle - then->idle) / (double)(now.all - then->all);
}
