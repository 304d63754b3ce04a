# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,scoring/libscoring,$(wildcard scoring/*.c))
include tests/mutants/mutants.mk
