/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiler `cpu` as a program of the adapter contract: describe, and run until SIGINT. */
#include <stdio.h>
#include <string.h>

#include "profilers/adapter/attach.h"
#include "profilers/adapter/watcher.h"
#include "profilers/cpu/sampler.h"

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

static int sample(const struct watcher_run *r, const struct symbols *symbols, struct diag *d)
{
	struct sampler *s;
	int err = sampler_open((pid_t)r->pid, symbols, &s, d);

	if (err)
		return err;
	err = attach_ready(r->ready_fd, d);
	if (!err) {
		err = sampler_run(s, r->stop_fd);
		if (err)
			diag_set(d, err, NULL, 0, NULL, "sampling broke off: %s", strerror(-err));
	}
	if (!err)
		err = write_claims(s, r->claims, d);
	if (sampler_lost(s))
		fprintf(stderr, "assay: cpu: %llu samples were lost\n",
			(unsigned long long)sampler_lost(s));
	sampler_free(s);
	return err;
}

static int run(const struct watcher_run *r, struct diag *d)
{
	struct symbols *symbols;
	int err = symbols_open((pid_t)r->pid, r->exe, &symbols, d);

	if (err)
		return err;
	err = sample(r, symbols, d);
	symbols_free(symbols);
	return err;
}

int main(int argc, char **argv)
{
	static const struct watcher w = {
		.name = "cpu",
		.purpose = "Samples where the threads of a process tree spend CPU time.",
		.describe = "{\"name\":\"cpu\",\"version\":\"1.0\",\"division\":\"attach\","
			    "\"launch\":[\"attach\"],\"declares\":[\"profile\"],\"needs\":["
			    "\"perf\",\"ptrace\"]}",
		.exe_help = "the program, for its symbols",
		.example = " --exe ./service",
		.run = run,
	};

	return watcher_main(argc, argv, &w);
}
