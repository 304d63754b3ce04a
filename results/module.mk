# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,results/libresults,$(wildcard results/*.c))
