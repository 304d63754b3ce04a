/* SPDX-License-Identifier: BSD-2-Clause */
/* Children in a clean room: descriptors, environment, deadlines, orphans. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"

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
