# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,groundtruth/libgroundtruth,$(wildcard groundtruth/*.c))
# Memory runs out in this test at the allocation that it chooses.
LDFLAGS_tests/units/test_truth_symptoms := -Wl,--wrap=malloc
