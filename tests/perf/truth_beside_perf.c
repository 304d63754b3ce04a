/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one truth record costs beside the same content through LTTng-UST and through a USDT site,
 * in one process and one run. Every figure is the best of several rounds of CALLS calls, and each
 * round runs every contender once, so that a slow spell of the machine hits them all alike.
 *
 * LTTng figures need a session that records assay_perf:*; tests/perf/run.sh makes one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define HAVE_SDT 1
#endif
#if __has_include(<lttng/tracepoint.h>)
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/perf/lttng_provider.h"
#define HAVE_LTTNG 1
#endif

#include "groundtruth/collect.h"
#include "groundtruth/recorder.h"
#include "tests/perf/usdt_perf.skel.h"

enum { CALLS = 200000, ROUNDS = 7 };

static struct recorder recorder;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void call_clocks(uint64_t i)
{
	uint64_t t0 = now_ns();
	uint64_t t1 = now_ns();

	__asm__ volatile("" ::"r"(t0), "r"(t1), "r"(i));
}

static void call_recorder(uint64_t i)
{
	uint64_t t0 = recorder_now(&recorder);
	uint64_t t1 = recorder_now(&recorder);

	recorder_segment(&recorder, i, t0, t1);
}

#ifdef HAVE_SDT
static __attribute__((noinline)) void call_usdt(uint64_t i)
{
	uint64_t t0 = now_ns();
	uint64_t t1 = now_ns();

	DTRACE_PROBE3(assay_perf, record, t0, t1, i);
}
#endif

#ifdef HAVE_LTTNG
static void call_lttng(uint64_t i)
{
	uint64_t t0 = now_ns();
	uint64_t t1 = now_ns();

	lttng_ust_tracepoint(assay_perf, record, t0, t1, i, i, i);
}
#endif

struct contender {
	const char *name;
	void (*call)(uint64_t i);
	double best_ns;
};

static void measure(struct contender *c)
{
	uint64_t t0 = now_ns();

	for (uint64_t i = 0; i < CALLS; i++)
		c->call(i);

	double ns = (double)(now_ns() - t0) / CALLS;

	if (c->best_ns == 0 || ns < c->best_ns)
		c->best_ns = ns;
}

/* Maps the channel as a workload would: from descriptor LOG_FD. */
static int open_recorder(void)
{
	static struct recorder_channel map;
	const struct channel_options o = {
		.slots = 1, .records = (uint64_t)CALLS * (ROUNDS + 1), .decoy_ppm = 20000};
	struct diag d;
	struct channel *c = channel_new(&o, &d);

	if (!c) {
		diag_print(&d, stderr);
		return -1;
	}
	if (dup2(channel_fd(c), LOG_FD) < 0)
		return -1;
	recorder_map(&map);
	return recorder_open(&recorder, &map, (uint32_t)gettid()) && recorder.on ? 0 : -1;
}

#ifdef HAVE_SDT
static struct bpf_link *watch_usdt(struct usdt_perf **skel)
{
	*skel = usdt_perf__open_and_load();
	if (!*skel)
		return NULL;
	return bpf_program__attach_usdt((*skel)->progs.on_record, getpid(), "/proc/self/exe",
					"assay_perf", "record", NULL);
}
#endif

int main(void)
{
	struct contender list[8] = {
		{.name = "two clock reads alone", .call = call_clocks},
		{.name = "truth record, two clock reads", .call = call_recorder}};
	int cnt = 2;

	if (open_recorder()) {
		fprintf(stderr, "truth_beside: no channel\n");
		return 1;
	}
#ifdef HAVE_LTTNG
	list[cnt++] =
		(struct contender){.name = "LTTng-UST event, two clock reads", .call = call_lttng};
#endif
#ifdef HAVE_SDT
	list[cnt++] = (struct contender){.name = "USDT site, nobody attached", .call = call_usdt};
#endif
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < cnt; i++)
			measure(&list[i]);
#ifdef HAVE_SDT
	struct usdt_perf *skel = NULL;
	struct bpf_link *link = watch_usdt(&skel);

	if (link) {
		list[cnt] = (struct contender){.name = "USDT site, BPF emits 64 bytes",
					       .call = call_usdt};
		for (int r = 0; r < ROUNDS; r++)
			measure(&list[cnt]);
		printf("  (USDT hits counted by BPF: %" PRIu64 " of %d)\n",
		       (uint64_t)skel->bss->hits, CALLS * ROUNDS);
		cnt++;
	} else {
		printf("  USDT with BPF: unsupported here (no rights or no uprobes)\n");
	}
#endif
	for (int i = 0; i < cnt; i++)
		printf("  %-34s %8.1f ns  %6.2f x truth\n", list[i].name, list[i].best_ns,
		       list[i].best_ns / list[1].best_ns);
	return 0;
}
