/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of mutation records: classes, kinds, forms, measures of witnesses.
 *
 * Closed vocabularies (catalogue §3). X_name returns a static string for a valid value, X_parse the
 * value or -1. Pure, thread-safe.
 */
#ifndef ASSAY_MUTATIONS_WORDS_H
#define ASSAY_MUTATIONS_WORDS_H

#include <stddef.h>

#define MUTATION_CLASSES(X)                                                                        \
	X(RENAME, "operator renamed")                                                              \
	X(MOVE, "operator moved to another file or offset")                                        \
	X(OWN, "an owned return becomes borrowed on some paths")                                   \
	X(UNIT, "units change from objects to bytes")                                              \
	X(CAPUNIT, "the capacity of a queue or pool changes its unit")                             \
	X(REUSE, "a handle is reused after destruction")                                           \
	X(HANDOFF, "an asynchronous handoff is added before USE")                                  \
	X(SIDE, "a delay caused by one resource event appears on another thread")                  \
	X(RELMOVE, "a release path is moved, doubled, or missing on an error path")                \
	X(INLINE, "operator inlined at some callers")                                              \
	X(SPLIT, "the hot part moves to a clone")                                                  \
	X(XFER, "ownership passes to another operation or thread")                                 \
	X(BYPASS, "the old symbol stays as a thin wrapper, traffic moves to a sibling")            \
	X(ABIARG, "same symbol, an argument means something else")                                 \
	X(LAYOUT, "a field that the descriptor reads moves")                                       \
	X(STALEGUARD, "the validator's own check looks at the wrong thing")                        \
	X(PLAUSIBLE, "the wrong read looks normal")                                                \
	X(STICKY, "context inherited at creation and never cleared")                               \
	X(PAIRSPLIT, "begin and end on different threads")                                         \
	X(ALIAS, "several live entities under one key")                                            \
	X(FAILED, "attempts and retries counted as successes")                                     \
	X(GRAN, "one act is several hits")                                                         \
	X(CUMUL, "a running total is passed")                                                      \
	X(STACKED, "several layers pass one probe")                                                \
	X(ACTOR, "the site runs in a context that is not the actor's")                             \
	X(TAILJUMP, "the return probe never fires")                                                \
	X(SITESET, "several copies of one site")                                                   \
	X(NESTKEY, "re-entry overwrites a slot")                                                   \
	X(RESIDUE, "an earlier record's field shows")                                              \
	X(SEMREDEF, "a value is redefined")                                                        \
	X(FLAGBITS, "a flag's encoding changes")                                                   \
	X(INSTANCE, "the binary is replaced under a running profiler")                             \
	X(CONFIG, "the same build changes meaning by configuration")                               \
	X(NULL, "control: nothing changes in meaning")

enum mutation_class {
#define MUTATION_CLASS_(name, means) CLASS_##name,
	MUTATION_CLASSES(MUTATION_CLASS_)
#undef MUTATION_CLASS_
		CLASS_CNT
};

enum mutation_kind { KIND_PATCH, KIND_FLAGS, KIND_CONFIG, KIND_HARNESS, MUTATION_KIND_CNT };

/* One source in three forms. The repaired manifest is the fourth part of a quad. */
enum form { FORM_BASE, FORM_MUTANT, FORM_TWIN, FORM_CNT };

/*
 * What a witness measures on the records of hits that a profiler can see; see witness.h.
 */
enum measure {
	MEASURE_COUNT,
	MEASURE_RATIO,
	MEASURE_UNITS,
	MEASURE_OUTSTANDING,
	MEASURE_UNPAIRED,
	MEASURE_OVERLAP,
	MEASURE_MOVED,
	MEASURE_DELAY,
	MEASURE_MEAN,
	MEASURE_MAX,
	MEASURE_STRAY,
	MEASURE_PEAK,
	MEASURE_MISCOUNT,
	MEASURE_UNEQUAL,
	MEASURE_UNUSED,
	MEASURE_CNT,
};

const char *mutation_class_name(unsigned v);
const char *mutation_class_means(unsigned v);
const char *mutation_kind_name(unsigned v);
const char *form_name(unsigned v);
const char *measure_name(unsigned v);

int mutation_class_parse(const char *s, size_t len);
int mutation_kind_parse(const char *s, size_t len);
int form_parse(const char *s, size_t len);
int measure_parse(const char *s, size_t len);

#endif
