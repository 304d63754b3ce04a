# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,scoring/libscoring,$(wildcard scoring/*.c))
# Memory runs out in this test at the allocation that it chooses.
WRAP_MEMORY := $(foreach f,malloc calloc realloc reallocarray free,-Wl,--wrap=$(f))
LDFLAGS_tests/units/test_score_faults := $(WRAP_MEMORY)
