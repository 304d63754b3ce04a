/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded table of queues of observations, by (type, number, number): what floors remember.
 *
 * A full table forgets the queue that was made first; a full queue forgets its oldest entry.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_TABLE_H
#define ASSAY_PROFILERS_ADAPTER_TABLE_H

#include "profilers/adapter/observe.h"

enum { TABLE_MAX = 65536, TABLE_QUEUE_MAX = 1024 };

struct table_queue;
struct table {
	struct table_queue *queues;
};

struct table_key {
	uint64_t type, a, b;
};

/* The key of an observation as an outsider names it: type, key value, scope; of streams and timers
 * which one it is. */
struct table_key table_key_of(const struct observation *o);

int table_push(struct table *t, struct table_key key, const struct observation *o); /* or -ENOMEM */
/* The newest entry, which stays; NULL: none. Valid until the next call. */
const struct observation *table_newest(struct table *t, struct table_key key);
/* The oldest entry, which leaves; NULL: none. Valid until the next call. */
const struct observation *table_pop_oldest(struct table *t, struct table_key key);
void table_clear(struct table *t);

#endif
