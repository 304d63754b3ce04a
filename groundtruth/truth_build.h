/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a struct truth is made and stored; private to groundtruth.
 *
 * A builder takes records in the order of the text form and joins begin and end records by
 * operation. All errors but -ENOMEM and -E2BIG (more than 2^28 records of a kind) are the caller's
 * to find. The builder owns everything until truth_build_finish moves it into a truth.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_BUILD_H
#define ASSAY_GROUNDTRUTH_TRUTH_BUILD_H

#include "groundtruth/idmap.h"
#include "groundtruth/truth.h"

/* The arrays of a truth. Numbers are part of the packed form. */
enum truth_array {
	ARRAY_THREADS = 0,
	ARRAY_KEYS = 1,
	ARRAY_DESCRIPTORS = 2,
	ARRAY_OPS = 3,
	ARRAY_SEGMENTS = 4,
	ARRAY_HANDOFFS = 5,
	ARRAY_EVENTS = 6,
	ARRAY_EFFECTS = 7,
	ARRAY_COSTS = 8,
	ARRAY_LOSSES = 9,
	ARRAY_LIVES = 10,
	ARRAY_DIAGNOSES = 11,
	ARRAY_DECOYS = 12,
	ARRAY_ORDER = 13,
	ARRAY_CNT = 14,
};

/* Bytes of an element. */
size_t truth_array_size(enum truth_array a);
const void *truth_array_get(const struct truth *t, enum truth_array a, size_t *ret_cnt);
void truth_array_set(struct truth *t, enum truth_array a, const void *v, size_t cnt);

/* What a truth owns, behind its priv. */
struct truth_store {
	struct strtab *strings;
	void *arrays[ARRAY_CNT]; /* built: malloc'ed */
	void *map;		 /* loaded from the packed form: the file */
	size_t map_len;
};
void truth_store_free(struct truth_store *s);

struct truth_build {
	struct truth t; /* header and close fields; arrays are set by finish */
	struct truth_store *store;
	size_t cnt[ARRAY_CNT], cap[ARRAY_CNT];
	struct idmap ops; /* id: index of the operation last named so */
};

int truth_build_init(struct truth_build *b);
void truth_build_discard(struct truth_build *b);

/* A zeroed new element, valid until the next call; NULL and -ENOMEM or -E2BIG in errno. */
void *truth_build_add(struct truth_build *b, enum truth_array a);
/* Copies an element and notes it as the next record of the text form. */
int truth_build_record(struct truth_build *b, enum truth_array a, enum truth_record r,
		       const void *element);
/* Begin or end record: only the fields of that half of the op are read. */
int truth_build_begin(struct truth_build *b, const struct truth_op *half);
int truth_build_end(struct truth_build *b, const struct truth_op *half);
int truth_build_close(struct truth_build *b, const struct truth_counts *counts, bool full);
/* String id, or negative errno. */
int64_t truth_build_str(struct truth_build *b, const char *s, size_t len);

void truth_build_finish(struct truth_build *b, struct truth *ret);

/* The two readers behind truth_load. */
int truth_import(const char *path, int fd, struct truth *ret, struct diag *d);
int truth_unpack(const char *path, int fd, struct truth *ret, struct diag *d);

/* First bytes of the packed form. No text file begins so. */
#define TRUTH_MAGIC UINT64_C(0x0a3168747572747f) /* "\x7ftruth1\n" */

#endif
