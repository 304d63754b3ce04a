/* SPDX-License-Identifier: BSD-2-Clause */
/* What was paid, for what, and what could have been seen. */
#include "harness/overhead_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/overhead_file.h"

enum { WORD = 40 };

struct kept {
	char metric[WORD], scope[WORD];
	bool has, has_interval;
	double value, lo, hi;
};

struct printing {
	struct kept *v;
	size_t cnt;
	FILE *out;
};

static int keep(const struct overhead_figure *f, void *arg)
{
	struct printing *p = arg;
	struct kept *v = reallocarray(p->v, p->cnt + 1, sizeof(*v));
	size_t head = strlen("overhead.");

	if (!v)
		return -ENOMEM;
	p->v = v;
	v += p->cnt++;
	*v = (struct kept){.has = f->has,
			   .has_interval = f->has_interval,
			   .value = f->value,
			   .lo = f->lo,
			   .hi = f->hi};
	snprintf(v->metric, WORD, "%s", strlen(f->metric) > head ? f->metric + head : "");
	snprintf(v->scope, WORD, "%s", f->scope);
	return 0;
}

/* NULL: it has no value. */
static const struct kept *find(const struct printing *p, const char *metric, const char *scope)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->v[i].metric, metric) && !strcmp(p->v[i].scope, scope))
			return p->v[i].has ? &p->v[i] : NULL;
	return NULL;
}

static double value(const struct printing *p, const char *metric, const char *scope)
{
	const struct kept *k = find(p, metric, scope);

	return k ? k->value : 0;
}

/* ---- effects ---- */

static const struct effect_line {
	const char *metric, *scope, *unit, *says;
	double times;
} effects[] = {
	{"cpu_added", "all", "µs/op", "CPU, all", 1e-3},
	{"cpu_added", "application", "µs/op", "  the application's own", 1e-3},
	{"cpu_added", "system", "µs/op", "  the kernel's for it", 1e-3},
	{"cpu_added", "profiler", "µs/op", "  the profiler's", 1e-3},
	{"cpu_added", "drain", "µs/op", "  the profiler's after the run", 1e-3},
	{"cpu_added", "kernel-threads", "µs/op", "kernel threads, machine-wide", 1e-3},
	{"cpu_share", "all", "%", "CPU, of the unwatched", 100},
	{"latency_added", "p50", "µs", "latency, half of all", 1e-3},
	{"latency_added", "p99", "µs", "latency, 99 of 100", 1e-3},
	{"capacity_lost", "all", "%", "capacity lost", 100},
	{"truth_share", "all", "%", "the truth channel's own", 100},
	{"arms_differ", "profiler", "%", "the profiler's, more with truth", 100},
};

static void print_effect(const struct printing *p, const struct effect_line *e)
{
	const struct kept *k = find(p, e->metric, e->scope);
	char name[2 * WORD];

	if (!k)
		return;
	snprintf(name, sizeof(name), "%s_mde", e->metric);
	fprintf(p->out, "  %-32s %9.3g  [%.3g, %.3g]%*s %8.3g %s\n", e->says, k->value * e->times,
		k->lo * e->times, k->hi * e->times, 0, "", value(p, name, e->scope) * e->times,
		e->unit);
}

/* Behind the point, for some four digits and never an exponent. */
static int decimals(double v)
{
	return v >= 1000 ? 0 : v >= 10 ? 1 : 3;
}

static void print_effects(const struct printing *p)
{
	const struct kept *cpu = find(p, "cpu_plain", "all"), *p50, *p99, *most;

	fputs("added, pair by pair                   mean  95 % interval,  least that would be "
	      "found 4 times of 5\n",
	      p->out);
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		print_effect(p, &effects[i]);
	p50 = find(p, "latency_plain", "p50");
	p99 = find(p, "latency_plain", "p99");
	most = find(p, "capacity_plain", "all");
	if (cpu)
		fprintf(p->out, "  unwatched: %.4g µs an operation", cpu->value * 1e-3);
	if (p50 && p99)
		fprintf(p->out, "; latency %.*f and %.*f µs", decimals(p50->value * 1e-3),
			p50->value * 1e-3, decimals(p99->value * 1e-3), p99->value * 1e-3);
	if (most)
		fprintf(p->out, "; at most %.4g operations a second", most->value);
	fputs("\n\n", p->out);
}

/* ---- counted ---- */

static void print_class(const struct printing *p, const char *scope)
{
	double hits = value(p, "hits", scope);
	const struct kept *empty = find(p, "empty_ns", scope), *a_hit = find(p, "ns_a_hit", scope);

	if (hits <= 0 && value(p, "hits_of_others", scope) <= 0)
		return;
	fprintf(p->out, "  %-16s %8.3g %8.3g %10.4g", scope, hits,
		value(p, "hits_of_others", scope), a_hit ? a_hit->value : 0);
	if (empty)
		fprintf(p->out, " %10.4g", empty->value);
	else
		fputs("          ?", p->out);
	fprintf(p->out, " %10.4g\n", a_hit ? hits * a_hit->value * 1e-3 : 0);
}

static void print_counted(const struct printing *p)
{
	const struct kept *all = find(p, "counted", "all");
	const char *before = ":";

	if (!all) {
		fputs("counted: nothing, no BPF program was hit\n\n", p->out);
		return;
	}
	fputs("counted            hits/op   others   ns a hit   entering      µs/op\n", p->out);
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->v[i].metric, "hits"))
			print_class(p, p->v[i].scope);
	fprintf(p->out, "  %-16s %8s %8s %10s %10s %10.4g\n", "profiler", "", "", "", "",
		value(p, "counted", "profiler") * 1e-3);
	fprintf(p->out, "  %-16s %8s %8s %10s %10s %10.4g, %.3g %% of the unwatched\n", "together",
		"", "", "", "", all->value * 1e-3, value(p, "counted_share", "all") * 100);
	if (value(p, "uncounted", "all") > 0)
		fputs("  not in it: what it takes to enter a class of programs marked ?, and what "
		      "is no program\n",
		      p->out);
	fputs("\nan empty program, ns a hit", p->out);
	for (size_t i = 0; i < p->cnt; i++) {
		if (strcmp(p->v[i].metric, "empty_ns"))
			continue;
		fprintf(p->out, "%s %s %.0f", before, p->v[i].scope, p->v[i].value);
		before = ",";
	}
	fputs("\n\n", p->out);
}

/* ---- once, and what was moved ---- */

static const struct {
	const char *metric, *unit, *says;
	double times;
} others[] = {
	{"load_ns", "ms", "until it was ready", 1e-6},
	{"attach_cpu_ns", "ms", "CPU until it was ready", 1e-6},
	{"peak_bytes", "MiB", "memory at its most", 1.0 / (1 << 20)},
	{"kernel_bytes", "MiB", "memory of its BPF maps", 1.0 / (1 << 20)},
	{"probes", "", "places probed", 1},
	{"sites", "", "sites of its manifest", 1},
	{"sites_share", "%", "of these with a probe", 100},
	{"ring_bytes", "B/op", "moved through ring buffers", 1},
	{"claims", "", "claims", 1},
	{"claims_bytes", "MiB", "they take", 1.0 / (1 << 20)},
	{"lost", "", "records lost, as it says", 1},
};

static void print_others(const struct printing *p)
{
	fputs("besides\n", p->out);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct kept *k = find(p, others[i].metric, "all");

		if (k)
			fprintf(p->out, "  %-28s %10.4g %s\n", others[i].says,
				k->value * others[i].times, others[i].unit);
	}
	if (value(p, "flagged", "all") > 0)
		fputs("\nFLAGGED: it costs more where truth can be read than where it cannot\n",
		      p->out);
}

int overhead_print(const char *path, FILE *out, struct diag *d)
{
	struct printing p = {.out = out};
	int rc = overhead_file_read(path, keep, &p, d);

	if (rc == -ENOMEM)
		diag_set(d, rc, path, 0, NULL, "out of memory");
	if (!rc) {
		print_effects(&p);
		print_counted(&p);
		print_others(&p);
	}
	free(p.v);
	return rc;
}
