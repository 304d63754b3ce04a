/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that run no workload: joins, claims made from truth, stored runs. */
#include "harness/runner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/convert.h"
#include "harness/regime.h"
#include "harness/stage.h"
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

static int run_joiner(struct making *m, char *const *argv, const struct veil *veil, struct diag *d)
{
	struct process_spec s = {.argv = argv,
				 .cwd = m->work,
				 .out_fd = m->log_fd,
				 .err_fd = m->log_fd,
				 .extra_fd = -1,
				 .file_bytes = m->r->limits.file_bytes,
				 .own_mounts = true,
				 .rights = RIGHTS_FILES,
				 .veil = veil};
	struct process p = {0};
	struct diag why = {0};
	char how[128];
	enum process_event e;

	if (process_start(&s, &p, &why)) {
		making_end(m, CELL_CRASHED, &why);
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
		making_end(m, CELL_TIMEOUT, &why);
	} else if (!WIFEXITED(p.status) || WEXITSTATUS(p.status)) {
		diag_set(&why, -EINVAL, NULL, 0, "the cell's log says more", "it failed: %s", how);
		making_end(m, CELL_CRASHED, &why);
	}
	return 0;
}

/* What the cell's regime leaves of the evidence; what it took goes to a truth of the cell's own. */
static int lose_some(struct making *m, const char *source, const char *from, const char *to,
		     struct diag *d)
{
	char truth[PATH_LEN], told[PATH_LEN];
	struct regime_tally tally = {0};
	struct regime r;
	int rc = regime_parse(m->c->regime, &r, d);

	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", source);
	if (!rc)
		rc = path_format(told, d, "%s/truth.bin", m->folder);
	if (rc || r.kind == REGIME_CLEAN || regime_is_live(r.kind))
		return rc ? rc : file_copy(from, to, d);
	rc = regime_apply(&r, m->c->seed, from, to, &tally, d);
	if (!rc && !access(truth, R_OK))
		rc = regime_tell_truth(&tally, truth, told, d);
	regime_tally_free(&tally);
	return rc;
}

int cell_make_join(struct making *m, struct diag *d)
{
	char source[PATH_LEN], stored[PATH_LEN], evidence[PATH_LEN], claims[PATH_LEN];
	char *argv[24] = {NULL,	    (char *)"join",	(char *)"--evidence",
			  evidence, (char *)"--claims", claims};
	const struct profiler *p;
	struct stage stage;
	struct veil veil;
	int rc = making_source(m, source, d);

	if (!rc)
		rc = programs_profiler(m->r->programs, m->c->profiler, &p, d);
	if (!rc)
		rc = path_format(stored, d, "%s/evidence.bin", source);
	if (!rc)
		rc = path_format(evidence, d, "%s/evidence", m->work);
	if (!rc)
		rc = path_format(claims, d, "%s/%s", m->work, profiler_claims_name(p));
	if (!rc)
		rc = lose_some(m, source, stored, evidence, d);
	if (!rc)
		rc = stage_join(m, source, m->bin, &stage, d);
	if (!rc)
		rc = making_veil(m, &stage, !strcmp(p->division, "binary"), &veil, d);
	if (rc)
		return rc;
	argv[0] = (char *)p->path;
	stage_arguments(&stage, m->c->binding, !strcmp(p->division, "binary"), argv, 6);
	rc = run_joiner(m, argv, &veil, d);
	if (rc || m->status.state != CELL_OK)
		return rc;
	return making_take_claims(m, claims, d);
}
