/* SPDX-License-Identifier: BSD-2-Clause */
/* Strict command line of a workload program. */
#include "workloads/driver/options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum option_kind { OPTION_NUMBER, OPTION_U64, OPTION_CPUS, OPTION_TEXT, OPTION_FLAG };

struct option_row {
	const char *name;
	enum option_kind kind;
	size_t offset;
	uint64_t min, max;
	const char *help;
};

#define AT(field) offsetof(struct run_options, field)

static const struct option_row rows[] = {
	{"ops", OPTION_U64, AT(ops), 1, 100000000, "operations, all workers together"},
	{"rate", OPTION_U64, AT(rate), 1, 10000000,
	 "open loop: Poisson arrivals a second, latency from the intended arrival"},
	{"depth", OPTION_NUMBER, AT(depth), 1, 4096, "closed loop: operations in flight"},
	{"workers", OPTION_NUMBER, AT(workers), 1, 16, "threads that take arrivals"},
	{"queue-depth", OPTION_NUMBER, AT(queue_depth), 1, 256,
	 "operations that one worker may have in flight"},
	{"fanout", OPTION_NUMBER, AT(fanout), 1, 8, "parts that one operation is split into"},
	{"cost", OPTION_NUMBER, AT(cost_us), 0, 1000000, "CPU that one operation burns, us"},
	{"seed", OPTION_U64, AT(seed), 0, UINT64_MAX, "equal seeds draw equal requests"},
	{"cpus", OPTION_CPUS, 0, 0, 0, "CPUs to pin threads to in turn, such as 0,2-3"},
	{"data", OPTION_TEXT, AT(data), 0, 0, "folder for files"},
	{"path", OPTION_TEXT, AT(path), 0, 0,
	 "handoffs of a request in order, such as io,wake,queue (pipeline only)"},
	{"config", OPTION_TEXT, AT(config), 0, 0, "file of settings, name=number a line"},
	{"channel", OPTION_TEXT, AT(channel), 0, 0,
	 "file of the channel, where it is not inherited"},
	{"output", OPTION_TEXT, AT(output), 0, 0, "file for what is printed at the end"},
	{"serial", OPTION_FLAG, AT(serial), 0, 0, "one worker, depth 1, no race on purpose"},
	{"calibrate", OPTION_FLAG, AT(calibrate), 0, 0,
	 "stop once more, first, and then show what the kernel's names for keys are"},
	{"stop", OPTION_FLAG, AT(stop), 0, 0,
	 "stop (SIGSTOP) before the start and before the exit"},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *run_options_name(unsigned i)
{
	return i < ROWS ? rows[i].name : NULL;
}

const char *run_options_help(unsigned i)
{
	return i < ROWS ? rows[i].help : NULL;
}

/* Digits up to a byte of `end`; false for anything else and for overflow. */
static bool digits(const char **s, uint64_t *ret)
{
	const char *p = *s;
	uint64_t v = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	*s = p;
	*ret = v;
	return true;
}

static int parse_number(const struct option_row *row, const char *text, uint64_t *ret,
			struct diag *d)
{
	const char *p = text;
	uint64_t v;

	if (!digits(&p, &v) || *p || v < row->min || v > row->max)
		return diag_set(d, -EINVAL, "", 0, "give a whole number in that range",
				"--%s takes %llu to %llu, not '%s'", row->name,
				(unsigned long long)row->min, (unsigned long long)row->max, text);
	*ret = v;
	return 0;
}

static bool cpus_add(struct run_options *o, uint64_t from, uint64_t to)
{
	if (from > to || to >= CPU_SETSIZE)
		return false;
	for (uint64_t c = from; c <= to; c++) {
		if (o->cpus_cnt == OPTIONS_CPUS)
			return false;
		o->cpus[o->cpus_cnt++] = (unsigned)c;
	}
	return true;
}

static int parse_cpus(struct run_options *o, const char *text, struct diag *d)
{
	const char *p = text;

	o->cpus_cnt = 0;
	for (;;) {
		uint64_t from, to;

		if (!digits(&p, &from))
			break;
		to = from;
		if (*p == '-' && (p++, !digits(&p, &to)))
			break;
		if (!cpus_add(o, from, to))
			break;
		if (!*p)
			return 0;
		if (*p++ != ',')
			break;
	}
	return diag_set(d, -EINVAL, "", 0, "give CPU numbers and ranges, such as 0,2-3",
			"--cpus does not understand '%s'", text);
}

static int store(struct run_options *o, const struct option_row *row, const char *text,
		 struct diag *d)
{
	void *field = (char *)o + row->offset;
	uint64_t v = 0;
	int err;

	if (row->kind == OPTION_CPUS)
		return parse_cpus(o, text, d);
	if (row->kind == OPTION_TEXT) {
		memcpy(field, &text, sizeof(text));
		return 0;
	}
	err = parse_number(row, text, &v, d);
	if (err)
		return err;
	if (row->kind == OPTION_U64)
		*(uint64_t *)field = v;
	else
		*(unsigned *)field = (unsigned)v;
	return 0;
}

static const struct option_row *find_row(const char *word)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	for (unsigned i = 0; i < ROWS; i++) {
		if (strcmp(word + 2, rows[i].name) == 0)
			return &rows[i];
	}
	return NULL;
}

static int check_cpus(struct run_options *o, struct diag *d)
{
	cpu_set_t may;

	if (sched_getaffinity(0, sizeof(may), &may) < 0)
		return diag_set(d, -errno, "", 0, NULL, "cannot read the CPUs of this process");
	if (o->cpus_cnt == 0) {
		for (unsigned c = 0; c < CPU_SETSIZE && o->cpus_cnt < OPTIONS_CPUS; c++) {
			if (CPU_ISSET(c, &may))
				o->cpus[o->cpus_cnt++] = c;
		}
	}
	for (unsigned i = 0; i < o->cpus_cnt; i++) {
		if (!CPU_ISSET(o->cpus[i], &may))
			return diag_set(d, -EINVAL, "", 0, "name CPUs that taskset -p shows",
					"this process may not use CPU %u", o->cpus[i]);
	}
	return 0;
}

static void apply_serial(struct run_options *o)
{
	if (!o->serial)
		return;
	o->workers = 1;
	o->depth = 1;
	o->rate = 0;
}

int run_options_parse(struct run_options *o, int argc, char **argv, struct diag *d)
{
	bool rate = false, depth = false;

	for (int i = 0; i < argc; i++) {
		const struct option_row *row = find_row(argv[i]);
		int err;

		if (!row)
			return diag_set(d, -EINVAL, "", 0, "the knobs are listed by describe",
					"unknown option '%s'", argv[i]);
		if (row->kind == OPTION_FLAG) {
			*(bool *)((char *)o + row->offset) = true;
			continue;
		}
		if (++i == argc)
			return diag_set(d, -EINVAL, "", 0, row->help, "--%s needs a value",
					row->name);
		err = store(o, row, argv[i], d);
		if (err)
			return err;
		rate |= row->offset == AT(rate) && row->kind == OPTION_U64;
		depth |= row->offset == AT(depth) && row->kind == OPTION_NUMBER;
	}
	if (rate && depth)
		return diag_set(d, -EINVAL, "", 0,
				"give --rate for open or --depth for closed loop",
				"--rate and --depth exclude each other");
	if (depth)
		o->rate = 0;
	apply_serial(o);
	return check_cpus(o, d);
}
