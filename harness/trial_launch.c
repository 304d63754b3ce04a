/* SPDX-License-Identifier: BSD-2-Clause */
/* Launch forms beside attaching. */
#include "harness/trial_launch.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/regime_live.h"

enum { ENV_TEXT = 65536 };

static const uint64_t LOOK_STEP_NS = UINT64_C(2000000);

void launch_watcher(const struct trial_spec *s, char *const argv[], struct process_spec *ret)
{
	*ret = (struct process_spec){.argv = argv,
				     .cwd = s->work,
				     .more = s->live && s->live->more[0] ? s->live->more : NULL,
				     .out_fd = s->log_fd,
				     .err_fd = s->log_fd,
				     .extra_fd = -1,
				     .file_bytes = s->limits.file_bytes,
				     .group = s->meter ? s->meter->watcher_group : NULL,
				     .cpus = s->meter ? s->meter->watcher_cpus : NULL,
				     .own_mounts = true,
				     /* who works within the workload may meet it anywhere */
				     .own_files = s->launch.rights == RIGHTS_WATCH &&
						  s->launch.how != LAUNCH_ENV,
				     .rights = s->launch.rights,
				     /* processes of a crew keep that of truth open */
				     .takes_nothing = s->launch.secret,
				     .veil = s->veil};
}

bool launch_wrap_argv(char *const watcher[WATCHER_ARGS], const struct load_arguments *load,
		      char *ret[WATCHER_ARGS + LOAD_ARGS])
{
	int at = 0;

	while (at < WATCHER_ARGS && watcher[at]) {
		ret[at] = watcher[at];
		at++;
	}
	if (at + 2 + load->cnt > WATCHER_ARGS + LOAD_ARGS)
		return false;
	ret[at++] = (char *)"--";
	memcpy(&ret[at], load->v, (size_t)load->cnt * sizeof(*ret));
	ret[at + load->cnt] = NULL;
	return true;
}

enum process_event launch_find(struct process *watcher, const char *exe, uint64_t deadline,
			       struct process *ret)
{
	for (;;) {
		uint64_t now = now_ns();
		enum process_event e;

		if (!process_adopt(watcher, exe, ret))
			return PROCESS_STOPPED;
		if (now >= deadline)
			return PROCESS_TIMEOUT;
		e = process_wait_exit(watcher, now + LOOK_STEP_NS);
		if (e != PROCESS_TIMEOUT)
			return e;
	}
}

/* ---- env ---- */

static bool is_variable(const char *line)
{
	if (!isalpha((unsigned char)*line) && *line != '_')
		return false;
	while (isalnum((unsigned char)*line) || *line == '_')
		line++;
	return *line == '=';
}

int launch_env_parse(char *text, struct launch_env *ret, struct diag *d)
{
	static const char cure[] = "let env print lines NAME=VALUE and nothing else";
	char *rest = NULL;
	int cnt = 0, at = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		at++;
		if (!is_variable(line))
			return diag_set(d, -EINVAL, NULL, 0, cure,
					"line %d of what env printed is no variable: %.80s", at,
					line);
		if (cnt == PROCESS_MORE)
			return diag_set(d, -EINVAL, NULL, 0, cure,
					"env printed more than %d variables", PROCESS_MORE);
		ret->v[cnt++] = line;
	}
	ret->v[cnt] = NULL;
	return 0;
}

void launch_env_free(struct launch_env *e)
{
	free(e->text);
	*e = (struct launch_env){0};
}

/* Runs it with its output in fd. */
static int run_env(const struct trial_spec *s, int fd, uint64_t deadline, struct diag *d)
{
	char *argv[WATCHER_ARGS], how[128];
	struct process_spec spec;
	struct process p;
	int rc;

	s->launch.environment(s->arg, argv);
	launch_watcher(s, argv, &spec);
	spec.out_fd = fd;
	rc = process_start(&spec, &p, d);
	if (rc)
		return rc;
	switch (process_wait_exit(&p, deadline)) {
	case PROCESS_EXITED:
		break;
	case PROCESS_INTERRUPTED:
		process_kill(&p);
		return diag_set(d, -EINTR, NULL, 0, NULL, "interrupted");
	default:
		process_kill(&p);
		return diag_set(d, -ETIMEDOUT, NULL, 0, "print the variables and exit",
				"env did not end in time");
	}
	if (WIFEXITED(p.status) && !WEXITSTATUS(p.status))
		return 0;
	process_describe(&p, how, sizeof(how));
	return diag_set(d, -ECHILD, NULL, 0, "the cell's log says more", "env failed: %s", how);
}

int launch_environment(const struct trial_spec *s, uint64_t deadline, struct launch_env *ret,
		       struct diag *d)
{
	int fd = memfd_create("env", MFD_CLOEXEC), rc;
	struct launch_env e = {.text = calloc(1, ENV_TEXT)};
	ssize_t n;

	if (fd < 0 || !e.text) {
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
		goto out;
	}
	rc = run_env(s, fd, deadline, d);
	n = rc ? 0 : pread(fd, e.text, ENV_TEXT, 0);
	if (!rc && (n < 0 || n == ENV_TEXT))
		rc = diag_set(d, -EINVAL, NULL, 0, "print less", "env printed more than %d bytes",
			      ENV_TEXT - 1);
	if (!rc)
		rc = launch_env_parse(e.text, &e, d);
out:
	if (fd >= 0)
		close(fd);
	if (rc)
		launch_env_free(&e);
	else
		*ret = e;
	return rc;
}
