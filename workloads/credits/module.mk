# SPDX-License-Identifier: BSD-2-Clause
# The next build of the operators, for a service that exchanges them while it runs: the same source,
# otherwise compiled, as a shared object beside the program.
ALL += $(BUILD)/workloads/credits/next
DEPS += $(BUILD)/workloads/credits/next.d

$(BUILD)/workloads/credits/next: workloads/credits/ops.c
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(WORKLOAD_CFLAGS) -O1 -fPIC -shared -Wl,-S -MMD -MP -MT $@ -MF $@.d $< -o $@
$(BUILD)/workloads/credits/credits: | $(BUILD)/workloads/credits/next
