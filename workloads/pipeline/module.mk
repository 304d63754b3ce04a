# SPDX-License-Identifier: BSD-2-Clause
LDLIBS_workload_pipeline := -luring
