# SPDX-License-Identifier: BSD-2-Clause
# Joiners are pure and link without BPF; what attaches links the collector as well.
PROFILERS_SRC := $(wildcard profilers/adapter/*.c)
COLLECT_SRC   := $(filter-out profilers/collector/main.c,$(wildcard profilers/collector/*.c))
BPF_LDLIBS    := -lbpf -lelf -lz

$(call c_library,profilers/libprofilers,$(PROFILERS_SRC))
$(call c_library,profilers/libcollector,$(COLLECT_SRC))
$(call objs,$(COLLECT_SRC)): $(BUILD)/bpf/collector.skel.h

$(call c_program,profilers/collector/collector,profilers/collector/main.c,\
  profilers/libcollector profilers/libprofilers lib/libassay,$(BPF_LDLIBS) $(LIB_LDLIBS))

# Tests that attach need the collector beside the archives that every test links.
COLLECTOR_TESTS := $(basename $(notdir $(wildcard tests/live/collector_*.c)))
COLLECTOR_RIG   := tests/live/rig/collector_rig.c
DEPS += $(patsubst %.o,%.d,$(call objs,$(COLLECTOR_RIG)))
$(COLLECTOR_TESTS:%=$(BUILD)/tests/live/%): $(call objs,$(COLLECTOR_RIG) $(COLLECT_SRC))
# Those objects stand behind the archives on the command line: ask for what they need of lib.
$(foreach t,$(COLLECTOR_TESTS),$(eval LDFLAGS_tests/live/$(t) := -Wl,-u,diag_set,-u,diag_print))
