/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing JSON: commas, escapes and exact numbers, straight onto a stream.
 *
 * Compact (no spaces), in the order of the calls. Inside an object every call names its field,
 * inside an array and at the top the name is NULL; misuse is asserted. Integers are exact to 64
 * bits. Doubles are the shortest decimal that reads back as the same double; NaN and infinities
 * become null. Strings are escaped; bytes that are not UTF-8 become U+FFFD.
 *
 * A struct json_out is plain data, owned by the caller, of one thread; the stream stays the
 * caller's, and has every byte as soon as the outermost value is finished. Errors of the stream
 * stick; json_out_error tells the first.
 */
#ifndef ASSAY_LIB_JSON_OUT_H
#define ASSAY_LIB_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_OUT_F64_LEN = 32, JSON_OUT_BUFFER = 512 };

struct json_out {
	FILE *f;
	int err;	 /* first error, negative errno */
	unsigned depth;	 /* at most 64 */
	uint64_t arrays; /* bit d: level d is an array */
	uint64_t filled; /* bit d: level d has an element */
	unsigned len;	 /* bytes in buf that are not yet in the stream */
	char buf[JSON_OUT_BUFFER];
};

void json_out_init(struct json_out *o, FILE *f);

void json_out_object(struct json_out *o, const char *name);
void json_out_array(struct json_out *o, const char *name);
void json_out_end(struct json_out *o); /* closes what was opened last */

void json_out_null(struct json_out *o, const char *name);
void json_out_bool(struct json_out *o, const char *name, bool v);
void json_out_u64(struct json_out *o, const char *name, uint64_t v);
void json_out_i64(struct json_out *o, const char *name, int64_t v);
void json_out_hex(struct json_out *o, const char *name, uint64_t v); /* "0x…" */
void json_out_f64(struct json_out *o, const char *name, double v);
void json_out_str(struct json_out *o, const char *name, const char *s); /* NULL: null */
void json_out_strn(struct json_out *o, const char *name, const char *s, size_t len);

/* A line end after a finished text, for JSON Lines. */
void json_out_newline(struct json_out *o);

/* 0, or the first error of the stream as negative errno. Does not flush. */
int json_out_error(const struct json_out *o);

/* The shortest decimal of a finite double (as "%.17g" at most); returns its length. */
int json_out_format_f64(char buf[JSON_OUT_F64_LEN], double v);

#endif
