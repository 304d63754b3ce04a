/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for children with a deadline, and removing what they leave behind. */
#include "harness/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXEMPT_MAX = 64 };

static const uint64_t SWEEP_LIMIT_NS = UINT64_C(5000000000);
static const uint64_t LOOK_STEP_NS = UINT64_C(2000000);
static const uint64_t SWEEP_STEP_NS = UINT64_C(10000000);

/* The signal descriptor, the sticky interrupt and the children that are not ours. One process has
 * one set of signals, so this is a module's state and no parameter. */
static int signal_fd = -1;
static bool interrupted;
static pid_t exempt[EXEMPT_MAX];
static unsigned exempt_cnt;
static pid_t spared; /* by the sweep that goes on; 0: nobody */
static pid_t beside; /* spared by all sweeps; 0: nobody */

bool process_interrupted(void)
{
	return interrupted;
}

static bool is_exempt(pid_t pid)
{
	for (unsigned i = 0; i < exempt_cnt; i++)
		if (exempt[i] == pid)
			return true;
	return pid == spared || pid == beside;
}

void process_spare(pid_t pid)
{
	beside = pid;
}

/* Parent of a process from /proc/PID/stat: the fourth field, after the name in parentheses. */
static pid_t parent_of(const char *pid)
{
	char path[64], buf[512], *end;
	pid_t parent = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	end = strrchr(buf, ')');
	if (end && sscanf(end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	return parent;
}

/* Calls fn for every child of this process; returns their number. */
static unsigned each_child(void (*fn)(pid_t))
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	unsigned cnt = 0;

	if (!proc)
		return 0;
	while ((e = readdir(proc))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid <= 0 || parent_of(e->d_name) != getpid() || is_exempt(pid))
			continue;
		fn(pid);
		cnt++;
	}
	closedir(proc);
	return cnt;
}

static unsigned listed_of(const char *thread, void (*fn)(pid_t))
{
	char path[64];
	unsigned cnt = 0;
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/children", thread);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		if (is_exempt(pid))
			continue;
		fn(pid);
		cnt++;
	}
	if (f)
		fclose(f);
	return cnt;
}

/* The same by the kernel's list of them: in microseconds where to look at all processes takes
 * milliseconds, but one may be left out while others end, and it need not be there
 * (CONFIG_PROC_CHILDREN; proc(5)). */
static unsigned each_listed(void (*fn)(pid_t))
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *e;
	unsigned cnt = 0;

	while (threads && (e = readdir(threads)))
		if (e->d_name[0] != '.')
			cnt += listed_of(e->d_name, fn);
	if (threads)
		closedir(threads);
	return cnt;
}

static void exempt_child(pid_t pid)
{
	if (exempt_cnt < EXEMPT_MAX)
		exempt[exempt_cnt++] = pid;
}

int process_setup(struct diag *d)
{
	sigset_t set;

	if (signal_fd >= 0)
		return 0;
	each_child(exempt_child);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return diag_set(d, -errno, NULL, 0, NULL, "cannot become a subreaper: %s",
				strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		return diag_set(d, -errno, NULL, 0, NULL, "no signalfd: %s", strerror(errno));
	return 0;
}

static void drain_signals(void)
{
	struct signalfd_siginfo si;

	while (read(signal_fd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			interrupted = true;
}

static void refresh(struct process *p)
{
	siginfo_t si;

	if (p->adopted) {
		process_look(p);
		return;
	}
	while (!p->exited) {
		memset(&si, 0, sizeof(si));
		if (waitid(P_PID, (id_t)p->pid, &si, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) ||
		    !si.si_pid)
			return;
		if (si.si_code == CLD_STOPPED) {
			waitid(P_PID, (id_t)p->pid, &si, WSTOPPED | WNOHANG);
			p->stopped = true;
			return;
		}
		if (waitpid(p->pid, &p->status, WNOHANG) == p->pid)
			p->exited = true;
	}
}

/* Sleeps until a signal, a byte on fd (-1: none), or the deadline; true: fd is readable. */
static bool sleep_until(int fd, uint64_t deadline, uint64_t now)
{
	struct pollfd fds[2] = {{.fd = signal_fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	uint64_t left = deadline - now;
	struct timespec ts = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};

	if (ppoll(fds, 2, &ts, NULL) <= 0)
		return false;
	return fds[1].revents != 0;
}

static enum process_event wait_any(struct process *p, bool stops, int fd, uint64_t deadline)
{
	for (;;) {
		bool readable = false;
		uint64_t now;

		drain_signals();
		if (interrupted)
			return PROCESS_INTERRUPTED;
		refresh(p);
		if (p->exited && fd < 0)
			return PROCESS_EXITED;
		if (p->stopped && stops)
			return PROCESS_STOPPED;
		now = now_ns();
		if (p->exited || now >= deadline) /* a last look: the byte may be there */
			readable = sleep_until(fd, now, now);
		else if (p->adopted && deadline - now > LOOK_STEP_NS) /* nobody signals */
			readable = sleep_until(fd, now + LOOK_STEP_NS, now);
		else
			readable = sleep_until(fd, deadline, now);
		if (readable)
			return PROCESS_READABLE;
		if (p->exited)
			return PROCESS_EXITED;
		if (now >= deadline)
			return PROCESS_TIMEOUT;
	}
}

enum process_event process_wait(struct process *p, uint64_t deadline)
{
	return wait_any(p, true, -1, deadline);
}

enum process_event process_wait_exit(struct process *p, uint64_t deadline)
{
	return wait_any(p, false, -1, deadline);
}

enum process_event process_wait_readable(struct process *p, int fd, uint64_t deadline)
{
	return wait_any(p, false, fd, deadline);
}

int process_signal(struct process *p, int sig)
{
	if (p->pid <= 0 || p->exited)
		return -ESRCH;
	return kill(p->pid, sig) ? -errno : 0;
}

int process_continue(struct process *p)
{
	p->stopped = false;
	return process_signal(p, SIGCONT);
}

void process_kill(struct process *p)
{
	if (p->pid <= 0 || p->exited)
		return;
	if (p->adopted) {
		kill(p->pid, SIGKILL);
		p->exited = true;
		return;
	}
	kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &p->status, 0) < 0)
		if (errno != EINTR)
			break;
	p->exited = true;
}

static unsigned reaped;
static char swept[32]; /* the name of one of them */

static void keep_name(pid_t pid)
{
	char path[64], name[sizeof(swept)] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = '\0';
		memcpy(swept, name, sizeof(swept));
	}
	if (f)
		fclose(f);
}

const char *process_swept(void)
{
	return swept;
}

/* Who has ended by itself is reaped and not counted; who was killed may be met again before it has
 * ended. */
static bool reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return false;
	reaped += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return true;
}

/* At once: whoever is left has only the time until then. Its name outlives it until it is reaped.
 */
static void kill_and_reap(pid_t pid)
{
	if (reap(pid))
		return;
	kill(-pid, SIGKILL); /* fails where it leads no group, which is fine */
	kill(pid, SIGKILL);
	keep_name(pid);
	reap(pid);
}

unsigned process_sweep_but(const struct process *p)
{
	unsigned cnt;

	spared = p->exited ? 0 : p->pid;
	cnt = process_sweep();
	spared = 0;
	return cnt;
}

unsigned process_sweep(void)
{
	uint64_t now = now_ns(), deadline = now + SWEEP_LIMIT_NS;

	reaped = 0;
	/* A killed child hands its own children to us: repeat until there are none. */
	while ((each_listed(kill_and_reap) || each_child(kill_and_reap)) && now < deadline) {
		sleep_until(-1, now + SWEEP_STEP_NS, now);
		drain_signals();
		now = now_ns();
	}
	return reaped;
}

static int capture_end(struct process *p, uint64_t deadline, const char *path, struct diag *d)
{
	switch (process_wait_exit(p, deadline)) {
	case PROCESS_EXITED:
		break;
	case PROCESS_INTERRUPTED:
		return diag_set(d, -EINTR, path, 0, NULL, "interrupted");
	default:
		return diag_set(d, -ETIMEDOUT, path, 0, NULL, "did not end in time");
	}
	if (WIFEXITED(p->status))
		return WEXITSTATUS(p->status);
	return diag_set(d, -ECHILD, path, 0, NULL, "killed by signal %d", WTERMSIG(p->status));
}

int process_capture(char *const *argv, uint64_t limit_ns, char *ret, size_t len, struct diag *d)
{
	/* of a /dev of its own nothing stays */
	struct process_spec s = {.argv = argv,
				 .cwd = "/dev",
				 .err_fd = -1,
				 .extra_fd = -1,
				 .own_mounts = true,
				 .own_files = true,
				 .own_processes = true,
				 .rights = RIGHTS_FILES};
	uint64_t deadline = now_ns() + limit_ns;
	struct process p;
	int fd[2], rc;
	size_t used = 0;
	ssize_t n = 1;

	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, argv[0], 0, NULL, "no pipe: %s", strerror(errno));
	s.out_fd = fd[1];
	rc = process_start(&s, &p, d);
	close(fd[1]);
	if (rc < 0) {
		close(fd[0]);
		return rc;
	}
	while (used + 1 < len && n > 0) {
		if (process_wait_readable(&p, fd[0], deadline) != PROCESS_READABLE)
			break;
		n = read(fd[0], ret + used, len - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	}
	ret[used] = '\0';
	close(fd[0]);
	rc = capture_end(&p, deadline, argv[0], d);
	process_kill(&p);
	return rc;
}
