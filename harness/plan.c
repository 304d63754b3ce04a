/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells in memory: names, look-up, parameters, shards. */
#include "harness/plan.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/regime.h"

static const char *const kind_names[KIND_CNT] = {"record", "reference", "join",
						 "live",   "truth",	"overhead"};

const char *cell_truth(const struct cell *c)
{
	struct regime r = {0};
	bool own = c->kind == KIND_JOIN && !regime_parse(c->regime, &r, NULL) && r.kind &&
		   !regime_is_live(r.kind);

	return own || !strcmp(c->from, "-") ? c->name : c->from;
}

const char *cell_kind_name(unsigned kind)
{
	return kind < KIND_CNT ? kind_names[kind] : "?";
}

/* The last part of a stranger's path stands for it in names of cells. */
static const char *short_name(const char *profiler)
{
	const char *slash = strrchr(profiler, '/');

	return slash ? slash + 1 : profiler;
}

/* The headline binding, and none at all, go without saying. */
static bool is_usual(const char *binding)
{
	return !strcmp(binding, "stamped") || !strcmp(binding, "-");
}

/* A name must be usable as a file name on any machine. */
static void tame(char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._-+", *s))
			*s = '_';
}

int plan_add(struct plan *p, const struct cell *c, struct diag *d)
{
	struct cell *v = realloc(p->v, (p->cnt + 1) * sizeof(*v));
	int n;

	if (!v)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	p->v = v;
	v[p->cnt] = *c;
	n = snprintf(v[p->cnt].name, CELL_NAME_LEN, "%s.%s.%s.%s.%s%s%s.s%llu", c->workload,
		     c->variant, short_name(c->profiler), cell_kind_name(c->kind), c->regime,
		     is_usual(c->binding) ? "" : ".", is_usual(c->binding) ? "" : c->binding,
		     (unsigned long long)c->seed);
	if (n >= CELL_NAME_LEN)
		return diag_set(d, -ENAMETOOLONG, c->profiler, 0, "give the program a shorter name",
				"the name of its cell would be longer than %d bytes",
				CELL_NAME_LEN - 1);
	tame(v[p->cnt].name);
	if (plan_find(p, v[p->cnt].name))
		return diag_set(d, -EEXIST, NULL, 0, "give the programs different names",
				"two cells would be called %s", v[p->cnt].name);
	p->cnt++;
	return 0;
}

void plan_free(struct plan *p)
{
	free(p->v);
	p->v = NULL;
	p->cnt = 0;
}

/* Sources stand before what is made from them, so one look from the end finds all. */
void plan_narrow(struct plan *p, bool (*wanted)(const struct cell *c, void *arg), void *arg)
{
	size_t from = p->cnt;

	for (size_t i = p->cnt; i-- > 0;) {
		bool keeps = wanted(&p->v[i], arg);

		for (size_t k = from; !keeps && k < p->cnt; k++)
			keeps = !strcmp(p->v[k].from, p->v[i].name);
		if (keeps)
			p->v[--from] = p->v[i];
	}
	p->cnt -= from;
	if (from)
		memmove(p->v, p->v + from, p->cnt * sizeof(*p->v));
}

const struct cell *plan_find(const struct plan *p, const char *cell)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->v[i].name, cell))
			return &p->v[i];
	return NULL;
}

const char *const cell_params[] = {
	"ops",	  "rate",    "depth",	  "workers",	  "queue_depth",
	"fanout", "cost",    "cpus",	  "serial",	  "turn",
	"reload", "launch",  "bare",	  "closed",	  "ms",
	"pairs",  "records", "load_cpus", "watcher_cpus", "budget_permille",
};
const size_t cell_params_cnt = sizeof(cell_params) / sizeof(cell_params[0]);

bool cell_has_param(const char *name)
{
	for (size_t i = 0; i < cell_params_cnt; i++)
		if (!strcmp(cell_params[i], name))
			return true;
	return false;
}

uint64_t cell_param(const struct cell *c, const char *name, uint64_t fallback)
{
	size_t len = strlen(name);

	assert(cell_has_param(name)); /* or a plan that asks for it is refused */

	for (const char *s = c->params; *s;) {
		if (!strncmp(s, name, len) && s[len] == '=')
			return strtoull(s + len + 1, NULL, 10);
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	return fallback;
}

unsigned plan_shard(const struct plan *p, size_t cell, unsigned n)
{
	size_t root = cell;
	unsigned group = 0;

	while (strcmp(p->v[root].from, "-")) {
		const struct cell *from = plan_find(p, p->v[root].from);

		if (!from)
			break;
		root = (size_t)(from - p->v);
	}
	for (size_t i = 0; i < root; i++)
		group += !strcmp(p->v[i].from, "-");
	return group % n;
}

int shard_parse(const char *word, unsigned *ret_k, unsigned *ret_n, struct diag *d)
{
	unsigned k, n;
	int used = 0;

	if (!isdigit((unsigned char)word[0]) || sscanf(word, "%5u/%5u%n", &k, &n, &used) != 2 ||
	    word[used] || !k || k > n)
		return diag_set(d, -EINVAL, NULL, 0, "such as --shard 1/4",
				"--shard %.40s is no k/n with 1 <= k <= n", word);
	*ret_k = k;
	*ret_n = n;
	return 0;
}

double cell_estimate(const struct cell *c)
{
	uint64_t ops = cell_param(c, "ops", 0), rate = cell_param(c, "rate", 0);
	uint64_t arms = cell_param(c, "bare", 1) ? 3 : 2;
	uint64_t runs = 1 + arms * cell_param(c, "pairs", 0) + 2 * cell_param(c, "closed", 0);

	switch (c->kind) {
	case KIND_RECORD: /* the load, and what it takes to attach, drain and collect */
		return 0.6 + (rate ? (double)ops / (double)rate : 1);
	case KIND_LIVE:
		return 0.9 + (rate ? (double)ops / (double)rate : 1);
	case KIND_OVERHEAD:
		return (double)runs * (0.5 + (double)cell_param(c, "ms", 0) / 1000);
	case KIND_REFERENCE: /* unpacked */
		return 0.05;
	default: /* of one processor */
		return 0.012 + (double)ops / 100000;
	}
}
