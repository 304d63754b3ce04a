/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that measure what watching costs: many runs of one workload, with and without a profiler.
 */
#include "harness/runner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/meter.h"
#include "harness/overhead_file.h"
#include "lib/files.h"
#include "lib/formats/claims.h"
#include "lib/formats/json.h"
#include "lib/formats/manifest.h"
#include "lib/resolve.h"

enum { LOAD_JSON_MAX = 1 << 20, LOG_MAX = 1 << 20 };

/* One cell: all runs of one profiler on one workload. */
struct session {
	struct making *m;
	const struct workload *workload;
	const struct profiler *p; /* NULL: nobody */
	struct meter *meter;
	struct overhead o;
	struct cell run; /* each run is a cell in the folder of this one */
	uint64_t ops;
	bool ended; /* a run was not ok, and so this cell is not */
};

/* ---- one run ---- */

static void plan_run(struct session *x, bool closed)
{
	const struct cell *c = x->m->c;
	const struct workload *w = x->workload;

	x->run = *c;
	x->run.kind = KIND_LIVE;
	if (!x->p)
		strcpy(x->run.profiler, "null");
	snprintf(x->run.name, sizeof(x->run.name), "%.190s/run", c->name);
	snprintf(x->run.params, sizeof(x->run.params),
		 "ops=%llu %s=%llu workers=%llu queue_depth=%llu fanout=%llu",
		 (unsigned long long)x->ops, closed ? "depth" : "rate",
		 (unsigned long long)(closed ? OVERHEAD_DEPTH : cell_param(c, "rate", w->rate)),
		 (unsigned long long)cell_param(c, "workers", w->workers),
		 (unsigned long long)cell_param(c, "queue_depth", w->queue_depth),
		 (unsigned long long)cell_param(c, "fanout", w->fanout));
}

static int run_path(const struct session *x, const char *name, char ret[PATH_LEN], struct diag *d)
{
	return path_format(ret, d, "%s/run/%s", x->m->folder, name);
}

static double number_at(const struct json_value *o, const char *name)
{
	struct json_value v;
	double d;

	return json_get(o, name, &v) && !json_f64(&v, &d) ? d : NAN;
}

static int read_load(const struct session *x, struct overhead_run *ret, struct diag *d)
{
	struct json_parser *p = json_parser_new();
	struct json_value o, latency;
	char path[PATH_LEN], *text = NULL;
	const char *why;
	size_t len;
	int rc = p ? run_path(x, "load.json", path, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc)
		rc = file_read(path, LOAD_JSON_MAX, &text, &len, d);
	if (!rc && (json_parse(p, text, len, &o, &why) || !json_get(&o, "latency_ns", &latency)))
		rc = diag_set(d, -EINVAL, path, 1, NULL, "the workload says nothing of latency");
	if (!rc) {
		double ops = number_at(&o, "ops");

		ret->ops = ops > 0 ? (uint64_t)ops : 0;
		ret->p50_ns = number_at(&latency, "p50");
		ret->p99_ns = number_at(&latency, "p99");
	}
	free(text);
	json_parser_free(p);
	return rc;
}

/* What the run's programs said goes into this cell's log. */
static void keep_words(const struct session *x)
{
	char path[PATH_LEN], *text;
	size_t len;

	if (run_path(x, "log", path, NULL) || file_read(path, LOG_MAX, &text, &len, NULL))
		return;
	if (write(x->m->log_fd, text, len) < 0)
		errno = 0; /* a log without the words is still one */
	free(text);
}

/* Fills in what r->arm, pair and closed ask for. */
static int run_one(struct session *x, struct overhead_run *r, struct diag *d)
{
	const struct trial_truth truth = {.off = r->arm == ARM_BARE};
	struct runner how = *x->m->r;
	struct cell_status s;
	struct diag why = {0};
	int rc;

	how.meter = meter_hook(x->meter);
	how.truth = &truth;
	how.program = x->workload->path;
	how.unwatched = r->arm == ARM_PLAIN || !x->p;
	plan_run(x, r->closed);
	rc = runner_cell(&how, &x->run, &s, d);
	if (rc)
		return rc;
	x->m->status.broken_tries += s.broken_tries;
	if (s.state == CELL_OK) {
		meter_run(x->meter, r);
		return read_load(x, r, d);
	}
	keep_words(x);
	diag_set(&why, -EINVAL, NULL, 0, s.cure, "a run was %s: %.400s", cell_state_name(s.state),
		 s.reason);
	making_end(x->m, s.state, &why);
	x->ended = true;
	return 0;
}

/* ---- what is seen beside ---- */

static int keep_file(const struct session *x, const char *name, struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc = run_path(x, name, from, d);

	if (!rc)
		rc = path_format(to, d, "%s/%s", x->m->folder, name);
	if (rc || access(from, F_OK))
		return rc;
	return rename(from, to) ? file_error(d, -errno, to, "write") : 0;
}

static int see_claims(struct session *x, struct diag *d)
{
	struct overhead_seen *seen = &x->o.seen;
	char path[PATH_LEN];
	struct claims c;
	struct stat st;
	int rc = path_format(path, d, "%s/claims.bin", x->m->folder);

	if (rc || stat(path, &st))
		return rc;
	rc = claims_load(path, &c, d);
	if (rc)
		return rc;
	seen->claims = (double)c.cnt;
	seen->claims_bytes = (double)st.st_size;
	seen->lost = 0;
	for (size_t i = 0; i < c.cnt; i++)
		if (c.v[i].kind == CLAIM_GAP && c.v[i].has & HAS_LOST)
			seen->lost += (double)c.v[i].gap.lost;
	claims_free(&c);
	return 0;
}

/* Accuracy and cost are of the same run: the first that is watched. */
static int keep_scored(struct session *x, struct diag *d)
{
	static const char *const names[] = {"truth.bin", "claims.bin", "manifest.yaml"};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(names) / sizeof(names[0]); i++)
		rc = keep_file(x, names[i], d);
	return rc ? rc : see_claims(x, d);
}

static bool is_first(const struct resolution *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->sites[k].offset == r->sites[i].offset)
			return false;
	return true;
}

static bool is_probed(const struct session *x, uint64_t offset)
{
	const uint64_t *sites;
	size_t cnt = meter_sites(x->meter, &sites);

	for (size_t i = 0; i < cnt; i++)
		if (sites[i] == offset)
			return true;
	return false;
}

/* Which sites of the manifest have a probe. A manifest that does not resolve has none. */
static void see_sites(struct session *x)
{
	char path[PATH_LEN];
	struct manifest m = {0};
	struct resolution r = {.sites_cnt = 0};
	struct overhead_seen *seen = &x->o.seen;

	if (path_format(path, NULL, "%s/manifest.yaml", x->m->folder) || access(path, R_OK) ||
	    manifest_load(path, &m, NULL))
		return;
	if (!manifest_resolve(&m, x->workload->path, &r, NULL)) {
		seen->sites = seen->attached = 0;
		for (size_t i = 0; i < r.sites_cnt; i++)
			if (is_first(&r, i)) {
				seen->sites++;
				seen->attached += is_probed(x, r.sites[i].offset);
			}
		resolution_free(&r);
	}
	manifest_free(&m);
}

/* ---- all runs ---- */

/* The arms of a block, turned round in every other: what drifts falls on all alike. */
static int run_block(struct session *x, uint32_t pair, bool closed, struct diag *d)
{
	static const enum overhead_arm open[] = {ARM_PLAIN, ARM_WATCHED, ARM_BARE};
	unsigned arms = closed || !cell_param(x->m->c, "bare", 1) ? 2 : 3;
	int rc = 0;

	for (unsigned i = 0; !rc && !x->ended && i < arms; i++) {
		unsigned at = pair % 2 ? arms - 1 - i : i;
		struct overhead_run r = {.arm = open[at], .pair = pair, .closed = closed};

		rc = run_one(x, &r, d);
		if (!rc && !x->ended)
			x->o.runs[x->o.cnt++] = r;
		if (!rc && !x->ended && x->p && r.arm == ARM_WATCHED && !pair && !closed)
			rc = keep_scored(x, d);
	}
	return rc;
}

/* A run of its own, since counting costs; the first, so that it warms the machine up as well. */
static int run_counted(struct session *x, struct diag *d)
{
	struct overhead_run r = {.arm = ARM_WATCHED};
	struct diag why = {0};
	bool counts = x->p && !meter_count(x->meter, true, &why);
	int rc;

	if (why.err)
		dprintf(x->m->log_fd, "%s\n", why.reason);
	rc = run_one(x, &r, d);
	if (!rc && !x->ended && counts) {
		meter_hits(x->meter, x->o.hits);
		meter_seen(x->meter, &x->o.seen);
		x->o.counted = true;
		x->o.counted_ops = r.ops;
		rc = keep_file(x, "manifest.yaml", d);
		if (x->p->declares & (DECLARES_EVENT | DECLARES_HEALTH))
			see_sites(x);
	}
	meter_count(x->meter, false, NULL);
	return rc;
}

static int run_all(struct session *x, struct diag *d)
{
	uint64_t pairs = cell_param(x->m->c, "pairs", 8), closed = cell_param(x->m->c, "closed", 0);
	int rc;

	x->o.runs = calloc(3 * pairs + 2 * closed + 1, sizeof(*x->o.runs));
	if (!x->o.runs)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	x->o.seen = OVERHEAD_SEEN_NOTHING;
	x->o.declares = x->p ? x->p->declares : 0;
	rc = run_counted(x, d);
	for (uint32_t i = 0; !rc && !x->ended && i < pairs; i++)
		rc = run_block(x, i, false, d);
	for (uint32_t i = 0; !rc && !x->ended && i < closed; i++)
		rc = run_block(x, i, true, d);
	return rc;
}

static int find(struct session *x, struct diag *d)
{
	const struct cell *c = x->m->c;
	int rc = programs_workload(x->m->r->programs, c->workload, &x->workload, d);
	uint64_t ms = cell_param(c, "ms", 2000);

	if (!rc && strcmp(c->profiler, OVERHEAD_NOBODY))
		rc = programs_profiler(x->m->r->programs, c->profiler, &x->p, d);
	if (rc)
		return rc;
	x->ops = cell_param(c, "rate", x->workload->rate) * ms / 1000;
	x->ops = x->ops ? x->ops : 1;
	return 0;
}

int cell_make_overhead(struct making *m, struct diag *d)
{
	struct session x = {.m = m};
	char path[PATH_LEN];
	int rc = find(&x, d);

	if (!rc)
		rc = meter_open(&x.meter, d);
	if (!rc)
		rc = meter_pin(x.meter, cell_param(m->c, "load_cpus", 0),
			       cell_param(m->c, "watcher_cpus", 0), d);
	if (rc == -ENOTSUP) {
		making_end(m, CELL_UNSUPPORTED, d);
		return 0;
	}
	if (!rc)
		rc = run_all(&x, d);
	if (!rc)
		rc = path_format(path, d, "%s/" OVERHEAD_FILE, m->folder);
	if (!rc && !x.ended)
		rc = overhead_file_write(&x.o, path, d);
	if (!rc)
		rc = run_path(&x, "", path, d);
	if (!rc)
		rc = folder_remove(path, d);
	meter_close(x.meter);
	free(x.o.runs);
	return rc;
}
