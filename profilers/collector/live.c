/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a joiner live. */
#include "profilers/collector/live.h"

#include "profilers/adapter/attach.h"
#include "profilers/collector/plan.h"
#include "profilers/collector/session.h"

static int attach_and_join(const struct joiner *j, const struct adapter_run *r,
			   const struct app_options *app, int prepared, struct diag *d)
{
	/* what no joiner of today looks at is not paid for */
	struct collect_options o = {.pid = r->pid,
				    .want = COLLECT_ALL &
					    ~(COLLECT_SWITCH | COLLECT_WORK | COLLECT_FAULT),
				    .ring_bytes = r->ring_bytes,
				    .app = app};
	struct collect_stats stats;
	struct adapter_join *join;
	struct collect *c = collect_open(&o, d);
	int err;

	if (!c)
		return d->err;
	if (*collect_missing(c))
		fprintf(stderr, "assay: %s: this kernel has no %s\n", j->name, collect_missing(c));
	join = adapter_join_open(j, &r->in->setup, r->claims, d);
	if (!join) {
		collect_free(c);
		return d->err;
	}
	err = session_run(c, prepared, r->ready_fd, adapter_join_record, join, &stats, d);
	collect_free(c);
	return adapter_join_close(join, err, err ? NULL : d);
}

static int live_run(const struct joiner *j, const struct adapter_run *r, int prepared,
		    struct diag *d)
{
	struct app_options *app;
	int err;

	if (prepared < 0)
		return diag_set(d, prepared, NULL, 0, NULL, "cannot wait for signals");
	err = plan_new(r->in, &app);
	if (err)
		return diag_set(d, err, NULL, 0, NULL, "no memory");
	err = attach_and_join(j, r, app, prepared, d);
	plan_free(app);
	return err;
}

const struct adapter_live collector_live = {
	.prepare = attach_signals, .run = live_run, .needs = "[\"root\",\"bpf\",\"btf\"]"};
