/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a joiner live: the collector's records go straight into it, by the code that joins files. */
#ifndef ASSAY_PROFILERS_COLLECTOR_LIVE_H
#define ASSAY_PROFILERS_COLLECTOR_LIVE_H

#include "profilers/adapter/adapter.h"

extern const struct adapter_live collector_live;

#endif
