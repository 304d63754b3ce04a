/* SPDX-License-Identifier: BSD-2-Clause */
/* The joiners that are built in. Each stands in the file of its name. */
#ifndef ASSAY_PROFILERS_ADAPTER_JOINERS_H
#define ASSAY_PROFILERS_ADAPTER_JOINERS_H

#include "profilers/adapter/joiner.h"

extern const struct joiner joiner_causal, joiner_null, joiner_random, joiner_thread, joiner_nearest,
	joiner_fifo, joiner_pointer, joiner_attach_only, joiner_changed, joiner_uring_only;

#endif
