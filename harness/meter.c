/* SPDX-License-Identifier: BSD-2-Clause */
/* Control groups, kernel threads and BPF programs, read at the moments of a trial. */
#include "harness/meter.h"

#include "harness/bpf_look.h"
#include "harness/empty_hits.h"
#include "harness/folder.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/files.h"

enum { WHO_LOAD, WHO_WATCHER, WHO_CNT, PROCESSES_MOST = 256 };

struct reading {
	double t, user[WHO_CNT], system[WHO_CNT], kernel; /* s */
	double peak;					  /* bytes */
};

struct meter {
	char group[WHO_CNT][PATH_LEN], procs[WHO_CNT][PATH_LEN];
	struct trial_meter hook;
	cpu_set_t cpus[WHO_CNT];
	bool pinned[WHO_CNT];
	struct reading at[TRIAL_MOMENT_CNT];
	struct bpf_counts counts;
	double empty_ns[OVERHEAD_CLASS_CNT]; /* measured when it first counts */
	bool calibrated;
	struct bpf_look *look; /* NULL: hits are not counted */
	int stats_fd;	       /* hits are counted as long as it is open; -1: they are not */
};

/* ---- control groups ---- */

static int find_mount(char ret[PATH_LEN], struct diag *d)
{
	FILE *f = setmntent("/proc/self/mounts", "r");
	struct mntent *e;
	int rc = -ENOTSUP;

	while (f && rc && (e = getmntent(f)))
		if (!strcmp(e->mnt_type, "cgroup2"))
			rc = path_format(ret, d, "%s", e->mnt_dir);
	if (f)
		endmntent(f);
	if (rc == -ENOTSUP)
		diag_set(d, rc, NULL, 0, "mount -t cgroup2 none /sys/fs/cgroup",
			 "no cgroup v2 is mounted, by which CPU is told apart");
	return rc;
}

static int make_group(struct meter *m, unsigned who, const char *mount, struct diag *d)
{
	static const char *const names[WHO_CNT] = {"load", "watcher"};
	int rc = path_format(m->group[who], d, "%s/assay-%d-%s", mount, (int)getpid(), names[who]);

	if (!rc)
		rc = path_format(m->procs[who], d, "%s/cgroup.procs", m->group[who]);
	if (!rc && mkdir(m->group[who], 0755) && errno != EEXIST) {
		rc = -ENOTSUP;
		diag_set(d, rc, m->group[who], 0, "be root, in a container that may make groups",
			 "a control group cannot be made: %s", strerror(errno));
	}
	return rc;
}

static double field_of(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtod(at + strlen(name), NULL) : 0;
}

static void read_group(const struct meter *m, unsigned who, struct reading *r)
{
	char path[PATH_LEN], *text = NULL;

	if (path_format(path, NULL, "%s/cpu.stat", m->group[who]) ||
	    file_read(path, 1 << 16, &text, NULL, NULL))
		return;
	r->user[who] = field_of(text, "user_usec ") / 1e6;
	r->system[who] = field_of(text, "usage_usec ") / 1e6 - r->user[who];
	free(text);
}

/* ---- processes ---- */

static char *read_of(const char *pid, const char *name)
{
	char path[PATH_LEN], *text = NULL;

	if (path_format(path, NULL, "/proc/%s/%s", pid, name) ||
	    file_read(path, 1 << 16, &text, NULL, NULL))
		return NULL;
	return text;
}

/* The processes of a group, ending with 0. */
static void list_group(const struct meter *m, unsigned who, pid_t ret[PROCESSES_MOST])
{
	char *pids = NULL, *save = NULL;
	size_t cnt = 0;

	if (!file_read(m->procs[who], 1 << 16, &pids, NULL, NULL))
		for (char *p = strtok_r(pids, "\n", &save); p && cnt + 1 < PROCESSES_MOST;
		     p = strtok_r(NULL, "\n", &save))
			ret[cnt++] = atoi(p);
	ret[cnt] = 0;
	free(pids);
}

static double peak_of_watcher(const struct meter *m)
{
	pid_t pids[PROCESSES_MOST];
	double sum = 0;

	list_group(m, WHO_WATCHER, pids);
	for (size_t i = 0; pids[i]; i++) {
		char pid[16], *status;

		snprintf(pid, sizeof(pid), "%d", (int)pids[i]);
		status = read_of(pid, "status");
		sum += field_of(status, "VmHWM:") * 1024;
		free(status);
	}
	return sum;
}

static double cpu_of_kernel(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	double ns = 0;

	while (dir && (e = readdir(dir))) {
		char *stat = e->d_name[0] < '1' || e->d_name[0] > '9' ? NULL
								      : read_of(e->d_name, "stat");
		const char *end = stat ? strrchr(stat, ')') : NULL;
		char state, *spent = NULL;
		long parent = 0;

		if (end && sscanf(end + 1, " %c %ld", &state, &parent) == 2 && parent == 2)
			spent = read_of(e->d_name, "schedstat");
		ns += spent ? strtod(spent, NULL) : 0;
		free(spent);
		free(stat);
	}
	if (dir)
		closedir(dir);
	return ns / 1e9;
}

/* ---- BPF programs ---- */

static void look_at_programs(struct meter *m)
{
	pid_t watchers[PROCESSES_MOST], load[PROCESSES_MOST];
	struct stat group = {0};
	char exe[64];

	list_group(m, WHO_WATCHER, watchers);
	list_group(m, WHO_LOAD, load);
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)load[0]);
	if (stat(m->group[WHO_LOAD], &group))
		group.st_ino = 0; /* nobody is in it, then */
	bpf_look_free(m->look);
	m->look = bpf_look_new(watchers, exe, group.st_ino);
	if (m->look)
		bpf_look_begin(m->look);
}

int meter_count(struct meter *m, bool on, struct diag *d)
{
	if (!on && m->stats_fd >= 0)
		close(m->stats_fd);
	m->stats_fd = on ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
	if (on && m->stats_fd < 0)
		return diag_set(d, m->stats_fd, NULL, 0, "be root, on Linux 5.8 or later",
				"hits of BPF programs cannot be counted: %s",
				strerror(-m->stats_fd));
	if (on && !m->calibrated)
		empty_hits(m->empty_ns);
	m->calibrated |= on;
	return 0;
}

/* ---- processors ---- */

static int pin(struct meter *m, unsigned who, uint64_t wanted, struct diag *d)
{
	cpu_set_t have;

	m->pinned[who] = wanted != 0;
	CPU_ZERO(&m->cpus[who]);
	if (!wanted || sched_getaffinity(0, sizeof(have), &have))
		return 0;
	for (unsigned i = 0; i < 64; i++)
		if (wanted >> i & 1 && CPU_ISSET(i, &have))
			CPU_SET(i, &m->cpus[who]);
	if (CPU_COUNT(&m->cpus[who]))
		return 0;
	return diag_set(d, -EINVAL, NULL, 0, "nproc, and numbers from 0 on",
			"none of the processors wanted may be used here");
}

int meter_pin(struct meter *m, uint64_t load_cpus, uint64_t watcher_cpus, struct diag *d)
{
	int rc = pin(m, WHO_LOAD, load_cpus, d);

	return rc ? rc : pin(m, WHO_WATCHER, watcher_cpus, d);
}

/* ---- the whole ---- */

static void take(void *arg, enum trial_moment moment)
{
	struct meter *m = arg;
	struct reading *r = &m->at[moment];

	*r = (struct reading){.t = (double)now_ns() / 1e9};
	for (unsigned who = 0; who < WHO_CNT; who++)
		read_group(m, who, r);
	r->kernel = cpu_of_kernel();
	r->peak = peak_of_watcher(m);
	if (moment == TRIAL_GOES && m->stats_fd >= 0)
		look_at_programs(m);
	if (moment == TRIAL_QUIET && m->look)
		bpf_look_end(m->look, &m->counts);
	if (moment == TRIAL_GOES) /* what was read above took its time */
		r->t = (double)now_ns() / 1e9;
}

const struct trial_meter *meter_hook(struct meter *m)
{
	memset(m->at, 0, sizeof(m->at));
	m->counts = (struct bpf_counts){.ring_bytes = -1, .kernel_bytes = -1};
	bpf_look_free(m->look);
	m->look = NULL;
	m->hook = (struct trial_meter){
		.load_group = m->procs[WHO_LOAD],
		.watcher_group = m->procs[WHO_WATCHER],
		.load_cpus = m->pinned[WHO_LOAD] ? &m->cpus[WHO_LOAD] : NULL,
		.watcher_cpus = m->pinned[WHO_WATCHER] ? &m->cpus[WHO_WATCHER] : NULL,
		.at = take,
		.arg = m};
	return &m->hook;
}

static double watched(const struct reading *r)
{
	return r->user[WHO_WATCHER] + r->system[WHO_WATCHER];
}

void meter_run(const struct meter *m, struct overhead_run *ret)
{
	const struct reading *alone = &m->at[TRIAL_ALONE], *ready = &m->at[TRIAL_READY];
	const struct reading *goes = &m->at[TRIAL_GOES], *quiet = &m->at[TRIAL_QUIET];
	const struct reading *over = &m->at[TRIAL_OVER];

	ret->wall = quiet->t - goes->t;
	ret->user = quiet->user[WHO_LOAD] - goes->user[WHO_LOAD];
	ret->system = quiet->system[WHO_LOAD] - goes->system[WHO_LOAD];
	ret->kernel = quiet->kernel - goes->kernel;
	ret->watch = watched(quiet) - watched(goes);
	ret->drain = watched(over) - watched(quiet);
	ret->attach = watched(ready) - watched(alone);
	ret->load = ready->t - alone->t;
	ret->peak_bytes = quiet->peak;
}

void meter_hits(const struct meter *m, struct overhead_hits ret[OVERHEAD_CLASS_CNT])
{
	for (unsigned c = 0; c < OVERHEAD_CLASS_CNT; c++)
		ret[c] = (struct overhead_hits){.programs =
							m->look ? bpf_look_programs(m->look, c) : 0,
						.hits = m->counts.hits[c],
						.run_ns = m->counts.run_ns[c],
						.others = m->counts.others[c],
						.empty_ns = m->calibrated ? m->empty_ns[c] : -1};
}

void meter_seen(const struct meter *m, struct overhead_seen *ret)
{
	if (!m->look)
		return;
	ret->probes = (double)bpf_look_places(m->look);
	ret->ring_bytes = m->counts.ring_bytes;
	ret->kernel_bytes = m->counts.kernel_bytes;
}

size_t meter_sites(const struct meter *m, const uint64_t **ret)
{
	*ret = NULL;
	return m->look ? bpf_look_sites(m->look, ret) : 0;
}

/* An emulator's instructions cost what they cost nowhere else. */
static int check_processor(struct diag *d)
{
	char *text = NULL;
	bool emulated;

	if (file_read("/proc/cpuinfo", 1 << 20, &text, NULL, NULL))
		return 0;
	emulated = strstr(text, "QEMU TCG");
	free(text);
	if (!emulated)
		return 0;
	return diag_set(d, -ENOTSUP, NULL, 0, "a real processor, or a guest that runs on one",
			"this processor is emulated: what watching costs here says nothing");
}

int meter_open(struct meter **ret, struct diag *d)
{
	struct meter *m = calloc(1, sizeof(*m));
	char mount[PATH_LEN];
	int rc = m ? check_processor(d) : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (m)
		m->stats_fd = -1;
	if (!rc)
		rc = find_mount(mount, d);
	for (unsigned who = 0; !rc && who < WHO_CNT; who++)
		rc = make_group(m, who, mount, d);
	if (rc) {
		meter_close(m);
		return rc;
	}
	*ret = m;
	return 0;
}

void meter_close(struct meter *m)
{
	if (!m)
		return;
	for (unsigned who = 0; who < WHO_CNT; who++)
		if (m->group[who][0])
			rmdir(m->group[who]);
	if (m->stats_fd >= 0)
		close(m->stats_fd);
	bpf_look_free(m->look);
	free(m);
}
