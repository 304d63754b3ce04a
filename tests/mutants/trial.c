/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles, links and tests one mutant. */
#include "tests/mutants/trial.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_MAX = 1 << 16 };

/* Suites that ask handoffs only, some of them long; the rest takes a second together. */
#define HEAVY "\"score_handoff_*\""

/* Which suites are likely to catch a mutant of a file: they go first, for speed alone. */
static const struct {
	const char *file, *suites;
} likely[] = {
	{"*/events*", "\"score_events\" \"score_identity\""},
	{"*/identity*", "\"score_identity\""},
	{"*/attribution*", "\"score_cost\" \"score_profile\" \"score_effect\""},
	{"*/cost_roots*", "\"score_cost\""},
	{"*/ops*", "\"score_cost\" \"score_profile\""},
	{"*/profile*", "\"score_profile\""},
	{"*/effects*", "\"score_effect\""},
	{"*/matching*", "\"matching\" \"score_effect\""},
	{"*/stale*", "\"score_stale\""},
	{"*/health*", "\"score_stale\" \"p_stale\""},
	{"*/calibration*", "\"calibration\" \"risk_coverage\" \"reliability_bins\""},
	{"*/loss*", "\"score_loss\""},
	{"*/diagnosis*", "\"score_diagnosis\""},
	{"*/explain*", "\"explain\" \"explain_*\""},
	{"*/tables*", "\"tables\""},
	{"*/handoff*", "\"score_handoff_[cer]*\" \"score_examples\""},
	{"*/match*", "\"score_handoff_[cer]*\""},
	{"*/score*", "\"score_json\" \"score_figures\""},
	{"*/values*", "\"score_json\" \"score_figures\" \"score_page\""},
	{"*/figures*", "\"score_figures\""},
};

/* Replaces @WORD@ by its value. */
static void expand(char out[static COMMAND_MAX], const char *text, const char *word,
		   const char *value)
{
	size_t len = 0;

	for (const char *hit; (hit = strstr(text, word)); text = hit + strlen(word))
		len += (size_t)snprintf(out + len, COMMAND_MAX - len, "%.*s%s", (int)(hit - text),
					text, value);
	snprintf(out + len, COMMAND_MAX - len, "%s", text);
}

/* A child in a process group of its own, so that whatever it leaves can be ended. */
static void run_child(const char *command)
{
	setpgid(0, 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Exit code, 124 if the time was up, 128 + n if a signal ended it, -1 if nothing ran. */
static int run(const char *command, unsigned seconds)
{
	char timed[COMMAND_MAX];
	int status;
	pid_t pid;

	/* timeout(1) minds the clock; the mutant may hang on whatever it likes. */
	snprintf(timed, sizeof(timed), "exec timeout -k 2 %u sh -c '%s' >/dev/null 2>&1 </dev/null",
		 seconds, command);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid)
		run_child(timed);
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	kill(-pid, SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct files {
	char src[256], obj[256], exe[256];
};

static struct files files_in(const char *folder)
{
	struct files f;

	snprintf(f.src, sizeof(f.src), "%s/mutant.c", folder);
	snprintf(f.obj, sizeof(f.obj), "%s/mutant.o", folder);
	snprintf(f.exe, sizeof(f.exe), "%s/tests", folder);
	return f;
}

static int compile(const struct commands *c, const struct files *f, const char *sanitize)
{
	char a[COMMAND_MAX], b[COMMAND_MAX];

	expand(a, c->compile, "@SRC@", f->src);
	expand(b, a, "@SAN@", sanitize);
	expand(a, b, "@OBJ@", f->obj);
	return run(a, 60);
}

static int link_with(const struct commands *c, const struct files *f, const char *obj,
		     const char *sanitize)
{
	char a[COMMAND_MAX], b[COMMAND_MAX];

	expand(a, c->link, "@OBJ@", obj);
	expand(b, a, "@SAN@", sanitize);
	expand(a, b, "@EXE@", f->exe);
	return run(a, 60);
}

static int test(const struct files *f, const char *order, const char *suites, unsigned seconds)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4 %s %s %s", f->exe, order,
		 suites);
	return run(command, seconds);
}

static const char *likely_suites(const char *file)
{
	for (size_t i = 0; i < sizeof(likely) / sizeof(likely[0]); i++)
		if (!fnmatch(likely[i].file, file, 0))
			return likely[i].suites;
	return "";
}

bool asks_heavy(const char *file)
{
	return !fnmatch("*/handoff*", file, 0) || !fnmatch("*/match.c", file, 0) ||
	       !fnmatch("*/match_*", file, 0);
}

/* Likely suites, then all others that are light, then those that run long. */
static bool caught(const struct commands *c, const struct files *f, const char *file)
{
	const char *suites = likely_suites(file);

	if (*suites && test(f, "--only", suites, 20))
		return true;
	if (test(f, "--but", HEAVY, c->light_s))
		return true;
	return asks_heavy(file) && test(f, "--only", HEAVY, c->heavy_s);
}

enum verdict trial(const struct site *x, const struct commands *c, const char *folder)
{
	/* Tests of handoffs fill gigabytes, which a sanitizer would have to shadow. */
	const char *sanitize = asks_heavy(x->file) ? "" : c->sanitize;
	struct files f = files_in(folder);
	int rc;

	if (site_apply(x, f.src))
		return VERDICT_BROKEN;
	rc = compile(c, &f, sanitize);
	if (rc)
		return rc == 127 || rc < 0 ? VERDICT_BROKEN : VERDICT_STILLBORN;
	if (link_with(c, &f, f.obj, sanitize))
		return VERDICT_BROKEN;
	if (caught(c, &f, x->file))
		return VERDICT_CAUGHT;
	return x->excused ? VERDICT_EQUIVALENT : VERDICT_SURVIVED;
}

/* Runs and, if all is well, allows others three times as long: two of them share the machine. */
static int timed(const struct files *f, const char *order, unsigned *seconds)
{
	time_t began = time(NULL);
	int rc = test(f, order, HEAVY, *seconds);
	unsigned took = (unsigned)(time(NULL) - began) + 1;

	if (!rc && 3 * took + 5 < *seconds)
		*seconds = 3 * took + 5;
	return rc;
}

int trial_unmutated(struct commands *c, const char *folder, bool heavy)
{
	struct files f = files_in(folder);
	int rc = link_with(c, &f, "", heavy ? "" : c->sanitize);

	if (!rc)
		rc = timed(&f, "--but", &c->light_s);
	return rc || !heavy ? rc : timed(&f, "--only", &c->heavy_s);
}
