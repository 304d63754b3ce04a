# SPDX-License-Identifier: BSD-2-Clause
# Every tests/units/*.c is one Criterion program. Folders of other kinds list their own.
UNIT_ARCHIVES := results/libresults scoring/libscoring groundtruth/libgroundtruth lib/libassay
$(foreach t,$(wildcard tests/units/*.c),\
  $(call c_test,units,$(basename $(notdir $(t))),$(t),$(UNIT_ARCHIVES),-lcriterion $(LIB_LDLIBS)))
