/* SPDX-License-Identifier: BSD-2-Clause */
/* Empty BPF programs on acts of this very process. */
#include "harness/empty_hits.h"

#include <bpf/bpf.h>
#include <link.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, AGAIN = 5, ACTS = 2000, STEPPED_ACTS = 400, LINKS = 2 };
enum { SAMPLE_NS = 20000, SAMPLED_SPINS = 4000000, SAMPLES_LEAST = 50 };

/* ---- acts ---- */

#ifdef __x86_64__
#define SITE(name, code)                                                                           \
	__asm__(".pushsection .text\n.balign 16\n.type " #name ", @function\n" #name ":\n" code    \
		"\n.size " #name ", . - " #name "\n.popsection\n");                                \
	void name(void)

SITE(assay_site_nop, "nop\nret");
SITE(assay_site_nop5, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\nret");
SITE(assay_site_push, "push %rbp\npop %rbp\nret");
SITE(assay_site_stepped, ".byte 0xf3, 0x0f, 0x1e, 0xfa\nret"); /* endbr64 */
#else
#define assay_site_nop	   NULL
#define assay_site_nop5	   NULL
#define assay_site_push	   NULL
#define assay_site_stepped NULL
#endif

static void act_rename(void)
{
	prctl(PR_SET_NAME, "assay");
}

static void act_syscall(void)
{
	syscall(SYS_getppid);
}

/* ---- where the program is attached ---- */

struct place {
	enum bpf_prog_type type;
	void (*act)(void); /* NULL: not on this processor; of samples: nothing but time */
	const char *raw;   /* raw tracepoint */
	const char *also;  /* a second one, hit by the same act */
	const char *event; /* tracepoint of a perf event, "category/name" */
	bool on_return;
	int acts; /* a round */
};

static const struct place places[OVERHEAD_CLASS_CNT] = {
	[CLASS_TRACEPOINT] = {.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .act = act_rename,
			      .raw = "task_rename",
			      .acts = ACTS},
	[CLASS_SYSCALL] = {.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			   .act = act_syscall,
			   .raw = "sys_enter",
			   .also = "sys_exit",
			   .acts = ACTS},
	[CLASS_PERF_TRACEPOINT] = {.type = BPF_PROG_TYPE_TRACEPOINT,
				   .act = act_rename,
				   .event = "task/task_rename",
				   .acts = ACTS},
	[CLASS_SAMPLE] = {.type = BPF_PROG_TYPE_PERF_EVENT},
	[CLASS_NOP] = {.type = BPF_PROG_TYPE_KPROBE, .act = assay_site_nop, .acts = ACTS},
	[CLASS_NOP5] = {.type = BPF_PROG_TYPE_KPROBE, .act = assay_site_nop5, .acts = ACTS},
	[CLASS_PUSH] = {.type = BPF_PROG_TYPE_KPROBE, .act = assay_site_push, .acts = ACTS},
	[CLASS_STEPPED] = {.type = BPF_PROG_TYPE_KPROBE,
			   .act = assay_site_stepped,
			   .acts = STEPPED_ACTS},
	[CLASS_RETURN] = {.type = BPF_PROG_TYPE_KPROBE,
			  .act = assay_site_nop,
			  .on_return = true,
			  .acts = ACTS},
};

static int open_event(struct perf_event_attr *attr, int prog)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 &&
	    (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_tracepoint(const char *event, int prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1};
	char path[160];
	unsigned long long id;
	FILE *f;
	bool known;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	f = fopen(path, "re");
	if (!f)
		return -1;
	known = fscanf(f, "%llu", &id) == 1;
	fclose(f);
	attr.config = known ? id : 0;
	return known ? open_event(&attr, prog) : -1;
}

static int open_sample(int prog)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .size = sizeof(attr),
				       .sample_period = SAMPLE_NS};

	return open_event(&attr, prog);
}

/* Where an address lies in the file of the main program, which is the first object. */
struct spot {
	uintptr_t addr;
	unsigned long offset;
	bool found;
};

static int find_spot(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct spot *s = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || s->addr < begin || s->addr >= begin + h->p_memsz)
			continue;
		s->offset = s->addr - begin + h->p_offset;
		s->found = true;
	}
	return 1;
}

static int open_uprobe(const struct place *p, int prog)
{
	struct spot s = {.addr = (uintptr_t)p->act};
	LIBBPF_OPTS(bpf_link_create_opts, opts);

	dl_iterate_phdr(find_spot, &s);
	if (!s.found)
		return -1;
	opts.uprobe_multi.path = "/proc/self/exe";
	opts.uprobe_multi.offsets = &s.offset;
	opts.uprobe_multi.cnt = 1;
	opts.uprobe_multi.flags = p->on_return ? BPF_F_UPROBE_MULTI_RETURN : 0;
	opts.uprobe_multi.pid = (uint32_t)getpid();
	return bpf_link_create(prog, 0, BPF_TRACE_UPROBE_MULTI, &opts);
}

/* Descriptors by which it stays attached; -1 in the first where it cannot be. */
static void attach(const struct place *p, int prog, int ret[LINKS])
{
	ret[1] = p->also ? bpf_raw_tracepoint_open(p->also, prog) : -1;
	if (p->raw)
		ret[0] = bpf_raw_tracepoint_open(p->raw, prog);
	else if (p->event)
		ret[0] = open_tracepoint(p->event, prog);
	else
		ret[0] = p->act ? open_uprobe(p, prog) : open_sample(prog);
}

static void detach(int fd[LINKS])
{
	for (int i = 0; i < LINKS; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* ---- measuring ---- */

static void spin(void)
{
	for (volatile int i = 0; i < SAMPLED_SPINS; i++)
		continue;
}

/* CPU of a round, ns. */
static double round_ns(const struct place *p)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	if (!p->act)
		spin();
	for (int i = 0; p->act && i < p->acts; i++)
		p->act();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
}

static bool counters(int prog, double *ret_hits, double *ret_run_ns)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_prog_get_info_by_fd(prog, &info, &len))
		return false;
	*ret_hits = (double)info.run_cnt;
	*ret_run_ns = (double)info.run_time_ns;
	return true;
}

/* Rounds with the kernel counting: hits of the last, and the least run time of a hit, since whoever
 * is interrupted in a run has that counted, too. */
static bool count_rounds(const struct place *p, int prog, double *ret_hits, double *ret_run_ns)
{
	double hits, run_ns, then_hits, then_ns, least = INFINITY;
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME), fd[LINKS];

	if (stats < 0)
		return false;
	attach(p, prog, fd);
	for (int i = 0; i < AGAIN; i++) {
		if (!counters(prog, &then_hits, &then_ns))
			break;
		round_ns(p);
		if (!counters(prog, &hits, &run_ns) || hits <= then_hits)
			break;
		least = fmin(least, (run_ns - then_ns) / (hits - then_hits));
		*ret_hits = hits - then_hits;
	}
	detach(fd);
	close(stats);
	*ret_run_ns = least;
	return least < INFINITY;
}

/* The least round of some with the program attached; negative: it cannot be. */
static double attached_ns(const struct place *p, int prog)
{
	double least = -1;
	int fd[LINKS];

	attach(p, prog, fd);
	if (fd[0] >= 0 && (!p->also || fd[1] >= 0)) {
		round_ns(p); /* a nop5 becomes a call when it is first hit, which takes its time */
		least = round_ns(p);
		for (int i = 1; i < AGAIN; i++)
			least = fmin(least, round_ns(p));
	}
	detach(fd);
	return least;
}

/* What a round takes longer, least against least: what disturbs only adds. Negative: not attached.
 */
static double longer(const struct place *p, int prog)
{
	double plain = INFINITY, with = INFINITY;

	for (int i = 0; i < ROUNDS; i++) {
		double ns;

		for (int k = 0; k <= AGAIN; k++)
			plain = fmin(plain, round_ns(p));
		ns = attached_ns(p, prog);
		if (ns < 0)
			return -1;
		with = fmin(with, ns);
	}
	return fmax(with - plain, 0);
}

static double measure(const struct place *p)
{
	/* r0 = 0; exit */
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	double hits = 0, run_ns, more = -1;
	int prog;

	if (p->type == BPF_PROG_TYPE_KPROBE)
		opts.expected_attach_type = BPF_TRACE_UPROBE_MULTI;
	prog = bpf_prog_load(p->type, NULL, "GPL", nothing, 2, &opts);
	if (prog < 0)
		return -1;
	/* hits that others cause meanwhile cost others */
	if (count_rounds(p, prog, &hits, &run_ns) && (p->act || hits >= SAMPLES_LEAST))
		more = longer(p, prog);
	close(prog);
	if (more < 0)
		return -1;
	more = more / (p->act ? p->acts * (p->also ? 2.0 : 1.0) : hits) - run_ns;
	return more > 0 ? more : 0;
}

void empty_hits(double ret[OVERHEAD_CLASS_CNT])
{
	static double known[OVERHEAD_CLASS_CNT];
	static bool measured;
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	for (unsigned i = 0; !measured && i < OVERHEAD_CLASS_CNT; i++)
		known[i] = places[i].act || i == CLASS_SAMPLE ? measure(&places[i]) : -1;
	prctl(PR_SET_NAME, name);
	measured = true;
	memcpy(ret, known, sizeof(known));
}
