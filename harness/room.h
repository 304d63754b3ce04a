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

/* Everything can be read and nothing written to but below cwd; no network, and no System V or POSIX
 * message queues that others have. Devices can be written to on any mount (mount(2), MS_RDONLY).
 * What is refused does not keep the rest from being done; the first refusal is returned. */
int room_close(const char *cwd);

#endif
