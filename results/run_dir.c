/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's folder: loaded whole, or refused. */
#include "results/run_dir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strtab.h"
#include "results/run_parts.h"

/* Leaves room for the names below it in a buffer of 4096. */
#define RUN_PATH_MAX 3500

static const char *const state_names[CELL_STATE_CNT] = {
	"ok", "unsupported", "invalid", "broken", "timeout", "crashed",
};

const char *cell_state_name(unsigned state)
{
	return state_names[state];
}

int cell_state_parse(const char *word)
{
	for (int i = 0; i < CELL_STATE_CNT; i++)
		if (!strcmp(word, state_names[i]))
			return i;
	return -1;
}

const char *run_keep(struct run_dir *r, const char *s)
{
	int64_t id = s ? strtab_intern(r->words, s, strlen(s)) : 0;

	return id < 0 ? NULL : strtab_get(r->words, (uint32_t)id);
}

void run_dir_free(struct run_dir *r)
{
	if (!r)
		return;
	strtab_free(r->words);
	free(r->path);
	free(r->json);
	free(r->seeds);
	free(r->tools);
	free(r->skips);
	free(r->cells);
	free(r);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int collect_seeds(struct run_dir *r)
{
	size_t n = 0;

	r->seeds = calloc(r->cell_cnt + 1, sizeof(*r->seeds));
	if (!r->seeds)
		return -ENOMEM;
	for (size_t i = 0; i < r->cell_cnt; i++)
		r->seeds[i] = r->cells[i].seed;
	qsort(r->seeds, r->cell_cnt, sizeof(*r->seeds), compare_u64);
	for (size_t i = 0; i < r->cell_cnt; i++)
		if (!n || r->seeds[n - 1] != r->seeds[i])
			r->seeds[n++] = r->seeds[i];
	r->seed_cnt = n;
	return 0;
}

/* "a, b, c and 4 more" */
struct missing {
	char names[256];
	size_t cnt, shown;
};

static void note_missing(struct missing *m, const char *cell)
{
	size_t used = strlen(m->names);

	m->cnt++;
	if (used + strlen(cell) + 3 > sizeof(m->names))
		return;
	snprintf(m->names + used, sizeof(m->names) - used, "%s%s", used ? ", " : "", cell);
	m->shown++;
}

static int refuse(const struct run_dir *r, const struct missing *m, struct diag *d)
{
	char more[40] = "", cure[200];

	if (m->cnt > m->shown)
		snprintf(more, sizeof(more), " and %zu more", m->cnt - m->shown);
	snprintf(cure, sizeof(cure), "finish the run with `assay run --resume %.120s`", r->path);
	return diag_set(d, -EINVAL, r->path, 0, cure,
			"%zu of %zu planned cells have no state: %s%s", m->cnt, r->cell_cnt,
			m->names, more);
}

static int read_states(struct run_dir *r, struct diag *d)
{
	struct missing m = {0};

	for (size_t i = 0; i < r->cell_cnt; i++) {
		struct run_cell *c = &r->cells[i];
		int has = run_read_status(r, c, d);

		if (has < 0)
			return has;
		if (has)
			r->counts[c->state]++;
		else
			note_missing(&m, c->cell);
	}
	return m.cnt ? refuse(r, &m, d) : 0;
}

static int load(struct run_dir *r, struct diag *d)
{
	char file[4096];
	uint64_t planned = 0;
	int err;

	snprintf(file, sizeof(file), "%s/run.json", r->path);
	err = run_read_json(r, file, &planned, d);
	if (err)
		return err;
	snprintf(file, sizeof(file), "%s/plan.tsv", r->path);
	err = run_read_plan(r, file, d);
	if (err)
		return err;
	if (planned != r->cell_cnt)
		return diag_set(d, -EINVAL, file, 0, "the folder is damaged: run the suite again",
				"has %zu cells, run.json says %" PRIu64 " were planned",
				r->cell_cnt, planned);
	if (collect_seeds(r))
		return diag_set(d, -ENOMEM, r->path, 0, NULL, "out of memory");
	return read_states(r, d);
}

int run_dir_load(const char *path, struct run_dir **ret, struct diag *d)
{
	struct run_dir *r;
	int err = -ENOMEM;

	if (strlen(path) > RUN_PATH_MAX)
		return diag_set(d, -ENAMETOOLONG, path, 0, "move the run to a shorter path",
				"is longer than %d bytes", RUN_PATH_MAX);
	r = calloc(1, sizeof(*r));
	if (r) {
		r->path = strdup(path);
		r->words = strtab_new();
	}
	if (r && r->path && r->words)
		err = load(r, d);
	else
		diag_set(d, err, path, 0, NULL, "out of memory");
	if (err)
		run_dir_free(r);
	else
		*ret = r;
	return err;
}
