# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,results/libresults,$(wildcard results/*.c))
# What a program that links results/libresults needs from outside, beside LIB_LDLIBS.
RESULTS_LDLIBS := -ljansson

# The page's style and the plots' scripts are in the binary (.incbin), which -MMD does not see.
$(BUILD)/results/assets.o: $(wildcard results/*.css results/*.gp)
