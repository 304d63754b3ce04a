/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a joiner live. */
#include "profilers/collector/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "profilers/adapter/attach.h"
#include "profilers/collector/plan.h"
#include "profilers/collector/session.h"

/* One that runs, and what it was told last. */
struct live {
	const struct joiner *j;
	const struct adapter_run *r;
	struct collect *c;
	struct adapter_join *join;
	struct inputs *in; /* of the last manifest that was taken while it ran; NULL: none was */
	struct app_options *app;
};

static void say(const struct live *l, const struct diag *d)
{
	fprintf(stderr, "assay: %s: the manifest stays as it is:\n", l->j->name);
	diag_print(d, stderr);
}

static void close_inputs(struct inputs *in)
{
	if (!in)
		return;
	inputs_close(in);
	free(in);
}

static int read_manifest(const struct live *l, const char *path, struct inputs *in,
			 struct app_options **ret, struct diag *d)
{
	struct input_words words = *l->r->words;
	int err;

	words.manifest = path;
	err = inputs_open(&words, in, d);
	return err ? err : plan_new_replaced(in, ret);
}

/* The order is that of the records: what the old sites saw is joined under the old manifest. What
 * cannot be read or bound changes nothing. */
static int take(struct live *l, const char *manifest)
{
	struct inputs *in = calloc(1, sizeof(*in)), *old = l->in;
	struct app_options *app = NULL, *old_app = l->app;
	uint64_t from = now_ns();
	struct diag d = {0};
	int err;

	if (!in)
		return -ENOMEM;
	if (read_manifest(l, manifest, in, &app, &d)) {
		say(l, &d);
		close_inputs(in);
		return 0;
	}
	err = collect_leave(l->c, adapter_join_record, l->join);
	if (!err)
		err = collect_take(l->c, app);
	if (!err)
		err = adapter_join_reload(l->join, &in->setup, from, collect_attached(l->c));
	l->app = app;
	l->in = in;
	app_options_free(old_app);
	close_inputs(old);
	return err;
}

static int on_line(void *arg, const char *line)
{
	static const char word[] = "reload ";
	struct live *l = arg;

	if (!strncmp(line, word, sizeof(word) - 1))
		return take(l, line + sizeof(word) - 1);
	fprintf(stderr, "assay: %s: nothing is known of '%.40s'\n       try: reload PATH\n",
		l->j->name, line);
	return 0;
}

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
	struct live l = {.j = j, .r = r, .c = c};
	const struct session_control control = {.fd = r->control_fd, .line = on_line, .arg = &l};
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
	l.join = join;
	err = session_run(c, prepared, r->ready_fd, &control, adapter_join_record, join, &stats, d);
	collect_free(c);
	err = adapter_join_close(join, err, err ? NULL : d);
	app_options_free(l.app);
	close_inputs(l.in);
	return err;
}

static int live_run(const struct joiner *j, const struct adapter_run *r, int prepared,
		    struct diag *d)
{
	struct app_options *app;
	int err;

	if (prepared < 0)
		return diag_set(d, prepared, NULL, 0, NULL, "cannot wait for signals");
	err = r->control_fd < 0 ? plan_new(r->in, &app) : plan_new_replaced(r->in, &app);
	if (err)
		return diag_set(d, err, NULL, 0, NULL, "no memory");
	err = attach_and_join(j, r, app, prepared, d);
	app_options_free(app);
	return err;
}

const struct adapter_live collector_live = {.prepare = attach_signals,
					    .run = live_run,
					    .needs = "[\"root\",\"bpf\",\"btf\",\"ptrace\"]"};
