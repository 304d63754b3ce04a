# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,results/libresults,$(wildcard results/*.c))
# What a program that links results/libresults needs from outside, beside LIB_LDLIBS.
RESULTS_LDLIBS := -ljansson

# The page's style and the plots' scripts are in the binary (.incbin), which -MMD does not see.
$(BUILD)/results/assets.o: $(wildcard results/*.css results/*.gp)

# The unit tests of this folder link more than the others.
$(foreach t,$(wildcard tests/units/test_results_*.c),\
  $(eval LDFLAGS_tests/units/$(basename $(notdir $(t))) := -Wl,--no-as-needed $(RESULTS_LDLIBS)))
