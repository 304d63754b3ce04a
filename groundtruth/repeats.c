/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids in buckets by their hash, then a map a bucket. */
#include "groundtruth/repeats.h"

#include <errno.h>
#include <stdlib.h>

enum { BUCKET_IDS = 16384, BITS_MAX = 16 };

static unsigned bits_for(size_t cnt)
{
	unsigned bits = 0;

	while (bits < BITS_MAX && cnt >> bits > BUCKET_IDS)
		bits++;
	return bits;
}

/* Of other bits than a map uses to place them. */
static size_t bucket_of(uint64_t id, unsigned bits)
{
	return bits ? idmap_hash(id) >> (64 - bits) : 0;
}

/* Where each bucket begins; the last place is behind the last bucket. */
static void count_buckets(const uint64_t *ids, size_t cnt, unsigned bits, size_t *start)
{
	for (size_t i = 0; i < cnt; i++)
		start[bucket_of(ids[i], bits) + 1]++;
	for (size_t b = 0; b < (size_t)1 << bits; b++)
		start[b + 1] += start[b];
}

/* Each id goes to the next place of its bucket, and who stood there goes on from there. */
static void permute(uint64_t *ids, unsigned bits, const size_t *start, size_t *next)
{
	for (size_t b = 0; b < (size_t)1 << bits; b++)
		while (next[b] < start[b + 1]) {
			uint64_t id = ids[next[b]];
			size_t to;

			while ((to = bucket_of(id, bits)) != b) {
				uint64_t other = ids[next[to]];

				ids[next[to]++] = id;
				id = other;
			}
			ids[next[b]++] = id;
		}
}

static int find_in(const uint64_t *ids, size_t cnt, struct idmap *met, struct idmap *ret)
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

static int find_in_buckets(uint64_t *ids, size_t cnt, unsigned bits, size_t *start, size_t *next,
			   struct idmap *ret)
{
	size_t buckets = (size_t)1 << bits;
	struct idmap met = {0};
	int err = 0;

	count_buckets(ids, cnt, bits, start);
	for (size_t b = 0; b < buckets; b++)
		next[b] = start[b];
	permute(ids, bits, start, next);
	for (size_t b = 0; !err && b < buckets; b++)
		err = find_in(ids + start[b], start[b + 1] - start[b], &met, ret);
	idmap_free(&met);
	return err;
}

int repeats_find(uint64_t *ids, size_t cnt, struct idmap *ret)
{
	unsigned bits = bits_for(cnt);
	size_t *start = calloc(((size_t)1 << bits) + 1, sizeof(*start));
	size_t *next = calloc((size_t)1 << bits, sizeof(*next));
	int err = -ENOMEM;

	if (start && next)
		err = find_in_buckets(ids, cnt, bits, start, next, ret);
	free(start);
	free(next);
	return err;
}
