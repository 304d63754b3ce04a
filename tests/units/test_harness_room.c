/* SPDX-License-Identifier: BSD-2-Clause */
/* What a child may write, see and take: rooms, rights, veils. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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

TestSuite(harness_room, .init = setup, .timeout = 60);

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
				 .own_files = true,
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

Test(harness_room, writes_nowhere_but_in_its_folder_where_it_has_a_room_of_its_own)
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

Test(harness_room, writes_in_its_folder_and_to_tracing_alone_where_it_watches)
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

Test(harness_room, has_no_key_rings_in_a_room_of_its_own)
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

Test(harness_room, closes_what_it_can_of_a_room_and_starts_nobody_who_needs_all_of_it)
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

Test(harness_room, uncovers_nothing_where_it_may_only_watch)
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
Test(harness_room, keeps_what_lies_in_shared_memory_and_shows_no_disk_for_it)
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
