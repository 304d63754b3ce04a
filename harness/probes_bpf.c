/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF probes: tiny programs, loaded and attached for a moment.
 *
 * Instructions are written by hand, so that the probe needs neither a compiler nor CO-RE.
 */
#include "harness/machine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct bpf_insn return_0[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
	{.code = BPF_JMP | BPF_EXIT},
};

/* return (u32)(bpf_get_current_pid_tgid() >> 32), the caller's pid in the initial namespace */
static const struct bpf_insn return_pid[] = {
	{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid},
	{.code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 32},
	{.code = BPF_JMP | BPF_EXIT},
};

#define INSNS(a) (a), sizeof(a) / sizeof((a)[0])

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

static const char *bpf_cure(int err)
{
	if (err == -EPERM || err == -EACCES)
		return "run as root (sudo), outside containers without CAP_BPF";
	if (err == -ENOSYS || err == -EINVAL)
		return "a kernel with BPF, 5.8 or later";
	return NULL;
}

static void probe_load(struct machine *m)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", INSNS(return_0), NULL);

	if (fd < 0) {
		probe_set(m, PROBE_BPF, false, bpf_cure(fd), "no BPF program can be loaded: %s",
			  strerror(-fd));
		return;
	}
	close(fd);
	probe_set(m, PROBE_BPF, true, NULL, "a program was loaded");
}

static void probe_ringbuf(struct machine *m)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (__u32)sysconf(_SC_PAGESIZE),
				NULL);

	if (fd < 0) {
		probe_set(m, PROBE_RINGBUF, false, bpf_cure(fd), "no ring buffer: %s",
			  strerror(-fd));
		return;
	}
	close(fd);
	probe_set(m, PROBE_RINGBUF, true, NULL, "a ring buffer was made");
}

static void probe_btf(struct machine *m)
{
	static const char path[] = "/sys/kernel/btf/vmlinux";

	if (access(path, R_OK))
		probe_set(m, PROBE_BTF, false, "a kernel built with CONFIG_DEBUG_INFO_BTF",
			  "%s: %s", path, strerror(errno));
	else
		probe_set(m, PROBE_BTF, true, NULL, "%s is readable", path);
}

static void probe_tp_btf(struct machine *m)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int id = libbpf_find_vmlinux_btf_id("sched_switch", BPF_TRACE_RAW_TP), fd, link;

	if (id <= 0) {
		probe_set(m, PROBE_TP_BTF, false, "a kernel built with CONFIG_DEBUG_INFO_BTF",
			  "sched_switch is not in the kernel's BTF");
		return;
	}
	opts.attach_btf_id = (__u32)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", INSNS(return_0), &opts);
	if (fd < 0) {
		probe_set(m, PROBE_TP_BTF, false, bpf_cure(fd), "no tp_btf program: %s",
			  strerror(-fd));
		return;
	}
	link = bpf_raw_tracepoint_open(NULL, fd);
	if (link < 0)
		probe_set(m, PROBE_TP_BTF, false, bpf_cure(link),
			  "cannot attach to sched_switch: %s", strerror(-link));
	else
		probe_set(m, PROBE_TP_BTF, true, NULL, "attached to sched_switch");
	if (link >= 0)
		close(link);
	close(fd);
}

/* A site of our own: nobody calls it while it is probed. */
static __attribute__((noinline)) void probed_site(void)
{
	__asm__ volatile("nop");
}

/* Offset in its file of an address of this process; 0 where it is not found. */
static unsigned long file_offset(const void *address)
{
	unsigned long at = (unsigned long)address, from, to, offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) != 3 || at < from ||
		    at >= to)
			continue;
		fclose(maps);
		return at - from + offset;
	}
	if (maps)
		fclose(maps);
	return 0;
}

static void probe_uprobe_multi(struct machine *m)
{
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_UPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	const unsigned long offset = file_offset((const void *)probed_site);
	int link, fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", INSNS(return_0), &load);

	if (fd < 0) {
		probe_set(m, PROBE_UPROBE_MULTI, false, bpf_cure(fd), "no such program: %s",
			  strerror(-fd));
		return;
	}
	probed_site();
	opts.uprobe_multi.path = "/proc/self/exe";
	opts.uprobe_multi.offsets = &offset;
	opts.uprobe_multi.cnt = 1;
	link = bpf_link_create(fd, 0, BPF_TRACE_UPROBE_MULTI, &opts);
	if (link < 0)
		probe_set(m, PROBE_UPROBE_MULTI, false, "a kernel 6.6 or later",
			  "cannot attach: %s", strerror(-link));
	else
		probe_set(m, PROBE_UPROBE_MULTI, true, NULL, "attached to one site");
	if (link >= 0)
		close(link);
	close(fd);
}

/* Evidence speaks of threads of the initial pid namespace, truth of those that gettid names. */
static void probe_pidns(struct machine *m)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err, fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", INSNS(return_pid),
				    NULL);

	if (fd < 0) {
		probe_set(m, PROBE_PIDNS, false, "first what bpf needs",
			  "cannot be told without BPF");
		return;
	}
	err = bpf_prog_test_run_opts(fd, &opts);
	close(fd);
	if (err)
		probe_set(m, PROBE_PIDNS, false, "a kernel 5.10 or later",
			  "the program could not be run: %s", strerror(-err));
	else if (opts.retval != (__u32)getpid())
		probe_set(m, PROBE_PIDNS, false, "run outside containers, or with --pid=host",
			  "this is pid %d here and %u in the initial pid namespace", getpid(),
			  opts.retval);
	else
		probe_set(m, PROBE_PIDNS, true, NULL, "the kernel sees the pids that we see");
}

static void probe_memlock(struct machine *m)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4096, 4096, &opts);

	if (fd < 0) {
		probe_set(m, PROBE_MEMLOCK, false,
			  "run it as root (sudo), with ulimit -l unlimited", "no map of 16 MiB: %s",
			  strerror(-fd));
		return;
	}
	close(fd);
	probe_set(m, PROBE_MEMLOCK, true, NULL, "a map of 16 MiB was made");
}

void probe_bpf_family(struct machine *m)
{
	libbpf_print_fn_t before = libbpf_set_print(silent);

	probe_load(m);
	probe_ringbuf(m);
	probe_btf(m);
	probe_tp_btf(m);
	probe_uprobe_multi(m);
	probe_pidns(m);
	probe_memlock(m);
	libbpf_set_print(before);
}
