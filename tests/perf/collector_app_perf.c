/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a hit at a descriptor's site costs the application: CPU that it adds to a call, by kind of
 * site, the least of several runs. The function begins with a push, which the kernel emulates; a
 * site on another first instruction is single-stepped and costs some ten times as much.
 * Exit 77 where BPF cannot be had, 1 if a hit is lost.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/elf_file.h"
#include "lib/vocab.h"
#include "profilers/collector/app.h"
#include "tests/live/rig/collector_rig.h"

enum { CALLS = 200000, BLOCKS = 4 };

static uint64_t *child_ns; /* shared with the child: CPU of its CALLS */

uint64_t perf_site(uint64_t key, uint64_t units);
__attribute__((noinline, used)) uint64_t perf_site(uint64_t key, uint64_t units)
{
	/* the compiler must save a register first: a push */
	__asm__ volatile("" ::: "rbx", "memory");
	DTRACE_PROBE2(rig, perf, key, units);
	return key + units;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void child(void)
{
	uint64_t t = cpu_ns();

	for (uint64_t i = 0; i < CALLS; i++)
		perf_site(i, 1);
	*child_ns = cpu_ns() - t;
}

/* ---- kinds of sites ---- */

static const struct desc_expr arg0 = {.kind = EXPR_ARG, .width = 8};
static const struct desc_expr arg1 = {.kind = EXPR_ARG, .reg = 1, .width = 8};
static const struct desc_expr retval = {.kind = EXPR_RETVAL, .width = 8};

static char exe[PATH_MAX];
static uint64_t offset;

struct kind {
	const char *name;
	enum app_site_kind site;
	bool needs_args, guarded, perf;
};

static struct desc_prog prog_of(const struct kind *k)
{
	struct desc_prog p = {.id = 1,
			      .event = EVENT_ACQUIRE,
			      .on_return = k->site == APP_RETURN,
			      .needs_args = k->needs_args,
			      .instance = k->site == APP_RETURN ? retval : arg0};

	if (k->site != APP_RETURN || k->needs_args)
		p.units = arg1;
	if (k->guarded) /* nothing passes */
		p.when = (struct desc_when){.lhs = arg1, .op = WHEN_EQ, .value = 7};
	return p;
}

static uint64_t run_watched(const struct kind *k)
{
	const struct app_desc desc = {.prog = prog_of(k)};
	const struct app_site site = {
		.kind = k->site, .offset = offset, .provider = "rig", .name = "perf"};
	const struct app_options app = {.exe = exe,
					.descs = &desc,
					.descs_cnt = 1,
					.sites = &site,
					.sites_cnt = 1,
					.perf = k->perf};
	struct collect_options o = {.want = COLLECT_PROC, .ring_bytes = 1u << 26, .app = &app};
	size_t expected = k->guarded ? 0 : CALLS;
	struct rig r;

	rig_record(&r, child, &o, false);
	RIG_CHECK(rig_count(&r, EV_APP) == expected, "%s: %zu records", k->name,
		  rig_count(&r, EV_APP));
	rig_free(&r);
	return *child_ns;
}

static uint64_t run_alone(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		child();
		_exit(0);
	}
	RIG_CHECK(waitpid(pid, &status, 0) == pid && !status, "status %#x", status);
	return *child_ns;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a && a < b ? a : b;
}

static void measure(const struct kind *k)
{
	uint64_t on = 0, off = 0;

	for (unsigned i = 0; i < BLOCKS; i++) {
		off = least(off, run_alone());
		on = least(on, run_watched(k));
		on = least(on, run_watched(k));
		off = least(off, run_alone());
	}
	printf("%-44s %10.1f\n", k->name, ((double)on - (double)off) / CALLS);
}

static void find_site(void)
{
	const struct elf_symbol *s;
	struct elf_file *f = NULL;
	struct diag d = {0};
	size_t cnt;

	RIG_CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "readlink");
	RIG_CHECK(!elf_file_open(exe, &f, &d), "%s", d.reason);
	s = elf_file_find(f, "perf_site", &cnt);
	RIG_CHECK(cnt == 1 && !elf_file_offset(f, s->addr, &offset), "perf_site");
	elf_file_close(f);
}

int main(void)
{
	static const struct kind kinds[] = {
		{"entry, uprobe.multi", APP_ENTRY, false, false, false},
		{"entry, uprobe.multi, guard holds it back", APP_ENTRY, false, true, false},
		{"return, uprobe.multi", APP_RETURN, false, false, false},
		{"return with an argument of its entry", APP_RETURN, true, false, false},
		{"USDT", APP_USDT, false, false, false},
		{"entry, perf uprobe", APP_ENTRY, false, false, true},
	};

	child_ns = mmap(NULL, sizeof(*child_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	RIG_CHECK(child_ns != MAP_FAILED, "mmap");
	find_site();
	printf("%-44s %10s\n", "site", "ns/hit");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		measure(&kinds[i]);
	return 0;
}
