/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiler `offcpu` as a program of the adapter contract: describe, and run until SIGINT. */
#include <errno.h>
#include <string.h>

#include "profilers/adapter/watcher.h"
#include "profilers/collector/session.h"
#include "profilers/offcpu/offcpu.h"

static int watch(struct collect *c, struct claims_writer *w, const struct watcher_run *r,
		 struct diag *d)
{
	struct offcpu *o = offcpu_new(w);
	struct collect_stats stats;
	int err;

	if (!o)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "no memory");
	err = session_run(c, r->stop_fd, r->ready_fd, NULL, offcpu_record, o, &stats, d);
	if (!err) {
		err = offcpu_finish(o);
		if (err)
			diag_set(d, err, r->claims, 0, NULL, "cannot write the claims: %s",
				 strerror(-err));
	}
	offcpu_free(o);
	return err;
}

static int run(const struct watcher_run *r, struct diag *d)
{
	const struct collect_options options = {
		.pid = r->pid, .want = COLLECT_SCHED | COLLECT_SWITCH | COLLECT_PROC};
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
	w = claims_writer_open(r->claims, claims_form_of(r->claims), &h, d);
	if (!w) {
		collect_free(c);
		return d->err;
	}
	err = watch(c, w, r, d);
	closed = claims_writer_close(w, &closing);
	collect_free(c);
	if (!err && closed)
		*d = closing;
	return err ? err : closed;
}

int main(int argc, char **argv)
{
	static const struct watcher w = {
		.name = "offcpu",
		.purpose =
			"How long each thread of a process tree is off the CPU, and who wakes it.",
		.describe = "{\"name\":\"offcpu\",\"version\":\"1.0\",\"division\":\"attach\","
			    "\"launch\":[\"attach\"],"
			    "\"declares\":[\"handoff:wake\",\"profile\",\"gap\"],"
			    "\"needs\":[\"root\",\"bpf\",\"btf\"]}",
		.exe_help = "is not looked at",
		.example = "",
		.run = run,
	};

	return watcher_main(argc, argv, &w);
}
