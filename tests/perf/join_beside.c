/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of join_perf.sh that are programs: our scorer and SQLite on the same packed files, and
 * those files as CSV for others.
 *
 *   join_beside score TRUTH CLAIMS        scores handoffs with one thread, the better of two
 *   join_beside sqlite TRUTH CLAIMS       the as-of join in memory, with an index
 *   join_beside csv TRUTH CLAIMS TRUTH.csv CLAIMS.csv
 *
 * The first two print "CLAIMS RIGHT WALL CPU" (seconds). Loading is never part of the time; the
 * files are read once before the clock starts.
 */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/files.h"
#include "scoring/score.h"

struct run {
	struct truth t;
	struct claims c;
};

struct clocks {
	double wall, cpu;
};

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct clocks now(void)
{
	return (struct clocks){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static struct clocks since(struct clocks start)
{
	struct clocks end = now();

	return (struct clocks){end.wall - start.wall, end.cpu - start.cpu};
}

static int print(const struct run *r, uint64_t right, struct clocks took)
{
	printf("%zu %" PRIu64 " %.3f %.3f\n", r->c.cnt, right, took.wall, took.cpu);
	return 0;
}

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "join_beside: %s: %s\n", what, why);
	return 1;
}

/* ---- ours ---- */

static int score(const struct run *r)
{
	static struct handoff_score s;
	const struct score_options o = {.threads = 1};
	struct clocks best = {0};

	for (int i = 0; i < 2; i++) {
		struct clocks start = now(), took;
		int err = score_handoffs_with(&r->t, &r->c, &o, &s, NULL);

		if (err)
			return fail("score", strerror(-err));
		took = since(start);
		if (!i || took.cpu < best.cpu)
			best = took;
	}
	return print(r, s.level[LEVEL_CONTEXT].all.right, best);
}

/* ---- CSV ---- */

static void put_handoff(FILE *f, const struct truth_handoff *h, size_t i)
{
	fprintf(f,
		"%zu,%u,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 "\n",
		i, h->type, h->key.v, h->src_tid, h->src_t.t0, h->src_t.t1, h->dst_tid,
		h->dst_ready.t0, h->dst_ready.t1, h->dst_t.t0, h->dst_t.t1);
}

static void put_claim(FILE *f, const struct claim *c, size_t i)
{
	fprintf(f, "%u,%" PRIu64 ",%u,%" PRIu64 ",%u,%" PRIu64 "\n", c->type, c->handoff.key_v,
		c->handoff.src_tid, c->handoff.src_t, c->handoff.dst_tid, c->handoff.dst_t);
}

static int csv(const struct run *r, const char *truth, const char *claims)
{
	FILE *t = fopen(truth, "w"), *c = fopen(claims, "w");

	if (!t || !c)
		return fail(t ? claims : truth, strerror(errno));
	for (size_t i = 0; i < r->t.handoffs_cnt; i++)
		put_handoff(t, &r->t.handoffs[i], i);
	for (size_t i = 0; i < r->c.cnt; i++)
		put_claim(c, &r->c.v[i], i);
	if (ferror(t) | fclose(t))
		return fail(truth, "cannot be written");
	return ferror(c) | fclose(c) ? fail(claims, "cannot be written") : 0;
}

/* ---- SQLite ---- */

static const char tables[] =
	"CREATE TABLE truth(id INTEGER PRIMARY KEY, type, key, src_tid, src_t0, src_t1, dst_tid,"
	" ready_t0, ready_t1, dst_t0, dst_t1);"
	"CREATE TABLE claim(type, key, src_tid, src_t, dst_tid, dst_t); BEGIN";

static const char indexes[] = "COMMIT; CREATE INDEX sent ON truth(type, src_tid, key, src_t0);"
			      "ANALYZE";

/* Each claim finds the last handoff of its type, thread and key that was sent before it. */
static const char join[] =
	"SELECT count(DISTINCT h.id) FROM claim c CROSS JOIN truth h ON h.id ="
	" (SELECT x.id FROM truth x WHERE x.type = c.type AND x.src_tid = c.src_tid"
	"  AND x.key = c.key AND x.src_t0 <= c.src_t ORDER BY x.src_t0 DESC LIMIT 1)"
	" WHERE c.src_t <= h.src_t1 AND c.dst_tid = h.dst_tid"
	" AND (c.dst_t BETWEEN h.dst_t0 AND h.dst_t1 OR c.dst_t BETWEEN h.ready_t0 AND h.ready_t1)";

static int insert(sqlite3 *db, const char *sql, const uint64_t *v, int cnt)
{
	static sqlite3_stmt *stmt;
	static const char *prepared;
	int rc = SQLITE_OK;

	if (prepared != sql) {
		sqlite3_finalize(stmt);
		stmt = NULL;
		prepared = sql;
		rc = sql ? sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) : SQLITE_OK;
	}
	for (int i = 0; rc == SQLITE_OK && i < cnt; i++)
		rc = sqlite3_bind_int64(stmt, i + 1, (sqlite3_int64)v[i]);
	if (rc != SQLITE_OK || !stmt)
		return rc;
	rc = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int fill(sqlite3 *db, const struct run *r)
{
	static const char truth[] = "INSERT INTO truth VALUES(?,?,?,?,?,?,?,?,?,?,?)";
	static const char claim[] = "INSERT INTO claim VALUES(?,?,?,?,?,?)";
	int rc = sqlite3_exec(db, tables, NULL, NULL, NULL);

	for (size_t i = 0; rc == SQLITE_OK && i < r->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &r->t.handoffs[i];
		const uint64_t v[] = {i,	   h->type,	    h->key.v,
				      h->src_tid,  h->src_t.t0,	    h->src_t.t1,
				      h->dst_tid,  h->dst_ready.t0, h->dst_ready.t1,
				      h->dst_t.t0, h->dst_t.t1};

		rc = insert(db, truth, v, 11);
	}
	for (size_t i = 0; rc == SQLITE_OK && i < r->c.cnt; i++) {
		const struct claim *c = &r->c.v[i];
		const uint64_t v[] = {c->type,		c->handoff.key_v,   c->handoff.src_tid,
				      c->handoff.src_t, c->handoff.dst_tid, c->handoff.dst_t};

		rc = insert(db, claim, v, 6);
	}
	insert(db, NULL, NULL, 0);
	return rc == SQLITE_OK ? sqlite3_exec(db, indexes, NULL, NULL, NULL) : rc;
}

static int sqlite(const struct run *r)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	struct clocks start;
	int rc = sqlite3_open(":memory:", &db);

	if (rc == SQLITE_OK)
		rc = fill(db, r);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, join, -1, &stmt, NULL);
	start = now();
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		print(r, (uint64_t)sqlite3_column_int64(stmt, 0), since(start));
	else
		fail("SQLite", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return rc != SQLITE_ROW;
}

int main(int argc, char **argv)
{
	struct diag d = {0};
	struct run r;
	int rc = 2;

	if (argc < 4 || (!strcmp(argv[1], "csv") && argc < 6))
		return fail("usage", "score|sqlite|csv TRUTH CLAIMS [TRUTH.csv CLAIMS.csv]");
	if (truth_load(argv[2], &r.t, &d) || claims_load(argv[3], &r.c, &d)) {
		diag_print(&d, stderr);
		return 1;
	}
	if (!strcmp(argv[1], "score"))
		rc = score(&r);
	else if (!strcmp(argv[1], "sqlite"))
		rc = sqlite(&r);
	else if (!strcmp(argv[1], "csv"))
		rc = csv(&r, argv[4], argv[5]);
	claims_free(&r.c);
	truth_free(&r.t);
	return rc;
}
