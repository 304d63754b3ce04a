/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ends of one attachment, as the adapter contract wants them (contracts §3): ready, and SIGINT.
 *
 * attach_signals before anything else in main: SIGINT and SIGTERM then end the session and not the
 * program, even if they come while it still attaches.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_ATTACH_H
#define ASSAY_PROFILERS_ADAPTER_ATTACH_H

#include "lib/diag.h"

/* A descriptor that is readable once the session shall end, or negative errno. */
int attach_signals(void);

/* Writes one byte to the ready descriptor and closes it. */
int attach_ready(int fd, struct diag *d);

#endif
