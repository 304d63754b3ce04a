# SPDX-License-Identifier: BSD-2-Clause
$(call c_library,lib/libassay,$(wildcard lib/*.c lib/formats/*.c lib/formats/*.cc))
# clang's check of virtual tables needs the C++ run-time of UBSan, which a C link leaves out.
$(BUILD)/lib/formats/json.o: CXXFLAGS_ALL += -fno-sanitize=vptr
# What a program that links lib/libassay needs from outside.
LIB_LDLIBS := -Wl,--as-needed -lsimdjson -lstdc++ -lm -lyaml -lcapstone -lelf
# Memory runs out in this test at the allocation that it chooses.
LDFLAGS_tests/units/test_lib_faults := \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
LDFLAGS_tests/units/test_manifest_faults := \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=reallocarray
