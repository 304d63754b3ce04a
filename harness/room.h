/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a child sees of the machine, in a mount namespace of its own: for process.c alone.
 *
 * System calls only, since it is called between fork and exec. Each returns 0 or negative errno,
 * and may have done a part.
 */
#ifndef ASSAY_HARNESS_ROOM_H
#define ASSAY_HARNESS_ROOM_H

#include <stdbool.h>

/* /dev with nothing in it but null, zero, full, random, urandom, a shm of its own (or, if it is
 * asked for, that which there is, with what covers parts of it) and what leads to its own
 * descriptors: who may open a disk reads every file on it, whatever covers them. */
int room_devices(bool keeps_shm);

/* /proc/sys and /sys can be read and not written to, but for tracefs and bpffs: by
 * kernel.core_pattern (core(5)) and its like root outside is had for the asking. */
int room_settings(void);

/* /run is empty: no sockets of services that take orders from root (a container engine, an init).
 */
int room_services(void);

/* Everything can be read and nothing written to but below cwd and, where it traces, in /dev,
 * tracefs and bpffs. Devices can be written to on any mount (mount(2), MS_RDONLY). */
int room_fix(const char *cwd, bool traces);

/* No network, and no System V or POSIX message queues that others have. What is refused does not
 * keep the other from being done; the first refusal is returned. */
int room_alone(void);

#endif
