/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child that sees and signals nobody but its own, and that none of these outlives: for process.c
 * alone.
 *
 * Who has the same user as another may end it (kill(2)), whatever capabilities it has given up, and
 * a process in a session of its own outlives its parent. In a PID namespace neither is so
 * (pid_namespaces(7)). The child waits outside for what runs inside and ends as that did; the first
 * process inside is nobody's program, for who is first has signals of its own ignored.
 */
#ifndef ASSAY_HARNESS_ALONE_H
#define ASSAY_HARNESS_ALONE_H

/* Between fork and exec, in a mount namespace of its own: the caller returns inside, with 0, in a
 * process group of its own and with a /proc of its own that cannot be written to; or with negative
 * errno where it was, since it may not have such a namespace. */
int alone_enter(void);

#endif
