# SPDX-License-Identifier: BSD-2-Clause
# Mutation testing of the scorer. MUTATE="--sample 60 --seed TEXT" tries a sample, MUTATE_FILES some
# files; by default every mutant of every file of scoring/ is tried, which takes an hour or so.

MUTATE       ?=
MUTATE_FILES ?= $(wildcard scoring/*.c)
MUTATE_OBJS   = $(call objs,$(wildcard tests/units/test_score_*.c tests/naive/*.c))
MUTATE_LIBS   = $(foreach a,scoring/libscoring groundtruth/libgroundtruth lib/libassay,$(BUILD)/$(a).a)

$(eval $(call c_link_,tests/mutants/mutate,$(wildcard tests/mutants/*.c),,-lpthread))

.PHONY: mutate-scorer mutate-programs
mutate-programs: $(BUILD)/tests/mutants/mutate $(MUTATE_OBJS) $(MUTATE_LIBS)

mutate-scorer: mutate-programs
	$(Q)$(BUILD)/tests/mutants/mutate --folder $(BUILD)/mutants $(MUTATE) \
		--compile '$(CC) -std=gnu17 -O1 -w -fsanitize=address -D_GNU_SOURCE -I. -c -o @OBJ@ @SRC@' \
		--link '$(CC) -fsanitize=address $(WRAP_MEMORY) -o @EXE@ @OBJ@ $(MUTATE_OBJS) $(MUTATE_LIBS) -lcriterion -lgsl -lgslcblas -ljansson $(LIB_LDLIBS) -lpthread' \
		$(MUTATE_FILES)

# A sample that the commit decides, for `make test`.
RUN_MUTANTS := mutants=tests/mutants/sample.sh
