/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is missing from the evidence without anybody having said so.
 *
 * Each CPU counts its records. A number that does not come, nor after a few more records of that
 * CPU (neighbours may be swapped), and that no EV_LOST accounts for, is a record that was lost
 * between the two around it. Records without a number are ignored. After each record the gaps are
 * to be taken. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_SEQUENCE_H
#define ASSAY_PROFILERS_ADAPTER_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"

enum { SEQUENCE_CPUS = 4096, SEQUENCE_PATIENCE = 8 };

struct sequence;

struct sequence *sequence_new(void); /* NULL: no memory */
void sequence_free(struct sequence *s);

/* -ENOMEM, or 0. CPUs from SEQUENCE_CPUS on are not followed. */
int sequence_record(struct sequence *s, const struct ev_rec *r);

/*
 * The next gap that is certain by now, as the EV_LOST record that would have told it: b is the time
 * of the record before it, t that of the last one lost, as the record after it says (of that record
 * itself if it does not know); of a single lost record both are its own. c is 1, which no record
 * has. last: no more records will come.
 */
bool sequence_take(struct sequence *s, bool last, struct ev_rec *ret);

/* Until when nothing can be missing any more that has not been told or taken: of every CPU that has
 * had a record a later one has been seen. UINT64_MAX: no record had a number. */
uint64_t sequence_certain(struct sequence *s);

#endif
