/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regimes: what is done to evidence before a joiner sees it (contracts §3).
 *
 * A record meets its fate by hash(secret seed, record number), so a regime does the same to the
 * same evidence every time, a higher rate takes all that a lower one took, and a joiner cannot
 * know. The tally goes to truth as loss records: one for each run of records of one CPU that were
 * lost with none of that CPU kept between. Words:
 *
 *   clean            nothing
 *   drop:P           P percent of the records are lost
 *   pair-drop:P      of P percent of the records that end something (a CQE, an exit, a read, an
 *                    expiry, a hit) the record and the same thread's next that begins something
 *   truncate:P       P percent are cut after their first argument and say so (EV_F_CUT)
 *   evict:P          at P percent the kernel's table has forgotten what the record is about: its
 *                    stamps are gone, a stream is counted from here on
 *
 * `:silent` behind drop and pair-drop: no EV_LOST tells the joiner. Losses that the collector told
 * itself stay. Records of user space (tallies, sites, processes found at attach) are never touched.
 *
 * The others apply while a cell runs, to recordings and to profilers that attach (regime_live.h,
 * candidates.h); evidence made under one is joined as it is:
 *
 *   small-buffers    whoever watches is asked to do with a buffer that overflows
 *   late-attach      it comes when a quarter of the run is over, while the workload works
 *   pressure         others burn every processor and write to the disk meanwhile
 *   candidates:F     of the manifest's resources the share F (0 < F < 1) was never there
 */
#ifndef ASSAY_HARNESS_REGIME_H
#define ASSAY_HARNESS_REGIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/diag.h"

enum regime_kind {
	REGIME_CLEAN = 0,
	REGIME_DROP = 1,
	REGIME_PAIR_DROP = 2,
	REGIME_TRUNCATE = 3,
	REGIME_EVICT = 4,
	REGIME_SMALL_BUFFERS = 5,
	REGIME_LATE_ATTACH = 6,
	REGIME_PRESSURE = 7,
	REGIME_CANDIDATES = 8,
};

struct regime {
	enum regime_kind kind;
	uint64_t share; /* of 2^32 */
	bool silent;
};

struct regime_tally {
	struct truth_loss *losses; /* by end; free with regime_tally_free */
	size_t losses_cnt, losses_cap;
	uint64_t lost, cut, evicted; /* records */
};

/* -EINVAL with what is wrong and the words that there are. */
int regime_parse(const char *word, struct regime *ret, struct diag *d);

/* Applies while a cell runs, and not to evidence. */
static inline bool regime_is_live(enum regime_kind kind)
{
	return kind >= REGIME_SMALL_BUFFERS;
}

/* Reads one evidence file and writes another. *ret untouched on failure. */
int regime_apply(const struct regime *r, uint64_t seed, const char *from, const char *to,
		 struct regime_tally *ret, struct diag *d);

/* What the collector itself lost of a recording, as its counters told. -ENOMEM. */
int regime_told(const char *evidence, struct regime_tally *ret, struct diag *d);

/* Reads truth in either form and writes it packed with the tally's loss records. */
int regime_tell_truth(const struct regime_tally *t, const char *from, const char *to,
		      struct diag *d);

void regime_tally_free(struct regime_tally *t);

#endif
