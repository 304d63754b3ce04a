# SPDX-License-Identifier: BSD-2-Clause
# Mutation testing of the scorer. `make mutate-scorer` tries every mutant of scoring/;
# MUTATE="--only 'scoring/st*'" those of some files, MUTATE="--sample 60 --seed TEXT" a sample;
# MUTATE="--results FILE" keeps what became of each and goes on where a run was broken off.

MUTATE       ?=
MUTATE_RUNS  ?= 2000
MUTATE_FILES := $(wildcard scoring/*.c scoring/*.h)
MUTATE_DIR   := $(BUILD)/mutants
MUTATE_TREE  := $(MUTATE_DIR)/schema
MUTATE_CC    = $(CC) -std=gnu17 -O1 -w -D_GNU_SOURCE
# The tests once more, against as much of Criterion as they use: see shim/criterion/criterion.h.
MUTATE_SRCS  = $(wildcard tests/units/test_score_*.c tests/naive/*.c) tests/mutants/shim/runner.c
MUTATE_OBJS  = $(MUTATE_SRCS:%.c=$(MUTATE_DIR)/objs/%.o)
MUTATE_LIBS  = $(foreach a,groundtruth/libgroundtruth lib/libassay,$(BUILD)/$(a).a)

# The scorer once more, with all its mutants, and under sanitizers: reading one element too far is
# noticed.
MUTATE_SAN   = -fsanitize=address,bounds -fno-sanitize-recover=bounds
MUTATE_PARTS = $(patsubst %.c,$(MUTATE_TREE)/%.o,$(filter %.c,$(MUTATE_FILES)))
MUTATE_LINK  = $(MUTATE_OBJS) $(MUTATE_DIR)/scorer.a $(MUTATE_LIBS) $(MUTATE_SAN) $(WRAP_MEMORY) \
	-lgsl -lgslcblas -ljansson $(LIB_LDLIBS) -lpthread

$(eval $(call c_link_,tests/mutants/mutate,$(wildcard tests/mutants/*.c),lib/libassay,$(LIB_LDLIBS) -lpthread))

DEPS += $(MUTATE_OBJS:.o=.d) $(MUTATE_PARTS:.o=.d)
$(MUTATE_DIR)/written: $(MUTATE_FILES) $(BUILD)/tests/mutants/mutate
	$(call say,MUTANTS,$(MUTATE_TREE))
	$(Q)$(BUILD)/tests/mutants/mutate --schema $(MUTATE_TREE) $(MUTATE_FILES) && touch $@
$(MUTATE_FILES:%=$(MUTATE_TREE)/%): $(MUTATE_DIR)/written ;
$(MUTATE_TREE)/%.o: $(MUTATE_TREE)/%.c
	$(call say,CC,$@)
	$(Q)$(MUTATE_CC) $(MUTATE_SAN) -I$(MUTATE_TREE) -I. -MMD -MP -c $< -o $@
$(MUTATE_DIR)/scorer.a: $(MUTATE_PARTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
# What units take from headers is mutated, too; the naive scorer is another opinion and is not.
$(MUTATE_DIR)/objs/tests/units/%.o: MUTATE_UNIT = -I$(MUTATE_TREE)
$(MUTATE_DIR)/objs/%.o: %.c | $(MUTATE_DIR)/written
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(MUTATE_CC) $(MUTATE_UNIT) -I. -Itests/mutants/shim -MMD -MP -c $< -o $@
$(MUTATE_DIR)/tests: $(MUTATE_OBJS) $(MUTATE_DIR)/scorer.a $(MUTATE_LIBS)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(MUTATE_LINK)

.PHONY: mutate-scorer mutate-programs
mutate-programs: $(BUILD)/tests/mutants/mutate $(MUTATE_DIR)/tests

# Random runs find a mutant soon or hardly ever: fewer of them here than in the unit tests.
mutate-scorer: mutate-programs
	$(Q)ASSAY_DENSE_RUNS=$(MUTATE_RUNS) ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:redzone=512 $(BUILD)/tests/mutants/mutate \
		--schema $(MUTATE_TREE) --exe $(MUTATE_DIR)/tests --folder $(MUTATE_DIR) \
		--compile '$(MUTATE_CC) -DMUTANT_FIXED=@ID@ $(MUTATE_SAN) -I$(MUTATE_TREE) -I. -c -o @OBJ@ @SRC@' \
		--link '$(CC) -o @EXE@ @OBJ@ $(MUTATE_LINK)' $(MUTATE) $(MUTATE_FILES)

# A sample that the commit decides, for `make test`.
RUN_MUTANTS := mutants=tests/mutants/sample.sh
