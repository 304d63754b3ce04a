/* SPDX-License-Identifier: BSD-2-Clause */
/* One cell outside of any run. */
#include "harness/single.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/runner.h"
#include "lib/files.h"
#include "mutations/owned.h"

/* Beside the result, so that it can be renamed; a result in no folder yet lies in this one. */
int single_open(struct single *s, const char *near, struct diag *d)
{
	const char *slash = strrchr(near, '/');
	char folder[PATH_LEN], real[PATH_MAX];
	int rc;

	*s = (struct single){.run = ""};
	rc = path_format(folder, d, "%.*s", slash ? (int)(slash + 1 - near) : 2,
			 slash ? near : "./");
	if (rc)
		return rc;
	if (!realpath(folder, real))
		return file_error(d, -errno, folder, "write in");
	rc = run_folder_seen(real, d);
	if (rc)
		return rc;
	return owned_new(real, ".assay-", s->run, d);
}

void single_recording(const char *workload, uint64_t seed, struct cell *ret)
{
	*ret = (struct cell){.kind = KIND_RECORD,
			     .variant = "base",
			     .profiler = "collector",
			     .division = "none",
			     .regime = "clean",
			     .binding = "-",
			     .seed = seed,
			     .from = "-",
			     .params = "-"};
	snprintf(ret->workload, sizeof(ret->workload), "%s", workload);
}

void single_live(const struct workload *w, const struct profiler *p, const char *name,
		 uint64_t seed, uint64_t ops, struct cell *ret)
{
	single_recording(w->name, seed, ret);
	ret->kind = KIND_LIVE;
	snprintf(ret->profiler, sizeof(ret->profiler), "%s", name);
	snprintf(ret->division, sizeof(ret->division), "%s", p->division);
	strcpy(ret->binding, "stamped");
	snprintf(ret->params, sizeof(ret->params),
		 "ops=%llu rate=%llu workers=%llu queue_depth=%llu fanout=%llu",
		 (unsigned long long)ops, (unsigned long long)w->rate,
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout);
}

/* What a recording keeps beside its evidence, where it was given. */
static int store(const char *from, const char *folder, const char *name, struct diag *d)
{
	char to[PATH_LEN];
	int rc;

	if (!from)
		return 0;
	rc = path_format(to, d, "%s/%s", folder, name);
	return rc ? rc : file_copy(from, to, d);
}

static int plan_stored(struct single *s, const struct single_evidence *e, struct cell *ret,
		       struct diag *d)
{
	struct cell_status ok = {.state = CELL_OK};
	char folder[PATH_LEN];
	int rc;

	single_recording("stored", 1, ret);
	rc = plan_add(&s->plan, ret, d);
	if (!rc)
		rc = single_path(s, "", folder, d);
	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = store(e->evidence, folder, "evidence.bin", d);
	if (!rc)
		rc = store(e->manifest, folder, "manifest.yaml", d);
	if (!rc)
		rc = store(e->exe, folder, "program", d);
	return rc ? rc : status_write(s->run, s->plan.v[0].name, &ok, d);
}

int single_plan_join(struct single *s, const char *profiler, const struct single_evidence *e,
		     struct diag *d)
{
	struct cell c;
	int rc = plan_stored(s, e, &c, d);

	if (rc)
		return rc;
	c.kind = KIND_JOIN;
	snprintf(c.profiler, sizeof(c.profiler), "%s", profiler);
	strcpy(c.from, s->plan.v[0].name);
	strcpy(c.binding, e->manifest ? "stamped" : "-");
	return plan_add(&s->plan, &c, d);
}

int single_path(const struct single *s, const char *name, char ret[PATH_LEN], struct diag *d)
{
	return path_format(ret, d, "%s/cells/%s/%s", s->run, s->plan.v[s->plan.cnt - 1].name, name);
}

int single_make_with(struct single *s, struct programs *programs, const struct machine *m,
		     const struct trial_limits *limits, const struct runner *more, struct diag *d)
{
	struct runner r = more ? *more : (struct runner){.run = NULL};
	double waited = 0;
	int rc;

	r.run = s->run;
	r.programs = programs;
	r.machine = m;
	r.plan = &s->plan;
	r.reference = "";
	r.limits = *limits;
	r.waited = &waited;
	rc = runner_cell(&r, &s->plan.v[s->plan.cnt - 1], &s->status, d);
	if (rc == -EINTR && d)
		d->cure[0] = '\0'; /* no run can be resumed */
	return rc;
}

int single_make(struct single *s, struct programs *programs, const struct machine *m,
		const struct trial_limits *limits, struct diag *d)
{
	return single_make_with(s, programs, m, limits, NULL, d);
}

int single_take(const struct single *s, const char *name, const char *to, struct diag *d)
{
	char from[PATH_LEN];
	int rc = output_check(to, d);

	if (!rc)
		rc = single_path(s, name, from, d);
	if (!rc && rename(from, to))
		rc = file_error(d, -errno, to, "write");
	return rc;
}

int single_keep(const struct single *s, const char *to, struct diag *d)
{
	char from[PATH_LEN];
	int rc = single_path(s, "", from, d);

	if (!rc) {
		from[strlen(from) - 1] = '\0';
		folder_remove(to, NULL); /* of an earlier test */
		rc = rename(from, to) ? file_error(d, -errno, to, "write") : 0;
	}
	return rc;
}

void single_close(struct single *s)
{
	if (s->run[0])
		folder_remove(s->run, NULL);
	plan_free(&s->plan);
	s->run[0] = '\0';
}

/* A path below the hidden folder, by what the user called the file, or by its last part. */
static void put_path(const struct single *s, const char *path, size_t len, FILE *out)
{
	const char *slash = memrchr(path, '/', len), *base = slash ? slash + 1 : path;
	int n = (int)(path + len - base);

	for (size_t i = 0; i < SINGLE_FILES; i++)
		if (s->files[i].shown &&
		    !strncmp(base, s->files[i].name, strlen(s->files[i].name))) {
			fputs(s->files[i].shown, out);
			return;
		}
	fprintf(out, "%.*s", n, base);
}

/* Text of programs that know only the hidden folder, which is gone when it is read. */
static void put_text(const struct single *s, const char *text, FILE *out)
{
	const char *at;

	while (s->run[0] && (at = strstr(text, s->run))) {
		size_t len = strcspn(at, " :,;\n\"'");

		fprintf(out, "%.*s", (int)(at - text), text);
		put_path(s, at, len, out);
		text = at + len;
	}
	fputs(text, out);
}

static char *read_log(const struct single *s)
{
	char path[PATH_LEN], *log;

	if (single_path(s, "log", path, NULL) || file_read(path, 1 << 20, &log, NULL, NULL))
		return NULL;
	return log;
}

/* Cuts the line end off; the last line that does not go on from the one above. */
static const char *last_line(char *log)
{
	size_t len = strlen(log), at = 0;

	while (len && log[len - 1] == '\n')
		log[--len] = '\0';
	for (size_t i = 1; i < len; i++)
		if (log[i - 1] == '\n' && log[i] != ' ' && log[i] != '\t')
			at = i;
	return log + at;
}

/* Without the lines in which the cell itself says what it does: those before, and those behind. */
static char *own_words(char *log)
{
	size_t len;

	while (!strncmp(log, "-- ", 3))
		log += strcspn(log, "\n") + (log[strcspn(log, "\n")] != '\0');
	for (;;) {
		char *last;

		len = strlen(log);
		if (len && log[len - 1] == '\n')
			log[--len] = '\0';
		last = strrchr(log, '\n');
		if (!last || strncmp(last + 1, "-- ", 3))
			return log;
		*last = '\0';
	}
}

/* The folder goes away, and the log with it: its words are shown now. */
static void put_log(const struct single *s, char *log, FILE *out)
{
	const char *last;

	log = own_words(log);
	last = last_line(log);
	if (!log[0])
		return;
	if (last == log) {
		fputs("       it said: ", out);
	} else {
		char *end = strchr(last, '\n');
		char *line = strndup(last, end ? (size_t)(end - last) : strlen(last));

		fputs("       it said last: ", out);
		put_text(s, line ? line : "", out);
		free(line);
		fputs("\n---- log ----\n", out);
	}
	put_text(s, log, out);
	fputc('\n', out);
}

static bool is_text(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return len > 0;
}

/* The line of the claims that the reason names: that file goes away, too. */
static void put_rejected(const struct single *s, FILE *out)
{
	enum { SHOWN = 300 };
	static const char file[] = "claims.rejected";
	const char *at = strstr(s->status.reason, file), *line;
	char path[PATH_LEN], *text;
	unsigned long n = 0;

	if (!at || sscanf(at + sizeof(file) - 1, ":%lu:", &n) != 1 ||
	    single_path(s, file, path, NULL) || file_read(path, 1 << 30, &text, NULL, NULL))
		return;
	line = text;
	while (line && --n)
		line = (line = strchr(line, '\n')) ? line + 1 : NULL;
	if (line && is_text(line, strcspn(line, "\n"))) /* the packed form has no lines */
		fprintf(out, "       the line: %.*s%s\n",
			(int)(strcspn(line, "\n") < SHOWN ? strcspn(line, "\n") : SHOWN), line,
			strcspn(line, "\n") > SHOWN ? " ..." : "");
	free(text);
}

void single_explain(const struct single *s, FILE *out)
{
	char *log = s->status.state == CELL_OK ? NULL : read_log(s);

	fprintf(out, "%s: ", cell_state_name(s->status.state));
	put_text(s, s->status.reason, out);
	fputc('\n', out);
	if (s->status.state == CELL_INVALID)
		put_rejected(s, out);
	if (log)
		put_log(s, log, out);
	free(log);
}

const char *single_cure(const struct single *s)
{
	return strstr(s->status.cure, "cell's log") ? "" : s->status.cure;
}

void single_report(const struct single *s, FILE *out)
{
	fputs("assay: ", out);
	single_explain(s, out);
	if (!single_cure(s)[0])
		return;
	fputs("       try: ", out);
	put_text(s, s->status.cure, out);
	fputc('\n', out);
}
