# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,lib/libassay,$(wildcard lib/*.c lib/formats/*.c lib/formats/*.cc))
# What a program that links lib/libassay needs from outside.
LIB_LDLIBS := -lsimdjson -lstdc++ -lm
