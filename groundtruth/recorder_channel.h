/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder's process side: the mapping of the channel, what its numbers are called, spare keys.
 *
 * Called by main before the first thread opens its recorder and after the last has closed it; none
 * of it may run beside another call. The mapping and the descriptor are the channel's until
 * recorder_unmap. Part of recorder.h, which says the rules.
 */
#ifndef ASSAY_GROUNDTRUTH_RECORDER_CHANNEL_H
#define ASSAY_GROUNDTRUTH_RECORDER_CHANNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groundtruth/log.h"

#define RECORDER_INLINE static inline __attribute__((always_inline, no_instrument_function, unused))

enum { RECORDER_SPARES = 16, RECORDER_SPARE_EVENT = LOG_TYPES };

struct rec_key {
	uint64_t v, scope;
	uint8_t ns; /* KEY_NONE: no key */
	bool has_scope;
};

/*
 * The process's mapping of the channel. One, zeroed, owned by main; threads open recorders on it.
 * Spare keys and the mail that carries a decoy to its second thread live here and not in the
 * channel, where they would tell decoys from truth.
 */
struct recorder_channel {
	struct log_channel *map; /* NULL: truth is off */
	int fd;
	uint32_t spares_cnt[LOG_TYPES + 1];
	struct rec_key spares[LOG_TYPES + 1][RECORDER_SPARES];
	uint64_t mail[LOG_TYPES]; /* token of a decoy whose DST is not yet written, or 0 */
};

/*
 * For a forked process, before it records: a page fault would betray a record. The kernel populates
 * no secret memory; pages of a shared mapping without write-back can be written once they were read
 * (vma_wants_writenotify, mm/vma.c), and others may be writing there.
 */
RECORDER_INLINE void recorder_populate(const struct recorder_channel *c)
{
	const volatile char *at = (const volatile char *)c->map;
	uint64_t bytes = at ? c->map->bytes : 0, page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (at)
		madvise(c->map, bytes, MADV_POPULATE_WRITE);
	for (uint64_t i = 0; i < bytes; i += page)
		(void)at[i];
}

/*
 * Maps the channel that is descriptor fd (LOG_FD, but for tests). Returns 0 with c->map set, or 0
 * with c->map NULL where the descriptor is no channel (truth is off); negative errno where it is
 * one that cannot be used: then the run must not go on.
 */
RECORDER_INLINE int recorder_map_fd(struct recorder_channel *c, int fd)
{
	struct log_channel *map;
	struct stat s;
	int err;

	memset(c, 0, sizeof(*c));
	if (fstat(fd, &s) || s.st_size < (off_t)sizeof(*map))
		return 0;
	/* secret memory can be mapped and not be read */
	map = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return errno == EACCES || errno == ENODEV ? 0 : -errno;
	if (map->magic != LOG_MAGIC || map->version != LOG_VERSION ||
	    map->bytes != (uint64_t)s.st_size) {
		err = map->magic == LOG_MAGIC ? -EPROTO : 0;
		munmap(map, (size_t)s.st_size);
		return err;
	}
	c->map = map;
	c->fd = fd;
	recorder_populate(c);
	return 0;
}

/* No child will need the descriptor: nobody can take it from here any more. */
RECORDER_INLINE void recorder_let_go(struct recorder_channel *c)
{
	if (c->map)
		close(c->fd);
	c->fd = -1;
}

RECORDER_INLINE int recorder_map(struct recorder_channel *c)
{
	return recorder_map_fd(c, LOG_FD);
}

/* A name that does not fit is a fault of the program: it aborts, with truth on or off. */
RECORDER_INLINE void recorder_name_(char (*names)[LOG_NAME_LEN], unsigned i, const char *name)
{
	if (i >= LOG_NAMES || strlen(name) >= LOG_NAME_LEN)
		abort();
	if (names)
		memcpy(names[i], name, strlen(name) + 1);
}

RECORDER_INLINE void recorder_name_kind(struct recorder_channel *c, unsigned i, const char *name)
{
	recorder_name_(c->map ? c->map->kinds : NULL, i, name);
}

/* Resource classes, and labels and subjects of diagnoses. */
RECORDER_INLINE void recorder_name_class(struct recorder_channel *c, unsigned i, const char *name)
{
	recorder_name_(c->map ? c->map->classes : NULL, i, name);
}

/* The key spaces whose every use this workload records: bits 1u << key_ns. */
RECORDER_INLINE void recorder_keys(struct recorder_channel *c, uint32_t ns_bits)
{
	if (c->map)
		c->map->keys = ns_bits;
}

/*
 * A key that no handoff of this type ever uses, of the kind that they use (the address of a slot
 * that is never dealt, a futex word that nobody waits on; KEY_NONE for a type without keys). For
 * RECORDER_SPARE_EVENT only v counts: an instance that never lives. At most RECORDER_SPARES.
 */
RECORDER_INLINE void recorder_spare(struct recorder_channel *c, unsigned type, uint8_t ns,
				    bool has_scope, uint64_t scope, uint64_t v)
{
	if (type > LOG_TYPES || c->spares_cnt[type] >= RECORDER_SPARES)
		abort();
	c->spares[type][c->spares_cnt[type]++] =
		(struct rec_key){.v = v, .scope = scope, .ns = ns, .has_scope = has_scope};
}

/* After the last thread's recorder_close: the workload's own counters, then the end of truth. */
RECORDER_INLINE void recorder_unmap(struct recorder_channel *c, uint64_t begin, uint64_t end,
				    uint64_t segment, uint64_t handoff, uint64_t event)
{
	struct log_channel *map = c->map;

	if (!map)
		return;
	map->count_begin = begin;
	map->count_end = end;
	map->count_segment = segment;
	map->count_handoff = handoff;
	map->count_event = event;
	/* pairs with the harness's acquire in channel_collect */
	__atomic_store_n(&map->closed, LOG_MAGIC, __ATOMIC_RELEASE);
	munmap(map, map->bytes);
	if (c->fd >= 0)
		close(c->fd);
	c->map = NULL;
}

#endif
