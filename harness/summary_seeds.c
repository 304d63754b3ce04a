/* SPDX-License-Identifier: BSD-2-Clause */
/* Means over the seeds of one row, with an interval over seeds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/summary_parts.h"

static bool mean_of(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	const double *v = arg;
	double sum = 0;

	for (size_t i = 0; i < cnt; i++)
		sum += v[draws[i]];
	*ret = sum / (double)cnt;
	return cnt > 0;
}

static int put_mean(const struct sink *s, const struct contestant *c, const struct cell *row,
		    const struct headline *h, const double *v, size_t cnt)
{
	struct boot_options o = {
		.levels = 1, .rounds = BOOT_ROUNDS, .seed = BOOT_SEED, .level = LEVEL};
	struct boot_unit *units = calloc(cnt, sizeof(*units));
	struct line l = {.workload = row->workload,
			 .variant = row->variant,
			 .metric = h->metric,
			 .scope = h->scope,
			 .has = true,
			 .n = cnt};
	struct interval r;
	int rc = units ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < cnt; i++) {
		units[i] = (struct boot_unit){.of = {(uint32_t)i}, .index = (uint32_t)i};
		l.value += v[i] / (double)cnt;
	}
	if (!rc)
		rc = boot_interval(units, cnt, &o, mean_of, (void *)v, &r);
	free(units);
	l.interval = &r;
	return rc ? rc : summary_put(s, c, &l);
}

/* Cells of one row; one seed alone has no spread. */
static int put_row(const struct sink *s, const struct contestant *c, size_t from, size_t to)
{
	double *v = calloc(to - from + 1, sizeof(*v));
	int rc = v ? 0 : -ENOMEM;

	for (size_t h = 0; !rc && h < headline_cnt; h++) {
		size_t cnt = 0;

		for (size_t i = from; i < to; i++)
			if (c->cells[i]->has[h])
				v[cnt++] = c->cells[i]->value[h];
		if (cnt > 1)
			rc = put_mean(s, c, c->cells[from]->c, &headlines[h], v, cnt);
	}
	free(v);
	return rc;
}

int summary_seeds(const struct sink *s, const struct contestant *c)
{
	int rc = 0;

	for (size_t i = 0, end; !rc && i < c->cnt; i = end) {
		const struct cell *a = c->cells[i]->c;

		for (end = i + 1; end < c->cnt; end++)
			if (strcmp(a->workload, c->cells[end]->c->workload) ||
			    strcmp(a->variant, c->cells[end]->c->variant))
				break;
		rc = put_row(s, c, i, end);
	}
	return rc;
}
