/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed truth written record by record, in constant memory.
 *
 * Handoffs go straight into PATH.part; every other array is spooled into an unlinked file beside it
 * and appended at the end, where the words and the header are known too. The file appears under its
 * name when it is complete. What was written is read by truth_load like what truth_save wrote, and
 * has the same text form, but not the same bytes: arrays stand in another order.
 *
 * Records are taken in the order of the text form and are not checked: that is truth_check's work.
 * Errors of the disk and of memory stick and are reported by close. One thread at a time. The
 * stream owns its words; elements are copied.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_STREAM_H
#define ASSAY_GROUNDTRUTH_TRUTH_STREAM_H

#include "groundtruth/truth.h"

struct truth_stream;

/* NULL and *d on failure. */
struct truth_stream *truth_stream_open(const char *path, struct diag *d);

/* Id of a word for _str fields of this stream's records and header; negative errno. */
int64_t truth_stream_word(struct truth_stream *s, const char *word);

/* A record other than begin, end and close. 0 or the stream's first error, negative: -E2BIG beyond
 * 2^28 records of a kind. */
int truth_stream_put(struct truth_stream *s, enum truth_record r, const void *element);

/*
 * The begin record of an operation whose end is known already: the element holds both halves.
 * *ret_index names it to truth_stream_end, which must follow at the place of the end record.
 */
int truth_stream_begin(struct truth_stream *s, const struct truth_op *op, uint32_t *ret_index);
int truth_stream_end(struct truth_stream *s, uint32_t index);

/*
 * Writes the close record and the header, and finishes the file. Of *header are read: workload_str,
 * variant_str, seed, scored, threads, keys, key_strs, descriptors, full, counts (the caller's own).
 * Frees the stream in any case; on failure nothing is left behind and *d is filled.
 */
int truth_stream_close(struct truth_stream *s, const struct truth *header, struct diag *d);

/* Frees and removes; NULL is fine. */
void truth_stream_abort(struct truth_stream *s);

#endif
