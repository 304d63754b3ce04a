/* SPDX-License-Identifier: BSD-2-Clause */
/* Schemas of claims and of describe. */
#include "harness/schema.h"

#include <string.h>

#include "lib/json_out.h"
#include "lib/vocab.h"

#define DRAFT "http://json-schema.org/draft-07/schema#"

enum field_kind {
	KIND_TEXT, /* a string that is not empty */
	KIND_U64,  /* a 64-bit value in one of its two forms */
	KIND_U32,
	KIND_SHARE,   /* 0 … 1 */
	KIND_INCLUDE, /* above 0 … 1 */
	KIND_NAMED,   /* one of a vocabulary */
	KIND_END,     /* tid, t and perhaps kernel */
	KIND_END_OR_NULL,
	KIND_KEY,
	KIND_FLAG,
};

struct field {
	const char *name;
	enum field_kind kind;
	bool optional;
	const char *(*word)(unsigned); /* of KIND_NAMED: words from first to before end */
	unsigned first, end;
};

enum { FIELDS_MAX = 9 };

struct object {
	const char *c; /* of claims: their kind; NULL: the header */
	struct field fields[FIELDS_MAX];
};

static const struct object claim_objects[] = {
	{"handoff",
	 {{"type", KIND_NAMED, false, handoff_type_name, 0, HANDOFF_TYPE_CNT},
	  {"src", KIND_END_OR_NULL, false, NULL, 0, 0},
	  {"dst", KIND_END_OR_NULL, false, NULL, 0, 0},
	  {"key", KIND_KEY, true, NULL, 0, 0},
	  {"gen", KIND_U64, true, NULL, 0, 0},
	  {"conf", KIND_SHARE, true, NULL, 0, 0},
	  {"how", KIND_NAMED, true, how_name, HOW_NONE + 1, HOW_CNT},
	  {"source", KIND_NAMED, true, source_name, SOURCE_NONE + 1, SOURCE_CNT}}},
	{"event",
	 {{"event", KIND_NAMED, false, event_kind_name, 0, EVENT_KIND_CNT},
	  {"class", KIND_TEXT, false, NULL, 0, 0},
	  {"tid", KIND_U32, false, NULL, 0, 0},
	  {"t", KIND_U64, false, NULL, 0, 0},
	  {"instance", KIND_U64, true, NULL, 0, 0},
	  {"gen", KIND_U64, true, NULL, 0, 0},
	  {"units", KIND_U64, true, NULL, 0, 0},
	  {"desc", KIND_U32, true, NULL, 0, 0},
	  {"conf", KIND_SHARE, true, NULL, 0, 0}}},
	{"health",
	 {{"desc", KIND_U32, false, NULL, 0, 0},
	  {"state", KIND_NAMED, false, health_state_name, 0, HEALTH_STATE_CNT},
	  {"t", KIND_U64, false, NULL, 0, 0},
	  {"why", KIND_TEXT, true, NULL, 0, 0},
	  {"evidence", KIND_U64, true, NULL, 0, 0},
	  {"p_stale", KIND_SHARE, true, NULL, 0, 0}}},
	{"effect",
	 {{"cause", KIND_END, false, NULL, 0, 0},
	  {"kind", KIND_NAMED, false, effect_kind_name, 0, EFFECT_KIND_CNT},
	  {"tid", KIND_U32, false, NULL, 0, 0},
	  {"t", KIND_U64, false, NULL, 0, 0},
	  {"v", KIND_U64, true, NULL, 0, 0},
	  {"conf", KIND_SHARE, true, NULL, 0, 0}}},
	{"cost",
	 {{"root", KIND_END_OR_NULL, false, NULL, 0, 0},
	  {"kind", KIND_TEXT, false, NULL, 0, 0},
	  {"v", KIND_U64, false, NULL, 0, 0},
	  {"ip", KIND_INCLUDE, true, NULL, 0, 0}}},
	{"profile",
	 {{"by", KIND_NAMED, false, profile_by_name, 0, PROFILE_BY_CNT},
	  {"key", KIND_TEXT, false, NULL, 0, 0},
	  {"kind", KIND_TEXT, false, NULL, 0, 0},
	  {"v", KIND_U64, false, NULL, 0, 0},
	  {"ip", KIND_INCLUDE, true, NULL, 0, 0}}},
	{"gap",
	 {{"from", KIND_U64, false, NULL, 0, 0},
	  {"to", KIND_U64, false, NULL, 0, 0},
	  {"lost", KIND_U64, true, NULL, 0, 0},
	  {"scope", KIND_TEXT, true, NULL, 0, 0}}},
	{"diagnosis",
	 {{"label", KIND_TEXT, false, NULL, 0, 0},
	  {"t", KIND_U64, false, NULL, 0, 0},
	  {"subject", KIND_TEXT, true, NULL, 0, 0},
	  {"conf", KIND_SHARE, true, NULL, 0, 0}}},
};

/* ---- kinds of values ---- */

static void put_range(struct json_out *o, const char *type, const char *low, uint64_t high)
{
	json_out_str(o, "type", type);
	json_out_u64(o, low, 0);
	json_out_u64(o, "maximum", high);
}

static void put_whole(struct json_out *o)
{
	json_out_array(o, "oneOf");
	json_out_object(o, NULL);
	put_range(o, "integer", "minimum", UINT64_MAX);
	json_out_end(o);
	json_out_object(o, NULL);
	json_out_str(o, "type", "string");
	json_out_str(o, "pattern", "^0x[0-9a-fA-F]{1,16}$");
	json_out_end(o);
	json_out_end(o);
}

static void put_words(struct json_out *o, const char *(*word)(unsigned), unsigned first,
		      unsigned end)
{
	json_out_array(o, "enum");
	for (unsigned i = first; i < end; i++)
		json_out_str(o, NULL, word(i));
	json_out_end(o);
}

static void put_object(struct json_out *o, const struct field *f, const char *c);

static const struct field end_fields[FIELDS_MAX] = {{"tid", KIND_U32, false, NULL, 0, 0},
						    {"t", KIND_U64, false, NULL, 0, 0},
						    {"kernel", KIND_FLAG, true, NULL, 0, 0}};
static const struct field key_fields[FIELDS_MAX] = {{"ns", KIND_TEXT, false, NULL, 0, 0},
						    {"v", KIND_U64, false, NULL, 0, 0},
						    {"scope", KIND_U64, true, NULL, 0, 0}};

static void put_end_or_null(struct json_out *o)
{
	json_out_array(o, "oneOf");
	json_out_object(o, NULL);
	json_out_str(o, "type", "null");
	json_out_end(o);
	json_out_object(o, NULL);
	put_object(o, end_fields, NULL);
	json_out_end(o);
	json_out_end(o);
}

static void put_text(struct json_out *o)
{
	json_out_str(o, "type", "string");
	json_out_u64(o, "minLength", 1);
}

static void put_field(struct json_out *o, const struct field *f)
{
	json_out_object(o, f->name);
	switch (f->kind) {
	case KIND_TEXT:
		put_text(o);
		break;
	case KIND_U64:
		put_whole(o);
		break;
	case KIND_U32:
		put_range(o, "integer", "minimum", UINT32_MAX);
		break;
	case KIND_SHARE:
		put_range(o, "number", "minimum", 1);
		break;
	case KIND_INCLUDE:
		put_range(o, "number", "exclusiveMinimum", 1);
		break;
	case KIND_NAMED:
		put_words(o, f->word, f->first, f->end);
		break;
	case KIND_END:
		put_object(o, end_fields, NULL);
		break;
	case KIND_END_OR_NULL:
		put_end_or_null(o);
		break;
	case KIND_KEY:
		put_object(o, key_fields, NULL);
		break;
	case KIND_FLAG:
		json_out_str(o, "type", "boolean");
		break;
	}
	json_out_end(o);
}

static void put_const(struct json_out *o, const char *name, const char *value)
{
	json_out_object(o, name);
	json_out_str(o, "const", value);
	json_out_end(o);
}

/* The inside of an object's schema; unknown fields are allowed at every depth. */
static void put_object(struct json_out *o, const struct field *f, const char *c)
{
	json_out_str(o, "type", "object");
	json_out_object(o, "properties");
	if (c)
		put_const(o, "c", c);
	for (unsigned i = 0; i < FIELDS_MAX && f[i].name; i++)
		put_field(o, &f[i]);
	json_out_end(o);
	json_out_array(o, "required");
	if (c)
		json_out_str(o, NULL, "c");
	for (unsigned i = 0; i < FIELDS_MAX && f[i].name; i++)
		if (!f[i].optional)
			json_out_str(o, NULL, f[i].name);
	json_out_end(o);
}

/* A list of words; of `declares`, handoffs have to be of a known type. */
static void put_list(struct json_out *o, const char *name, const char *pattern)
{
	json_out_object(o, name);
	json_out_str(o, "type", "array");
	json_out_object(o, "items");
	json_out_str(o, "type", "string");
	if (pattern)
		json_out_str(o, "pattern", pattern);
	json_out_end(o);
	json_out_end(o);
}

static void put_declares(struct json_out *o)
{
	char pattern[256] = "^(?!handoff$|handoff:(?!(";
	size_t at = strlen(pattern);

	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		at += (size_t)snprintf(pattern + at, sizeof(pattern) - at, "%s%s", i ? "|" : "",
				       handoff_type_name(i));
	snprintf(pattern + at, sizeof(pattern) - at, ")$))");
	put_list(o, "declares", pattern);
}

static void put_required(struct json_out *o, const char *const *names)
{
	json_out_array(o, "required");
	for (; *names; names++)
		json_out_str(o, NULL, *names);
	json_out_end(o);
}

static void put_texts(struct json_out *o, const char *const *names)
{
	for (; *names; names++) {
		json_out_object(o, *names);
		put_text(o);
		json_out_end(o);
	}
}

static void put_header(struct json_out *o)
{
	static const char *const texts[] = {"profiler", "version", NULL};
	static const char *const needed[] = {"claims", "profiler", "version",
					     "clock",  "declares", NULL};

	json_out_object(o, NULL);
	json_out_str(o, "type", "object");
	json_out_object(o, "properties");
	json_out_object(o, "claims");
	json_out_u64(o, "const", 1);
	json_out_end(o);
	put_const(o, "clock", "monotonic");
	put_texts(o, texts);
	put_declares(o);
	json_out_end(o);
	put_required(o, needed);
	json_out_end(o);
}

static void begin(struct json_out *o, FILE *out, const char *title)
{
	json_out_init(o, out);
	json_out_object(o, NULL);
	json_out_str(o, "$schema", DRAFT);
	json_out_str(o, "title", title);
}

void schema_claims(FILE *out)
{
	struct json_out o;

	begin(&o, out, "a line of claims: the header first, then a claim a line");
	json_out_array(&o, "oneOf");
	put_header(&o);
	for (size_t i = 0; i < sizeof(claim_objects) / sizeof(claim_objects[0]); i++) {
		json_out_object(&o, NULL);
		put_object(&o, claim_objects[i].fields, claim_objects[i].c);
		json_out_end(&o);
	}
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
}

void schema_describe(FILE *out)
{
	static const char *const texts[] = {"name", "version", NULL};
	static const char *const needed[] = {"name",   "version",  "division",
					     "launch", "declares", NULL};
	struct json_out o;

	begin(&o, out, "what a profiler's describe prints");
	json_out_str(&o, "type", "object");
	json_out_object(&o, "properties");
	put_texts(&o, texts);
	json_out_object(&o, "division");
	json_out_array(&o, "enum");
	for (const char *const *d =
		     (const char *const[]){"attach", "binary", "source", "rebuild", "none", NULL};
	     *d; d++)
		json_out_str(&o, NULL, *d);
	json_out_end(&o);
	json_out_end(&o);
	put_list(&o, "launch", "^(attach|wrap|env|build|join)$");
	put_declares(&o);
	put_list(&o, "needs", NULL);
	json_out_end(&o);
	put_required(&o, needed);
	json_out_end(&o);
	json_out_newline(&o);
}
