/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the command. */
#ifndef ASSAY_HARNESS_VERSION_H
#define ASSAY_HARNESS_VERSION_H

#define ASSAY_VERSION "0.1.0"

#endif
