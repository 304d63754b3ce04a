/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/audit.h"
int audit_workloads(struct workshop *w, const char *out) { return 0; }
