# SPDX-License-Identifier: BSD-2-Clause
# Joiners are pure and link without BPF; what attaches links the collector as well.
FLOORS        := null random thread nearest fifo pointer changed uring-only
ATTACHED      := causal attach-only
PROFILERS_SRC := $(wildcard profilers/adapter/*.c) \
  $(foreach p,$(ATTACHED) $(FLOORS),$(filter-out %/main.c,$(wildcard profilers/$(p)/*.c)))
COLLECT_SRC   := $(filter-out %/main.c,$(wildcard profilers/collector/*.c))
BPF_LDLIBS    := -lbpf -lelf -lz

$(call c_library,profilers/libprofilers,$(PROFILERS_SRC))
$(call c_library,profilers/libcollector,$(COLLECT_SRC))
$(call objs,$(COLLECT_SRC)): $(BUILD)/bpf/collector.skel.h

$(foreach p,collector $(ATTACHED),$(call c_program,profilers/$(p)/$(p),profilers/$(p)/main.c,\
  profilers/libcollector profilers/libprofilers lib/libassay,$(BPF_LDLIBS) $(LIB_LDLIBS)))
$(foreach p,$(FLOORS),$(call c_program,profilers/$(p)/$(p),profilers/$(p)/main.c,\
  profilers/libprofilers lib/libassay,$(LIB_LDLIBS)))

# A sampler: no joiner, and no BPF.
$(call c_program,profilers/cpu/cpu,$(wildcard profilers/cpu/*.c),profilers/libprofilers lib/libassay,$(LIB_LDLIBS))

# The scheduler's events as they come: no joiner. What it makes of them is in an archive for tests.
$(call c_library,profilers/liboffcpu,profilers/offcpu/offcpu.c)
$(call c_program,profilers/offcpu/offcpu,profilers/offcpu/main.c,\
  profilers/liboffcpu profilers/libcollector profilers/libprofilers lib/libassay,$(BPF_LDLIBS) $(LIB_LDLIBS))

# Tools of the distribution, unmodified: what starts them is a script, and stands beside what it reads.
define tool_
ALL += $(BUILD)/profilers/$(1)/$(1)
$(BUILD)/profilers/$(1)/$(1): profilers/$(1)/$(1).sh $(wildcard profilers/$(1)/*.awk) $(wildcard profilers/tools/*)
	@mkdir -p $$(@D)
	$$(Q)install -m 644 $$(filter-out %/$(1).sh,$$^) $$(@D)
	$$(Q)install -m 755 $$< $$@
endef
$(foreach t,bpftrace bpftrace-sites offcputime perf sched-wakeup uftrace wakeuptime,$(eval $(call tool_,$(t))))

# Trains causal's thresholds. Its parts link without BPF and are in an archive for tests.
$(call c_library,profilers/libtrain,$(filter-out %/main.c,$(wildcard profilers/causal/train/*.c)))
$(call c_program,profilers/causal/train/train,profilers/causal/train/main.c,\
  profilers/libtrain profilers/libprofilers lib/libassay,$(LIB_LDLIBS))

# Tests that attach need the collector beside the archives that every test links. Its objects
# stand behind those archives on the command line: ask for what they need of lib.
COLLECTOR_TESTS := $(patsubst %.c,%,$(wildcard tests/live/collector_*.c tests/perf/collector_*.c))
COLLECTOR_RIG   := $(wildcard tests/live/rig/collector_*.c)
COLLECTOR_NEEDS := -Wl,-u,diag_set,-u,diag_print,-u,adapter_join_open,-u,inputs_open,-u,manifest_prog,-u,claims_load,-u,elf_file_open,-u,attach_ready
DEPS += $(patsubst %.o,%.d,$(call objs,$(COLLECTOR_RIG)))
$(COLLECTOR_TESTS:%=$(BUILD)/%): $(call objs,$(COLLECTOR_RIG) $(COLLECT_SRC))
$(foreach t,$(COLLECTOR_TESTS),$(eval LDFLAGS_$(t) := $(COLLECTOR_NEEDS)))
