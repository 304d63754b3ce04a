/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts over devices, and mounts that cannot be written to. */
#include "harness/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};
enum { DEVICES = sizeof(devices) / sizeof(devices[0]) };

/* The descriptor is of what lies on the mount that was covered. */
static int put_held(const char *to, int held)
{
	char from[32];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", held);
	return mount(from, to, NULL, MS_BIND | MS_REC, NULL) ? -errno : 0;
}

static int put_device(const char *name, int held)
{
	char to[32];
	int fd;

	snprintf(to, sizeof(to), "/dev/%s", name);
	fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return put_held(to, held);
}

static int put_links(void)
{
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
					       {"/proc/self/fd/0", "/dev/stdin"},
					       {"/proc/self/fd/1", "/dev/stdout"},
					       {"/proc/self/fd/2", "/dev/stderr"}};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], links[i][1]))
			return -errno;
	return mkdir("/dev/shm", 01777) ? -errno : 0;
}

int room_devices(bool keeps_shm)
{
	int shm = keeps_shm ? open("/dev/shm", O_PATH | O_CLOEXEC) : -1;
	int held[DEVICES], rc = 0;
	bool covered;

	for (size_t i = 0; i < DEVICES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		held[i] = open(path, O_PATH | O_CLOEXEC);
	}
	covered = !mount("none", "/dev", "tmpfs", MS_NOSUID, "mode=0755,size=64m");
	if (!covered)
		rc = -errno;
	for (size_t i = 0; i < DEVICES; i++) {
		if (!rc && held[i] >= 0)
			rc = put_device(devices[i], held[i]);
		if (held[i] >= 0)
			close(held[i]);
	}
	rc = rc ? rc : put_links();
	if (!rc && shm >= 0)
		rc = put_held("/dev/shm", shm);
	if (shm >= 0)
		close(shm);
	if (rc && covered)
		umount2("/dev", MNT_DETACH); /* half a /dev is worse than all of it */
	return rc;
}

static bool is_open(const char *path)
{
	struct statvfs s;

	return !statvfs(path, &s) && !(s.f_flag & ST_RDONLY);
}

static int set_fixed(const char *path, bool fixed, unsigned flags)
{
	struct mount_attr attr = {.attr_set = fixed ? MOUNT_ATTR_RDONLY : 0,
				  .attr_clr = fixed ? 0 : MOUNT_ATTR_RDONLY};

	return mount_setattr(AT_FDCWD, path, flags, &attr, sizeof(attr)) ? -errno : 0;
}

/* These mounts, with all below them, but for a /dev of its own and what BPF and tracing are told
 * by. */
static int fix(const char *const paths[], size_t cnt)
{
	/* the last is mounted when it is looked at, as its folder is: so before that is fixed */
	static const char *const open[] = {"/dev", "/sys/fs/bpf", "/sys/kernel/tracing",
					   "/sys/kernel/debug/tracing/."};
	enum { OPEN = sizeof(open) / sizeof(open[0]) };
	bool was[OPEN];
	int rc = 0;

	for (size_t i = 0; i < OPEN; i++)
		was[i] = is_open(open[i]);
	for (size_t i = 0; !rc && i < cnt; i++)
		rc = set_fixed(paths[i], true, AT_RECURSIVE);
	for (size_t i = 0; !rc && i < OPEN; i++)
		if (was[i] && set_fixed(open[i], false, 0))
			errno = 0; /* no mount of its own: not there */
	return rc;
}

int room_settings(void)
{
	static const char *const settings[] = {"/proc/sys", "/sys"};

	if (mount("/proc/sys", "/proc/sys", NULL, MS_BIND | MS_REC, NULL))
		return -errno;
	return fix(settings, sizeof(settings) / sizeof(settings[0]));
}

int room_services(void)
{
	return mount("none", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") ? -errno
											 : 0;
}

int room_fix(const char *cwd, bool traces)
{
	static const char *const all[] = {"/"};
	int rc;

	if (mount(cwd, cwd, NULL, MS_BIND, NULL))
		return -errno;
	rc = traces ? fix(all, 1) : set_fixed("/", true, AT_RECURSIVE);
	return rc ? rc : set_fixed(cwd, false, 0);
}

int room_alone(void)
{
	int rc = unshare(CLONE_NEWIPC) ? -errno : 0;

	if (unshare(CLONE_NEWNET))
		rc = rc ? rc : -errno;
	return rc;
}
