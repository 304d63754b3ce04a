/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that run no workload: joins, claims made from truth, stored runs. */
#include "harness/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groundtruth/truth.h"
#include "harness/convert.h"
#include "harness/dating.h"
#include "harness/regime.h"
#include "harness/stage.h"
#include "harness/variant.h"
#include "harness/veil.h"
#include "lib/files.h"
#include "lib/formats/claims.h"

/* ---- claims ---- */

/* A profiler may leave anything under that name: only a plain file is opened. */
static bool is_plain(const char *path, struct diag *why)
{
	struct stat st;

	if (lstat(path, &st)) {
		diag_set(why, -EINVAL, NULL, 0, "write the header at least",
			 "it wrote no claims file");
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		diag_set(why, -EINVAL, NULL, 0, "write a plain file",
			 "what it left as claims is no plain file");
		return false;
	}
	return true;
}

int making_take_claims(struct making *m, const char *path, struct diag *d)
{
	char kept[PATH_LEN], packed[PATH_LEN];
	struct diag why = {0};
	struct claims c;
	int rc = path_format(kept, d, "%s/claims.rejected", m->folder);

	if (!rc)
		rc = path_format(packed, d, "%s/claims.bin", m->folder);
	if (rc)
		return rc;
	if (!is_plain(path, &why)) {
		making_end(m, CELL_INVALID, &why);
		return 0;
	}
	if (rename(path, kept))
		return file_error(d, -errno, kept, "write");
	rc = claims_load(kept, &c, &why);
	if (rc == -EINVAL) {
		snprintf(why.file, sizeof(why.file), "claims.rejected");
		making_end(m, CELL_INVALID, &why);
		return 0;
	}
	if (rc) {
		*d = why;
		return rc;
	}
	rc = convert_write(&c, packed, CLAIMS_BINARY, d);
	claims_free(&c);
	if (!rc)
		unlink(kept);
	return rc;
}

/* ---- joins ---- */

/* A joiner, what it is given, and for how long. */
struct join {
	struct making *m;
	const struct profiler *p;
	struct stage stage;
	struct veil veil;
	char source[PATH_LEN]; /* folder of the recording */
	char stored[PATH_LEN]; /* its evidence */
	/* What is joined: not in the working folder, where it could be written to, and as a link
	 * with it that of all other joins. */
	char evidence[PATH_LEN], claims[PATH_LEN];
	char *argv[24];
	/* It is given a part of the evidence: apart from all else or not at all. */
	bool is_part;
	int part_fd;	/* what it prints then: an empty file, like the cell's log */
	bool cut_short; /* it was not started, or was ended */
	char why_short[256];
};

static void cut_short(struct join *j, enum cell_state state, const struct diag *why)
{
	j->cut_short = true;
	snprintf(j->why_short, sizeof(j->why_short), "%.*s", (int)sizeof(j->why_short) - 1,
		 why->reason);
	making_end(j->m, state, why);
}

static int run_joiner(struct join *j, struct diag *d)
{
	struct making *m = j->m;
	struct process_spec s = {.argv = j->argv,
				 .cwd = m->work,
				 .out_fd = j->is_part ? j->part_fd : m->log_fd,
				 .err_fd = j->is_part ? j->part_fd : m->log_fd,
				 .extra_fd = -1,
				 .file_bytes = m->r->limits.file_bytes,
				 .own_mounts = true,
				 .own_files = true,
				 .own_room = true,
				 .own_processes = true,
				 .sealed = j->is_part,
				 .rights = RIGHTS_FILES,
				 .veil = &j->veil};
	struct process p = {0};
	struct diag why = {0};
	char how[128];
	enum process_event e;

	j->cut_short = false;
	if (process_start(&s, &p, &why)) {
		cut_short(j, CELL_CRASHED, &why);
		return 0;
	}
	e = process_wait_exit(&p, now_ns() + m->r->limits.patience_ns);
	process_kill(&p);
	process_sweep();
	process_describe(&p, how, sizeof(how));
	if (e == PROCESS_INTERRUPTED)
		return diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	if (e == PROCESS_TIMEOUT) {
		diag_set(&why, -ETIMEDOUT, NULL, 0, "raise --time-limit", "it did not end in time");
		cut_short(j, CELL_TIMEOUT, &why);
	} else if (WIFSIGNALED(p.status) && WTERMSIG(p.status) == SIGKILL) {
		diag_set(&why, -EINVAL, NULL, 0, "give it more memory", "it failed: %s", how);
		cut_short(j, CELL_CRASHED, &why); /* as where memory runs out */
	} else if (!WIFEXITED(p.status) || WEXITSTATUS(p.status)) {
		diag_set(&why, -EINVAL, NULL, 0, "the cell's log says more", "it failed: %s", how);
		making_end(m, CELL_CRASHED, &why);
	}
	return 0;
}

/* What the cell's regime leaves of the evidence; what it took goes to a truth of the cell's own. */
static int lose_some(struct join *j, struct diag *d)
{
	char truth[PATH_LEN], told[PATH_LEN];
	struct regime_tally tally = {0};
	struct regime r;
	int rc = regime_parse(j->m->c->regime, &r, d);

	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", j->source);
	if (!rc)
		rc = path_format(told, d, "%s/truth.bin", j->m->folder);
	if (rc || r.kind == REGIME_CLEAN || regime_is_live(r.kind))
		return rc ? rc : file_copy(j->stored, j->evidence, d);
	rc = regime_apply(&r, j->m->c->seed, j->stored, j->evidence, &tally, d);
	if (!rc && !access(truth, R_OK))
		rc = regime_tell_truth(&tally, truth, told, d);
	regime_tally_free(&tally);
	return rc;
}

/* ---- whether it dates its doubts as it had them ---- */

/* What it printed before is gone. */
static int run_printing(struct join *j, struct diag *d)
{
	char path[PATH_LEN];
	int rc = path_format(path, d, "%s/printed", j->m->bin);

	if (rc)
		return rc;
	j->part_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (j->part_fd < 0)
		return file_error(d, -errno, path, "write");
	rc = run_joiner(j, d);
	close(j->part_fd);
	return rc;
}

/* In a fresh folder: what it wrote there before tells nothing. */
static int join_part(void *arg, uint64_t until, struct claims *ret, struct diag *d)
{
	struct join *j = arg;
	const struct cell_status kept = j->m->status;
	struct diag why = {0};
	bool said;
	int rc = folder_remove(j->m->work, d);

	if (!rc)
		rc = dir_make(j->m->work, d);
	if (!rc)
		rc = dating_cut(j->stored, until, j->evidence, d);
	if (!rc)
		rc = run_printing(j, d);
	said = j->m->status.state == CELL_OK;
	j->m->status = kept;
	if (rc)
		return rc;
	if (j->cut_short)
		return DATING_UNASKED;
	return said && is_plain(j->claims, &why) && !claims_load(j->claims, ret, &why)
		       ? 0
		       : DATING_SILENT;
}

static int redate(struct join *j, const struct dating *s, const struct claims *whole,
		  uint64_t moment, const char *path, struct diag *d)
{
	char told[PATH_LEN], dated[PATH_LEN];
	int rc = path_format(told, d, "%s/claims.told", j->m->folder);

	if (!rc)
		rc = path_format(dated, d, "%s/claims.dated", j->m->folder);
	if (!rc)
		rc = dating_write(s, whole, moment, dated, d);
	if (!rc && (rename(path, told) || rename(dated, path)))
		rc = file_error(d, -errno, path, "write");
	if (!rc)
		j->m->status.redated = true;
	return rc;
}

static void say_undated(struct join *j)
{
	struct cell_status *s = &j->m->status;

	s->undated = true;
	snprintf(s->reason, sizeof(s->reason),
		 "whether it had its doubts when they are dated is not known: %s", j->why_short);
}

static int check_claims(struct join *j, const struct dating *s, struct diag *d)
{
	enum dating_verdict verdict = DATES_HOLD;
	char path[PATH_LEN];
	struct claims whole;
	uint64_t moment = 0;
	int rc = path_format(path, d, "%s/claims.bin", j->m->folder);

	if (!rc)
		rc = claims_load(path, &whole, d);
	if (rc)
		return rc;
	rc = dating_check(s, &whole, &verdict, &moment, d);
	if (!rc && verdict == DATES_FAIL)
		rc = redate(j, s, &whole, moment, path, d);
	else if (!rc && verdict == DATES_UNKNOWN)
		say_undated(j);
	claims_free(&whole);
	return rc;
}

static int check_dates(struct join *j, struct diag *d)
{
	struct dating s = {.join = join_part, .arg = j, .draw = variant_salt()};
	char path[PATH_LEN];
	struct truth t;
	int rc = path_format(path, d, "%s/truth.bin", j->source);

	if (!rc)
		rc = truth_load(path, &t, d);
	if (rc)
		return rc;
	s.truth = &t;
	j->is_part = true;
	rc = check_claims(j, &s, d);
	truth_free(&t);
	return rc;
}

/* Where truth is there to judge dates by. Under strict nobody looks on, and lost records are found
 * missing later than they were lost, by honest joiners as well. */
static bool is_dated(const struct join *j)
{
	char truth[PATH_LEN];
	struct regime r;

	return j->p->declares & DECLARES_HEALTH && strcmp(j->m->c->binding, "strict") &&
	       !regime_parse(j->m->c->regime, &r, NULL) &&
	       (r.kind == REGIME_CLEAN || regime_is_live(r.kind)) &&
	       !path_format(truth, NULL, "%s/truth.bin", j->source) && !access(truth, R_OK);
}

/* ---- the cell ---- */

static int join_open(struct join *j, struct diag *d)
{
	struct making *m = j->m;
	bool reads_binary;
	int rc = making_source(m, j->source, d);

	if (!rc)
		rc = programs_profiler(m->r->programs, m->c->profiler, &j->p, d);
	if (!rc)
		rc = path_format(j->stored, d, "%s/evidence.bin", j->source);
	if (!rc)
		rc = path_format(j->evidence, d, "%s/evidence", m->bin);
	if (!rc)
		rc = path_format(j->claims, d, "%s/%s", m->work, profiler_claims_name(j->p));
	if (!rc)
		rc = lose_some(j, d);
	if (!rc)
		rc = stage_join(m, j->source, m->bin, &j->stage, d);
	if (rc)
		return rc;
	reads_binary = !strcmp(j->p->division, "binary");
	rc = making_veil(m, &j->stage, reads_binary, &j->veil, d);
	if (rc)
		return rc;
	veil_show(&j->veil, j->evidence);
	j->argv[0] = (char *)j->p->path;
	stage_arguments(&j->stage, m->c->binding, reads_binary, j->argv, 6);
	return 0;
}

int cell_make_join(struct making *m, struct diag *d)
{
	struct join j = {.m = m};
	char *const words[] = {NULL,	   (char *)"join",     (char *)"--evidence",
			       j.evidence, (char *)"--claims", j.claims};
	int rc;

	memcpy(j.argv, words, sizeof(words));
	rc = join_open(&j, d);
	if (rc)
		return rc;
	rc = run_joiner(&j, d);
	if (!rc && m->status.state == CELL_OK)
		rc = making_take_claims(m, j.claims, d);
	if (rc || m->status.state != CELL_OK || !is_dated(&j))
		return rc;
	return check_dates(&j, d);
}
