# SPDX-License-Identifier: BSD-2-Clause
# The next build of the program, which one of its processes goes on as: the same sources, otherwise
# compiled. It lies beside the first.
PREFORK_NEXT := $(patsubst workloads/prefork/%.c,$(BUILD)/workloads/prefork/of-next/%.o,$(wildcard workloads/prefork/*.c))
DEPS += $(PREFORK_NEXT:.o=.d)
ALL += $(BUILD)/workloads/prefork/next

$(BUILD)/workloads/prefork/of-next/%.o: workloads/prefork/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(WORKLOAD_CFLAGS) -O1 -MMD -MP -c $< -o $@
$(BUILD)/workloads/prefork/next: $(PREFORK_NEXT) $(BUILD)/workloads/libdriver.a $(BUILD)/lib/libassay.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -Wl,-S -pthread -o $@ $^ -lm
$(BUILD)/workloads/prefork/prefork: | $(BUILD)/workloads/prefork/next
