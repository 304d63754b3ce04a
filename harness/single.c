/* SPDX-License-Identifier: BSD-2-Clause */
/* One cell outside of any run. */
#include "harness/single.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/runner.h"
#include "lib/files.h"

int single_open(struct single *s, const char *near, struct diag *d)
{
	const char *slash = strrchr(near, '/');
	char name[PATH_LEN], real[PATH_MAX];
	int rc;

	*s = (struct single){.run = ""};
	rc = path_format(name, d, "%.*s.assay-XXXXXX", slash ? (int)(slash + 1 - near) : 0, near);
	if (rc)
		return rc;
	if (!mkdtemp(name) || !realpath(name, real))
		return file_error(d, -errno, name, "write");
	return path_format(s->run, d, "%s", real);
}

int single_make(struct single *s, struct programs *programs, const struct machine *m,
		const struct trial_limits *limits, struct diag *d)
{
	struct runner r = {.run = s->run,
			   .programs = programs,
			   .machine = m,
			   .plan = &s->plan,
			   .reference = "",
			   .limits = *limits};

	return runner_cell(&r, &s->plan.v[s->plan.cnt - 1], &s->status, d);
}

int single_take(const struct single *s, const char *name, const char *to, struct diag *d)
{
	char from[PATH_LEN];
	int rc = output_check(to, d);

	if (!rc)
		rc = path_format(from, d, "%s/cells/%s/%s", s->run, s->plan.v[s->plan.cnt - 1].name,
				 name);

	if (!rc && rename(from, to))
		rc = file_error(d, -errno, to, "write");
	return rc;
}

void single_close(struct single *s)
{
	if (s->run[0])
		folder_remove(s->run, NULL);
	plan_free(&s->plan);
	s->run[0] = '\0';
}

void single_report(const struct single *s, FILE *out)
{
	char path[PATH_LEN], *log;

	fprintf(out, "assay: %s: %s\n", cell_state_name(s->status.state), s->status.reason);
	if (s->status.cure[0])
		fprintf(out, "       try: %s\n", s->status.cure);
	/* The folder goes away, and the log with it: its words are shown now. */
	if (s->status.state == CELL_OK ||
	    path_format(path, NULL, "%s/cells/%s/log", s->run, s->plan.v[s->plan.cnt - 1].name) ||
	    file_read(path, 1 << 20, &log, NULL, NULL))
		return;
	if (log[0])
		fprintf(out, "---- log ----\n%s", log);
	free(log);
}
