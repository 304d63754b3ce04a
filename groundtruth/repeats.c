/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids in ever smaller buckets by their hash, then a map a bucket. */
#include "groundtruth/repeats.h"

#include <errno.h>

/* So few buckets at a time that the place at which each is filled stays in cache and TLB. */
enum { BUCKET_IDS = 16384, BITS = 8, BUCKETS = 1 << BITS };

/* By other bits than a map uses to place them. left: bits of the hash that are not used up. */
static size_t bucket_of(uint64_t id, unsigned left)
{
	return idmap_hash(id) >> (left - BITS) & (BUCKETS - 1);
}

/* Where each bucket begins; the last place is behind the last bucket. */
static void count_buckets(const uint64_t *ids, size_t cnt, unsigned left, size_t *start)
{
	for (size_t i = 0; i < cnt; i++)
		start[bucket_of(ids[i], left) + 1]++;
	for (size_t b = 0; b < BUCKETS; b++)
		start[b + 1] += start[b];
}

/* Each id goes to the next place of its bucket, and who stood there goes on from there. */
static void permute(uint64_t *ids, unsigned left, const size_t *start)
{
	size_t next[BUCKETS];

	for (size_t b = 0; b < BUCKETS; b++)
		next[b] = start[b];
	for (size_t b = 0; b < BUCKETS; b++)
		while (next[b] < start[b + 1]) {
			uint64_t id = ids[next[b]];
			size_t to;

			while ((to = bucket_of(id, left)) != b) {
				uint64_t other = ids[next[to]];

				ids[next[to]++] = id;
				id = other;
			}
			ids[next[b]++] = id;
		}
}

static int find_few(const uint64_t *ids, size_t cnt, struct idmap *met, struct idmap *ret)
{
	uint32_t was;
	int err = 0;

	idmap_clear(met);
	for (size_t i = 0; err >= 0 && i < cnt; i++) {
		err = idmap_put(met, ids[i], 0, &was);
		if (err > 0)
			err = idmap_put(ret, ids[i], 0, &was);
	}
	return err < 0 ? err : 0;
}

/* At most four deep. */
static int find(uint64_t *ids, size_t cnt, unsigned left, struct idmap *met, struct idmap *ret)
{
	size_t start[BUCKETS + 1] = {0};
	int err = 0;

	if (cnt <= BUCKET_IDS || left <= 32)
		return find_few(ids, cnt, met, ret);
	count_buckets(ids, cnt, left, start);
	permute(ids, left, start);
	for (size_t b = 0; !err && b < BUCKETS; b++)
		err = find(ids + start[b], start[b + 1] - start[b], left - BITS, met, ret);
	return err;
}

int repeats_find(uint64_t *ids, size_t cnt, struct idmap *ret)
{
	struct idmap met = {0};
	int err = find(ids, cnt, 64, &met, ret);

	idmap_free(&met);
	return err;
}
