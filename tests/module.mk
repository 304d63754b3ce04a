# SPDX-License-Identifier: BSD-2-Clause
# A folder a kind; adding a file adds a test. tests/run.sh runs and counts them.

# Archives in link order: the floors from the top down.
TEST_ARCHIVES := $(foreach a,harness/libharness mutations/libmutations profilers/libtrain profilers/liboffcpu profilers/libprofilers results/libresults \
	scoring/libscoring groundtruth/libgroundtruth lib/libassay,$(if $(LIB_$(a)),$(a)))
TEST_LDLIBS := -Wl,--as-needed $(LIB_LDLIBS) -ljansson -lsqlite3 -lzstd -lbpf -ldw -lelf -lz -lpthread

$(foreach t,$(wildcard tests/units/*.c),\
  $(call c_test,units,$(basename $(notdir $(t))),$(t) $(wildcard tests/naive/*.c),$(TEST_ARCHIVES),-lcriterion -lgsl -lgslcblas $(TEST_LDLIBS)))
$(foreach t,$(wildcard tests/live/*.c),\
  $(call c_test,live,$(basename $(notdir $(t))),$(t),$(TEST_ARCHIVES),-luring $(TEST_LDLIBS)))
$(foreach t,$(wildcard tests/race/*.c),\
  $(call c_test,race,$(basename $(notdir $(t))),$(t),$(TEST_ARCHIVES),$(TEST_LDLIBS)))
# The BPF side of a perf program is no program of its own.
$(foreach t,$(filter-out %.bpf.c,$(wildcard tests/perf/*.c)),\
  $(call c_test,perf,$(basename $(notdir $(t))),$(t),$(TEST_ARCHIVES),-luring $(if $(wildcard /usr/include/$(MULTIARCH)/lttng/tracepoint.h),-llttng-ust -ldl) $(TEST_LDLIBS)))
# A cheat is one file and the frame of all; those that read truth share a second one.
CHEAT_PARTS := tests/cheats/frame.c tests/cheats/truth_memory.c
$(foreach t,$(filter-out $(CHEAT_PARTS) %.bpf.c,$(wildcard tests/cheats/*.c)),\
  $(call c_test,cheats,$(basename $(notdir $(t))),$(t) $(CHEAT_PARTS),lib/libassay,-lbpf $(LIB_LDLIBS)))
$(call bpf_object,tests/cheats/peek.bpf.c)
$(BUILD)/tests/cheats/truth_memory.o: $(BUILD)/tests/cheats/peek.skel.h
ifneq ($(FUZZ),)
$(foreach t,$(wildcard tests/fuzz/fuzz_*.c),\
  $(call c_test,fuzz,$(basename $(notdir $(t))),$(t),$(TEST_ARCHIVES),-fsanitize=fuzzer $(TEST_LDLIBS)))
endif

LIVE_SCRIPTS := $(wildcard tests/live/*.sh)
null  :=
space := $(null) $(null)
list   = $(subst $(space),$(comma),$(strip $(1)))

RUN_UNITS = units=$(call list,$(TESTS_units))
RUN_LIVE  = live=$(call list,$(TESTS_live) $(LIVE_SCRIPTS))
RUN_SPIN  = spin=$(call list,$(wildcard tests/spin/*.sh))
SAN_BUILD  := build/san-address-undefined
RACE_BUILD := build/san-thread
FUZZ_BUILD := build/fuzz
FUZZ_MAKE  := $(MAKE) FUZZ=1 CC=clang CXX=clang++ BUILD=$(FUZZ_BUILD) OPT=-O1 \
	EXTRA_CFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'

.PHONY: units live spin san race fuzz quads test-programs
test-programs: $(TESTS_$(KIND))

units: $(TESTS_units) ## unit tests alone
	$(Q)tests/run.sh $(RUN_UNITS)

live: all $(TESTS_live) $(TESTS_cheats) ## live tests alone (BPF, io_uring; root)
	$(Q)tests/run.sh $(RUN_LIVE)

spin: ## models of protocols, in every interleaving
	$(Q)tests/run.sh $(RUN_SPIN)

san: ## unit tests under ASan and UBSan
	$(Q)$(MAKE) SAN=address,undefined KIND=units test-programs
	$(Q)tests/run.sh san=$(call list,$(patsubst $(BUILD)/%,$(SAN_BUILD)/%,$(TESTS_units)))

race: ## race tests under TSan
	$(Q)$(MAKE) SAN=thread KIND=race test-programs
	$(Q)tests/run.sh race=$(call list,$(patsubst $(BUILD)/%,$(RACE_BUILD)/%,$(TESTS_race)))

FUZZERS := $(patsubst tests/fuzz/%.c,$(FUZZ_BUILD)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz: ## fuzz every reader; FUZZ_SECONDS=N a program
	$(Q)$(FUZZ_MAKE) KIND=fuzz test-programs
	$(Q)tests/run.sh fuzz=$(call list,$(FUZZERS))

$(call bpf_object,tests/perf/usdt_perf.bpf.c)
$(BUILD)/tests/perf/truth_beside_perf.o: $(BUILD)/tests/perf/usdt_perf.skel.h
CFLAGS_tests/perf/truth_beside_perf := $(if $(wildcard /usr/include/$(MULTIARCH)/lttng/tracepoint.h),-Wno-error)

RUN_QUADS = quads=tests/mutations/changed.sh
quads: all ## certificates of mutations: what changed, or a sample of a fresh clone
	$(Q)tests/run.sh $(RUN_QUADS)

include tests/mutants/mutants.mk
