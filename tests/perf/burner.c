/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profiler that sees nothing and costs what it is told: of each 20 ms it burns the share of one
 * processor that BURNER_PERMILLE says. To see whether `assay overhead` finds it.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef BURNER_PERMILLE
#define BURNER_PERMILLE 0
#endif

enum { PERIOD_NS = 20000000 };

static const char says[] = "\"version\":\"1\",\"declares\":[\"gap\"]";

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void burn(uint64_t ns)
{
	uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		continue;
}

static int write_claims(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return 1;
	fprintf(f, "{\"claims\":1,\"profiler\":\"burner\",\"clock\":\"monotonic\",%s}\n", says);
	return fclose(f) ? 1 : 0;
}

static int run(const char *claims, int ready)
{
	struct timespec pause = {.tv_nsec = PERIOD_NS};
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	if (write(ready, "x", 1) != 1)
		return 1;
	close(ready);
	while (sigtimedwait(&stop, NULL, &pause) != SIGINT)
		burn((uint64_t)PERIOD_NS * BURNER_PERMILLE / 1000);
	return write_claims(claims);
}

int main(int argc, char **argv)
{
	const char *claims = NULL;
	int ready = -1;

	if (argc == 2 && !strcmp(argv[1], "describe")) {
		printf("{\"name\":\"burner\",%s,\"division\":\"attach\",\"launch\":[\"attach\"],"
		       "\"needs\":[]}\n",
		       says);
		return 0;
	}
	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--claims"))
			claims = argv[i + 1];
		else if (!strcmp(argv[i], "--ready-fd"))
			ready = atoi(argv[i + 1]);
	}
	return claims && ready >= 0 ? run(claims, ready) : 2;
}
