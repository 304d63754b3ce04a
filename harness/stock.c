/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for programs, and the crew that makes them. */
#include "harness/stock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/crew.h"
#include "harness/runner.h"
#include "lib/clock.h"
#include "lib/files.h"
#include "lib/hash.h"

/* One program to make: of a cell, or of the first of those that are shown the same earlier one. */
struct order {
	const struct cell *cell;
	enum program which;
};

struct stock {
	const struct runner *r;
	char folder[PATH_LEN];
	struct order *v;
	size_t cnt;
	struct crew *crew;
	uint64_t waited_ns;
};

/* ---- names ---- */

/*
 * Where a program lies that was built ahead. What runs is its cell's alone. The earlier build of a
 * base is one for all cells of a run, as an author's earlier release would be: it is shown only,
 * and tells those who see it again no more than the first time.
 */
static int name_of(const struct stock *s, const struct cell *c, const char *mutation,
		   enum program which, char ret[PATH_LEN], struct diag *d)
{
	char whose[RECORD_WORD + PATH_LEN];

	if (which == PROGRAM_NOW)
		snprintf(whose, sizeof(whose), "%s", c->name);
	else
		snprintf(whose, sizeof(whose), "%s %s", c->workload, mutation);
	return path_format(ret, d, "%s/%016llx", s->folder,
			   (unsigned long long)hash_bytes(whose, strlen(whose), which));
}

static bool is_same(const struct order *o, const struct cell *c, const char *mutation,
		    enum program which)
{
	char other[RECORD_WORD];
	enum form form;

	if (o->which != which)
		return false;
	if (which == PROGRAM_NOW)
		return !strcmp(o->cell->name, c->name);
	return !strcmp(o->cell->workload, c->workload) &&
	       !variant_name_parse(o->cell->variant, other, &form, NULL) &&
	       !strcmp(other, mutation);
}

/* Its number, or cnt. */
static size_t find(const struct stock *s, const struct cell *c, const char *mutation,
		   enum program which)
{
	size_t i = 0;

	while (i < s->cnt && !is_same(&s->v[i], c, mutation, which))
		i++;
	return i;
}

/* ---- orders ---- */

static bool runs_program(const struct cell *c)
{
	return c->kind == KIND_RECORD || c->kind == KIND_LIVE;
}

static void order_earlier(struct stock *s, const struct cell *c)
{
	char id[RECORD_WORD];
	enum form form;

	if (!variant_name_parse(c->variant, id, &form, NULL) &&
	    recipe_wants_earlier(s->r->programs, c, form) &&
	    find(s, c, id, PROGRAM_EARLIER) == s->cnt)
		s->v[s->cnt++] = (struct order){c, PROGRAM_EARLIER};
}

/* A cell's earlier program is made from objects of the one that runs: it comes after the next one's
 * program, lest two that are built at once wait for one another's objects. */
static void order_all(struct stock *s, const struct cell *const *v, size_t cnt)
{
	const struct cell *last = NULL;

	for (size_t i = 0; i < cnt; i++) {
		if (!runs_program(v[i]))
			continue;
		s->v[s->cnt++] = (struct order){v[i], PROGRAM_NOW};
		if (last)
			order_earlier(s, last);
		last = v[i];
	}
	if (last)
		order_earlier(s, last);
}

static void build_one(void *arg, size_t i)
{
	const struct stock *s = arg;
	const struct order *o = &s->v[i];
	struct recipe *r = malloc(sizeof(*r));
	char made[RECORD_PATH], to[PATH_LEN];

	if (r && !recipe_read(s->r->programs, o->cell, r, NULL) && r->has_sources &&
	    !name_of(s, o->cell, r->mutation.id, o->which, to, NULL) &&
	    !recipe_build(r, o->cell, o->which, made, NULL))
		recipe_move(made, to, NULL);
	free(r);
}

/* ---- the whole ---- */

struct stock *stock_open(const struct runner *r, const struct house *h, const struct cell *const *v,
			 size_t cnt, struct diag *d)
{
	struct stock *s = calloc(1, sizeof(*s));

	if (s)
		s->v = calloc(2 * cnt + 1, sizeof(*s->v));
	if (!s || !s->v) {
		free(s);
		diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
		return NULL;
	}
	s->r = r;
	if (!house_scratch(h, s->folder, d)) {
		order_all(s, v, cnt);
		s->crew = crew_begin(s->cnt, build_one, s, d);
	}
	if (s->crew)
		return s;
	stock_close(s);
	return NULL;
}

const char *stock_folder(const struct stock *s)
{
	return s->folder;
}

static int await(struct stock *s, size_t i, struct diag *d)
{
	uint64_t start = now_ns();
	int rc = crew_await(s->crew, i, d);

	s->waited_ns += now_ns() - start;
	return rc;
}

int stock_take(struct stock *s, const struct cell *c, const struct recipe *r, enum program which,
	       const char *to, struct diag *d)
{
	size_t i = find(s, c, r->mutation.id, which);
	char from[PATH_LEN];
	int rc = i < s->cnt ? await(s, i, d) : -ENOENT;

	if (!rc)
		rc = name_of(s, c, r->mutation.id, which, from, d);
	if (rc || access(from, F_OK))
		return rc ? rc : -ENOENT;
	if (which == PROGRAM_NOW && !rename(from, to))
		return 0;
	return file_copy(from, to, d);
}

int stock_finish(struct stock *s, struct diag *d)
{
	uint64_t start = now_ns();
	int rc = crew_finish(s->crew, d);

	s->waited_ns += now_ns() - start;
	return rc;
}

bool stock_is_busy(const struct stock *s)
{
	return crew_works(s->crew);
}

double stock_waited(const struct stock *s)
{
	return (double)s->waited_ns / NS_PER_S;
}

void stock_close(struct stock *s)
{
	if (!s)
		return;
	crew_end(s->crew);
	if (s->folder[0])
		house_remove(s->folder, NULL);
	free(s->v);
	free(s);
}
