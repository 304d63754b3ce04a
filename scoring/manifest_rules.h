/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which descriptors share an invariant, as a manifest says (contracts §4, §5.4).
 *
 * A health claim's `why` names the violated invariant by its id, or by its kind and then means
 * every invariant of that kind; words that name none leave open which was violated, and then every
 * invariant counts. Two descriptors share one if its `of` lists both. Pure.
 */
#ifndef ASSAY_SCORING_MANIFEST_RULES_H
#define ASSAY_SCORING_MANIFEST_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/formats/manifest.h"

/* For struct stale_rules; manifest is a const struct manifest. */
bool manifest_shares(void *manifest, const char *why, uint32_t a, uint32_t b);

#endif
