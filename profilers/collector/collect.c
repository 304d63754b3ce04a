/* SPDX-License-Identifier: BSD-2-Clause */
/* The collector, from user space. */
#include "profilers/collector/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf/collector.h"
#include "bpf/collector.skel.h"
#include "profilers/collector/app.h"
#include "profilers/collector/calls.h"
#include "profilers/collector/probe.h"
#include "profilers/collector/tree.h"

/* How often tallies are read: a few system calls a site. */
#define TELL_NS UINT64_C(20000000)
/* A hit is counted first and stamped then, a record's making later. */
#define STAMP_NS UINT64_C(100000)

struct collect {
	struct collector *skel;
	struct app *app;
	uint64_t told;	  /* when tallies were last told */
	uint64_t counted; /* hits stamped later are in no tally of this drain (UINT64_MAX:
			   * none was read) */
	struct ring_buffer *buffer;
	uint32_t can;
	uint64_t attached;
	uint64_t records;
	char missing[256];
	struct ev_rec *seen; /* what user space found of processes, not yet handed on */
	size_t seen_cnt;
	/* of the drain that runs */
	collect_fn *fn;
	void *arg;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- the tree ---- */

static int add_seen(struct collect *c, const struct ev_rec *r)
{
	struct ev_rec *grown = realloc(c->seen, (c->seen_cnt + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->seen = grown;
	c->seen[c->seen_cnt++] = *r;
	return 0;
}

static int add_cpu(struct collect *c, uint32_t pid, const struct tree_cpu *t, bool at_end)
{
	return add_seen(c, &(struct ev_rec){
				   .t = now_ns(),
				   .tid = t->tid,
				   .tgid = pid,
				   .kind = EV_PROC_CPU,
				   .flags = t->is_kernel ? EV_F_KERNEL : 0,
				   .a = t->ran_ns,
				   .b = at_end,
			   });
}

static int add_cpu_before(void *arg, uint32_t pid, const struct tree_cpu *t)
{
	return add_cpu(arg, pid, t, false);
}

static int add_cpu_after(void *arg, uint32_t pid, const struct tree_cpu *t)
{
	return add_cpu(arg, pid, t, true);
}

static int add_process(struct collect *c, uint32_t pid)
{
	int err = add_seen(c, &(struct ev_rec){
				      .t = now_ns(),
				      .kind = EV_PROC_FORK,
				      .a = pid,
				      .b = pid,
				      .c = tree_threads(pid),
				      .d = tree_rings(pid),
			      });

	return err ? err : tree_cpu(pid, add_cpu_before, c);
}

static int watch_process(void *arg, uint32_t pid)
{
	struct collect *c = arg;
	uint32_t rings = tree_rings(pid) ? COLLECTOR_UNNUMBERED : 0;
	int err;

	err = bpf_map__update_elem(c->skel->maps.tree, &pid, sizeof(pid), &rings, sizeof(rings),
				   BPF_NOEXIST);
	if (err == -EEXIST)
		return 0;
	return err ? err : add_process(c, pid);
}

/* ---- open ---- */

static int fail(struct diag *d, int err, const char *what)
{
	const char *cure = "see assay doctor";

	if (err == -EPERM || err == -EACCES)
		cure = "run as root, or with CAP_BPF and CAP_PERFMON";
	return diag_set(d, err, "collector", 0, cure, "cannot %s: %s", what, strerror(-err));
}

/* A harness that wants a buffer to overflow says so to whoever it starts. */
static uint64_t usual_bytes(void)
{
	const char *word = getenv("ASSAY_RING_BYTES");
	char *end = NULL;
	uint64_t bytes = word ? strtoull(word, &end, 10) : 0;

	return end && !*end && bytes ? bytes : 1u << 24;
}

static int prepare(struct collect *c, const struct collect_options *o, struct diag *d)
{
	struct btf *btf = btf__load_vmlinux_btf();
	uint64_t bytes = o->ring_bytes ? o->ring_bytes : usual_bytes();
	int err;

	if (!btf)
		return diag_set(d, -ENOTSUP, "/sys/kernel/btf/vmlinux", 0,
				"use a kernel with CONFIG_DEBUG_INFO_BTF",
				"this kernel does not describe its types");
	c->can = probe_programs(c->skel, btf, o->want, c->missing, sizeof(c->missing));
	btf__free(btf);
	if (!c->can)
		return diag_set(d, -ENOTSUP, "collector", 0, "see assay doctor",
				"this kernel has none of the tracepoints wanted: %s", c->missing);
	if (bytes < 4096 || (bytes & (bytes - 1)) || bytes > UINT32_MAX)
		return diag_set(d, -EINVAL, "collector", 0, "give a power of two such as 16M",
				"a ring buffer of %llu bytes is impossible",
				(unsigned long long)bytes);
	c->app = app_new(c->skel, o->app);
	if (!c->app)
		return fail(d, -ENOMEM, "prepare the application's sites");
	calls_choose((struct collector_settings *)&c->skel->rodata->settings, c->can);
	c->skel->rodata->settings.wake_bytes = (uint32_t)(bytes / 4);
	c->skel->rodata->settings.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	err = bpf_map__set_max_entries(c->skel->maps.records, (uint32_t)bytes);
	return err ? fail(d, err, "size the ring buffer") : 0;
}

static int on_record(void *arg, void *data, size_t size)
{
	struct collect *c = arg;

	if (size < sizeof(struct ev_rec))
		return -EPROTO;
	c->records++;
	if (((const struct ev_rec *)data)->t > c->counted)
		app_passes_on(c->app, data);
	return c->fn(c->arg, data);
}

static int attach(struct collect *c, const struct collect_options *o, struct diag *d)
{
	int err;

	err = collector__load(c->skel);
	if (err)
		return fail(d, err, "load the BPF programs");
	err = calls_learn_files(c->skel);
	if (err)
		return fail(d, err, "tell files apart");
	err = collector__attach(c->skel);
	if (err)
		return fail(d, err, "attach the BPF programs");
	err = app_attach(c->app);
	if (err)
		return fail(d, err, "probe the application");
	/* nobody is watched before all is attached: of a process at work it would be half a story
	 */
	err = tree_walk(o->pid, watch_process, c);
	if (err == -ESRCH)
		return diag_set(d, err, "collector", 0, "name a process that runs",
				"there is no process %u", o->pid);
	if (err)
		return fail(d, err, "watch the process tree");
	/* children that were born before their parent was watched */
	err = tree_walk(o->pid, watch_process, c);
	if (err && err != -ESRCH)
		return fail(d, err, "watch the process tree");
	c->attached = now_ns();
	c->buffer = ring_buffer__new(bpf_map__fd(c->skel->maps.records), on_record, c, NULL);
	return c->buffer ? 0 : fail(d, -errno, "map the ring buffer");
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN && getenv("ASSAY_BPF_LOG") ? vfprintf(stderr, format, args) : 0;
}

struct collect *collect_open(const struct collect_options *o, struct diag *d)
{
	struct collect *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	libbpf_set_print(silent);
	if (!c) {
		fail(d, err, "begin");
		return NULL;
	}
	c->skel = collector__open();
	if (!c->skel)
		err = fail(d, -errno, "open the BPF programs");
	else
		err = prepare(c, o, d);
	if (!err)
		err = attach(c, o, d);
	if (!err)
		return c;
	collect_free(c);
	errno = -err;
	return NULL;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	ring_buffer__free(c->buffer);
	app_free(c->app);
	collector__destroy(c->skel);
	free(c->seen);
	free(c);
}

uint64_t collect_attached(const struct collect *c)
{
	return c->attached;
}

uint32_t collect_can(const struct collect *c)
{
	return c->can;
}

const char *collect_missing(const struct collect *c)
{
	return c->missing;
}

uint32_t collect_sites(const struct collect *c)
{
	return app_counts(c->app).attached;
}

int collect_fd(const struct collect *c)
{
	return ring_buffer__epoll_fd(c->buffer);
}

/* ---- drain ---- */

static int hand_on_seen(struct collect *c)
{
	int err = 0;

	for (size_t i = 0; i < c->seen_cnt && err >= 0; i++)
		err = c->fn(c->arg, &c->seen[i]);
	c->seen_cnt = 0;
	if (err >= 0 && !c->told)
		err = app_tell_sites(c->app, c->attached, c->fn, c->arg);
	return err < 0 ? err : 0;
}

/* Tallies are read before the records are, and told after them with what came meanwhile. They are
 * told too few rather than too many, which would be a loss that never was: the next tells the rest.
 */
static int drain(struct collect *c, bool tell, bool all)
{
	int err = hand_on_seen(c), cnt;

	if (!err && tell)
		err = app_count(c->app);
	if (err)
		return err;
	c->counted = tell ? now_ns() + STAMP_NS : UINT64_MAX;
	cnt = ring_buffer__consume(c->buffer);
	if (cnt >= 0 && tell)
		err = app_tell(c->app, now_ns(), all, c->fn, c->arg);
	return err ? err : cnt;
}

int collect_drain(struct collect *c, collect_fn *fn, void *arg)
{
	uint64_t now = now_ns();
	bool tell = now - c->told >= TELL_NS;
	int cnt;

	c->fn = fn;
	c->arg = arg;
	cnt = drain(c, tell, false);
	if (tell)
		c->told = now;
	return cnt;
}

int collect_leave(struct collect *c, collect_fn *fn, void *arg)
{
	int cnt;

	app_detach(c->app);
	c->fn = fn;
	c->arg = arg;
	cnt = drain(c, true, true);
	return cnt < 0 ? cnt : 0;
}

int collect_take(struct collect *c, const struct app_options *app)
{
	int err = app_replace(c->app, app);

	c->told = 0;
	c->attached = now_ns();
	return err;
}

/* What the threads that are there have used. Before the programs are detached: none can exit unseen
 * in between, and the record of its exit comes behind. */
static int look_at_threads(struct collect *c)
{
	uint32_t pid, *before = NULL;
	int err = 0;

	while (!err && !bpf_map__get_next_key(c->skel->maps.tree, before, &pid, sizeof(pid))) {
		err = tree_cpu(pid, add_cpu_after, c);
		before = &pid;
	}
	return err;
}

/* Adds up the CPUs, and hands on the losses that no later record could tell. */
static int finish_cpus(struct collect *c, const struct collector_cpu *cpus, int cnt,
		       struct collect_stats *stats)
{
	int err = 0;

	for (int i = 0; i < cnt && err >= 0; i++) {
		stats->lost += cpus[i].lost_total;
		stats->unfollowed += cpus[i].unfollowed;
		if (cpus[i].lost)
			err = c->fn(c->arg, &(struct ev_rec){
						    .t = cpus[i].lost_last,
						    .kind = EV_LOST,
						    .cpu = (uint16_t)i,
						    .a = cpus[i].lost,
						    .b = cpus[i].lost_first,
					    });
	}
	return err < 0 ? err : 0;
}

int collect_finish(struct collect *c, collect_fn *fn, void *arg, struct collect_stats *ret)
{
	int cnt = libbpf_num_possible_cpus(), err;
	struct collect_stats stats = {0};
	struct collector_cpu *cpus;
	uint32_t zero = 0;

	if (cnt < 0)
		return cnt;
	err = collect_drain(c, fn, arg); /* what was before comes before */
	if (err >= 0)
		err = look_at_threads(c);
	app_detach(c->app);
	collector__detach(c->skel);
	if (err >= 0)
		err = drain(c, true, true);
	if (err < 0)
		return err;
	cpus = calloc((size_t)cnt, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	err = bpf_map__lookup_elem(c->skel->maps.cpus, &zero, sizeof(zero), cpus,
				   (size_t)cnt * sizeof(*cpus), 0);
	if (!err)
		err = finish_cpus(c, cpus, cnt, &stats);
	free(cpus);
	stats.records = c->records;
	stats.unsaved = app_counts(c->app).unsaved;
	if (!err)
		*ret = stats;
	return err;
}
