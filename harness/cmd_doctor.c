/* SPDX-License-Identifier: BSD-2-Clause */
/* assay doctor: what this machine can run, what will be skipped, why, what to install. */
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/process.h"
#include "lib/json_out.h"
#include "lib/opts.h"

static struct {
	bool json;
} args;

static const struct opt table[] = {
	{"json", 0, OPT_FLAG, NULL, "one JSON object on standard output", &args.json, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay doctor",
	.usage = "[--json]",
	.purpose = "Tries what the benchmark needs and says what can run here",
	.table = table,
	.examples = {"assay doctor", "sudo assay doctor", "assay doctor --json | jq .probes"},
};

/* One thing that can or cannot run. */
struct verdict {
	const char *kind, *name;
	bool can;
	struct diag why;
};

static struct verdict of_workload(const struct workshop *w, const struct workload *l)
{
	struct verdict v = {.kind = "workload", .name = l->name, .why = l->trouble};

	v.can = !l->trouble.err && machine_has(&w->machine, l->needs, l->needs_cnt, &v.why);
	return v;
}

static struct verdict of_profiler(const struct workshop *w, const struct profiler *p, bool live)
{
	struct verdict v = {.kind = live ? "live profiler" : "joiner",
			    .name = p->name,
			    .can = !p->trouble.err,
			    .why = p->trouble};

	if (v.can && live) /* joiners need no rights */
		v.can = machine_has(&w->machine, p->needs, p->needs_cnt, &v.why);
	return v;
}

static struct verdict of_recording(const struct workshop *w)
{
	struct verdict v = {.kind = "recording", .name = "collector"};

	v.can = machine_can_record(&w->machine, &v.why);
	if (v.can && !w->programs.collector[0]) {
		v.can = false;
		diag_set(&v.why, 0, NULL, 0, "make", "the collector has not been built");
	}
	return v;
}

/* Calls fn for everything that a suite may use; returns how many cannot run. */
static unsigned each_verdict(const struct workshop *w, void (*fn)(const struct verdict *, void *),
			     void *arg)
{
	struct verdict v = of_recording(w);
	unsigned cannot = !v.can;

	fn(&v, arg);
	for (size_t i = 0; i < w->programs.workloads_cnt; i++) {
		v = of_workload(w, &w->programs.workloads[i]);
		fn(&v, arg);
		cannot += !v.can;
	}
	for (size_t i = 0; i < w->programs.profilers_cnt; i++) {
		const struct profiler *p = &w->programs.profilers[i];

		for (int live = 0; live < 2; live++) {
			if (!p->trouble.err && !(p->launch & (live ? LAUNCH_LIVE : LAUNCH_JOIN)))
				continue;
			v = of_profiler(w, p, live);
			fn(&v, arg);
			cannot += !v.can;
		}
	}
	return cannot;
}

static void print_verdict(const struct verdict *v, void *arg)
{
	printf("  %-4s %-14s %s\n", v->can ? "yes" : "no", v->kind, v->name);
	if (v->can)
		return;
	printf("       because %s\n", v->why.reason);
	if (v->why.cure[0])
		printf("       try     %s\n", v->why.cure);
}

static void print_text(const struct workshop *w)
{
	unsigned cannot;

	printf("This machine:\n");
	for (int i = 0; i < PROBE_CNT; i++) {
		const struct probe *p = &w->machine.probes[i];

		printf("  %-4s %-13s %s\n", p->can ? "yes" : "no", p->name, p->detail);
		if (!p->can)
			printf("       lost    %s\n", p->serves);
		if (!p->can && p->cure[0])
			printf("       try     %s\n", p->cure);
	}
	printf("\nWhat can run:\n");
	cannot = each_verdict(w, print_verdict, NULL);
	if (!cannot)
		printf("\nNothing will be skipped.\n");
	else
		printf("\n%u will be skipped; everything else runs, on stored evidence where "
		       "nothing can be recorded.\n",
		       cannot);
}

static void put_verdict(const struct verdict *v, void *arg)
{
	struct json_out *o = arg;

	json_out_object(o, NULL);
	json_out_str(o, "kind", v->kind);
	json_out_str(o, "name", v->name);
	json_out_bool(o, "can", v->can);
	json_out_str(o, "why", v->can ? "" : v->why.reason);
	json_out_str(o, "cure", v->can ? "" : v->why.cure);
	json_out_end(o);
}

static void print_json(const struct workshop *w)
{
	struct json_out o;

	json_out_init(&o, stdout);
	json_out_object(&o, NULL);
	json_out_array(&o, "probes");
	for (int i = 0; i < PROBE_CNT; i++) {
		const struct probe *p = &w->machine.probes[i];

		json_out_object(&o, NULL);
		json_out_str(&o, "name", p->name);
		json_out_bool(&o, "can", p->can);
		json_out_str(&o, "detail", p->detail);
		json_out_str(&o, "serves", p->serves);
		json_out_str(&o, "cure", p->cure);
		json_out_end(&o);
	}
	json_out_end(&o);
	json_out_array(&o, "runs");
	each_verdict(w, put_verdict, &o);
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
}

int cmd_doctor(int argc, char **argv)
{
	struct workshop w;
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (workshop_open(&w, &d))
		return command_error(&d);
	if (args.json)
		print_json(&w);
	else
		print_text(&w);
	workshop_close(&w);
	return EXIT_GOOD;
}
