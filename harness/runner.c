/* SPDX-License-Identifier: BSD-2-Clause */
/* One cell from an empty folder to its status. */
#include "harness/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/stage.h"
#include "harness/stock.h"
#include "harness/veil.h"
#include "lib/files.h"

/*
 * What must be free before a cell and after one that failed. The data files of a workload are gone
 * when it has ended, so that a failure for want of space shows no other trace. Measured for the
 * workload that writes most (pool; the others write half): truth 2.7 and evidence 3.6 KB an
 * operation, claims 1.9 KB; twice that is asked for, and room for a data file and logs.
 */
static const uint64_t SPACE_BYTES = 8 << 20;
static const uint64_t space_bytes_an_op[KIND_CNT] = {
	[KIND_RECORD] = 2 * 6300, [KIND_REFERENCE] = 0, /* has no operations in the plan */
	[KIND_JOIN] = 2 * 1900,	  [KIND_LIVE] = 2 * 4600,
	[KIND_TRUTH] = 2 * 1900,  [KIND_OVERHEAD] = 0, /* its runs ask for themselves */
};

void making_end(struct making *m, enum cell_state state, const struct diag *why)
{
	struct cell_status *s = &m->status;

	s->state = state;
	s->reason[0] = s->cure[0] = '\0';
	if (!why)
		return;
	if (why->file[0] && why->line)
		snprintf(s->reason, sizeof(s->reason), "%.200s:%llu: %.260s", why->file,
			 (unsigned long long)why->line, why->reason);
	else if (why->file[0])
		snprintf(s->reason, sizeof(s->reason), "%.200s: %.300s", why->file, why->reason);
	else
		snprintf(s->reason, sizeof(s->reason), "%s", why->reason);
	memcpy(s->cure, why->cure, sizeof(s->cure));
}

int making_source(const struct making *m, char ret[PATH_LEN], struct diag *d)
{
	const char *name = strcmp(m->c->from, "-") ? m->c->from : m->c->name;

	return path_format(ret, d, "%s/cells/%s", m->r->run, name);
}

int making_veil(const struct making *m, const struct stage *s, bool shows_base, struct veil *ret,
		struct diag *d)
{
	int rc = veil_open(m->r->run, m->r->stock ? stock_folder(m->r->stock) : NULL, ret, d);

	if (rc)
		return rc;
	veil_show(ret, m->work);
	veil_show(ret, s->exe);
	veil_show(ret, s->manifest);
	if (shows_base)
		veil_show(ret, s->base);
	return 0;
}

static int space_needed(const struct making *m, struct diag *d)
{
	uint64_t ops = cell_param(m->c, "ops", 0);

	return space_check(m->r->run, SPACE_BYTES + ops * space_bytes_an_op[m->c->kind], d);
}

/* What programs say goes to a file that they can name, so it gets its place when they are gone. */
static int keep_log(const struct making *m, struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc = path_format(from, d, "%s/log", m->bin);

	if (!rc)
		rc = path_format(to, d, "%s/log", m->folder);
	if (!rc && rename(from, to))
		rc = file_error(d, -errno, to, "write");
	return rc;
}

static int prepare(struct making *m, struct diag *d)
{
	char path[PATH_LEN];
	int rc = space_needed(m, d);

	if (!rc)
		rc = path_format(m->folder, d, "%s/cells/%s", m->r->run, m->c->name);
	if (!rc)
		rc = folder_remove(m->folder, d);
	if (!rc)
		rc = dir_make(m->folder, d);
	if (!rc)
		rc = work_folder_new(m->r->run, m->work, d);
	if (!rc)
		rc = work_folder_new(m->r->run, m->data, d);
	if (!rc)
		rc = work_folder_new(m->r->run, m->bin, d);
	if (!rc)
		rc = path_format(path, d, "%s/log", m->bin);
	if (rc)
		return rc;
	m->log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return m->log_fd < 0 ? file_error(d, -errno, path, "write") : 0;
}

static void keep_declared(struct making *m)
{
	const struct profiler *p;

	if (m->c->kind == KIND_RECORD || m->c->kind == KIND_REFERENCE || m->c->kind == KIND_TRUTH ||
	    programs_profiler(m->r->programs, m->c->profiler, &p, NULL))
		return;
	m->status.has_declares = true;
	m->status.declares = p->declares;
}

static int make(struct making *m, struct diag *d)
{
	static int (*const makers[KIND_CNT])(struct making *, struct diag *) = {
		[KIND_RECORD] = cell_make_record, [KIND_REFERENCE] = cell_make_reference,
		[KIND_JOIN] = cell_make_join,	  [KIND_LIVE] = cell_make_live,
		[KIND_TRUTH] = cell_make_truth,	  [KIND_OVERHEAD] = cell_make_overhead,
	};

	if (!making_supported(m))
		return 0;
	keep_declared(m);
	return makers[m->c->kind](m, d);
}

/*
 * A program that failed on a full disk is not to blame: the run stops and the cell stays open. One
 * that filled the disk itself is: its files are gone by now.
 */
static int blame_disk(const struct making *m, struct diag *d)
{
	switch (m->status.state) {
	case CELL_OK:
	case CELL_UNSUPPORTED:
		return 0;
	default:
		return space_needed(m, d);
	}
}

/* Whatever a cell waits for that is not of its own. */
static double waited(const struct runner *r)
{
	return *r->waited + (r->stock ? stock_waited(r->stock) : 0);
}

int runner_cell(struct runner *r, const struct cell *c, struct cell_status *ret, struct diag *d)
{
	struct making m = {.r = r, .c = c, .log_fd = -1, .status = {.idle = -1}};
	double before = waited(r);
	uint64_t start = now_ns();
	int rc = prepare(&m, d);

	if (!rc)
		rc = make(&m, d);
	if (m.log_fd >= 0) {
		int err;

		close(m.log_fd);
		err = keep_log(&m, rc ? NULL : d);
		rc = rc ? rc : err;
	}
	if (m.work[0])
		folder_remove(m.work, NULL);
	if (m.data[0])
		folder_remove(m.data, NULL);
	if (m.bin[0])
		folder_remove(m.bin, NULL);
	if (!rc && process_interrupted())
		rc = diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	if (!rc)
		rc = blame_disk(&m, d);
	if (rc)
		return rc;
	m.status.seconds = (double)(now_ns() - start) / NS_PER_S - (waited(r) - before);
	rc = status_write(r->run, c->name, &m.status, d);
	if (!rc)
		*ret = m.status;
	return rc;
}
