/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter contract, for cheats. */
#include "tests/cheats/cheat.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READY_FD = 3, WORDS = 40 };

static const char *option(char **argv, const char *name)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, name))
			return argv[1];
	return NULL;
}

bool cheat_is(const char *word)
{
	return strstr(program_invocation_short_name, word);
}

void cheat_memory(char *ret)
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 16);

	strcpy(ret + (n > 0 ? n : 0), ".memory");
}

static void program_of(const char *honest, char *ret)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(ret, PATH_MAX, "%.3900s/../../profilers/%.40s/%.40s", self, honest, honest);
}

static const char *needs(void)
{
	if (cheat_is("barred"))
		return "[]";
	return cheat_is("bpf") ? "[\"root\",\"bpf\"]" : cheat.needs;
}

static int describe(void)
{
	const char *comma = "";

	printf("{\"name\":\"%s\",\"version\":\"1\",\"division\":\"attach\",\"launch\":%s,",
	       program_invocation_short_name, cheat_is("wrap") ? "[\"wrap\"]" : cheat.launch);
	printf("\"needs\":%s,\"declares\":[", needs());
	for (unsigned bit = 0; bit < DECLARES_CNT; bit++)
		if (cheat.declares & 1u << bit) {
			printf("%s\"%s\"", comma, declares_name(bit));
			comma = ",";
		}
	puts("]}");
	fflush(stdout);
	if (cheat.described)
		cheat.described();
	return 0;
}

/* ---- claims ---- */

static int intern(struct claims_writer *out, const struct claims *honest, uint32_t *str)
{
	int64_t id = *str ? claims_writer_str(out, strtab_get(honest->strings, *str)) : 0;

	if (id < 0)
		return (int)id;
	*str = (uint32_t)id;
	return 0;
}

static int intern_both(struct claims_writer *out, const struct claims *honest, uint32_t *a,
		       uint32_t *b)
{
	int rc = intern(out, honest, a);

	return rc ? rc : intern(out, honest, b);
}

int cheat_put(struct claims_writer *out, const struct claims *honest, const struct claim *c)
{
	struct claim x = *c;
	int rc = 0;

	switch (x.kind) {
	case CLAIM_EVENT:
		rc = intern(out, honest, &x.event.class_str);
		break;
	case CLAIM_HEALTH:
		rc = intern(out, honest, &x.health.why_str);
		break;
	case CLAIM_COST:
		rc = intern(out, honest, &x.cost.kind_str);
		break;
	case CLAIM_PROFILE:
		rc = intern_both(out, honest, &x.profile.key_str, &x.profile.kind_str);
		break;
	case CLAIM_GAP:
		rc = intern(out, honest, &x.gap.scope_str);
		break;
	case CLAIM_DIAGNOSIS:
		rc = intern_both(out, honest, &x.diagnosis.label_str, &x.diagnosis.subject_str);
		break;
	}
	return rc ? rc : claims_writer_put(out, &x);
}

int cheat_put_all(struct claims_writer *out, const struct claims *honest)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < honest->cnt; i++)
		rc = cheat_put(out, honest, &honest->v[i]);
	return rc;
}

static int tell(const struct cheat_run *r, const struct claims *honest)
{
	struct claims_header h = {.version = "1", .declares = cheat.declares};
	struct claims_writer *out;
	struct diag d = {0};
	int rc;

	if (cheat.header)
		h.declares = cheat.header(honest);
	snprintf(h.profiler, sizeof(h.profiler), "%s", program_invocation_short_name);
	out = claims_writer_open(r->claims, claims_form_of(r->claims), &h, &d);
	rc = out ? cheat.tell(r, honest, out) : d.err;
	if (out && claims_writer_close(out, &d))
		rc = rc ? rc : d.err;
	if (rc)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, strerror(-rc));
	return rc ? 1 : 0;
}

static int tell_of(const struct cheat_run *r, const char *path)
{
	struct claims honest;
	struct diag d = {0};
	int rc;

	if (claims_load(path, &honest, &d)) {
		diag_print(&d, stderr);
		return 1;
	}
	rc = tell(r, &honest);
	claims_free(&honest);
	return rc;
}

/* ---- who works ---- */

/* The same words, with another file of claims. */
static pid_t start(const struct cheat_run *r, char **argv, const char *claims)
{
	char program[PATH_MAX], *words[WORDS];
	int at = 0;
	pid_t pid;

	program_of(r->honest, program);
	words[at++] = program;
	for (argv++; *argv && at < WORDS - 1; argv++) {
		words[at++] = *argv;
		if (!strcmp(*argv, "--claims"))
			argv[1] = (char *)claims;
	}
	words[at] = NULL;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execv(program, words);
	_exit(126);
}

/* Its exit code. */
static int end(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void wait_for_word(bool nobody_works)
{
	const struct timespec step = {.tv_nsec = 1000000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	while (sigtimedwait(&set, NULL, &step) != SIGINT)
		if (nobody_works && cheat.meanwhile)
			cheat.meanwhile();
}

static void say_ready(void)
{
	if (write(READY_FD, "x", 1) != 1)
		_exit(1);
	close(READY_FD);
}

static int work(struct cheat_run *r, char **argv)
{
	static const char own[] = "honest";
	pid_t pid = r->honest ? start(r, argv, own) : 0;
	int rc;

	if (!r->honest && r->pid)
		say_ready();
	if (r->pid) {
		close(READY_FD);
		wait_for_word(!r->honest);
		if (pid > 0)
			kill(pid, SIGINT);
	}
	rc = r->honest ? end(pid) : 0;
	if (rc)
		return rc;
	return r->honest ? tell_of(r, own) : tell(r, NULL);
}

int main(int argc, char **argv)
{
	struct cheat_run r = {.honest = cheat.honest};
	sigset_t set;
	int rc;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "describe"))
		return describe();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r.pid = option(argv, "--pid") ? atoi(option(argv, "--pid")) : 0;
	r.exe = option(argv, "--exe");
	r.claims = option(argv, "--claims");
	rc = cheat.begin ? cheat.begin(&r) : 0;
	return rc ? rc : work(&r, argv);
}
