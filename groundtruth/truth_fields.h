/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of one line of truth, read one after another; private to groundtruth.
 *
 * The first field that is missing or wrong fills the diag and sticks: later calls do nothing and
 * leave their outputs untouched, so a record is read straight down and asked once at the end.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_FIELDS_H
#define ASSAY_GROUNDTRUTH_TRUTH_FIELDS_H

#include "groundtruth/truth_build.h"
#include "lib/formats/json.h"

struct truth_line {
	const char *path;
	uint64_t line;
	struct diag *d;
	struct truth_build *b;
	const char *record; /* for messages: "a segment record" */
	int err;
};

/* Sets the error of the line, with what to do about it; returns it. */
int line_fault(struct truth_line *x, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A required field of any kind. False if it is missing or an error sticks already. */
bool line_field(struct truth_line *x, const struct json_value *o, const char *name,
		struct json_value *ret);
void line_object(struct truth_line *x, const struct json_value *o, const char *name,
		 struct json_value *ret);
void line_u64(struct truth_line *x, const struct json_value *o, const char *name, uint64_t *ret);
void line_u32(struct truth_line *x, const struct json_value *o, const char *name, uint32_t *ret);
/* A field that may be missing; returns whether it was there. */
bool line_u64_maybe(struct truth_line *x, const struct json_value *o, const char *name,
		    uint64_t *ret);
void line_window(struct truth_line *x, const struct json_value *o, const char *name,
		 struct window *ret);
void line_bool(struct truth_line *x, const struct json_value *o, const char *name, uint8_t *ret);
void line_str(struct truth_line *x, const struct json_value *o, const char *name, uint32_t *ret);
/* A word of a closed vocabulary; what names it in messages ("a handoff type"). */
void line_word(struct truth_line *x, const struct json_value *o, const char *name,
	       int (*parse)(const char *, size_t), const char *what, uint8_t *ret);
/* An array to iterate; false if it is no array or an error sticks. */
bool line_array(struct truth_line *x, const struct json_value *o, const char *name,
		struct json_iter *ret);
/* What a cost is of: the fields op, function, pair, names and tid. */
void line_cost_of(struct truth_line *x, const struct json_value *o, struct truth_cost *c);
/* Interns a string value; its own message where v is none. */
void line_intern(struct truth_line *x, const struct json_value *v, const char *name, uint32_t *ret);

#endif
