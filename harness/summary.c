/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects what cells scored and has the parts write their lines. */
#include "harness/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/summary_parts.h"
#include "harness/variant.h"
#include "lib/numbers.h"

const struct headline headlines[] = {
	{"handoff.context.precision", "declared"},
	{"handoff.context.recall", "declared"},
	{"handoff.context.visible_recall", "declared"},
	{"handoff.context.f1", "declared"},
	{"handoff.context.false_join_rate", "declared"},
	{"handoff.context.orphan_rate", "declared"},
	{"handoff.identity.precision", "declared"},
	{"handoff.identity.recall", "declared"},
	{"handoff.identity.f1", "declared"},
	{"event.precision", "all"},
	{"event.recall", "all"},
	{"event.identity.life_exactness", "all"},
};

const size_t headline_cnt = sizeof(headlines) / sizeof(headlines[0]);
_Static_assert(sizeof(headlines) / sizeof(headlines[0]) <= HEADLINES_MAX, "room for each");

struct summary {
	struct sum_cell **v;
	size_t cnt;
};

struct summary *summary_new(void)
{
	return calloc(1, sizeof(struct summary));
}

static void cell_free(struct sum_cell *x)
{
	for (size_t i = 0; i < x->wait_cnt; i++)
		free(x->waits[i].resource);
	free(x->waits);
	free(x->forecasts);
	free(x);
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cnt; i++)
		cell_free(s->v[i]);
	free(s->v);
	free(s);
}

/* ---- collecting ---- */

static struct sum_cell *cell_of(struct summary *s, const struct cell *c, enum cell_state state)
{
	struct sum_cell **v;

	if (s->cnt && s->v[s->cnt - 1]->c == c)
		return s->v[s->cnt - 1];
	v = reallocarray(s->v, s->cnt + 1, sizeof(*v));
	if (!v)
		return NULL;
	s->v = v;
	v[s->cnt] = calloc(1, sizeof(**v));
	if (!v[s->cnt])
		return NULL;
	v[s->cnt]->c = c;
	v[s->cnt]->state = state;
	return v[s->cnt++];
}

static int add_forecast(struct sum_cell *x, const struct score_figure *f)
{
	struct forecast *v = reallocarray(x->forecasts, x->forecast_cnt + 1, sizeof(*v));
	double p;

	if (!v)
		return -ENOMEM;
	x->forecasts = v;
	if (strncmp(f->scope, "forecast:", 9) || parse_f64(f->scope + 9, &p))
		return 0;
	v[x->forecast_cnt++] = (struct forecast){
		.f = p, .n = f->n, .came_true = (uint64_t)(f->value * (double)f->n + 0.5)};
	return 0;
}

static int wait_of(struct sum_cell *x, const char *resource, struct wait_of **ret)
{
	struct wait_of *v;

	for (size_t i = 0; i < x->wait_cnt; i++)
		if (!strcmp(x->waits[i].resource, resource)) {
			*ret = &x->waits[i];
			return 0;
		}
	v = reallocarray(x->waits, x->wait_cnt + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	x->waits = v;
	v[x->wait_cnt] = (struct wait_of){.resource = strdup(resource)};
	if (!v[x->wait_cnt].resource)
		return -ENOMEM;
	*ret = &v[x->wait_cnt++];
	return 0;
}

/* Only stale resources have a figure `censored`. */
static int add_resource(struct sum_cell *x, const char *name, const struct score_figure *f)
{
	struct wait_of *w;
	int err;

	if (!f->has || (strcmp(name, "censored") && strncmp(name, "latency_", 8)))
		return 0;
	err = wait_of(x, f->scope, &w);
	if (err)
		return err;
	if (!strcmp(name, "censored")) {
		w->censored = f->value != 0;
	} else if (!strcmp(name, "latency_ns")) {
		w->has_ns = true;
		w->ns = f->value;
	} else {
		w->has_events = true;
		w->events = f->value;
	}
	return 0;
}

static void add_matrix(struct sum_cell *x, const struct score_figure *f)
{
	static const char *const said[SAID_CNT] = {"kept", "suspect", "stale"};
	const char *colon = strchr(f->scope, ':');

	for (unsigned i = 0; colon && i < SAID_CNT; i++)
		if (!strcmp(colon + 1, said[i]))
			x->said[!strncmp(f->scope, "stale:", 6)][i] = f->value;
}

static void add_headline(struct sum_cell *x, const struct score_figure *f)
{
	for (size_t i = 0; i < headline_cnt; i++)
		if (!strcmp(f->metric, headlines[i].metric) &&
		    !strcmp(f->scope, headlines[i].scope)) {
			x->has[i] = f->has;
			x->value[i] = f->value;
		}
}

int summary_add(struct summary *s, const struct cell *c, enum cell_state state,
		const struct score_figure *f)
{
	struct sum_cell *x;

	if (variant_ailment(c->variant))
		return 0;
	x = cell_of(s, c, state);
	if (!x)
		return -ENOMEM;
	if (!strcmp(f->metric, "calibration.p_stale.came_true"))
		return add_forecast(x, f);
	if (!strncmp(f->metric, "stale.resource.", 15))
		return add_resource(x, f->metric + 15, f);
	if (!strcmp(f->metric, "cell.undated"))
		x->undated = f->value != 0;
	else if (!strcmp(f->metric, "stale.matrix"))
		add_matrix(x, f);
	else if (!strcmp(f->metric, "stale.detected"))
		x->detected = f->value;
	else if (!strcmp(f->metric, "stale.localised"))
		x->localised = f->value;
	else if (!strcmp(f->metric, "stale.false_alarms"))
		x->alarms = f->value;
	else
		add_headline(x, f);
	return 0;
}

/* ---- writing ---- */

static int compare_contestants(const struct cell *a, const struct cell *b)
{
	int order = strcmp(a->profiler, b->profiler);

	if (!order)
		order = (a->kind == KIND_LIVE) - (b->kind == KIND_LIVE);
	if (!order)
		order = strcmp(a->binding, b->binding);
	return order ? order : strcmp(a->regime, b->regime);
}

static int compare_cells(const void *pa, const void *pb)
{
	const struct cell *a = (*(struct sum_cell *const *)pa)->c;
	const struct cell *b = (*(struct sum_cell *const *)pb)->c;
	int order = compare_contestants(a, b);

	if (!order)
		order = strcmp(a->workload, b->workload);
	if (!order)
		order = strcmp(a->variant, b->variant);
	if (!order)
		order = (a->seed > b->seed) - (a->seed < b->seed);
	return order ? order : strcmp(a->name, b->name);
}

int summary_put(const struct sink *s, const struct contestant *c, const struct line *l)
{
	const struct cell *first = c->cells[0]->c;
	char profiler[PATH_LEN + 8];
	struct figure_row row = {
		.run = s->run,
		.cell = "-",
		.workload = l->workload ? l->workload : "-",
		.variant = l->variant ? l->variant : "-",
		.profiler = profiler,
		.division = first->division,
		.regime = first->regime,
		.binding = first->binding,
		.metric = l->metric,
		.scope = l->scope,
		.has_value = l->has,
		.value = l->value,
		.has_interval = l->has && l->interval,
		.lo = l->interval ? l->interval->lo : 0,
		.hi = l->interval ? l->interval->hi : 0,
		.n = l->has ? l->n : 0,
		.status = "ok",
	};

	snprintf(profiler, sizeof(profiler), "%s%s", first->profiler,
		 first->kind == KIND_LIVE ? " live" : "");
	return scores_csv_put(s->csv, &row, s->d);
}

static uint32_t number_of(const char *word)
{
	uint32_t h = 2166136261u; /* FNV-1a: two words of one number would be taken for one quad */

	for (; *word; word++)
		h = (h ^ (unsigned char)*word) * 16777619u;
	return h;
}

struct quad_of summary_quad_of(const struct sink *s, const struct cell *c)
{
	struct quad_of q = {.form = "base", .known = run_quads_of(s->quads, c->variant)};
	char name[3 * NAME_LEN];
	size_t len = run_variant_split(c->variant, &q.form);

	snprintf(name, sizeof(name), "%.*s %s", (int)len, c->variant, c->workload);
	q.quad_number = number_of(name);
	/* the class of an unknown mutation is its own; base is one */
	q.class_number = number_of(q.known ? q.known->class : len ? name : "base");
	return q;
}

static int write_contestant(const struct sink *s, const struct contestant *c)
{
	static int (*const parts[])(const struct sink *, const struct contestant *) = {
		summary_quads, summary_waits, summary_forecasts, summary_seeds};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(parts) / sizeof(parts[0]); i++)
		rc = parts[i](s, c);
	if (rc == -ENOMEM)
		diag_set(s->d, rc, NULL, 0, NULL, "out of memory");
	return rc;
}

static bool counts(const struct sum_cell *x)
{
	return x->state != CELL_UNSUPPORTED && x->state != CELL_BROKEN;
}

int summary_write(struct summary *s, const struct run_quads *quads, const char *run,
		  struct scores_csv *csv, struct diag *d)
{
	struct sink sink = {.csv = csv, .quads = quads, .run = run, .d = d};
	struct sum_cell **v = calloc(s->cnt + 1, sizeof(*v));
	size_t cnt = 0;
	int rc = v ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (size_t i = 0; v && i < s->cnt; i++)
		if (counts(s->v[i]))
			v[cnt++] = s->v[i];
	if (cnt)
		qsort(v, cnt, sizeof(*v), compare_cells);
	for (size_t i = 0, n; !rc && i < cnt; i += n) {
		struct contestant c = {.cells = v + i};

		for (n = 1; i + n < cnt && !compare_contestants(v[i]->c, v[i + n]->c);)
			n++;
		c.cnt = n;
		rc = write_contestant(&sink, &c);
	}
	free(v);
	return rc;
}
