/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs that are known because they were injected, against those that truth found out, in runs
 * that nobody profiles (contracts §2): CPU that operations and functions burn, time that a timer
 * was asked to wait, bytes that a device read, and who wakes whom. Second counters are the
 * kernel's: getrusage of the workload and /proc/PID/io.
 */
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/oncpu.h"
#include "bpf/oncpu.skel.h"
#include "groundtruth/wakes.h"
#include "lib/formats/json.h"
#include "tests/live/calibrate.h"

enum { TEXT = 1 << 16, SHORTEST_NS = 150000 / 4, TRIES = 4 };

static bool is_kind(const struct truth *t, const struct truth_cost *c, const char *kind)
{
	return strcmp(strtab_get(t->strings, c->kind_str), kind) == 0;
}

/* Of operations; functions are apart. */
static uint64_t sum_of(const struct truth *t, const char *kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->costs_cnt; i++)
		if (t->costs[i].of == COST_OF_OP && is_kind(t, &t->costs[i], kind))
			n += t->costs[i].v;
	return n;
}

static uint64_t functions(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->costs_cnt; i++)
		n += t->costs[i].of == COST_OF_FUNCTION ? t->costs[i].v : 0;
	return n;
}

static bool expect(const struct trial *tr, const char *what, double v, double least, double most)
{
	bool good = v >= least && v <= most;

	printf("%s: %s: %.3f\n", tr->workload, what, v);
	if (!good)
		fprintf(stderr, "%s: %s: %.3f is not %.3f to %.3f\n", tr->workload, what, v, least,
			most);
	return good;
}

/* CPU that the workload's process used by the kernel's account, of its summary; 0: no summary. */
static double used_ns(const struct trial *tr)
{
	static char text[TEXT];
	ssize_t len = pread(tr->out, text, sizeof(text), 0);
	struct json_parser *parser = json_parser_new();
	struct json_value all, v;
	uint64_t n = 0;
	const char *why;

	if (!parser || len <= 0 || json_parse(parser, text, (size_t)len, &all, &why) ||
	    !json_get(&all, "cpu_ns", &v) || json_u64(&v, &n))
		n = 0;
	json_parser_free(parser);
	return (double)n;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

/* Median CPU of the operations of a kind, whose records stand in the order of their operations. */
static double median(const struct truth *t, const char *kind)
{
	uint64_t *v = malloc((t->costs_cnt + 1) * sizeof(*v));
	size_t cnt = 0;
	double found = 0;

	for (size_t i = 0, op = 0; v && i < t->costs_cnt; i++) {
		while (op < t->ops_cnt && t->ops[op].id != t->costs[i].op)
			op++;
		if (op < t->ops_cnt && is_kind(t, &t->costs[i], "cpu") &&
		    strcmp(strtab_get(t->strings, t->ops[op].kind_str), kind) == 0)
			v[cnt++] = t->costs[i].v;
	}
	if (cnt) {
		qsort(v, cnt, sizeof(*v), by_number);
		found = (double)v[cnt / 2];
	}
	free(v);
	return found;
}

static bool has_cpu(const struct truth *t)
{
	return sum_of(t, "cpu") != 0;
}

/* What a kind burns stands in workloads/affine/ops.c: hash 13 tenths of --cost, pack 7. Medians,
 * since a CPU that is shared is slower at times. */
static int check_affine(struct trial *tr, const struct truth *t, void *arg)
{
	double hash = median(t, "hash"), pack = median(t, "pack"), used = used_ns(tr);
	bool good;

	if (!has_cpu(t) || pack == 0 || used == 0)
		return has_cpu(t) ? FAIL : UNSUPPORTED;
	good = expect(tr, "hash to pack, 13 to 7 burnt", hash / pack, 1.857 * 0.8, 1.857 * 1.2);
	good &= expect(tr, "hash, of 260 us burnt at best", hash / 260000, 0.5, 4);
	good &= expect(tr, "in operations, of what the process used",
		       (double)sum_of(t, "cpu") / used, 0.8, 1.02);
	return good ? PASS : FAIL;
}

static int check_flat(struct trial *tr, const struct truth *t, void *arg)
{
	if (!has_cpu(t))
		return UNSUPPORTED;
	return expect(tr, "known of functions, of what operations used",
		      (double)functions(t) / (double)sum_of(t, "cpu"), 0.25, 1.1)
		       ? PASS
		       : FAIL;
}

/* Reads alone: who makes the file writes as well. */
static uint64_t bytes_read(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 0, op = 0; i < t->costs_cnt; i++) {
		while (op < t->ops_cnt && t->ops[op].id != t->costs[i].op)
			op++;
		if (op < t->ops_cnt && is_kind(t, &t->costs[i], "io_bytes") &&
		    strcmp(strtab_get(t->strings, t->ops[op].kind_str), "writeback") != 0)
			n += t->costs[i].v;
	}
	return n;
}

/*
 * The kernel's account holds the program's pages and the file system's own blocks as well, as far
 * as they were not cached: nothing after a run or two, as a rule. Where memory is short they never
 * stay, so that the last try allows a hundredth more. Never less.
 */
static int check_pool(struct trial *tr, const struct truth *t, void *arg)
{
	uint64_t known = bytes_read(t);
	const bool *last = arg;

	printf("%s: %" PRIu64 " bytes read, by the kernel %" PRIu64 "\n", tr->workload, known,
	       tr->read_bytes);
	if (known && known == tr->read_bytes)
		return PASS;
	if (known && !tr->read_bytes) {
		printf("note: no direct I/O in this folder\n");
		return PASS;
	}
	if (known && *last && tr->read_bytes > known && tr->read_bytes - known <= known / 100) {
		printf("note: the rest is the file system's own blocks\n");
		return PASS;
	}
	fprintf(stderr, "%s: what was read does not agree\n", tr->workload);
	return FAIL;
}

/* No timer is heard of before its time: the shortest retry of workloads/timers/service.c. */
static int check_timers(struct trial *tr, const struct truth *t, void *arg)
{
	uint64_t least = UINT64_MAX, cnt = 0;

	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		if (h->type != HANDOFF_TIMER || !(h->has & TH_SRC) || !(h->has & TH_DST))
			continue;
		cnt++;
		if (h->dst_ready.t1 - h->src_t.t0 < least)
			least = h->dst_ready.t1 - h->src_t.t0;
	}
	printf("%s: the shortest of %" PRIu64 " waits took %" PRIu64 " ns\n", tr->workload, cnt,
	       least);
	return cnt && least >= SHORTEST_NS ? PASS : FAIL;
}

/* Whether the workload says that one thread hands anything over to the other. */
static bool hands_over(const struct truth *t, uint32_t src, uint32_t dst)
{
	const uint8_t both = TH_SRC | TH_DST;

	for (size_t i = 0; i < t->handoffs_cnt; i++)
		if ((t->handoffs[i].has & both) == both && t->handoffs[i].src_tid == src &&
		    t->handoffs[i].dst_tid == dst)
			return true;
	return false;
}

/* Wake-ups can be watched here: BPF may watch switches, and the kernel has all the tracepoints. */
static bool wakes_can_be_watched(void)
{
	struct oncpu *skel = oncpu__open();
	struct bpf_program *p;
	bool can = skel;

	if (!skel)
		return false;
	bpf_object__for_each_program(p, skel->obj)
	{
		const char *event = strchr(bpf_program__section_name(p), '/');

		can &= event && libbpf_find_vmlinux_btf_id(event + 1, BPF_TRACE_RAW_TP) > 0;
		can &= !bpf_program__set_autoload(p, p == skel->progs.switched);
	}
	can = can && !oncpu__load(skel);
	oncpu__destroy(skel);
	return can;
}

/*
 * Without arrivals to sleep for, nobody but the first thread, which waits for the others to end, is
 * ever woken but by who hands something over.
 */
static int check_wakes(struct trial *tr, const struct truth *t, void *arg)
{
	uint64_t handed = 0, threads = 0, pairs = 0, others = 0;

	for (size_t i = 0; i < t->costs_cnt; i++) {
		const struct truth_cost *c = &t->costs[i];
		const char *name = strtab_get(t->strings, c->name_str);
		uint32_t waker, woken;

		if (c->of == COST_OF_THREAD && is_kind(t, c, "blocked"))
			threads += c->v;
		if (c->of != COST_OF_PAIR || !wakes_pair_parse(name, &waker, &woken))
			continue;
		pairs += c->v;
		others += woken == t->threads[0] ? 0 : c->v;
		handed += hands_over(t, waker, woken) ? c->v : 0;
	}
	if (!sum_of(t, "cpu") || !pairs)
		return wakes_can_be_watched() ? FAIL : UNSUPPORTED;
	if (!others || threads != pairs)
		return FAIL;
	return expect(tr, "of what threads slept, until a thread that hands something over",
		      (double)handed / (double)others, 0.98, 1)
		       ? PASS
		       : FAIL;
}

/* depth: operations in flight; NULL: they arrive when it is their time */
static int control(const char *workload, const char *ops, const char *depth,
		   int (*check)(struct trial *, const struct truth *, void *), bool last)
{
	char *args[] = {"--ops",
			(char *)ops,
			"--seed",
			"7",
			"--data",
			"/tmp",
			depth ? "--depth" : NULL,
			(char *)depth,
			NULL};
	struct trial tr = {.workload = workload,
			   .args = args,
			   .records = 1 << 16,
			   .out = memfd_create("summary", MFD_CLOEXEC),
			   .costs = true};
	int rc = with_truth(&tr, check, &last);

	close(tr.out);
	return rc;
}

int main(void)
{
	static const struct {
		const char *workload, *ops, *depth;
		int (*check)(struct trial *, const struct truth *, void *);
	} controls[] = {{"affine", "400", NULL, check_affine},
			{"flat", "200", NULL, check_flat},
			{"pool", "300", NULL, check_pool},
			{"timers", "200", NULL, check_timers},
			{"wake", "400", "4", check_wakes}};
	int rc = PASS;

	for (unsigned i = 0; rc == PASS && i < sizeof(controls) / sizeof(controls[0]); i++) {
		rc = FAIL;
		for (unsigned n = 1; rc == FAIL && n <= TRIES; n++)
			rc = control(controls[i].workload, controls[i].ops, controls[i].depth,
				     controls[i].check, n == TRIES);
	}
	return rc;
}
