/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run leaves: its truth, and what the workload printed. */
#include "harness/trial_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/collect.h"
#include "groundtruth/symptoms.h"
#include "harness/folder.h"
#include "harness/judged.h"
#include "harness/trial_load.h"
#include "lib/files.h"

enum { LOAD_LEN = 65536 };

/*
 * Two workers share the records. What is said of an operation leaves room for uneven shares: a log
 * that fills makes the run broken, never wrong. The memory is populated, so its size is what a run
 * costs: 1,000 operations take 40 MiB.
 */
int trial_make_channel(struct trial *x, struct diag *d)
{
	const struct cell *c = x->s->cell;
	uint64_t workers = cell_param(c, "serial", 0) ? 1 : cell_param(c, "workers", 1);
	uint64_t records =
		cell_param(c, "ops", 1) * load_records_per_op(x->s) / (workers > 1 ? 2 : 1) + 4096;
	struct channel_options o = {
		.slots = (unsigned)(TRIAL_SLOTS + 2 * workers),
		.records = cell_param(c, "records", records),
		.decoy_ppm = x->s->truth && x->s->truth->decoy_ppm ? x->s->truth->decoy_ppm
								   : TRIAL_DECOY_PPM,
		.secret = x->s->launch.secret,
	};

	x->channel = channel_new(&o, d);
	return x->channel ? 0 : d->err;
}

int trial_write_load(struct trial *x, struct diag *d)
{
	char text[LOAD_LEN];
	ssize_t n = pread(x->load_out, text, sizeof(text), 0);
	int rc = 0, fd;

	if (n <= 0 || n == (ssize_t)sizeof(text))
		return trial_broken(x, NULL, "the workload printed no result object"), 0;
	fd = open(x->s->load_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		rc = diag_set(d, errno ? -errno : -ENOSPC, x->s->load_path, 0, NULL,
			      "cannot be written: %s", strerror(errno ? errno : ENOSPC));
	if (fd >= 0)
		close(fd);
	return rc;
}

int trial_collect(struct trial *x, struct diag *d)
{
	struct collect_info info = {.workload = x->s->cell->workload,
				    .variant = x->s->cell->variant,
				    .seed = x->s->cell->seed,
				    .scored = {x->r->scored[0], x->r->scored[1]},
				    .work_items = x->work_items,
				    .work_items_cnt = x->work_items_cnt,
				    .undiagnosed = x->s->undiagnosed,
				    .contended = x->contended};
	struct truth t;
	int rc;

	if (x->s->truth)
		channel_set_back(x->channel, x->s->truth->ahead_ns);
	cost_watch_lend(&x->cost, x->s->exe ? x->s->exe : x->s->workload->path, &info);
	rc = collect_judged(x->channel, x->s, &info, &t, &x->r->trouble);

	if (rc == -EINVAL) {
		x->r->sound = false;
		return 0;
	}
	if (rc)
		return diag_set(d, rc, NULL, 0, NULL, "truth cannot be collected: %s",
				x->r->trouble.reason);
	if (truth_check(&t, x->s->truth_path, &x->r->trouble) ||
	    symptoms_check(&t, x->s->truth_path, &x->r->trouble))
		x->r->sound = false;
	else
		rc = truth_save(&t, x->s->truth_path, d);
	truth_free(&t);
	return rc;
}
