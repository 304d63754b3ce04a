# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,mutations/libmutations,$(wildcard mutations/*.c mutations/generate/*.c))
