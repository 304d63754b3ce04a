# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,scoring/libscoring,$(wildcard scoring/*.c))
# Memory runs out in this test at the allocation that it chooses.
WRAP_MEMORY := $(foreach f,malloc calloc realloc reallocarray free,-Wl,--wrap=$(f))
LDFLAGS_tests/units/test_score_faults := $(WRAP_MEMORY)
# The parts of the handoff scorer are small functions over large runs.
ifeq ($(SAN),)
$(foreach f,$(wildcard scoring/handoff_*.c),$(eval CFLAGS_$(f:.c=) := -O3))
endif
