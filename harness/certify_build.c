/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds, ahead of who asks for them. */
#include "harness/certify_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crew.h"
#include "lib/hash.h"

const struct certify_build certify_builds[CERTIFY_BUILDS] = {
	{COMPILER_GCC, 2}, {COMPILER_GCC, 0}, {COMPILER_CLANG, 2}, {COMPILER_CLANG, 0}};

bool certify_wants(const struct mutation *m, unsigned build)
{
	const struct certify_build *b = &certify_builds[build];

	return (b->compiler == COMPILER_GCC ? m->gcc : m->clang) && (b->level ? m->o2 : m->o0);
}

unsigned certify_first(const struct mutation *m)
{
	unsigned b = 0;

	while (b < CERTIFY_BUILDS - 1 && !certify_wants(m, b))
		b++;
	return b;
}

uint64_t certify_salt(const char *workload)
{
	return hash_bytes(workload, strlen(workload), 1);
}

/* ---- all at once ---- */

struct task {
	const struct mutation *m;
	const char *workload;
	unsigned build;
};

struct tasks {
	const struct house *h;
	struct task *v;
	size_t cnt;
};

static void make_task(void *arg, size_t i)
{
	const struct tasks *all = arg;
	const struct task *t = &all->v[i];

	for (unsigned f = 0; f < FORM_CNT; f++) {
		char path[RECORD_PATH];
		struct build_spec s = {.mutation = t->m,
				       .workload = t->workload,
				       .form = (enum form)f,
				       .compiler = certify_builds[t->build].compiler,
				       .level = certify_builds[t->build].level,
				       .salt = certify_salt(t->workload)};

		if (build_variant(all->h, &s, path, NULL))
			return;
		s.debug = t->build == certify_first(t->m);
		if (s.debug && build_variant(all->h, &s, path, NULL))
			return;
	}
}

static int list_tasks(struct tasks *c, const struct mutation_list *l, const bool *which)
{
	c->v = calloc(l->cnt * RECORD_WORKLOADS_MAX * CERTIFY_BUILDS + 1, sizeof(*c->v));
	if (!c->v)
		return -ENOMEM;
	for (size_t i = 0; i < l->cnt; i++)
		for (uint32_t w = 0; which[i] && w < l->v[i].workloads_cnt; w++)
			for (unsigned b = 0; b < CERTIFY_BUILDS; b++)
				if (certify_wants(&l->v[i], b))
					c->v[c->cnt++] =
						(struct task){&l->v[i], l->v[i].workloads[w], b};
	return 0;
}

int certify_prebuild(const struct house *h, const struct mutation_list *l, const bool *which,
		     uint64_t deadline, struct diag *d)
{
	struct tasks c = {.h = h};
	int rc = list_tasks(&c, l, which);

	if (rc)
		diag_set(d, rc, NULL, 0, NULL, "out of memory");
	else
		rc = crew_run("builds", c.cnt, make_task, &c, deadline, d);
	free(c.v);
	return rc;
}
