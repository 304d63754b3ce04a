/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed form of truth: its header, and the check of what a mapped file holds; private to
 * groundtruth.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_PACK_H
#define ASSAY_GROUNDTRUTH_TRUTH_PACK_H

#include "groundtruth/truth_build.h"

enum { PACK_VERSION = 1 };

struct pack_array {
	uint64_t off, cnt, size; /* size of an element */
};

struct pack_header {
	uint64_t magic;
	uint32_t version;
	uint32_t keys;
	uint64_t bytes; /* of the file */
	uint64_t words_off, words_bytes;
	uint32_t words_cnt;
	uint32_t workload_str, variant_str;
	uint8_t closed, full;
	uint8_t pad[2];
	uint64_t seed;
	struct window scored;
	struct truth_counts counts;
	struct pack_array arrays[ARRAY_CNT];
};

/*
 * Every number that indexes something or names a word of a vocabulary is in its range, windows are
 * not reversed, and `order` names every record once. -EINVAL with array and index in the diag.
 */
int pack_validate(const struct truth *t, const char *path, struct diag *d);

#endif
