/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as one JSON text: refused with a reason, or written again by json_out as a text that is
 * read as the same values. jansson, a reader of somebody else's, takes what we take.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jansson's kinds have the names of ours. */
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY  JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_NULL   JANSSON_NULL
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_NULL

#include "lib/formats/json.h"
#include "lib/json_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH_MAX = 60 }; /* json_out goes to 64 */

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_json: not so: %s\n", what);
	abort();
}

static unsigned depth_of(const struct json_value *v)
{
	struct json_value part;
	struct json_iter it;
	unsigned deepest = 0;

	json_iter_init(&it, v);
	while (json_iter_next(&it, NULL, &part)) {
		unsigned depth = depth_of(&part) + 1;

		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

/* Names with NUL can't be given to json_out, which takes C strings. */
static void write_value(struct json_out *o, const char *name, const struct json_value *v)
{
	struct json_value key, part;
	struct json_iter it;

	switch (v->kind) {
	case JSON_NULL:
		json_out_null(o, name);
		break;
	case JSON_BOOL:
		json_out_bool(o, name, v->b);
		break;
	case JSON_UINT:
		json_out_u64(o, name, v->u);
		break;
	case JSON_INT:
		json_out_i64(o, name, v->i);
		break;
	case JSON_DOUBLE:
		json_out_f64(o, name, v->d);
		break;
	case JSON_BIG: /* its value is not kept */
		json_out_str(o, name, "big");
		break;
	case JSON_STRING:
		json_out_strn(o, name, v->str.s, v->str.len);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		if (v->kind == JSON_ARRAY)
			json_out_array(o, name);
		else
			json_out_object(o, name);
		json_iter_init(&it, v);
		while (json_iter_next(&it, &key, &part))
			write_value(o, v->kind == JSON_OBJECT ? key.str.s : NULL, &part);
		json_out_end(o);
		break;
	}
}

static char *written(const struct json_value *v, size_t *len)
{
	struct json_out o;
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	json_out_init(&o, f);
	write_value(&o, NULL, v);
	must(!json_out_error(&o), "memory takes every byte");
	fclose(f);
	return text;
}

/* jansson is stricter in two ways that are asked for nowhere: it refuses \u0000 in names, and
 * numbers beyond int64 or a double. It takes a top-level scalar only where told. */
static void jansson_must_take(const char *text, size_t len)
{
	json_error_t error;
	json_t *j = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

	if (!j)
		must(json_error_code(&error) == json_error_null_byte_in_key ||
			     json_error_code(&error) == json_error_numeric_overflow ||
			     json_error_code(&error) == json_error_stack_overflow,
		     error.text);
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct json_parser *p;
	struct json_value v;
	const char *why = NULL;
	char *once, *twice;
	size_t once_len, twice_len;

	p = p ? p : json_parser_new();
	must(p != NULL, "a parser");
	if (json_parse(p, (const char *)data, size, &v, &why)) {
		must(why && why[0], "a refusal has a reason");
		return 0;
	}
	jansson_must_take((const char *)data, size);
	if (depth_of(&v) > DEPTH_MAX)
		return 0;
	once = written(&v, &once_len);
	must(!json_parse(p, once, once_len, &v, &why), "what was written can be read");
	twice = written(&v, &twice_len);
	must(once_len == twice_len && !memcmp(once, twice, once_len), "and says the same");
	jansson_must_take(once, once_len);
	free(once);
	free(twice);
	return 0;
}
