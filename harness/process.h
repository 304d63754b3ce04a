/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children that cannot hurt: started with nothing but what they need, waited for with a deadline,
 * and removed with whatever they left behind.
 *
 * A child gets its own process group and working folder, a fixed environment, /dev/null as input,
 * two outputs and at most two more descriptors (numbers 3 and 4). It dies with the harness. The
 * harness is a subreaper, so that a grandchild which outlives its parent comes back to it and is
 * removed by process_sweep. process_setup must run once, before the first child, on the only
 * thread. Interrupts (SIGINT, SIGTERM) are seen by the waits alone and stick: process_interrupted.
 */
#ifndef ASSAY_HARNESS_PROCESS_H
#define ASSAY_HARNESS_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/clock.h"
#include "lib/diag.h"

struct veil;

struct process {
	pid_t pid;
	bool stopped; /* by SIGSTOP, until process_continue */
	bool exited;
	bool adopted; /* somebody else's child: looked at through /proc, its status is not known */
	int status;   /* of waitpid, once exited */
};

/*
 * What a child of root may do besides reading and writing files.
 *
 * To look into a process that has more capabilities one needs CAP_SYS_PTRACE (ptrace(2), "Ptrace
 * access mode checking"): for /proc/PID/mem, map_files, exe, root, what fd points to,
 * process_vm_readv and ptrace, of the workload as of the harness. /proc/PID/maps is open to
 * CAP_PERFMON, too (seen on 6.18). Who has no CAP_SYS_ADMIN cannot unmount what covers the run,
 * mount what lies below elsewhere or enter another mount namespace, and who has no
 * CAP_DAC_READ_SEARCH cannot open a file by its handle. BPF and perf need CAP_BPF and CAP_PERFMON
 * (capabilities(7)), the files of tracefs belong to root.
 */
enum process_rights {
	RIGHTS_ALL = 0,
	RIGHTS_ADMIN = 1, /* all but CAP_SYS_PTRACE */
	/* Enough for BPF, perf and tracefs, and for nothing that uncovers what is covered: it stays
	 * who it is, changes nothing in /proc/sys and /sys, and has no devices but room.h's */
	RIGHTS_WATCH = 2,
	RIGHTS_FILES = 3, /* none but CAP_DAC_OVERRIDE, and no devices */
};

enum { PROCESS_MORE = 32 };

struct process_spec {
	char *const *argv; /* argv[0] is the path; no search */
	const char *cwd;   /* NULL: stay */
	const char *home;  /* HOME and TMPDIR of the child; NULL: cwd */
	/* More of its environment, NAME=VALUE, at most PROCESS_MORE; ends with NULL. NULL: none */
	char *const *more;
	int out_fd, err_fd;    /* -1: /dev/null */
	int extra_fd;	       /* becomes descriptor 3; -1: none */
	int control_fd;	       /* becomes descriptor 4; 0: none */
	uint64_t file_bytes;   /* largest file that it may write; 0: no bound */
	const cpu_set_t *cpus; /* processors that it may use; NULL: all */
	const char *group; /* cgroup.procs of the control group that it joins first; NULL: none */
	/* Mounts of its own, and an empty /sys/fs/bpf: both vanish with it. Without the rights to
	 * have them it has none to mount or pin anything either. */
	bool own_mounts;
	/* Besides: it writes below cwd and nowhere else but, with RIGHTS_WATCH, in its own
	 * /dev/shm, tracefs and bpffs, and finds nothing in /run, unless something of its own lies
	 * there: what belongs to root is not changed and starts nothing for it. */
	bool own_files;
	/* Besides: it sees no network, shares no System V or POSIX message queues, and has no key
	 * rings: nothing that it leaves with these is there when it is started again. */
	bool own_room;
	/* Besides: it sees no processes but its own, ends none of others, and none of its own
	 * outlives it. */
	bool own_processes;
	/* It is not started where any of that, or the veil, is refused. Else it is started with
	 * what could be had. */
	bool sealed;
	enum process_rights rights;
	/* It takes no descriptor from another process by pidfd_getfd(2), whatever its rights; where
	 * that cannot be had it is not started */
	bool takes_nothing;
	/* By how much its CLOCK_MONOTONIC is ahead of the caller's (time_namespaces(7)); one that
	 * cannot have such a clock is not started. 0: it is the same */
	int64_t ahead_ns;
	const struct veil *veil; /* with mounts of its own: what it does not see; NULL: nothing */
};

/* Becomes a subreaper and routes the signals; negative errno. Children that exist already (an
 * exec from a shell with jobs) are remembered and never touched. */
int process_setup(struct diag *d);

/* Starts a child. A program that cannot be executed is an error here (-ENOENT, -EACCES, -ENOEXEC),
 * not an exit code. */
int process_start(const struct process_spec *s, struct process *ret, struct diag *d);

/*
 * A descendant of `starter` that runs the program `exe` becomes one that can be waited for,
 * continued and killed like a child, until it ends. -ENOENT: there is none now. In process_adopt.c.
 */
int process_adopt(const struct process *starter, const char *exe, struct process *ret);

/* Whether p and all that descends from it are in the control group of which this is cgroup.procs,
 * so that its figures are all of theirs. In process_adopt.c. */
bool process_in_group(const struct process *p, const char *procs);

/* What a wait ended with. */
enum process_event {
	PROCESS_STOPPED,
	PROCESS_EXITED,
	PROCESS_READABLE,
	PROCESS_TIMEOUT,
	PROCESS_INTERRUPTED,
};

/* Waits for the child to stop or to exit. deadline is CLOCK_MONOTONIC, ns. */
enum process_event process_wait(struct process *p, uint64_t deadline);

/* Waits for the child to exit (stops are ignored). */
enum process_event process_wait_exit(struct process *p, uint64_t deadline);

/* Waits for a byte or the end of the pipe fd, or the exit of the child. */
enum process_event process_wait_readable(struct process *p, int fd, uint64_t deadline);

int process_signal(struct process *p, int sig);
int process_continue(struct process *p);

/* Kills the child's group and reaps the child. Harmless on one that has ended. */
void process_kill(struct process *p);

/* Kills and reaps every descendant that is left; returns how many there were. Bounded in time. */
unsigned process_sweep(void);
/* The name of one that was found by the last sweep that found any. */
const char *process_swept(void);

/* The same, but for that child and what it started. */
unsigned process_sweep_but(const struct process *p);

/* Until further notice sweeps leave that child alone, too; 0: nobody. */
void process_spare(pid_t pid);

bool process_interrupted(void);

/* For wait.c: what /proc says of an adopted process now. */
void process_look(struct process *p);

/* "exit code 3", "killed by signal 11 (Segmentation fault)"; ret_len bytes with NUL. */
void process_describe(const struct process *p, char *ret, size_t ret_len);

/*
 * Runs a program to its end and keeps its standard output (at most len - 1 bytes, NUL-terminated;
 * more is cut). Returns its exit code, or a negative errno: -ETIMEDOUT, -EINTR, -ECHILD (killed by
 * a signal), those of process_start. It is only asked something: it has no rights but to read
 * files, a folder that vanishes with it, and leaves no process behind.
 */
int process_capture(char *const *argv, uint64_t limit_ns, char *ret, size_t len, struct diag *d);

#endif
