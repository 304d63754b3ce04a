/* SPDX-License-Identifier: BSD-2-Clause */
/* Children in a clean room: descriptors, environment, deadlines, orphans. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"
#include "harness/veil.h"

static const uint64_t SECOND = 1000000000;

static void setup(void)
{
	struct diag d = {0};

	cr_assert(zero(int, process_setup(&d)), "%s", d.reason);
}

TestSuite(harness_process, .init = setup, .timeout = 60);

static struct process start(const char *script)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	struct process_spec s = {.argv = argv, .out_fd = -1, .err_fd = -1, .extra_fd = -1};
	struct process p = {0};
	struct diag d = {0};

	cr_assert(zero(int, process_start(&s, &p, &d)), "%s", d.reason);
	return p;
}

static int capture(const char *script, char *ret, size_t len)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};

	return process_capture(argv, 10 * SECOND, ret, len, NULL);
}

Test(harness_process, keeps_what_a_program_prints)
{
	char text[64];

	cr_expect(eq(int, capture("echo one; echo two; exit 5", text, sizeof(text)), 5));
	cr_expect(eq(str, text, "one\ntwo\n"));
}

Test(harness_process, cuts_what_is_too_long)
{
	char text[11];

	capture("echo 123456789012345678901234567890", text, sizeof(text));
	cr_expect(eq(str, text, "1234567890"));
}

Test(harness_process, names_a_signal)
{
	struct process p = start("kill -SEGV $$");
	char how[128];

	cr_expect(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	process_describe(&p, how, sizeof(how));
	cr_expect(ne(ptr, strstr(how, "signal 11"), NULL), "%s", how);
}

Test(harness_process, passes_no_descriptor_but_its_own)
{
	char text[64];
	int open_fd = open("/dev/zero", O_RDONLY); /* not close-on-exec, on purpose */

	cr_assert(ge(int, open_fd, 3));
	/* ls has its own descriptor of the folder: 0, 1, 2 and that one. */
	capture("ls /proc/self/fd | tr '\\n' ' '", text, sizeof(text));
	cr_expect(eq(str, text, "0 1 2 3 "));
	close(open_fd);
}

Test(harness_process, hands_over_one_descriptor_as_number_3)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"printf x >&3", NULL};
	struct process_spec s = {.argv = argv, .out_fd = -1, .err_fd = -1};
	struct process p;
	int fd[2];
	char byte = 0;

	cr_assert(zero(int, pipe2(fd, O_CLOEXEC)));
	s.extra_fd = fd[1];
	cr_assert(zero(int, process_start(&s, &p, NULL)));
	close(fd[1]);
	cr_expect(eq(int, process_wait_readable(&p, fd[0], now_ns() + 10 * SECOND),
		     PROCESS_READABLE));
	cr_expect(eq(long, read(fd[0], &byte, 1), 1));
	cr_expect(eq(chr, byte, 'x'));
	process_kill(&p);
}

Test(harness_process, cleans_the_environment)
{
	char text[512];

	setenv("SECRET", "truth", 1);
	setenv("LD_PRELOAD", "", 1);
	capture("env", text, sizeof(text));
	cr_expect(zero(ptr, strstr(text, "SECRET")));
	cr_expect(zero(ptr, strstr(text, "LD_PRELOAD")));
	cr_expect(ne(ptr, strstr(text, "PATH="), NULL));
}

struct not_a_program {
	char content[40];
	int mode;
	int err;
};

ParameterizedTestParameters(harness_process, says_why_a_file_cannot_be_executed)
{
	static struct not_a_program rows[] = {
		{"#!/bin/sh\n", 0644, -EACCES},
		{"hello\n", 0755, -ENOEXEC},
		{"#!/no/such/interpreter\n", 0755, -ENOENT},
	};

	return cr_make_param_array(struct not_a_program, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct not_a_program *n, harness_process, says_why_a_file_cannot_be_executed,
		  .init = setup)
{
	char path[] = "/tmp/assay-exec-XXXXXX";
	char *argv[] = {path, NULL};
	struct process_spec s = {.argv = argv, .out_fd = -1, .err_fd = -1, .extra_fd = -1};
	struct process p = {.pid = 7};
	struct diag d = {0};
	int fd = mkstemp(path);

	cr_assert(eq(long, write(fd, n->content, strlen(n->content)), (long)strlen(n->content)));
	fchmod(fd, (mode_t)n->mode);
	close(fd);
	cr_expect(eq(int, process_start(&s, &p, &d), n->err), "%s", d.reason);
	cr_expect(ne(chr, d.cure[0], '\0'));
	cr_expect(eq(int, p.pid, 7));
	unlink(path);
}

Test(harness_process, stops_waiting_at_the_deadline)
{
	struct process p = start("sleep 100");
	uint64_t before = now_ns();

	cr_expect(eq(int, process_wait_exit(&p, before + SECOND / 10), PROCESS_TIMEOUT));
	cr_expect(lt(ulong, now_ns() - before, 5 * SECOND));
	process_kill(&p);
	cr_expect(eq(int, p.exited, 1));
}

Test(harness_process, sees_a_stop_and_goes_on)
{
	struct process p = start("kill -STOP $$; exit 4");

	cr_expect(eq(int, process_wait(&p, now_ns() + 10 * SECOND), PROCESS_STOPPED));
	process_continue(&p);
	cr_expect(eq(int, process_wait(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	cr_expect(eq(int, WEXITSTATUS(p.status), 4));
}

Test(harness_process, bounds_the_files_of_a_child)
{
	char path[] = "/tmp/assay-flood-XXXXXX";
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exec yes", NULL};
	struct process_spec s = {.argv = argv, .err_fd = -1, .extra_fd = -1, .file_bytes = 100000};
	struct process p;
	struct stat st;

	s.out_fd = mkstemp(path);
	cr_assert(zero(int, process_start(&s, &p, NULL)));
	cr_expect(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	cr_assert(ne(int, WIFSIGNALED(p.status), 0));
	cr_expect(eq(int, WTERMSIG(p.status), SIGXFSZ));
	cr_assert(zero(int, fstat(s.out_fd, &st)));
	cr_expect(le(long, st.st_size, 100000));
	close(s.out_fd);
	unlink(path);
}

Test(harness_process, removes_a_daemon_that_left_its_group)
{
	/* The grandchild has a session of its own and its parent is gone. */
	struct process p =
		start("setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 & exit' & exit");

	cr_expect(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	process_kill(&p);
	process_sweep();
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(eq(int, errno, ECHILD));
}

Test(harness_process, sweeps_all_but_the_one_that_is_spared)
{
	struct process keep = start("exec sleep 1000");
	struct process p = start("setsid sleep 1000 & exit");

	cr_expect(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	cr_expect(eq(u32, process_sweep_but(&keep), 1));
	cr_expect(eq(int, kill(keep.pid, 0), 0));
	cr_expect(eq(int, process_wait_exit(&keep, now_ns()), PROCESS_TIMEOUT));
	process_kill(&keep);
}

/* Its parent ends without having waited for it, so that it comes to this process as a zombie. */
static void leave_zombie(void)
{
	pid_t parent = fork();
	siginfo_t si;

	if (!parent) {
		pid_t ended = fork();

		if (!ended)
			_exit(0);
		_exit(ended < 0 || waitid(P_PID, (id_t)ended, &si, WEXITED | WNOWAIT));
	}
	cr_assert(gt(int, parent, 0));
	cr_assert(zero(int, waitid(P_PID, (id_t)parent, &si, WEXITED)));
	cr_assert(zero(int, si.si_status));
	cr_assert(zero(int, waitid(P_ALL, 0, &si, WEXITED | WNOWAIT)), "the zombie is ours");
}

/* Whoever ended by itself was not left behind; who was is named. */
Test(harness_process, counts_and_names_only_who_still_ran)
{
	struct process p;

	leave_zombie();
	cr_expect(zero(u32, process_sweep()));
	cr_expect(eq(chr, process_swept()[0], '\0'));
	leave_zombie();
	p = start("setsid sleep 1000 & exit");
	cr_expect(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	cr_expect(eq(u32, process_sweep(), 1));
	cr_expect(ne(chr, process_swept()[0], '\0'));
	cr_expect(zero(u32, process_sweep()));
}

/* Runs a script with these rights, in the given folder, outside of which nothing is theirs; its
 * exit code, or -1 where there are no rights to take. */
static int with_rights(enum process_rights rights, const char *cwd, const char *script)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	struct process_spec s = {.argv = argv,
				 .cwd = cwd,
				 .out_fd = -1,
				 .err_fd = -1,
				 .extra_fd = -1,
				 .own_mounts = true,
				 .own_files = cwd,
				 .own_room = rights == RIGHTS_FILES,
				 .rights = rights};
	struct process p = {0};
	struct diag d = {0};

	if (geteuid() || prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) != 1)
		return -1;
	cr_assert(zero(int, process_start(&s, &p, &d)), "%s", d.reason);
	cr_assert(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	return WIFEXITED(p.status) ? WEXITSTATUS(p.status) : 255;
}

Test(harness_process, writes_nowhere_but_in_its_folder_where_it_has_a_room_of_its_own)
{
	char cwd[] = "/tmp/assay-room-XXXXXX", beside[] = "/tmp/assay-beside-XXXXXX";
	char script[256];
	int code;

	cr_assert(ne(ptr, mkdtemp(cwd), NULL));
	cr_assert(ne(ptr, mkdtemp(beside), NULL));
	snprintf(script, sizeof(script),
		 "echo x >own && [ -s own ] && : >/dev/null || exit 1; ! echo x >%s/x || exit 2; "
		 "! echo x >/dev/shm/assay-x || exit 3; [ $(grep -c : /proc/self/net/dev) -le 1 ] "
		 "|| exit 4",
		 beside);
	code = with_rights(RIGHTS_FILES, cwd, script);
	snprintf(script, sizeof(script), "rm -r %s %s", cwd, beside);
	cr_assert(zero(int, system(script)));
	if (code < 0)
		cr_skip("no rights to mount anything");
	cr_expect(zero(int, code));
}

Test(harness_process, writes_in_its_folder_and_to_tracing_alone_where_it_watches)
{
	char cwd[] = "/tmp/assay-room-XXXXXX", service[] = "/run/assay-service-XXXXXX";
	char script[512];
	int code;

	if (geteuid())
		cr_skip("no rights to mount anything");
	cr_assert(ne(ptr, mkdtemp(cwd), NULL));
	cr_assert(ne(ptr, mkdtemp(service), NULL));
	snprintf(script, sizeof(script),
		 "echo x >own && [ -s own ] && : >/dev/null && : >/dev/shm/own || exit 1; "
		 "! echo >%s.beside && ! echo >/etc/assay-beside && ! echo >>/tmp/x || exit 2; "
		 "[ ! -e %s ] || exit 3; ! echo >/proc/sys/kernel/core_pattern || exit 4; "
		 "t=/sys/kernel/tracing; [ ! -e $t/trace ] || true >>$t/trace_marker || exit 5",
		 cwd, service);
	code = with_rights(RIGHTS_WATCH, cwd, script);
	snprintf(script, sizeof(script), "rm -r %s %s; rm -f %s.beside /etc/assay-beside", cwd,
		 service, cwd);
	cr_assert(zero(int, system(script)));
	if (code < 0)
		cr_skip("no rights to mount anything");
	cr_expect(zero(int, code));
}

Test(harness_process, has_no_key_rings_in_a_room_of_its_own)
{
	char script[256];
	int code;

	snprintf(script, sizeof(script),
		 "for at in %d %d %d; do perl -e 'exit(syscall(shift, 0, -4, 0, 0, 0) == -1 && "
		 "$!{ENOSYS} ? 0 : 1)' $at || exit 1; done",
		 SYS_add_key, SYS_request_key, SYS_keyctl);
	code = with_rights(RIGHTS_FILES, "/tmp", script);
	if (code < 0)
		cr_skip("no rights to mount anything");
	cr_expect(zero(int, code));
}

/* From here on nobody gets a network of its own. */
static void refuse_networks(void)
{
	struct sock_filter v[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWNET, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof(v) / sizeof(v[0]), .filter = v};

	cr_assert(zero(int, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)));
}

Test(harness_process, closes_what_it_can_of_a_room_and_starts_nobody_who_needs_all_of_it)
{
	char cwd[] = "/tmp/assay-room-XXXXXX", script[128];
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", script, NULL};
	struct process_spec s = {.argv = argv,
				 .cwd = cwd,
				 .out_fd = -1,
				 .err_fd = -1,
				 .extra_fd = -1,
				 .own_mounts = true,
				 .own_files = true,
				 .own_room = true,
				 .sealed = true,
				 .rights = RIGHTS_FILES};
	struct process p = {0};
	struct diag d = {0};
	int code;

	if (with_rights(RIGHTS_FILES, "/tmp", "exit 0") < 0)
		cr_skip("no rights to mount anything");
	cr_assert(ne(ptr, mkdtemp(cwd), NULL));
	snprintf(script, sizeof(script), "! echo x >%s.beside", cwd);
	refuse_networks();
	code = with_rights(RIGHTS_FILES, cwd, script);
	cr_expect(eq(int, process_start(&s, &p, &d), -EPERM));
	snprintf(script, sizeof(script), "rm -r %s; rm -f %s.beside", cwd, cwd);
	cr_assert(zero(int, system(script)));
	cr_expect(zero(int, code));
}

/* Somebody without rights, as there is on every machine; -1: not here. */
static pid_t somebody(void)
{
	int fd[2];
	char byte;
	pid_t pid;

	cr_assert(zero(int, pipe(fd)));
	pid = fork();
	if (!pid) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
		    prctl(PR_SET_DUMPABLE, 1) || write(fd[1], "x", 1) != 1)
			_exit(1);
		close(fd[1]);
		for (;;)
			pause();
	}
	close(fd[1]);
	if (read(fd[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(fd[0]);
	return pid;
}

Test(harness_process, uncovers_nothing_where_it_may_only_watch)
{
	static const char tries[] =
		"exec 2>/dev/null; umount -l /sys/fs/bpf && exit 1; mkdir a && mount --bind / a && "
		"exit 2; mknod disk b 254 0 && exit 3; [ -z \"$(find /dev -type b)\" ] || exit 4; "
		"nsenter --target $PPID --mount true && exit 5; echo x >/dev/null || exit 6; "
		"echo x >/dev/shm/x || exit 7; (: >/proc/$PPID/mem) && exit 8; "
		"id='--egid 65534 --clear-groups --euid 65534'; "
		"setpriv $id stat -L /proc/%d/root/. && exit 9; cp \"$(command -v stat)\" own; "
		"chown 65534:65534 own && chmod 6755 own || exit 10; ./own -L /proc/%d/root/. && "
		"exit 11; [ -w /proc/sys/kernel/core_pattern ] && exit 12; "
		"[ -w /sys/kernel/profiling ] && exit 13; "
		"[ ! -d /sys/fs/bpf ] || mkdir /sys/fs/bpf/x || exit 14; "
		"[ ! -e /sys/kernel/tracing/trace ] || [ -w /sys/kernel/tracing/trace ] || "
		"exit 15; exit 0";
	char cwd[] = "/tmp/assay-watch-XXXXXX", script[2048];
	pid_t other = somebody();
	int code;

	cr_assert(ne(ptr, mkdtemp(cwd), NULL));
	cr_assert(zero(int, chmod(cwd, 0755)));
	snprintf(script, sizeof(script), tries, other, other);
	code = with_rights(RIGHTS_WATCH, cwd, script);
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	snprintf(script, sizeof(script), "rm -r %s", cwd);
	cr_assert(zero(int, system(script)));
	if (code < 0)
		cr_skip("no rights to take");
	cr_expect(zero(int, code));
}

/* A run may lie in memory: what covers the others goes on doing so, and no disk comes with it. */
Test(harness_process, keeps_what_lies_in_shared_memory_and_shows_no_disk_for_it)
{
	static const char script[] =
		"[ -z \"$(find /dev -type b)\" ] || exit 1; [ ! -e ../secret ] || exit 2; "
		"[ $PWD = /tmp ] || echo x >own || exit 3; [ -r \"$0\" ] || exit 4; echo x "
		">/dev/null || exit 5";
	char top[] = "/dev/shm/assay-veil-XXXXXX", cwd[64], given[64], text[256];
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, given, NULL};
	struct veil veil = {.hide_cnt = 1, .show = {cwd}, .show_cnt = 1};
	struct process_spec s = {.argv = argv,
				 .out_fd = -1,
				 .err_fd = -1,
				 .extra_fd = -1,
				 .own_mounts = true,
				 .rights = RIGHTS_WATCH,
				 .veil = &veil};
	const char *folders[] = {cwd, "/tmp"};
	int code[2] = {255, 255};

	if (with_rights(RIGHTS_FILES, "/tmp", "exit 0") < 0 || !mkdtemp(top))
		cr_skip("no rights to mount anything, or no /dev/shm");
	snprintf(cwd, sizeof(cwd), "%s/runs/own", top);
	snprintf(given, sizeof(given), "%s/program", top);
	snprintf(veil.hide[0], sizeof(veil.hide[0]), "%s/runs", top);
	snprintf(text, sizeof(text), "mkdir -p %s; echo x >%s; echo x >%s/runs/secret", cwd, given,
		 top);
	cr_assert(zero(int, system(text)));
	for (int i = 0; i < 2; i++) {
		struct process p = {0};
		struct diag d = {0};

		s.cwd = folders[i];
		if (process_start(&s, &p, &d))
			continue;
		process_wait_exit(&p, now_ns() + 10 * SECOND);
		code[i] = WIFEXITED(p.status) ? WEXITSTATUS(p.status) : 255;
	}
	snprintf(text, sizeof(text), "rm -r %s", top);
	cr_assert(zero(int, system(text)));
	cr_expect(zero(int, code[0]));
	cr_expect(zero(int, code[1]));
}

/* Whoever may look into others: what truth lies in is open there while a crew needs it. */
Test(harness_process, takes_no_descriptor_of_others_where_it_is_not_to)
{
	static const char script[] =
		"exec perl -e '$p = syscall(%d, getppid(), 0); exit 2 if $p < 0; "
		"exit(syscall(%d, $p, 2, 0) >= 0 ? 0 : $! + 0 == %d ? 1 : 3)'";
	char text[256];
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", text, NULL};
	struct process_spec s = {.argv = argv, .out_fd = -1, .err_fd = -1, .extra_fd = -1};
	int code[2] = {255, 255};

	snprintf(text, sizeof(text), script, SYS_pidfd_open, SYS_pidfd_getfd, EPERM);
	for (int i = 0; i < 2; i++) {
		struct process p = {0};
		struct diag d = {0};

		s.takes_nothing = i;
		cr_assert(zero(int, process_start(&s, &p, &d)), "%s", d.reason);
		process_wait_exit(&p, now_ns() + 10 * SECOND);
		code[i] = WIFEXITED(p.status) ? WEXITSTATUS(p.status) : 255;
	}
	cr_expect(eq(int, code[1], 1));
	if (geteuid() || prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE) != 1)
		cr_skip("no rights to take one, so it is not known that they were taken away");
	cr_expect(zero(int, code[0]));
}
