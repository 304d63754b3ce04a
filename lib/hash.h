/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast hashes that do not change between runs and machines (XXH3, 64 bits, xxhash 0.8).
 *
 * No cryptography: who knows the seed can make collisions. Pure, thread-safe.
 */
#ifndef ASSAY_LIB_HASH_H
#define ASSAY_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, len, seed);
}

static inline uint64_t hash_u64(uint64_t v, uint64_t seed)
{
	return XXH3_64bits_withSeed(&v, sizeof(v), seed);
}

#endif
