/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A map from 64-bit ids to 32-bit numbers, for joining records by id.
 *
 * Open addressing, 16 bytes an entry, no deletion. A zeroed struct is an empty map. Not
 * thread-safe. Own code because uthash takes five times the memory for ten million ids.
 */
#ifndef ASSAY_GROUNDTRUTH_IDMAP_H
#define ASSAY_GROUNDTRUTH_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_slot;

struct idmap {
	struct idmap_slot *slots;
	size_t cnt, cap; /* cap is 0 or a power of two */
};

/* Spreads ids over all 64 bits; a map places them by the low ones. */
uint64_t idmap_hash(uint64_t id);

/* Room for cnt ids without growing on the way. 0 or -ENOMEM. */
int idmap_reserve(struct idmap *m, size_t cnt);

/*
 * The number of an id, which is `fresh` if the id is new to the map. Returns 1 if it was there, 0
 * if it was added, -ENOMEM.
 */
int idmap_put(struct idmap *m, uint64_t id, uint32_t fresh, uint32_t *ret);
bool idmap_get(const struct idmap *m, uint64_t id, uint32_t *ret);
void idmap_clear(struct idmap *m); /* keeps the room */
void idmap_free(struct idmap *m);

#endif
