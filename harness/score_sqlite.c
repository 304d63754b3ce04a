/* SPDX-License-Identifier: BSD-2-Clause */
/* scores.sqlite: the same figures for questions in SQL. */
#include "harness/score_run.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/folder.h"
#include "results/scores_csv.h"

static const char schema[] =
	"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
	"CREATE TABLE cells(cell TEXT PRIMARY KEY, kind TEXT, workload TEXT, variant TEXT,"
	" profiler TEXT, division TEXT, regime TEXT, binding TEXT, seed INTEGER, state TEXT,"
	" reason TEXT, seconds REAL);"
	"CREATE TABLE scores(run TEXT, cell TEXT, workload TEXT, variant TEXT, profiler TEXT,"
	" division TEXT, regime TEXT, binding TEXT, seed INTEGER, metric TEXT, scope TEXT,"
	" value REAL, lo REAL, hi REAL, n INTEGER, status TEXT);"
	"BEGIN;";

struct base {
	sqlite3 *db;
	sqlite3_stmt *put;
	char part[PATH_LEN];
	struct diag *d;
};

static int sql_error(struct base *b)
{
	int err = sqlite3_errcode(b->db) == SQLITE_FULL ? -ENOSPC : -EIO;

	return diag_set(b->d, err, b->part, 0, err == -ENOSPC ? "free some space" : NULL,
			"cannot be written: %s", sqlite3_errmsg(b->db));
}

static void bind_texts(sqlite3_stmt *s, const char *const *v, int cnt)
{
	for (int i = 0; i < cnt; i++)
		sqlite3_bind_text(s, i + 1, v[i], -1, SQLITE_TRANSIENT);
}

static int put_figure(const struct figure_row *r, void *arg)
{
	const char *const texts[] = {r->run,	  r->cell,     r->workload, r->variant,
				     r->profiler, r->division, r->regime,   r->binding};
	struct base *b = arg;

	sqlite3_reset(b->put);
	sqlite3_clear_bindings(b->put);
	bind_texts(b->put, texts, 8);
	sqlite3_bind_int64(b->put, 9, (sqlite3_int64)r->seed);
	sqlite3_bind_text(b->put, 10, r->metric, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(b->put, 11, r->scope, -1, SQLITE_TRANSIENT);
	if (r->has_value)
		sqlite3_bind_double(b->put, 12, r->value);
	if (r->has_interval) {
		sqlite3_bind_double(b->put, 13, r->lo);
		sqlite3_bind_double(b->put, 14, r->hi);
	}
	sqlite3_bind_int64(b->put, 15, (sqlite3_int64)r->n);
	sqlite3_bind_text(b->put, 16, r->status, -1, SQLITE_TRANSIENT);
	return sqlite3_step(b->put) == SQLITE_DONE ? 0 : sql_error(b);
}

static int put_cells(struct base *b, const char *run, const struct plan *p)
{
	sqlite3_stmt *s;
	int rc = 0;

	if (sqlite3_prepare_v2(b->db, "INSERT INTO cells VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", -1, &s,
			       NULL))
		return sql_error(b);
	for (size_t i = 0; !rc && i < p->cnt; i++) {
		const struct cell *c = &p->v[i];
		const char *const texts[] = {c->name,	  cell_kind_name(c->kind),
					     c->workload, c->variant,
					     c->profiler, c->division,
					     c->regime,	  c->binding};
		struct cell_status st;

		rc = status_read(run, c->name, &st, b->d);
		if (rc)
			break;
		sqlite3_reset(s);
		bind_texts(s, texts, 8);
		sqlite3_bind_int64(s, 9, (sqlite3_int64)c->seed);
		sqlite3_bind_text(s, 10, cell_state_name(st.state), -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 11, st.reason, -1, SQLITE_TRANSIENT);
		sqlite3_bind_double(s, 12, st.seconds);
		rc = sqlite3_step(s) == SQLITE_DONE ? 0 : sql_error(b);
	}
	sqlite3_finalize(s);
	return rc;
}

static int fill(struct base *b, const char *run, const char *csv, const struct plan *p)
{
	int rc;

	if (sqlite3_open(b->part, &b->db) || sqlite3_exec(b->db, schema, NULL, NULL, NULL) ||
	    sqlite3_prepare_v2(b->db, "INSERT INTO scores VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			       -1, &b->put, NULL))
		return sql_error(b);
	rc = put_cells(b, run, p);
	if (!rc)
		rc = scores_csv_read(csv, put_figure, b, b->d);
	sqlite3_finalize(b->put);
	if (!rc && sqlite3_exec(b->db, "COMMIT; CREATE INDEX by_metric ON scores(metric, scope);",
				NULL, NULL, NULL))
		rc = sql_error(b);
	return rc;
}

int scores_to_sqlite(const char *run, const struct plan *p, struct diag *d)
{
	struct base b = {.d = d};
	char csv[PATH_LEN], path[PATH_LEN];
	int rc = path_format(csv, d, "%s/scores.csv", run);

	if (!rc)
		rc = path_format(path, d, "%s/scores.sqlite", run);
	if (!rc)
		rc = path_format(b.part, d, "%s.part", path);
	if (rc)
		return rc;
	unlink(b.part);
	rc = fill(&b, run, csv, p);
	if (sqlite3_close(b.db) && !rc)
		rc = diag_set(d, -EIO, b.part, 0, NULL, "cannot be closed");
	if (!rc && rename(b.part, path))
		rc = diag_set(d, -errno, path, 0, NULL, "cannot be written: %s", strerror(errno));
	if (rc)
		unlink(b.part);
	return rc;
}
