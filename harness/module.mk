# SPDX-License-Identifier: BSD-2-Clause
# The command. Its logic is an archive, so that tests can call it; one cmd_*.c is one command.
HARNESS_MAIN := harness/main.c $(wildcard harness/cmd_*.c)
HARNESS_ARCHIVES := harness/libharness mutations/libmutations results/libresults scoring/libscoring \
	groundtruth/libgroundtruth lib/libassay
HARNESS_LDLIBS := -Wl,--as-needed $(LIB_LDLIBS) -ljansson -lsqlite3 -lzstd -lbpf -ldw -lelf -lz -luring \
	-lpthread
$(call c_library,harness/libharness,$(filter-out $(HARNESS_MAIN),$(wildcard harness/*.c)))
$(BUILD)/harness/switches_bpf.o: $(BUILD)/bpf/oncpu.skel.h
$(BUILD)/harness/hit_tally.o: $(BUILD)/bpf/tally.skel.h
$(call c_program,assay,$(HARNESS_MAIN),$(HARNESS_ARCHIVES),$(HARNESS_LDLIBS))
