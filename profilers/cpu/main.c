/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiler `cpu` as a program of the adapter contract: describe, and run until SIGINT. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profilers/adapter/attach.h"
#include "profilers/adapter/options.h"
#include "profilers/cpu/sampler.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

struct arguments {
	uint32_t pid;
	int ready_fd;
	const char *claims, *exe;
	const char *manifest, *binding; /* are given, and tell a sampler nothing */
};

static int describe(void)
{
	puts("{\"name\":\"cpu\",\"version\":\"1.0\",\"division\":\"attach\",\"launch\":"
	     "[\"attach\"],\"declares\":[\"profile\"],\"needs\":[\"perf\"]}");
	return fflush(stdout) ? EXIT_FAILED : 0;
}

static int write_claims(const struct sampler *s, const char *path, struct diag *d)
{
	const struct claims_header h = {
		.profiler = "cpu", .version = "1.0", .declares = DECLARES_PROFILE};
	struct claims_writer *w = claims_writer_open(path, claims_form_of(path), &h, d);
	int err, closed;

	if (!w)
		return d->err;
	err = sampler_claim(s, w);
	closed = claims_writer_close(w, d);
	if (err && !closed)
		diag_set(d, err, path, 0, NULL, "cannot write the claims: %s", strerror(-err));
	return err ? err : closed;
}

static int sample(const struct arguments *a, const struct symbols *symbols, int stop_fd,
		  struct diag *d)
{
	struct sampler *s;
	int err = sampler_open((pid_t)a->pid, symbols, &s, d);

	if (err)
		return err;
	err = attach_ready(a->ready_fd, d);
	if (!err) {
		err = sampler_run(s, stop_fd);
		if (err)
			diag_set(d, err, NULL, 0, NULL, "sampling broke off: %s", strerror(-err));
	}
	if (!err)
		err = write_claims(s, a->claims, d);
	if (sampler_lost(s))
		fprintf(stderr, "assay: cpu: %llu samples were lost\n",
			(unsigned long long)sampler_lost(s));
	sampler_free(s);
	return err;
}

static int run(const struct arguments *a, int stop_fd)
{
	struct symbols *symbols;
	struct diag d = {0};
	int err = stop_fd < 0 ? diag_set(&d, stop_fd, NULL, 0, NULL, "cannot wait for signals")
			      : symbols_open((pid_t)a->pid, a->exe, &symbols, &d);

	if (!err) {
		err = sample(a, symbols, stop_fd, &d);
		symbols_free(symbols);
	}
	if (err)
		diag_print(&d, stderr);
	if (err == -EPERM || err == -EACCES)
		return EXIT_UNSUPPORTED;
	return err ? EXIT_FAILED : 0;
}

static int help(const struct option_def *defs, size_t cnt)
{
	puts("usage: cpu describe | run OPTIONS (until SIGINT)\n"
	     "Samples where the threads of a process tree spend CPU time.");
	options_print(defs, cnt, stdout);
	puts("examples:\n"
	     "    cpu describe\n"
	     "    cpu run --pid 4711 --claims claims.jsonl --ready-fd 1\n"
	     "    cpu run --pid 4711 --claims claims.bin --ready-fd 1 --exe ./service");
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
		{"exe", OPTION_STRING, false, &a.exe, "FILE", "the program, for its symbols"},
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
		diag_set(&d, -EINVAL, NULL, 0, "cpu --help", "no command %s",
			 argc < 2 ? "given" : argv[1]);
		return usage(&d);
	}
	if (options_parse(argc - 1, argv + 1, defs, cnt, &d))
		return usage(&d);
	return run(&a, stop_fd);
}
