# SPDX-License-Identifier: BSD-2-Clause
# Mutation testing of the scorer. MUTATE="--sample 60 --seed TEXT" tries a sample, MUTATE_FILES some
# files; by default every mutant of every file of scoring/ is tried, which takes an hour or so.

MUTATE       ?=
MUTATE_FILES ?= $(wildcard scoring/*.c)
# The tests once more, against a Criterion of one process: see shim/criterion/criterion.h.
MUTATE_SRCS   = $(wildcard tests/units/test_score_*.c tests/naive/*.c) tests/mutants/shim/runner.c
MUTATE_OBJS   = $(MUTATE_SRCS:%.c=$(BUILD)/mutants/objs/%.o)
# The scorer once more under AddressSanitizer, but for handoffs, whose tests run long enough.
MUTATE_ASAN   = $(filter-out scoring/handoff% scoring/match.c scoring/match_%,$(wildcard scoring/*.c))
MUTATE_LIBS   = $(foreach a,scoring/libscoring groundtruth/libgroundtruth lib/libassay,$(BUILD)/$(a).a)

$(eval $(call c_link_,tests/mutants/mutate,$(wildcard tests/mutants/*.c),,-lpthread))

DEPS += $(MUTATE_OBJS:.o=.d) $(MUTATE_ASAN:%.c=$(BUILD)/mutants/asan/%.d)
$(BUILD)/mutants/asan/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -w -fsanitize=address -D_GNU_SOURCE -I. -MMD -MP -c $< -o $@
$(BUILD)/mutants/scorer.a: $(MUTATE_ASAN:%.c=$(BUILD)/mutants/asan/%.o)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/mutants/objs/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -w -D_GNU_SOURCE -I. -Itests/mutants/shim -MMD -MP -c $< -o $@

.PHONY: mutate-scorer mutate-programs
mutate-programs: $(BUILD)/tests/mutants/mutate $(MUTATE_OBJS) $(MUTATE_LIBS) $(BUILD)/mutants/scorer.a

mutate-scorer: mutate-programs
	$(Q)$(BUILD)/tests/mutants/mutate --folder $(BUILD)/mutants $(MUTATE) \
		--compile '$(CC) -std=gnu17 -O1 -w @SAN@ -D_GNU_SOURCE -I. -c -o @OBJ@ @SRC@' \
		--sanitize '-fsanitize=address $(BUILD)/mutants/scorer.a' \
		--link '$(CC) $(WRAP_MEMORY) -o @EXE@ @OBJ@ $(MUTATE_OBJS) @SAN@ $(MUTATE_LIBS) -lgsl -lgslcblas -ljansson $(LIB_LDLIBS) -lpthread' \
		$(MUTATE_FILES)

# A sample that the commit decides, for `make test`.
RUN_MUTANTS := mutants=tests/mutants/sample.sh
