/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes of the kernel's other faces and of programs. */
#include "harness/machine.h"

#include "groundtruth/collect.h"

#include <errno.h>
#include <liburing.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static void probe_root(struct machine *m)
{
	if (geteuid())
		probe_set(m, PROBE_ROOT, false, "run it as root (sudo)", "this is user %u",
			  geteuid());
	else
		probe_set(m, PROBE_ROOT, true, NULL, "this is root");
}

static void probe_right(struct machine *m, enum probe_id id, int cap, const char *name)
{
	if (geteuid() || prctl(PR_CAPBSET_READ, cap) != 1)
		probe_set(m, id, false, "root, in no container that takes it away",
			  "there is no %s", name);
	else
		probe_set(m, id, true, NULL, "%s is there", name);
}

/* Who may look into processes must not see truth. */
static void probe_secret_memory(struct machine *m)
{
	int fd = channel_secret_memory(1);

	if (fd < 0)
		probe_set(m, PROBE_PTRACE, false,
			  "boot with secretmem.enable=1 (Linux 5.14 or later)",
			  "there is no memory to keep truth in that they cannot read: %s",
			  strerror(-fd));
	else
		close(fd);
}

static bool is_mounted(const char *path, unsigned long magic)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == magic;
}

static void probe_mounts(struct machine *m)
{
	static const char tracing[] = "/sys/kernel/tracing", debug[] = "/sys/kernel/debug/tracing";

	if (is_mounted(tracing, TRACEFS_MAGIC))
		probe_set(m, PROBE_TRACEFS, true, NULL, "mounted on %s", tracing);
	else if (is_mounted(debug, TRACEFS_MAGIC))
		probe_set(m, PROBE_TRACEFS, true, NULL, "mounted on %s", debug);
	else
		probe_set(m, PROBE_TRACEFS, false,
			  "mount -t tracefs tracefs /sys/kernel/tracing (make deps does it)",
			  "not mounted");
	if (is_mounted("/sys/fs/bpf", BPF_FS_MAGIC))
		probe_set(m, PROBE_BPFFS, true, NULL, "mounted on /sys/fs/bpf");
	else
		probe_set(m, PROBE_BPFFS, false, "mount -t bpf bpf /sys/fs/bpf (make deps does it)",
			  "not mounted");
}

static void probe_perf(struct machine *m)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.context_switch = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		probe_set(m, PROBE_PERF, false,
			  "run it as root (sudo), or as root: sysctl kernel.perf_event_paranoid=1",
			  "no software event: %s", strerror(errno));
		return;
	}
	close((int)fd);
	probe_set(m, PROBE_PERF, true, NULL, "a software event with context switches was opened");
}

static void probe_user_events(struct machine *m)
{
	static const char path[] = "/sys/kernel/tracing/user_events_data";

	if (access(path, W_OK))
		probe_set(m, PROBE_USER_EVENTS, false,
			  errno == EACCES ? "run it as root (sudo)"
					  : "a kernel with CONFIG_USER_EVENTS",
			  "%s: %s", path, strerror(errno));
	else
		probe_set(m, PROBE_USER_EVENTS, true, NULL, "%s is writable", path);
}

struct op_name {
	int op;
	const char *name;
};

/* What the workload uring submits. */
static const struct op_name wanted[] = {
	{IORING_OP_NOP, "NOP"},		  {IORING_OP_READ, "READ"},
	{IORING_OP_WRITE, "WRITE"},	  {IORING_OP_POLL_ADD, "POLL_ADD"},
	{IORING_OP_TIMEOUT, "TIMEOUT"},	  {IORING_OP_LINK_TIMEOUT, "LINK_TIMEOUT"},
	{IORING_OP_FSYNC, "FSYNC"},	  {IORING_OP_ASYNC_CANCEL, "ASYNC_CANCEL"},
	{IORING_OP_MSG_RING, "MSG_RING"},
};

static const char *missing_op(const struct io_uring_probe *probe)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!io_uring_opcode_supported(probe, wanted[i].op))
			return wanted[i].name;
	return NULL;
}

static void probe_io_uring(struct machine *m)
{
	struct io_uring ring;
	struct io_uring_probe *probe;
	const char *missing;
	int rc = io_uring_queue_init(8, &ring, IORING_SETUP_SQPOLL);

	if (rc) {
		probe_set(m, PROBE_IO_URING, false,
			  "sysctl kernel.io_uring_disabled=0, and no seccomp filter against it",
			  "no ring with SQPOLL: %s", strerror(-rc));
		return;
	}
	probe = io_uring_get_probe_ring(&ring);
	missing = probe ? missing_op(probe) : "(no probe)";
	if (missing)
		probe_set(m, PROBE_IO_URING, false, "a kernel 5.19 or later",
			  "the operation %s is not there", missing);
	else
		probe_set(m, PROBE_IO_URING, true, NULL,
			  "SQPOLL and %zu operations, MSG_RING among them",
			  sizeof(wanted) / sizeof(wanted[0]));
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
}

static void probe_futex(struct machine *m)
{
	uint32_t a = 0, b = 0;
	long rc = syscall(SYS_futex, &a, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &b, 0);

	if (!rc)
		rc = syscall(SYS_futex, &a, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 1);
	if (rc)
		probe_set(m, PROBE_FUTEX, false, NULL, "requeue or bitset: %s", strerror(errno));
	else
		probe_set(m, PROBE_FUTEX, true, NULL, "wake, bitset and requeue");
}

static void probe_gnuplot(struct machine *m)
{
	if (access("/usr/bin/gnuplot", X_OK) && access("/usr/local/bin/gnuplot", X_OK))
		probe_set(m, PROBE_GNUPLOT, false, "apt-get install gnuplot-nox", "not installed");
	else
		probe_set(m, PROBE_GNUPLOT, true, NULL, "installed");
}

void probe_kernel_family(struct machine *m)
{
	probe_root(m);
	probe_right(m, PROBE_PTRACE, CAP_SYS_PTRACE, "CAP_SYS_PTRACE");
	probe_secret_memory(m);
	probe_right(m, PROBE_ADMIN, CAP_SYS_ADMIN, "CAP_SYS_ADMIN");
	probe_mounts(m);
	probe_perf(m);
	probe_user_events(m);
	probe_io_uring(m);
	probe_futex(m);
	probe_gnuplot(m);
}
