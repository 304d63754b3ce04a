/* SPDX-License-Identifier: BSD-2-Clause */
/* The collector program: records evidence of a process tree until SIGINT. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/formats/evidence.h"
#include "profilers/adapter/attach.h"
#include "profilers/adapter/options.h"
#include "profilers/collector/plan.h"
#include "profilers/collector/session.h"

struct arguments {
	uint32_t pid;
	const char *evidence;
	int ready_fd;
	uint64_t ring_bytes;
	const char *only; /* NULL: everything */
	struct input_words words;
};

static const char examples[] =
	"examples:\n"
	"    collector record --pid 4711 --evidence evidence.bin --ready-fd 1\n"
	"    collector record --pid 4711 --evidence e.bin --ready-fd 1 --ring-bytes 64M\n"
	"    collector record --pid 4711 --evidence e.bin --ready-fd 1 --exe pool \\\n"
	"        --manifest manifest.yaml --binding best-effort\n";

static void help(const struct option_def *defs, size_t cnt)
{
	printf("usage: collector record OPTIONS | describe\n"
	       "Records what a process tree does with io_uring, futexes, pipes, sockets, "
	       "eventfds,\n"
	       "ptys, timers, work items, block I/O, page faults and the scheduler, and at the\n"
	       "sites of a manifest, until SIGINT.\n");
	options_print(defs, cnt, stdout);
	fputs(examples, stdout);
}

static int describe(void)
{
	puts("{\"name\":\"collector\",\"version\":\"1.0\",\"division\":\"none\",\"launch\":[],"
	     "\"declares\":[],\"needs\":[\"root\",\"bpf\",\"btf\"]}");
	return fflush(stdout) ? 1 : 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int put(void *arg, const struct ev_rec *r)
{
	return evidence_writer_put(arg, r, 1);
}

_Static_assert((int)COLLECT_IO == (int)EVIDENCE_IO && (int)COLLECT_FUTEX == (int)EVIDENCE_FUTEX &&
		       (int)COLLECT_SCHED == (int)EVIDENCE_SCHED &&
		       (int)COLLECT_PROC == (int)EVIDENCE_PROC &&
		       (int)COLLECT_BLOCK == (int)EVIDENCE_BLOCK &&
		       (int)COLLECT_STREAM == (int)EVIDENCE_STREAM &&
		       (int)COLLECT_TIMER == (int)EVIDENCE_TIMER &&
		       (int)COLLECT_WORK == (int)EVIDENCE_WORK &&
		       (int)COLLECT_FAULT == (int)EVIDENCE_FAULT,
	       "what was wanted is what the file says could be had");

static void fill_header(struct evidence_header *h, const struct collect *c, uint32_t pid)
{
	struct utsname u;

	*h = (struct evidence_header){
		.pid = pid,
		.can = (collect_can(c) & ~COLLECT_SWITCH) | (collect_sites(c) ? EVIDENCE_APP : 0),
		.attached = collect_attached(c),
	};
	if (!uname(&u))
		snprintf(h->kernel, sizeof(h->kernel), "%.63s", u.release);
}

static int record_into(struct collect *c, const struct arguments *a, int stop_fd, struct diag *d)
{
	struct collect_stats stats = {0};
	struct evidence_header h;
	struct evidence_writer *w;
	struct diag closing = {0};
	int err, close_err;

	fill_header(&h, c, a->pid);
	w = evidence_writer_open(a->evidence, &h, d);
	if (!w)
		return d->err;
	err = session_run(c, stop_fd, a->ready_fd, NULL, put, w, &stats, d);
	h.drained = now_ns();
	h.lost = stats.lost;
	close_err = evidence_writer_close(w, &h, &closing);
	if (!err && close_err) {
		err = close_err;
		*d = closing;
	}
	if (stats.unfollowed)
		fprintf(stderr, "assay: collector: %llu processes were not followed\n",
			(unsigned long long)stats.unfollowed);
	if (stats.unsaved)
		fprintf(stderr, "assay: collector: %llu hits lost the arguments of their call\n",
			(unsigned long long)stats.unsaved);
	return err;
}

/* Its tree has to be followed for that, too. */
static uint32_t wanted(const struct arguments *a)
{
	return a->only ? COLLECT_PROC : COLLECT_ALL;
}

static int check_only(const struct arguments *a, struct diag *d)
{
	if (!a->only || !strcmp(a->only, "sites"))
		return 0;
	return diag_set(d, -EINVAL, NULL, 0, "--only sites", "--only knows no %.40s", a->only);
}

static int record_sites(const struct arguments *a, const struct app_options *app, int stop_fd,
			struct diag *d)
{
	struct collect_options o = {
		.pid = a->pid, .want = wanted(a), .ring_bytes = a->ring_bytes, .app = app};
	struct collect *c = collect_open(&o, d);
	int err;

	if (!c)
		return d->err;
	if (*collect_missing(c))
		fprintf(stderr, "assay: collector: this kernel has no %s\n", collect_missing(c));
	err = record_into(c, a, stop_fd, d);
	collect_free(c);
	return err;
}

/* What cannot be probed is no failure, but it is said. */
static void say_unprobed(const struct inputs *in)
{
	if (in->refused.err)
		fprintf(stderr, "assay: collector: %s\n", in->refused.reason);
	for (size_t i = 0; i < in->bound.sites.failures_cnt; i++)
		diag_print(&in->bound.sites.failures[i].diag, stderr);
}

static int record(const struct arguments *a, int stop_fd, struct diag *d)
{
	struct app_options *app = NULL;
	struct inputs in;
	int err = inputs_open(&a->words, &in, d);

	if (!err) {
		say_unprobed(&in);
		err = plan_new(&in, &app);
		if (err)
			diag_set(d, err, NULL, 0, NULL, "no memory");
	}
	if (!err)
		err = record_sites(a, app, stop_fd, d);
	app_options_free(app);
	inputs_close(&in);
	return err;
}

static int exit_code(int err)
{
	if (!err)
		return 0;
	return err == -ENOTSUP || err == -EPERM ? 77 : 1;
}

int main(int argc, char **argv)
{
	struct arguments a = {.ready_fd = -1};
	const struct option_def defs[] = {
		{"pid", OPTION_PID, true, &a.pid, "PID", "root of the process tree"},
		{"evidence", OPTION_STRING, true, &a.evidence, "FILE", "where the records go"},
		{"ready-fd", OPTION_FD, true, &a.ready_fd, "N", "gets one byte once attached"},
		{"ring-bytes", OPTION_BYTES, false, &a.ring_bytes, "SIZE", "ring buffer, 16M"},
		{"only", OPTION_STRING, false, &a.only, "sites",
		 "nothing that the kernel shows but processes"},
		{"exe", OPTION_STRING, false, &a.words.exe, "FILE", "the program to probe"},
		{"manifest", OPTION_STRING, false, &a.words.manifest, "FILE", "where, and why"},
		{"binding", OPTION_STRING, false, &a.words.binding, "WORD", "how to bind it"},
	};
	const size_t cnt = sizeof(defs) / sizeof(defs[0]);
	struct diag d = {0};
	int stop_fd = attach_signals(), err;

	if (argc == 2 && !strcmp(argv[1], "describe"))
		return describe();
	if (argc < 2 || !strcmp(argv[1], "--help")) {
		help(defs, cnt);
		return argc < 2 ? 2 : 0;
	}
	if (strcmp(argv[1], "record")) {
		diag_set(&d, -EINVAL, NULL, 0, "collector --help", "no command %s", argv[1]);
		diag_print(&d, stderr);
		return 2;
	}
	if (argc == 3 && !strcmp(argv[2], "--help")) {
		help(defs, cnt);
		return 0;
	}
	if (options_parse(argc - 1, argv + 1, defs, cnt, &d) || inputs_check(&a.words, &d) ||
	    check_only(&a, &d)) {
		diag_print(&d, stderr);
		return 2;
	}
	err = record(&a, stop_fd, &d);
	if (err)
		diag_print(&d, stderr);
	return exit_code(err);
}
