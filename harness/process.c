/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting children in a clean room: descriptors, environment, limits, process group. */
#include "harness/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/alone.h"
#include "harness/folder.h"
#include "harness/room.h"
#include "harness/veil.h"

enum { EXTRA_FD = 3, CONTROL_FD = 4, STATUS_FD = 5, FIXED_ENV = 4 };

static void child_limits(const struct process_spec *s)
{
	struct rlimit core = {0, 0};

	setrlimit(RLIMIT_CORE, &core);
	if (s->file_bytes) {
		struct rlimit file = {s->file_bytes, s->file_bytes};

		setrlimit(RLIMIT_FSIZE, &file);
	}
}

/* If memory runs out, the child goes before the harness does. */
static void child_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0; /* a machine without it: nothing is lost but this */
	close(fd);
}

/* Before anything that costs. The harness sees from the group's figures where it failed. */
static void child_group(const char *procs)
{
	int fd = open(procs, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "0", 1) < 0)
		errno = 0;
	close(fd);
}

static void child_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Puts descriptors where the child expects them. All sources are first moved above STATUS_FD, so
 * that no dup2 overwrites one that is still needed.
 */
static int child_descriptors(const struct process_spec *s, int status_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from[STATUS_FD + 1] = {null_fd,
				   s->out_fd < 0 ? null_fd : s->out_fd,
				   s->err_fd < 0 ? null_fd : s->err_fd,
				   [EXTRA_FD] = s->extra_fd,
				   [CONTROL_FD] = s->control_fd ? s->control_fd : -1,
				   [STATUS_FD] = status_fd};

	if (null_fd < 0)
		return -errno;
	for (int i = 0; i <= STATUS_FD; i++) {
		if (from[i] < 0)
			continue;
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, STATUS_FD + 1);
		if (from[i] < 0)
			return -errno;
	}
	for (int i = 0; i <= STATUS_FD; i++) {
		if (from[i] < 0)
			close(i);
		else if (dup3(from[i], i, i == STATUS_FD ? O_CLOEXEC : 0) < 0)
			return -errno;
	}
	return close_range(STATUS_FD + 1, ~0u, 0) ? -errno : 0;
}

/* Does anything that it is to find lie there? */
static bool needs_below(const struct process_spec *s, const char *folder)
{
	bool needs = path_below(s->cwd, folder) || path_below(s->home, folder);

	for (size_t i = 0; s->argv[i]; i++)
		needs |= path_below(s->argv[i], folder) != NULL;
	for (size_t i = 0; s->veil && i < s->veil->show_cnt; i++)
		needs |= path_below(s->veil->show[i], folder) != NULL;
	return needs;
}

static int first(int a, int b)
{
	return a ? a : b;
}

/* What keeps it from being as asked for, all of which is done as far as it can be. */
static int child_mounts(const struct process_spec *s)
{
	int rc = 0;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno; /* no rights: it has none either */
	if (mount("bpf", "/sys/fs/bpf", "bpf", 0, "mode=0700"))
		errno = 0; /* a kernel without it: nothing can be pinned */
	if (s->veil)
		rc = veil_draw(s->veil, s->argv[0]); /* where it fails all is as it was */
	if (s->rights >= RIGHTS_WATCH)		     /* where it fails it sees what there is */
		rc = first(rc, room_devices(needs_below(s, "/dev/shm")));
	if (s->own_files && !needs_below(s, "/run"))
		rc = first(rc, room_services());
	/* what follows fails on a kernel before 5.12, and where there is no sysfs or namespaces */
	if (s->own_files)
		rc = first(rc, room_fix(s->cwd, s->rights == RIGHTS_WATCH));
	else if (s->rights == RIGHTS_WATCH)
		rc = first(rc, room_settings());
	if (s->own_room)
		rc = first(rc, room_alone());
	return rc;
}

/* The next program that it executes is in the new namespace. */
static int child_clock(int64_t ahead_ns)
{
	const int64_t second = (int64_t)NS_PER_S;
	int64_t whole = ahead_ns / second, part = ahead_ns % second;
	int fd, err = 0;

	if (part < 0) {
		part += second;
		whole--;
	}
	if (unshare(CLONE_NEWTIME))
		return -errno;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (dprintf(fd, "monotonic %lld %lld\n", (long long)whole, (long long)part) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* What is inheritable would come back at the exec, whatever is bounded (capabilities(7)). */
static void child_inherits_nothing(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &head, data))
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].inheritable = 0;
	syscall(SYS_capset, &head, data);
}

/* What would show what is hidden, besides looking into others: mounting, files by their handle,
 * modules and another kernel, memory and ports, devices by their number, and being one of those
 * without rights, whose /proc/PID/root is open to their like (ptrace(2)). */
static bool uncovers(int cap)
{
	switch (cap) {
	case CAP_SYS_ADMIN:
	case CAP_CHECKPOINT_RESTORE:
	case CAP_DAC_READ_SEARCH:
	case CAP_SYS_MODULE:
	case CAP_SYS_BOOT:
	case CAP_SYS_RAWIO:
	case CAP_MKNOD:
	case CAP_SETUID:
	case CAP_SETGID:
		return true;
	default:
		return false;
	}
}

static bool has_right(enum process_rights rights, int cap)
{
	switch (rights) {
	case RIGHTS_ADMIN:
		return cap != CAP_SYS_PTRACE;
	case RIGHTS_WATCH:
		return cap != CAP_SYS_PTRACE && !uncovers(cap);
	case RIGHTS_FILES:
		return cap == CAP_DAC_OVERRIDE;
	default:
		return true;
	}
}

/* Of the capabilities that the next program would get. Who is not root has none to lose, and root
 * without CAP_SETPCAP keeps what it has. */
static void child_rights(enum process_rights rights)
{
	if (rights != RIGHTS_ALL)
		child_inherits_nothing();
	if (rights >= RIGHTS_WATCH) /* or a program with the set-user-ID bit makes it another */
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (int cap = 0; rights != RIGHTS_ALL && prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!has_right(rights, cap))
			prctl(PR_CAPBSET_DROP, cap);
}

static int child_filter(const struct sock_filter *v, size_t cnt)
{
	struct sock_fprog filter = {.len = (unsigned short)cnt, .filter = (struct sock_filter *)v};

	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 0;
	if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) /* it is not root */
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ? -errno : 0;
}

/* But for the bit of x32's. */
#define LOAD_NUMBER                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                     \
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~UINT32_C(0x40000000))

/* Numbers from 424 on are those of all architectures (Documentation/process/adding-syscalls.rst).
 */
static int child_takes_nothing(void)
{
	static const struct sock_filter v[] = {
		LOAD_NUMBER,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_getfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return child_filter(v, sizeof(v) / sizeof(v[0]));
}

/* Key rings are of users, and no namespace of mounts covers them. add_key, request_key and keyctl
 * follow each other; their numbers in programs of 32 bits are others. */
static int child_has_no_keys(void)
{
#if defined(__x86_64__)
	enum { NATIVE = AUDIT_ARCH_X86_64, OF_32_BITS = 286 };
#elif defined(__aarch64__)
	enum { NATIVE = AUDIT_ARCH_AARCH64, OF_32_BITS = 309 };
#else
#error "numbers of system calls: asm/unistd.h"
#endif
	static const struct sock_filter v[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)NATIVE, 4, 0),
		LOAD_NUMBER,
		BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, OF_32_BITS),
		BPF_JUMP(BPF_JMP | BPF_JA, 3, 0, 0),
		LOAD_NUMBER,
		BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, SYS_add_key),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_keyctl - SYS_add_key, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return child_filter(v, sizeof(v) / sizeof(v[0]));
}

static int child_exec(const struct process_spec *s)
{
	char home[4200], tmp[4200];
	char *env[FIXED_ENV + PROCESS_MORE + 1] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C.UTF-8", home, tmp};
	const char *folder = s->home ? s->home : s->cwd ? s->cwd : "/";

	for (int i = 0; s->more && s->more[i] && i < PROCESS_MORE; i++)
		env[FIXED_ENV + i] = s->more[i];
	snprintf(home, sizeof(home), "HOME=%s", folder);
	snprintf(tmp, sizeof(tmp), "TMPDIR=%s", folder);
	execve(s->argv[0], s->argv, env);
	return -errno;
}

static _Noreturn void child_main(const struct process_spec *s, int status_fd, pid_t parent)
{
	int err, apart = 0, alone = 0, keys = 0;

	if (s->group)
		child_group(s->group);
	if (s->cpus && sched_setaffinity(0, sizeof(*s->cpus), s->cpus))
		errno = 0; /* checked before it was asked for */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the line above */
		_exit(127);
	child_signals();
	child_limits(s);
	child_memory();
	if (s->own_mounts)
		apart = child_mounts(s);
	err = child_descriptors(s, status_fd);
	if (!err && s->sealed)
		err = apart;
	if (!err && s->ahead_ns)
		err = child_clock(s->ahead_ns);
	if (!err && s->cwd && chdir(s->cwd))
		err = -errno;
	if (!err && s->own_processes)
		alone = alone_enter();
	if (!err && s->takes_nothing)
		err = child_takes_nothing();
	if (s->own_room)
		keys = child_has_no_keys();
	if (!err && s->sealed)
		err = first(alone, keys);
	child_rights(s->rights);
	if (!err)
		err = child_exec(s);
	if (write(STATUS_FD, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

static int start_error(const struct process_spec *s, int err, struct diag *d)
{
	const char *cure = NULL;

	if (s->sealed)
		return diag_set(d, err, s->argv[0], 0, NULL,
				"it cannot be started apart from all else: %s", strerror(-err));
	if (err == -EACCES)
		cure = "name a program; chmod +x it if it is one of yours";
	else if (err == -ENOEXEC)
		cure = "build it for this machine, or start the script with #! and its interpreter";
	else if (err == -ENOENT)
		cure = "check the path (for a script: the interpreter after #!)";
	return diag_set(d, err, s->argv[0], 0, cure, "cannot be executed: %s", strerror(-err));
}

int process_start(const struct process_spec *s, struct process *ret, struct diag *d)
{
	pid_t parent = getpid(), pid;
	int pipe_fd[2], err = 0;
	ssize_t n;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return diag_set(d, -errno, s->argv[0], 0, NULL, "no pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		child_main(s, pipe_fd[1], parent);
	close(pipe_fd[1]);
	if (pid < 0) {
		err = -errno;
		close(pipe_fd[0]);
		return diag_set(d, err, s->argv[0], 0, NULL, "cannot fork: %s", strerror(-err));
	}
	setpgid(pid, pid); /* both sides, so that neither can be too late */
	do
		n = read(pipe_fd[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(pipe_fd[0]);
	if (n == (ssize_t)sizeof(err)) {
		waitpid(pid, NULL, 0);
		return start_error(s, err, d);
	}
	*ret = (struct process){.pid = pid};
	return 0;
}

void process_describe(const struct process *p, char *ret, size_t ret_len)
{
	if (!p->exited)
		snprintf(ret, ret_len, "still running");
	else if (WIFSIGNALED(p->status))
		snprintf(ret, ret_len, "killed by signal %d (%s)", WTERMSIG(p->status),
			 strsignal(WTERMSIG(p->status)));
	else
		snprintf(ret, ret_len, "exit code %d", WEXITSTATUS(p->status));
}
