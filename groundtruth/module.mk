# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,groundtruth/libgroundtruth,$(wildcard groundtruth/*.c))
