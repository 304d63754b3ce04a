/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests that were linked in, those of likely suites first, up to the first failure.
 *
 *   tests [--only] PATTERN…   suites that match (fnmatch) first, then all others; --only: no others
 *   tests --but PATTERN…      suites that match none
 */
#include <fnmatch.h>
#include <unistd.h>

#include "criterion/criterion.h"

enum { SUITES_MAX = 64 };

static struct shim_test *tests;
static struct {
	const char *name;
	struct shim_data data;
} suites[SUITES_MAX];
static size_t suites_cnt;
static const struct shim_test *running;
static char **environment;

void shim_add_test(struct shim_test *t)
{
	t->next = tests;
	tests = t;
}

void shim_add_suite(const char *suite, struct shim_data data)
{
	if (suites_cnt == SUITES_MAX)
		abort();
	suites[suites_cnt].name = suite;
	suites[suites_cnt++].data = data;
}

void shim_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s::%s: %s:%d: %s\n", running->suite, running->name, file, line, what);
	exit(1);
}

static struct shim_data suite_of(const struct shim_test *t)
{
	for (size_t i = 0; i < suites_cnt; i++)
		if (!strcmp(suites[i].name, t->suite))
			return suites[i].data;
	return (struct shim_data){NULL, NULL};
}

/* Tests change their environment, and Criterion gives each its own. */
static void keep_environment(void)
{
	size_t cnt = 0;

	while (environ[cnt])
		cnt++;
	environment = calloc(cnt + 1, sizeof(*environment));
	for (size_t i = 0; environment && i < cnt; i++)
		environment[i] = strdup(environ[i]);
}

static void restore_environment(void)
{
	clearenv();
	for (char **e = environment; e && *e; e++)
		putenv(*e);
}

static void run_once(const struct shim_test *t, void *param)
{
	struct shim_data suite = suite_of(t);

	restore_environment();
	if (suite.init)
		suite.init();
	if (param)
		t->run_with(param);
	else
		t->run();
	if (suite.fini)
		suite.fini();
}

static void run_test(const struct shim_test *t)
{
	struct shim_params p = {0};

	running = t;
	if (!t->params) {
		run_once(t, NULL);
		return;
	}
	p = t->params();
	for (size_t i = 0; i < p.cnt; i++)
		run_once(t, (char *)p.v + i * p.size);
	free(p.v);
}

static bool matches(const struct shim_test *t, char **pattern)
{
	for (; *pattern; pattern++)
		if (!fnmatch(*pattern, t->suite, 0))
			return true;
	return false;
}

static size_t run_all(char **pattern, bool wanted)
{
	size_t cnt = 0;

	for (const struct shim_test *t = tests; t; t = t->next) {
		if (matches(t, pattern) != wanted)
			continue;
		run_test(t);
		cnt++;
	}
	return cnt;
}

int main(int argc, char **argv)
{
	bool only = argc > 1 && !strcmp(argv[1], "--only");
	bool but = argc > 1 && !strcmp(argv[1], "--but");
	size_t cnt = 0;

	keep_environment();
	argv += 1 + (only || but);
	if (!but)
		cnt += run_all(argv, true);
	if (!only)
		cnt += run_all(argv, false);
	printf("%zu tests\n", cnt);
	return cnt ? 0 : 2;
}
