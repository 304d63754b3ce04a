/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading one line of JSON: a thin C face over simdjson's DOM.
 *
 * simdjson because it validates fully (RFC 8259, UTF-8), keeps 64-bit integers exact, is packaged
 * by every distribution that we support, and is an order faster than jansson. One json_parser a
 * thread; the values of a line live until the next parse with the same parser.
 *
 * 64-bit values are JSON integers without fraction or exponent, or strings of "0x" and hex digits
 * (contracts, top); no value passes through a double. Integers beyond 64 bits (above 2^64-1 or
 * below -2^63) and numbers beyond the range of a double are legal JSON, but of no use: they are
 * JSON_BIG, which json_u64 and json_f64 refuse; a text with one costs a second parse. "-0" is the
 * integer 0, as RFC 8259's grammar has it. Nesting is bounded by 1024 levels and costs no stack.
 *
 * An object may name a field twice: RFC 8259 leaves the meaning open. json_get takes the first,
 * json_iter_next shows both; a reader that iterates refuses a field that it knows and sees twice
 * (two readers would disagree on which one counts), and ignores the ones that it doesn't know.
 *
 * Strings are NUL-terminated, but may hold NUL characters (\u0000) as well: mind len.
 */
#ifndef ASSAY_LIB_FORMATS_JSON_H
#define ASSAY_LIB_FORMATS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_parser;

enum json_kind {
	JSON_NULL = 0,
	JSON_BOOL = 1,
	JSON_UINT = 2,	 /* 0 … 2^64-1 written as an integer */
	JSON_INT = 3,	 /* negative integer */
	JSON_DOUBLE = 4, /* had a fraction or an exponent */
	JSON_STRING = 5,
	JSON_ARRAY = 6,
	JSON_OBJECT = 7,
	JSON_BIG = 8, /* a number beyond 64 bits, or beyond a double; its value is not kept */
};

/* A value inside the parsed document; copy freely, valid until the next parse. */
struct json_value {
	enum json_kind kind;
	union {
		bool b;
		uint64_t u;
		int64_t i;
		double d;
		struct {
			const char *s;
			size_t len;
		} str;
		uint64_t node[2]; /* array, object: opaque */
	};
};

struct json_iter {
	uint64_t opaque[4];
};

struct json_parser *json_parser_new(void); /* NULL and errno */
void json_parser_free(struct json_parser *p);

/*
 * Parses exactly one JSON text of len bytes; the bytes may be overwritten afterwards. Returns 0,
 * -EINVAL with a static English reason in *ret_why, or -ENOMEM.
 */
int json_parse(struct json_parser *p, const char *s, size_t len, struct json_value *ret,
	       const char **ret_why);

/* Iterates the fields of an object (key and value) or the elements of an array. ret_key may be
 * NULL; for arrays it becomes JSON_NULL. Any other kind of value has nothing to iterate. */
void json_iter_init(struct json_iter *it, const struct json_value *container);
bool json_iter_next(struct json_iter *it, struct json_value *ret_key, struct json_value *ret_value);

/* First field of that name in an object; false where there is none (or v is no object). */
bool json_get(const struct json_value *v, const char *name, struct json_value *ret);

/* A 64-bit value in either form. -EINVAL for anything else. */
int json_u64(const struct json_value *v, uint64_t *ret);
/* Any number but JSON_BIG. -EINVAL for anything else. */
int json_f64(const struct json_value *v, double *ret);
/* Inlined, so that with a literal it is a comparison of a few bytes. */
static inline bool json_str_is(const struct json_value *v, const char *word)
{
	return v->kind == JSON_STRING && v->str.len == strlen(word) &&
	       !memcmp(v->str.s, word, strlen(word));
}

#ifdef __cplusplus
}
#endif
#endif
