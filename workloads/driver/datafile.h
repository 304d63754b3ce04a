/* SPDX-License-Identifier: BSD-2-Clause */
/* A file to read from, nameless as soon as it is there. */
#ifndef ASSAY_WORKLOADS_DRIVER_DATAFILE_H
#define ASSAY_WORKLOADS_DRIVER_DATAFILE_H

enum { DATAFILE_BYTES = 1 << 20 };

/* Makes one of DATAFILE_BYTES in the folder, filled; returns its descriptor. */
int datafile_open(const char *folder);

#endif
