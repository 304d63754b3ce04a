# SPDX-License-Identifier: BSD-2-Clause
# assay: ground-truth mutation benchmark suite for profilers. `make help` lists the targets.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

include mk/config.mk
include mk/rules.mk
MODULES := lib bpf groundtruth profilers scoring results workloads mutations harness tests
include $(MODULES:%=%/module.mk)
include mk/targets.mk
-include $(sort $(DEPS))
