/* SPDX-License-Identifier: BSD-2-Clause */
/* assay compare: is B better than A, or is it chance? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/compare.h"
#include "lib/opts.h"
#include "results/figures.h"

static struct {
	struct opt_list metrics;
	const char *noise;
	bool gate;
} args;

static const struct opt table[] = {
	{"metric", 0, OPT_LIST, "METRIC[/SCOPE]",
	 "a figure of scores.csv (F1, life exactness, detection)", &args.metrics, 0, 0, NULL},
	{"noise", 0, OPT_STR, "RUN[:PROFILER]", "A once more (A/A): what chance alone does",
	 &args.noise, 0, 0, NULL},
	{"gate", 0, OPT_FLAG, NULL, "exit 1 where B is worse beyond chance and noise", &args.gate,
	 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay compare",
	.usage = "RUN[:PROFILER] RUN[:PROFILER]",
	.purpose = "Compares two runs or two profilers, seed by seed and quad by quad",
	.table = table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay compare results/runs/A results/runs/B",
		     "assay compare results/latest:causal results/latest:fifo",
		     "assay compare A B --noise A2 --gate --metric handoff.context.recall"},
};

static const struct compare_metric usual[] = {
	{"handoff.context.f1", "declared"},
	{"event.identity.life_exactness", "all"},
	{"stale.detection_rate", "all"},
};

struct metrics {
	struct compare_metric v[OPT_LIST_MAX];
	size_t cnt;
};

static int parse_metrics(struct metrics *m, struct diag *d)
{
	m->cnt = args.metrics.cnt;
	if (!m->cnt) {
		m->cnt = sizeof(usual) / sizeof(usual[0]);
		memcpy(m->v, usual, sizeof(usual));
	}
	for (size_t i = 0; i < args.metrics.cnt; i++) {
		const char *word = args.metrics.v[i], *slash = strchr(word, '/');
		const char *scope = slash			   ? slash + 1
				    : strncmp(word, "handoff.", 8) ? "all"
								   : "declared";
		int len = (int)(slash ? slash - word : (long)strlen(word));

		if (len >= (int)sizeof(m->v[i].metric) || strlen(scope) >= sizeof(m->v[i].scope))
			return diag_set(d, -EINVAL, "assay compare", 0,
					"such as handoff.context.recall/type:io",
					"\"%.60s\" is no figure", word);
		snprintf(m->v[i].metric, sizeof(m->v[i].metric), "%.*s", len, word);
		snprintf(m->v[i].scope, sizeof(m->v[i].scope), "%s", scope);
	}
	return 0;
}

/* ---- printing ---- */

enum { ROW_WIDTH = 30 };

/* "handoff.context.recall", "handoff.context.recall/type:msg" */
static void put_head(const struct compare_metric *m)
{
	bool usual_scope =
		!strcmp(m->scope, strncmp(m->metric, "handoff.", 8) ? "all" : "declared");
	char name[160];

	snprintf(name, sizeof(name), "%s%s%s", m->metric, usual_scope ? "" : "/",
		 usual_scope ? "" : m->scope);
	printf("%-*s", ROW_WIDTH, name);
}

static bool is_worse(const struct comparison *c, const struct compare_metric *m)
{
	return comparison_differs(c) && (c->b - c->a) * compare_sense(m->metric, m->scope) < 0;
}

static const char *verdict(const struct comparison *c, const struct compare_metric *m)
{
	if (c->has_noise && fabs(c->b - c->a) <= c->noise)
		return "within noise";
	if (c->holm > COMPARE_ALPHA)
		return "could be chance";
	if (!comparison_differs(c))
		return "noise not known";
	if (!compare_sense(m->metric, m->scope))
		return c->b > c->a ? "B more" : "B less";
	return is_worse(c, m) ? "B worse" : "B better";
}

/* No pattern of signs is impossible: what is too small to be shown is not nought. */
static const char *p_text(char to[static 32], double p)
{
	snprintf(to, 32, p < 0.0001 ? "<0.0001" : "%.4f", p);
	return to;
}

static void print_tested(const struct comparison *c, const struct compare_metric *m)
{
	char p[32], holm[32];

	printf("  %-*.*s %8.4f %8.4f %+9.4f %7s %7s  %s\n", ROW_WIDTH - 2, ROW_WIDTH - 2, c->row,
	       c->a, c->b, c->b - c->a, p_text(p, c->p), p_text(holm, c->holm), verdict(c, m));
}

static void range_text(char to[static 32], double lo, double hi)
{
	if (lo == hi)
		snprintf(to, 32, "%.4f", lo);
	else
		snprintf(to, 32, "%.4f..%.4f", lo, hi);
}

static void print_ranges(const struct comparison *c)
{
	char a[32], b[32];

	range_text(a, c->a_lo, c->a_hi);
	range_text(b, c->b_lo, c->b_hi);
	printf("  %-*.*s %16s %16s  %zu pair%s%s\n", ROW_WIDTH - 2, ROW_WIDTH - 2, c->row, a, b,
	       c->pairs, c->pairs == 1 ? "" : "s", c->too_many ? ": too many" : "");
}

static void print_metric(const struct comparisons *c, const struct metrics *m, size_t metric)
{
	bool tested = false, ranges = false;

	for (size_t i = 0; i < c->cnt; i++) {
		if (c->v[i].metric != metric || !c->v[i].has_p)
			continue;
		if (!tested) {
			put_head(&m->v[metric]);
			printf(" %8s %8s %9s %7s %7s\n", "A", "B", "B - A", "p", "Holm");
		}
		tested = true;
		print_tested(&c->v[i], &m->v[metric]);
	}
	for (size_t i = 0; i < c->cnt; i++) {
		if (c->v[i].metric != metric || c->v[i].has_p)
			continue;
		if (!ranges) {
			put_head(&m->v[metric]);
			printf(" %16s %16s  ranges only: fewer than %d pairs\n", "A", "B",
			       PAIRS_MIN);
		}
		ranges = true;
		print_ranges(&c->v[i]);
	}
	if (tested || ranges)
		putchar('\n');
}

/* ---- what a figure is about ---- */

/* Which share of all handoffs is of declared types: beside what is said of these alone. */
static const struct compare_metric cover[] = {{METRIC_COVERAGE, "all"}};

static void print_cover(const struct comparisons *c)
{
	bool differs = false, any = false;

	for (size_t i = 0; i < c->cnt; i++) {
		char a[32], b[32];

		if (c->v[i].a_lo == 1 && c->v[i].b_lo == 1)
			continue;
		if (!any)
			printf("%-*s %16s %16s\n", ROW_WIDTH, "cover: declared share of all", "A",
			       "B");
		any = true;
		range_text(a, c->v[i].a_lo, c->v[i].a_hi);
		range_text(b, c->v[i].b_lo, c->v[i].b_hi);
		printf("  %-*.*s %16s %16s\n", ROW_WIDTH - 2, ROW_WIDTH - 2, c->v[i].row, a, b);
		differs |= fabs(c->v[i].a - c->v[i].b) > 0.01;
	}
	if (differs)
		puts("A and B are judged by different handoffs: --metric handoff.context.f1/all is "
		     "about the same");
	if (any)
		putchar('\n');
}

/* Of both sides; none where one of them has no such figure. */
static void compare_cover(char **words, const struct metrics *m, const struct comparisons *of,
			  struct comparisons *ret)
{
	struct compare_side a = {0}, b = {0};
	bool declared = false;

	for (size_t i = 0; i < of->cnt; i++)
		declared |= !strcmp(m->v[of->v[i].metric].scope, "declared");
	if (declared && !compare_load(words[0], cover, 1, &a, NULL) &&
	    !compare_load(words[1], cover, 1, &b, NULL) && compare_sides(&a, &b, NULL, ret, NULL))
		*ret = (struct comparisons){0};
	compare_side_free(&a);
	compare_side_free(&b);
}

/* False where figures of events would be noughts of somebody who says nothing of them. */
static bool claims_events(const char *word)
{
	static const struct compare_metric claims[] = {{"event.claims", "all"}};
	struct compare_side s = {0};
	bool any = false;

	if (compare_load(word, claims, 1, &s, NULL))
		return true;
	for (size_t i = 0; i < s.cnt; i++)
		any |= s.v[i].value > 0;
	compare_side_free(&s);
	return any;
}

/* Of the usual figures those that both sides say something about. */
static void leave_out(char **words, struct metrics *m)
{
	size_t kept = 0;

	if (args.metrics.cnt || (claims_events(words[0]) && claims_events(words[1])))
		return;
	for (size_t i = 0; i < m->cnt; i++)
		if (strncmp(m->v[i].metric, "event.", 6))
			m->v[kept++] = m->v[i];
	m->cnt = kept;
}

static int print_gate(size_t judged, size_t worse)
{
	if (!judged) {
		puts("gate: inconclusive, since nothing has 12 pairs, in the noise as well");
		return EXIT_INCONCLUSIVE;
	}
	if (worse)
		printf("gate: B is worse in %zu line%s\n", worse, worse == 1 ? "" : "s");
	else
		puts("gate: B is not shown to be worse");
	return worse ? EXIT_FAILED : EXIT_GOOD;
}

static int print_all(const struct comparisons *c, const struct comparisons *covers,
		     const struct metrics *m)
{
	size_t worse = 0, tested = 0, judged = 0;

	for (size_t i = 0; i < m->cnt; i++)
		print_metric(c, m, i);
	print_cover(covers);
	for (size_t i = 0; i < c->cnt; i++) {
		tested += c->v[i].has_p;
		judged += c->v[i].has_p && c->v[i].has_noise;
		worse += is_worse(&c->v[i], &m->v[c->v[i].metric]);
	}
	if (tested)
		puts("p: exact paired permutation, two-sided; Holm: adjusted over all lines above");
	if (tested && !args.noise)
		puts("no noise floor: --noise takes a second run of A");
	return args.gate ? print_gate(judged, worse) : EXIT_GOOD;
}

static int compare(char **words, struct metrics *m)
{
	struct compare_side a = {0}, b = {0}, noise = {0};
	struct comparisons c = {0}, covers = {0};
	struct diag d = {0};
	int rc, code;

	leave_out(words, m);
	rc = compare_load(words[0], m->v, m->cnt, &a, &d);

	if (!rc)
		rc = compare_load(words[1], m->v, m->cnt, &b, &d);
	if (!rc && !a.profiler[0] != !b.profiler[0])
		rc = diag_set(&d, -EINVAL, "assay compare", 0, "RUN RUN or RUN:P RUN:P",
			      "name a profiler on both sides or on none");
	if (!rc && args.noise)
		rc = compare_load(args.noise, m->v, m->cnt, &noise, &d);
	if (!rc && args.noise && !a.profiler[0] != !noise.profiler[0])
		rc = diag_set(&d, -EINVAL, "assay compare", 0, "--noise RUN:P where A is RUN:P",
			      "name the profiler of --noise where one of A is named, and only "
			      "there");
	if (!rc)
		rc = compare_sides(&a, &b, args.noise ? &noise : NULL, &c, &d);
	if (!rc && !c.cnt)
		rc = diag_set(&d, -ENOENT, "assay compare", 0,
			      "runs of the same workloads and seeds",
			      "no cell of A has a partner in B");
	if (!rc)
		compare_cover(words, m, &c, &covers);
	code = rc == -ENOENT || rc == -EINVAL ? EXIT_USAGE
	       : rc			      ? EXIT_BROKEN
					      : print_all(&c, &covers, m);
	if (rc)
		diag_print(&d, stderr);
	comparisons_free(&c);
	comparisons_free(&covers);
	compare_side_free(&a);
	compare_side_free(&b);
	compare_side_free(&noise);
	return code;
}

int cmd_compare(int argc, char **argv)
{
	struct metrics m = {.cnt = 0};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (!parse_metrics(&m, &d) && args.gate && !args.noise)
		diag_set(&d, -EINVAL, "assay compare", 0, "--noise RUN, a second run of A",
			 "a gate without a noise floor would fire on chance");
	if (d.err) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	return compare(argv + first, &m);
}
