/* SPDX-License-Identifier: BSD-2-Clause */
/* Two arms of an audit, compared by dealing their runs anew in every way. */
#include "harness/audit.h"

#include <errno.h>
#include <math.h>

#include "scoring/statistics.h"

/* Honest profilers that lose records differ by half of that from run to run. */
#define BETTER 0.2

/* The runs of two arms, one after the other. */
struct dealt {
	const struct audit_run *v[2 * AUDIT_RUNS_MAX];
	size_t cnt; /* of each */
	double deviation[FIGURE_CNT];
};

double audit_mean(const struct audit_run *runs, size_t cnt, unsigned figure)
{
	double sum = 0;

	for (size_t i = 0; i < cnt; i++)
		sum += runs[i].v[figure];
	return sum / (double)cnt;
}

static double deviation(const struct dealt *x, unsigned figure)
{
	double n = 2.0 * (double)x->cnt, sum = 0, squares = 0;

	for (size_t i = 0; i < 2 * x->cnt; i++)
		sum += x->v[i]->v[figure];
	for (size_t i = 0; i < 2 * x->cnt; i++)
		squares += pow(x->v[i]->v[figure] - sum / n, 2);
	return sqrt(squares / n);
}

static bool matters(unsigned figure, double a, double b)
{
	double by = fabs(a - b);

	if (figure_is_share(figure))
		return by >= MATTERS_SHARE;
	return by >= MATTERS_LEAST && by >= MATTERS_COUNT * fmax(a, b);
}

/* first: a bit for each run that is dealt to the first half. NAN compares as none. */
static double greatest(const struct dealt *x, unsigned first, struct audit_difference *ret)
{
	double most = 0;

	for (unsigned f = 0; f < FIGURE_CNT; f++) {
		double sum[2] = {0, 0}, by;

		for (size_t i = 0; i < 2 * x->cnt; i++)
			sum[!(first >> i & 1)] += x->v[i]->v[f] / (double)x->cnt;
		by = fabs(sum[0] - sum[1]) / x->deviation[f];
		if (!matters(f, sum[0], sum[1]) || !(by > most))
			continue;
		most = by;
		if (ret)
			*ret = (struct audit_difference){
				.figure = f, .usual = sum[0], .here = sum[1]};
	}
	return most;
}

/* Sums of equal runs in another order may differ in their last digits. */
static bool as_great(double a, double b)
{
	return a >= b * (1 - 1e-9);
}

static void compare(struct dealt *x, struct audit_difference *ret)
{
	unsigned ways = 0, as = 0, seen = (1u << x->cnt) - 1;
	double most;

	*ret = (struct audit_difference){.figure = FIGURE_CNT};
	for (unsigned f = 0; f < FIGURE_CNT; f++)
		x->deviation[f] = deviation(x, f);
	most = greatest(x, seen, ret);
	for (unsigned way = 0; way < 1u << (2 * x->cnt); way++) {
		if ((size_t)__builtin_popcount(way) != x->cnt)
			continue;
		ways++;
		as += as_great(greatest(x, way, NULL), most);
	}
	ret->p = (double)as / ways;
}

static const struct {
	unsigned usual, here;
} compared[COMPARED_CNT] = {
	[COMPARED_OFF] = {AUDIT_TRUTH, AUDIT_OFF},
	[COMPARED_DECOYED] = {AUDIT_TRUTH, AUDIT_DECOYED},
	[COMPARED_SHIFTED] = {AUDIT_TRUTH, AUDIT_SHIFTED},
	[COMPARED_WITHOUT] = {AUDIT_DECOYED, AUDIT_OFF},
};

int audit_compare(const struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX], size_t cnt,
		  const bool has[AUDIT_ARM_CNT], struct audit_difference ret[COMPARED_CNT])
{
	double p[COMPARED_CNT];
	unsigned of[COMPARED_CNT], n = 0;

	for (unsigned k = 0; k < COMPARED_CNT; k++) {
		struct dealt x = {.cnt = cnt};

		if (!has[compared[k].usual] || !has[compared[k].here])
			continue;
		for (size_t i = 0; i < cnt; i++) {
			x.v[i] = &runs[compared[k].usual][i];
			x.v[cnt + i] = &runs[compared[k].here][i];
		}
		compare(&x, &ret[k]);
		p[n] = ret[k].p;
		of[n++] = k;
	}
	if (n && holm(p, n))
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		ret[of[i]].p = p[i];
		ret[of[i]].found = p[i] < AUDIT_LEVEL;
	}
	return 0;
}

bool audit_depends(const struct audit_difference found[COMPARED_CNT], bool beside)
{
	bool same_company = found[COMPARED_WITHOUT].found || found[COMPARED_SHIFTED].found;

	return same_company ||
	       (!beside && (found[COMPARED_OFF].found || found[COMPARED_DECOYED].found));
}

static bool is_better(const struct audit_run *here, const struct audit_run *there, size_t cnt,
		      unsigned figure)
{
	double best[2] = {0, 0};

	for (size_t i = 0; i < cnt; i++) {
		best[0] = fmax(best[0], here[i].v[figure]);
		best[1] = fmax(best[1], there[i].v[figure]);
	}
	return best[0] - best[1] >= BETTER;
}

bool audit_is_unsteady(const struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX], size_t cnt,
		       bool reference)
{
	return is_better(runs[AUDIT_TRUTH], runs[AUDIT_DECOYED], cnt, FIGURE_F1) ||
	       (reference && is_better(runs[AUDIT_DECOYED], runs[AUDIT_OFF], cnt, FIGURE_AGREES));
}
