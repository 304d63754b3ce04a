/* SPDX-License-Identifier: BSD-2-Clause */
/* What a regime makes of each record. For regime.c only. */
#ifndef ASSAY_HARNESS_REGIME_FATE_H
#define ASSAY_HARNESS_REGIME_FATE_H

#include "harness/regime.h"
#include "lib/formats/evidence.h"

struct fate;

/* All is borrowed until fate_free. NULL: no memory. */
struct fate *fate_new(const struct regime *r, uint64_t seed, struct evidence_writer *out,
		      struct regime_tally *tally);
int fate_record(struct fate *f, uint64_t number, const struct ev_rec *r); /* negative errno */
int fate_finish(struct fate *f); /* tells the losses that no later record told */
void fate_free(struct fate *f);

#endif
