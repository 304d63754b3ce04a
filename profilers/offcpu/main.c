/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiler `offcpu` as a program of the adapter contract: describe, and run until SIGINT. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profilers/adapter/attach.h"
#include "profilers/adapter/options.h"
#include "profilers/collector/session.h"
#include "profilers/offcpu/offcpu.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

struct arguments {
	uint32_t pid;
	int ready_fd;
	const char *claims;
	const char *exe, *manifest, *binding; /* are given, and tell the scheduler nothing */
};

static int describe(void)
{
	puts("{\"name\":\"offcpu\",\"version\":\"1.0\",\"division\":\"attach\",\"launch\":"
	     "[\"attach\"],\"declares\":[\"handoff:wake\",\"profile\",\"gap\"],"
	     "\"needs\":[\"root\",\"bpf\",\"btf\"]}");
	return fflush(stdout) ? EXIT_FAILED : 0;
}

static int watch(struct collect *c, struct claims_writer *w, const struct arguments *a, int stop_fd,
		 struct diag *d)
{
	struct offcpu *o = offcpu_new(w);
	struct collect_stats stats;
	int err;

	if (!o)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "no memory");
	err = session_run(c, stop_fd, a->ready_fd, NULL, offcpu_record, o, &stats, d);
	if (!err) {
		err = offcpu_finish(o);
		if (err)
			diag_set(d, err, a->claims, 0, NULL, "cannot write the claims: %s",
				 strerror(-err));
	}
	offcpu_free(o);
	return err;
}

static int attach(const struct arguments *a, int stop_fd, struct diag *d)
{
	const struct collect_options options = {
		.pid = a->pid, .want = COLLECT_SCHED | COLLECT_SWITCH | COLLECT_PROC};
	const struct claims_header h = {.profiler = "offcpu",
					.version = "1.0",
					.declares = 1u << HANDOFF_WAKE | DECLARES_PROFILE |
						    DECLARES_GAP};
	struct collect *c = collect_open(&options, d);
	struct claims_writer *w;
	struct diag closing = {0};
	int err, closed;

	if (!c)
		return d->err;
	w = claims_writer_open(a->claims, claims_form_of(a->claims), &h, d);
	if (!w) {
		collect_free(c);
		return d->err;
	}
	err = watch(c, w, a, stop_fd, d);
	closed = claims_writer_close(w, &closing);
	collect_free(c);
	if (!err && closed)
		*d = closing;
	return err ? err : closed;
}

static int run(const struct arguments *a, int stop_fd)
{
	struct diag d = {0};
	int err = stop_fd < 0 ? diag_set(&d, stop_fd, NULL, 0, NULL, "cannot wait for signals")
			      : attach(a, stop_fd, &d);

	if (err)
		diag_print(&d, stderr);
	if (err == -EPERM || err == -ENOTSUP)
		return EXIT_UNSUPPORTED;
	return err ? EXIT_FAILED : 0;
}

static int help(const struct option_def *defs, size_t cnt)
{
	puts("usage: offcpu describe | run OPTIONS (until SIGINT)\n"
	     "How long each thread of a process tree is off the CPU, and who wakes it.");
	options_print(defs, cnt, stdout);
	puts("examples:\n"
	     "    offcpu describe\n"
	     "    offcpu run --pid 4711 --claims claims.jsonl --ready-fd 1\n"
	     "    offcpu run --pid 4711 --claims claims.bin --ready-fd 1");
	return fflush(stdout) ? EXIT_FAILED : 0;
}

static int usage(const struct diag *d)
{
	diag_print(d, stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct arguments a = {.ready_fd = -1};
	const struct option_def defs[] = {
		{"pid", OPTION_PID, true, &a.pid, "PID", "root of the process tree"},
		{"claims", OPTION_STRING, true, &a.claims, "FILE", "where claims go"},
		{"ready-fd", OPTION_FD, true, &a.ready_fd, "N", "gets one byte once attached"},
		{"exe", OPTION_STRING, false, &a.exe, "FILE", "is not looked at"},
		{"manifest", OPTION_STRING, false, &a.manifest, "FILE", "is not looked at"},
		{"binding", OPTION_STRING, false, &a.binding, "WORD", "is not looked at"},
	};
	const size_t cnt = sizeof(defs) / sizeof(defs[0]);
	int stop_fd = attach_signals();
	struct diag d = {0};

	if (argc == 2 && !strcmp(argv[1], "describe"))
		return describe();
	if (argc >= 2 && !strcmp(argv[argc - 1], "--help"))
		return help(defs, cnt);
	if (argc < 2 || strcmp(argv[1], "run")) {
		diag_set(&d, -EINVAL, NULL, 0, "offcpu --help", "no command %s",
			 argc < 2 ? "given" : argv[1]);
		return usage(&d);
	}
	if (options_parse(argc - 1, argv + 1, defs, cnt, &d))
		return usage(&d);
	return run(&a, stop_fd);
}
