/* SPDX-License-Identifier: BSD-2-Clause */
/* A complete profiler: who woke whom through a futex, from two tracepoints. No library needed. */
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SAYS "\"version\":\"1\",\"declares\":[\"handoff:wake\"]"
enum { PAGE = 4096, RING = 2049 * PAGE, MOST = 1 << 19, TIDS = 1 << 22, WAITS = 1 << 14 };

struct call { /* PERF_SAMPLE_TID, TIME, RAW of a system call's entry or exit */
	struct perf_event_header h;
	unsigned pid, tid;
	unsigned long long t;
	unsigned raw_len;
	unsigned short event, flags;
	unsigned common_pid, nr, pad;
	unsigned long long v, op, val, timeout, uaddr2, bits; /* entry; on exit v is the result */
} __attribute__((packed));
static struct call *calls[MOST], *wakes[MOST], *open_call[TIDS];
struct wait {
	const struct call *c;
	unsigned long long word, since; /* those of the call, until a requeue moves it */
};
static struct wait waiting[WAITS]; /* the oldest first */
static size_t waits;

static unsigned id_of(const char *tracepoint)
{
	char path[128], id[16] = "0";
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/syscalls/%s/id", tracepoint);
	FILE *f = fopen(path, "r");
	return f && fgets(id, sizeof(id), f) ? (unsigned)atoi(id) : 0;
}

static int by_time(const void *a, const void *b)
{
	unsigned long long x = (*(struct call **)a)->t, y = (*(struct call **)b)->t;
	return x < y ? -1 : x > y;
}

static int watch(unsigned event, int cpu) /* a ring that is read once, at the end */
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a), .config = event};
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC; /* the clock of claims */
	return (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t read_ring(const struct perf_event_mmap_page *ring, unsigned pid, size_t cnt)
{
	for (unsigned long long at = 0; at < ring->data_head && cnt < MOST;) {
		struct call *c = (struct call *)((char *)ring + PAGE + at);
		if (c->h.type == PERF_RECORD_SAMPLE && c->pid == pid)
			calls[cnt++] = c;
		at += c->h.size;
	}
	return cnt;
}

static int is_bitset(const struct call *c)
{
	unsigned op = c->op & FUTEX_CMD_MASK;

	return op == FUTEX_WAIT_BITSET || op == FUTEX_WAKE_BITSET;
}

static int fits(const struct call *wake, const struct wait *wait) /* can it have ended the wait? */
{
	unsigned a = is_bitset(wake) ? (unsigned)wake->bits : ~0u;
	unsigned b = is_bitset(wait->c) ? (unsigned)wait->c->bits : ~0u;

	return wake->v == wait->word && a & b;
}

static void claim(FILE *out, const struct wait *wait, const struct call *end, const struct call *by)
{
	fprintf(out, "{\"c\":\"handoff\",\"type\":\"wake\",\"src\":");
	fprintf(out, by ? "{\"tid\":%u,\"t\":%llu}" : "null", by ? by->tid : 0, by ? by->t : 0);
	fprintf(out, ",\"dst\":{\"tid\":%u,\"t\":%llu},", end->tid, end->t);
	fprintf(out, "\"key\":{\"ns\":\"uaddr\",\"v\":\"%#llx\"}}\n", wait->word);
}

static struct wait end_wait(const struct call *c)
{
	struct wait w = {0};

	for (size_t i = 0; i < waits; i++)
		if (waiting[i].c == c) {
			w = waiting[i];
			waits--;
			memmove(&waiting[i], &waiting[i + 1], (waits - i) * sizeof(w));
		}
	return w;
}

/* A requeue wakes the oldest waiters, `val` of them, and moves the others to a second word: whoever
 * wakes these names that word, and it is their key. One that fails (its word had changed) does
 * neither. */
static void requeue(const struct call *c, const struct call *const *after, size_t cnt)
{
	size_t i = 0, met = 0;

	while (i < cnt && after[i]->tid != c->tid)
		i++;
	if (i == cnt || (long long)after[i]->v < 0)
		return;
	for (i = 0; i < waits; i++)
		if (waiting[i].word == c->v && met++ >= (unsigned)c->val) {
			waiting[i].word = c->uaddr2;
			waiting[i].since = c->t; /* who woke on that word before does not count */
		}
}

static int is_op(unsigned op, unsigned a, unsigned b)
{
	return op == a || op == b;
}

static void join(FILE *out, size_t cnt, unsigned enter)
{
	size_t woken = 0;
	for (size_t i = 0; i < cnt; i++) {
		struct call *c = calls[i], *begun = open_call[c->tid], *by = NULL;
		struct wait wait;
		unsigned op = c->op & FUTEX_CMD_MASK; /* of an entry */
		int waits_now = is_op(op, FUTEX_WAIT, FUTEX_WAIT_BITSET);
		int moves = is_op(op, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE);

		open_call[c->tid] = c->event == enter ? c : NULL;
		if (c->event == enter) {
			if (moves || is_op(op, FUTEX_WAKE, FUTEX_WAKE_BITSET))
				wakes[woken++] = c;
			if (waits_now && waits < WAITS)
				waiting[waits++] = (struct wait){c, c->v, c->t};
			if (moves)
				requeue(c, (const struct call *const *)&calls[i + 1], cnt - i - 1);
			continue;
		}
		wait = end_wait(begun);
		if (!wait.c || c->v)
			continue; /* only the end of a wait that somebody ended */
		for (size_t k = woken; k-- && wakes[k]->t > wait.since;)
			by = fits(wakes[k], &wait) ? wakes[k] : by; /* the first since it began */
		claim(out, &wait, c, by);
	}
}

int main(int argc, char **argv)
{
	unsigned enter = id_of("sys_enter_futex"), leave = id_of("sys_exit_futex"), pid = 0;
	long rings = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_mmap_page *ring[rings];
	const char *claims = "/dev/stdout";
	int ready = 3, sig;
	size_t cnt = 0;
	sigset_t set;

	if (argc > 1 && !strcmp(argv[1], "describe"))
		return puts("{\"name\":\"wakes\"," SAYS
			    ",\"division\":\"attach\",\"launch\":[\"attach\"],"
			    "\"needs\":[\"root\",\"perf\",\"tracefs\"]}") < 0;
	for (int i = 2; i + 1 < argc; i += 2) { /* run --pid … --claims … --ready-fd …, and more */
		pid = strcmp(argv[i], "--pid") ? pid : (unsigned)atoi(argv[i + 1]);
		claims = strcmp(argv[i], "--claims") ? claims : argv[i + 1];
		ready = strcmp(argv[i], "--ready-fd") ? ready : atoi(argv[i + 1]);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < rings; i++) {
		int fd = watch(i & 1 ? enter : leave, i / 2);
		ring[i] = mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (ring[i] == MAP_FAILED)
			return perror("perf_event_open"), 1;
	}
	if (write(ready, "x", 1) != 1 || sigwait(&set, &sig)) /* attached; until told to drain */
		return 1;
	FILE *out = fopen(claims, "w");
	fprintf(out, "{\"claims\":1,\"profiler\":\"wakes\",\"clock\":\"monotonic\"," SAYS "}\n");
	for (int i = 0; i < rings; i++)
		cnt = read_ring(ring[i], pid, cnt);
	qsort(calls, cnt, sizeof(calls[0]), by_time);
	join(out, cnt, enter);
	return fclose(out) != 0;
}
