/* SPDX-License-Identifier: BSD-2-Clause */
/* describe and run of a profiler that attaches. */
#include "profilers/adapter/watcher.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profilers/adapter/attach.h"
#include "profilers/adapter/options.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

static int run(const struct watcher *w, const struct watcher_run *r)
{
	struct diag d = {0};
	int err = r->stop_fd < 0
			  ? diag_set(&d, r->stop_fd, NULL, 0, NULL, "cannot wait for signals")
			  : w->run(r, &d);

	if (err)
		diag_print(&d, stderr);
	if (err == -EPERM || err == -EACCES || err == -ENOTSUP)
		return EXIT_UNSUPPORTED;
	return err ? EXIT_FAILED : 0;
}

static int help(const struct watcher *w, const struct option_def *defs, size_t cnt)
{
	printf("usage: %s describe | run OPTIONS (until SIGINT)\n%s\n", w->name, w->purpose);
	options_print(defs, cnt, stdout);
	printf("examples:\n"
	       "    %s describe\n"
	       "    %s run --pid 4711 --claims claims.jsonl --ready-fd 1\n"
	       "    %s run --pid 4711 --claims claims.bin --ready-fd 1%s\n",
	       w->name, w->name, w->name, w->example);
	return fflush(stdout) ? EXIT_FAILED : 0;
}

static int usage(const struct diag *d)
{
	diag_print(d, stderr);
	return EXIT_USAGE;
}

int watcher_main(int argc, char **argv, const struct watcher *w)
{
	struct watcher_run r = {.ready_fd = -1, .stop_fd = attach_signals()};
	const struct option_def defs[] = {
		{"pid", OPTION_PID, true, &r.pid, "PID", "root of the process tree"},
		{"claims", OPTION_STRING, true, &r.claims, "FILE", "where claims go"},
		{"ready-fd", OPTION_FD, true, &r.ready_fd, "N", "gets one byte once attached"},
		{"exe", OPTION_STRING, false, &r.exe, "FILE", w->exe_help},
		{"manifest", OPTION_STRING, false, &r.manifest, "FILE", "is not looked at"},
		{"binding", OPTION_STRING, false, &r.binding, "WORD", "is not looked at"},
	};
	const size_t cnt = sizeof(defs) / sizeof(defs[0]);
	struct diag d = {0};
	char cure[64];

	if (argc == 2 && !strcmp(argv[1], "describe")) {
		puts(w->describe);
		return fflush(stdout) ? EXIT_FAILED : 0;
	}
	if (argc >= 2 && !strcmp(argv[argc - 1], "--help"))
		return help(w, defs, cnt);
	if (argc < 2 || strcmp(argv[1], "run")) {
		snprintf(cure, sizeof(cure), "%s --help", w->name);
		diag_set(&d, -EINVAL, NULL, 0, cure, "no command %s", argc < 2 ? "given" : argv[1]);
		return usage(&d);
	}
	if (options_parse(argc - 1, argv + 1, defs, cnt, &d))
		return usage(&d);
	return run(w, &r);
}
