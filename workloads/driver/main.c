/* SPDX-License-Identifier: BSD-2-Clause */
/* The program around a workload: parse, run, report. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/diag.h"
#include "workloads/driver/act.h"
#include "workloads/driver/burn.h"
#include "workloads/driver/diagnosis.h"
#include "workloads/driver/settings.h"
#include "workloads/driver/workload.h"

enum { END_SIGNAL = SIGUSR1 };

struct summary {
	double seconds;
	struct counters counts;
	struct histogram latency;
	uint64_t cpu_ns;
};

static void print_words(const char *name, uint32_t bits, const char *(*word)(unsigned))
{
	const char *sep = "";

	printf("\"%s\":[", name);
	for (unsigned i = 0; i < 32; i++) {
		if (bits & (1u << i)) {
			printf("%s\"%s\"", sep, word(i));
			sep = ",";
		}
	}
	printf("],");
}

static void print_names(const char *name, const char *const *names)
{
	printf("\"%s\":[", name);
	for (unsigned i = 0; names && names[i]; i++)
		printf("%s\"%s\"", i ? "," : "", names[i]);
	printf("],");
}

static int describe(void)
{
	const struct run_options *o = &workload.defaults;
	const char *sep = "";

	printf("{\"name\":\"%s\",\"models\":\"%s\",", workload.name, workload.models);
	print_names("kinds", workload.kinds);
	print_words("keys", workload.keys, key_ns_name);
	print_words("handoffs", workload.handoffs, handoff_type_name);
	print_words("marks", workload.marks, mark_name);
	print_names("outcomes", workload.outcomes);
	print_words("ailments", diagnosis_ailments(&workload), diagnosis_name);
	printf("\"records\":%u,", workload.records);
	printf("\"defaults\":{\"rate\":%" PRIu64 ",\"workers\":%u,\"depth\":%u,\"queue_depth\":%u,"
	       "\"fanout\":%u,\"ops\":%" PRIu64 ",\"cost_us\":%u},\"knobs\":{",
	       o->rate, o->workers, o->depth, o->queue_depth, o->fanout, o->ops, o->cost_us);
	for (unsigned i = 0; run_options_name(i); i++, sep = ",")
		printf("%s\"%s\":\"%s\"", sep, run_options_name(i), run_options_help(i));
	printf("}}\n");
	return fflush(stdout) ? 1 : 0;
}

/* By the thread itself: glibc pins a new thread by futex calls, which are nobody's work here. */
static void pin(const struct worker *w)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		run_fail(-errno, "cannot pin thread %u to CPU %u", w->index, w->cpu);
}

static void *thread_main(void *arg)
{
	struct worker *w = arg;
	struct run *r = w->run;

	pin(w);
	w->tid = (uint32_t)gettid();
	if (!recorder_open(&w->rec, &r->channel, w->tid))
		run_fail(0, "no log for thread %u", w->index);
	workload.body(w);
	recorder_close(&w->rec);
	atomic_fetch_add(&r->ended[w->index >= r->options->workers], 1);
	if (tgkill(getpid(), getpid(), END_SIGNAL))
		run_fail(-errno, "cannot say that thread %u has ended", w->index);
	return NULL;
}

void run_start(struct worker *w)
{
	int err = pthread_create(&w->thread, NULL, thread_main, w);

	if (err)
		run_fail(-err, "cannot start thread %u", w->index);
	w->started = true;
}

/* Shares ops, rate and depth over the workers; a worker without a share takes no arrivals. */
static void worker_init(struct run *r, struct worker *w, unsigned index)
{
	const struct run_options *o = r->options;
	unsigned n = o->workers, limit = o->queue_depth;
	uint64_t ops;

	w->run = r;
	w->index = index;
	w->cpu = o->cpus[index % o->cpus_cnt];
	w->rng = rng_stream(o->seed, 2 * index);
	if (index >= n)
		return;
	ops = o->ops / n + (index < o->ops % n);
	if (o->rate == 0) {
		unsigned takers = o->depth < n ? o->depth : n;

		limit = index < takers ? o->depth / n + (index < o->depth % n) : 0;
		ops = index < takers ? o->ops / takers + (index < o->ops % takers) : 0;
		limit = limit > o->queue_depth ? o->queue_depth : limit;
	}
	arrivals_init(&w->arrivals, rng_stream(o->seed, 2 * index + 1), ops, (double)o->rate / n,
		      limit, r->start);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		run_fail(-errno, "%s cannot be opened", path);
	return fd;
}

/* What watches from inside may hold any descriptor: only crews, which inherit it, need that one. */
static int channel_descriptor(const char *path)
{
	int fd = path ? open_file(path, O_RDWR) : LOG_FD;

	if (fd == LOG_FD || !workload.crew)
		return fd;
	if (fcntl(LOG_FD, F_GETFD) >= 0)
		run_refuse("descriptor %d, which its children need, is taken", LOG_FD);
	if (dup2(fd, LOG_FD) < 0)
		run_fail(-errno, "descriptor %d cannot be had", LOG_FD);
	close(fd);
	return LOG_FD;
}

static void channel_open(struct run *r)
{
	int err = recorder_map_fd(&r->channel, channel_descriptor(r->options->channel));

	if (err)
		run_fail(err, "the channel cannot be used");
	if (!workload.crew)
		recorder_let_go(&r->channel);
	for (unsigned i = 0; workload.kinds[i]; i++)
		recorder_name_kind(&r->channel, i, workload.kinds[i]);
	for (unsigned i = 0; workload.classes && workload.classes[i]; i++)
		recorder_name_class(&r->channel, i, workload.classes[i]);
	diagnosis_open(&r->channel);
	recorder_keys(&r->channel, workload.keys);
}

/* Blocked in all threads, taken by the main thread alone. */
static void end_signal(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, END_SIGNAL);
}

/*
 * Waits for those of `most` threads from `first` on that were started. pthread_join sleeps on a
 * futex, and a descriptor would carry a message: both would be handoffs that are no part of any
 * workload. A signal is neither. A thread that has said that it ended is gone in a moment.
 */
static void threads_join(struct run *r, unsigned first, unsigned most)
{
	_Atomic unsigned *ended = &r->ended[first >= r->options->workers];
	unsigned cnt = 0;
	sigset_t set;

	end_signal(&set);
	for (unsigned i = first; i < first + most; i++)
		cnt += r->workers[i].started;
	while (atomic_load(ended) < cnt) {
		if (sigwaitinfo(&set, NULL) < 0 && errno != EINTR)
			run_fail(-errno, "cannot wait for a thread");
	}
	for (unsigned i = first; i < first + most; i++) {
		while (r->workers[i].started &&
		       pthread_tryjoin_np(r->workers[i].thread, NULL) == EBUSY)
			sched_yield();
	}
}

static void block_end_signal(void)
{
	sigset_t set;

	end_signal(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		run_fail(-errno, "cannot block a signal");
}

static void threads_run(struct run *r)
{
	struct worker *main_worker = run_main_worker(r);
	unsigned fronts = r->options->workers;
	uint64_t begin = arrivals_clock();
	unsigned late = workload.late ? workload.late(r->options) : 0;

	block_end_signal();
	main_worker->tid = (uint32_t)gettid();
	if (!recorder_open(&main_worker->rec, &r->channel, main_worker->tid))
		run_fail(0, "no log for the main thread");
	for (unsigned i = 0; i < r->threads_cnt - late; i++)
		run_start(&r->workers[i]);
	threads_join(r, 0, fronts);
	if (workload.quiesce)
		workload.quiesce(main_worker);
	threads_join(r, fronts, r->threads_cnt - fronts);
	diagnosis_record(main_worker, &workload, begin, arrivals_clock());
	recorder_close(&main_worker->rec);
}

void counters_add(struct counters *into, const struct counters *from)
{
	into->begin += from->begin;
	into->end += from->end;
	into->segment += from->segment;
	into->handoff += from->handoff;
	into->event += from->event;
	into->taken += from->taken;
	for (unsigned i = 0; i < MARK_CNT; i++)
		into->marks[i] += from->marks[i];
	for (unsigned i = 0; i < OUTCOMES_MAX; i++)
		into->outcomes[i] += from->outcomes[i];
}

static void collect(struct run *r, struct summary *s)
{
	for (unsigned i = 0; i <= r->threads_cnt; i++) {
		counters_add(&s->counts, &r->workers[i].counts);
		histogram_merge(&s->latency, &r->workers[i].latency);
	}
}

static uint64_t cpu_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * UINT64_C(1000000000) +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* With that of processes that were waited for. */
static uint64_t cpu_used(void)
{
	return cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN);
}

/* io_uring's threads are tasks of the process and are told by name, as ps(1) shows them. */
static bool is_ring_thread(const char *tid)
{
	char path[300], comm[8] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", tid);
	f = fopen(path, "r");
	if (!f) /* gone since it was listed */
		return false;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	return strncmp(comm, "iou-", 4) == 0;
}

static unsigned ring_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	if (!d)
		run_fail(-errno, "cannot list the threads of this process");
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.' && is_ring_thread(e->d_name);
	closedir(d);
	return n;
}

/*
 * Until the kernel's own threads of this process are gone: rings go after they were closed. A
 * submission thread that waits for its workers to exit cannot stop, and workers that have stopped
 * do not exit, so a SIGSTOP that meets them never takes effect (seen on Linux 6.18).
 */
static void threads_wait_gone(void)
{
	static const struct timespec pause = {.tv_nsec = 200000};
	uint64_t give_up = arrivals_clock() + UINT64_C(20000000000);

	while (ring_threads()) {
		if (arrivals_clock() > give_up)
			run_fail(0, "kernel threads of the rings do not go away");
		nanosleep(&pause, NULL);
	}
}

static void workers_new(struct run *r)
{
	r->workers = aligned_alloc(64, (r->threads_cnt + 1) * sizeof(*r->workers));
	if (!r->workers)
		run_fail(-ENOMEM, "workers");
	memset(r->workers, 0, (r->threads_cnt + 1) * sizeof(*r->workers));
	for (unsigned i = 0; i <= r->threads_cnt; i++)
		worker_init(r, &r->workers[i], i);
}

void run_crew(struct run *r, unsigned cnt)
{
	r->threads_cnt = cnt;
	workers_new(r);
	block_end_signal();
	for (unsigned i = 0; i < cnt; i++)
		run_start(&r->workers[i]);
	threads_join(r, r->options->workers, cnt);
}

static void run_all(const struct run_options *o, struct summary *s)
{
	struct run r = {.options = o, .rounds_us = burn_calibrate()};
	uint64_t cpu;

	channel_open(&r);
	if (o->calibrate)
		raise(SIGSTOP);
	if (workload.prepare)
		workload.prepare(&r);
	if (o->stop)
		raise(SIGSTOP);
	cpu = cpu_used();
	r.threads_cnt = workload.threads(o);
	workers_new(&r);
	workload.open(&r);
	r.start = arrivals_clock() + 1000000; /* the threads need a moment to be there */
	for (unsigned i = 0; i < o->workers; i++)
		worker_init(&r, &r.workers[i], i);
	threads_run(&r);
	s->seconds = (double)(arrivals_clock() - r.start) * 1e-9;
	workload.close(&r);
	threads_wait_gone();
	s->cpu_ns = cpu_used() - cpu;
	collect(&r, s);
	recorder_unmap(&r.channel, s->counts.begin, s->counts.end, s->counts.segment,
		       s->counts.handoff, s->counts.event);
	free(r.workers);
	if (o->stop)
		raise(SIGSTOP);
}

static int report(const struct run_options *o, const struct summary *s)
{
	const struct counters *c = &s->counts;
	const char *sep = "";

	printf("{\"ops\":%" PRIu64 ",\"seconds\":%.6f,\"counts\":{\"begin\":%" PRIu64
	       ",\"end\":%" PRIu64 ",\"segment\":%" PRIu64 ",\"handoff\":%" PRIu64
	       ",\"event\":%" PRIu64 ",\"taken\":%" PRIu64 "},",
	       o->ops, s->seconds, c->begin, c->end, c->segment, c->handoff, c->event, c->taken);
	printf("\"latency_ns\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64
	       "},\"marks\":{",
	       histogram_quantile(&s->latency, 0.5), histogram_quantile(&s->latency, 0.99),
	       s->latency.max);
	for (unsigned i = 0; i < MARK_CNT; i++) {
		if (c->marks[i]) {
			printf("%s\"%s\":%" PRIu64, sep, mark_name(i), c->marks[i]);
			sep = ",";
		}
	}
	printf("},\"outcomes\":{");
	for (unsigned i = 0; workload.outcomes && workload.outcomes[i]; i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "", workload.outcomes[i], c->outcomes[i]);
	printf("},\"cpu_ns\":%" PRIu64 "}\n", s->cpu_ns);
	return fflush(stdout) ? 1 : 0;
}

static int usage(void)
{
	struct diag d;

	diag_set(&d, -EINVAL, "", 0, "see the knobs with describe",
		 "usage: %s describe | run [--ops N] [--rate R | --depth N] …", workload.name);
	diag_print(&d, stderr);
	return 2;
}

static int read_settings(const char *path, struct diag *d)
{
	const char *name;
	int err = path ? settings_read(path, d) : 0;

	if (err)
		return err;
	if (settings_known(workload.settings, &name))
		return diagnosis_check(&workload, path, d);
	return diag_set(d, -EINVAL, path, 0, "leave it out", "%s has no setting '%s'",
			workload.name, name);
}

int main(int argc, char **argv)
{
	struct run_options o = workload.defaults;
	static struct summary s;
	struct diag d;

	if (argc == 2 && strcmp(argv[1], "describe") == 0)
		return describe();
	if (argc == 3 && workload.crew && strcmp(argv[1], "crew") == 0)
		return workload.crew(argv[2]);
	if (argc < 2 || strcmp(argv[1], "run") != 0)
		return usage();
	if (run_options_parse(&o, argc - 2, argv + 2, &d) || read_settings(o.config, &d)) {
		diag_print(&d, stderr);
		return 2;
	}
	if (o.output)
		dup2(open_file(o.output, O_WRONLY), STDOUT_FILENO);
	run_all(&o, &s);
	return report(&o, &s);
}
