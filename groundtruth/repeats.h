/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of many 64-bit ids stand more than once.
 *
 * Eight bytes an id, where a map of them all takes sixteen to fifty: ids are put into buckets in
 * place by their hash, each so small that a map of it stays in cache. (That pass is McIlroy,
 * Bostic & McIlroy 1993, "Engineering radix sort", the American flag sort.) Not thread-safe.
 */
#ifndef ASSAY_GROUNDTRUTH_REPEATS_H
#define ASSAY_GROUNDTRUTH_REPEATS_H

#include "groundtruth/idmap.h"

/* Adds those that stand more than once to an empty map, whatever their number. The ids change their
 * order. 0 or -ENOMEM; what was added by then is the caller's to free. */
int repeats_find(uint64_t *ids, size_t cnt, struct idmap *ret);

#endif
