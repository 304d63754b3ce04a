# SPDX-License-Identifier: BSD-2-Clause
# Every folder here but driver/ is one workload and one program. A folder's own module.mk may set
# LDLIBS_workload_NAME.
#
# Probe sites sit at the entry of noinline operators: no endbr64 (it would be single-stepped), no
# red zone (an optimised probe overwrites it), no debug information in what is watched.
WORKLOADS := $(filter-out driver,$(patsubst workloads/%/,%,$(wildcard workloads/*/)))
-include $(wildcard workloads/*/module.mk)

WORKLOAD_CFLAGS := -mno-red-zone -fcf-protection=none -fno-plt
WORKLOAD_DRIVER := $(wildcard workloads/driver/*.c)
$(foreach s,$(WORKLOAD_DRIVER),$(eval CFLAGS_$(basename $(s)) := $(WORKLOAD_CFLAGS)))
$(call c_library,workloads/libdriver,$(WORKLOAD_DRIVER))

define workload_
$$(foreach s,$$(wildcard workloads/$(1)/*.c),$$(eval CFLAGS_$$(basename $$(s)) := $$(WORKLOAD_CFLAGS)))
LDFLAGS_workloads/$(1)/$(1) := -Wl,-S -pthread
$$(call c_program,workloads/$(1)/$(1),$$(wildcard workloads/$(1)/*.c),workloads/libdriver lib/libassay,$$(LDLIBS_workload_$(1)) -lm)
endef
$(foreach w,$(WORKLOADS),$(eval $(call workload_,$(w))))

# Tests of the driver's parts link those parts; the race test runs whole workloads. The objects
# stand behind the archives on the command line: ask for what they need of lib.
DRIVER_TESTS := $(basename $(notdir $(wildcard tests/units/test_driver_*.c)))
$(DRIVER_TESTS:%=$(BUILD)/tests/units/%): $(call objs,$(filter-out %/main.c,$(WORKLOAD_DRIVER)))
$(foreach t,$(DRIVER_TESTS),$(eval LDFLAGS_tests/units/$(t) := -Wl,-u,diag_set,-u,diagnosis_name))
$(BUILD)/tests/race/driver_tickets: $(call objs,workloads/wake/ticket.c)
$(BUILD)/tests/perf/tasks_perf: $(call objs,$(wildcard workloads/tasks/*.c) $(filter-out %/main.c %/fail.c,$(WORKLOAD_DRIVER)))
LDFLAGS_tests/perf/tasks_perf := -Wl,-u,diag_set,-u,diagnosis_name
$(BUILD)/tests/race/tasks_deque: $(call objs,workloads/tasks/deque.c)
$(BUILD)/tests/race/driver_workloads $(BUILD)/tests/race/tasks_runtime $(BUILD)/tests/live/calibrate_truth \
$(BUILD)/tests/live/calibrate_serial $(BUILD)/tests/live/calibrate_exercise $(BUILD)/tests/live/calibrate_costs: | $(foreach w,$(WORKLOADS),$(BUILD)/workloads/$(w)/$(w))
