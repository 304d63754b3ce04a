/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims table as a JSON Schema. */
#include "lib/formats/claims_fields.h"
#include "lib/json_out.h"

static void put_type(struct json_out *o, const char *type)
{
	json_out_str(o, "type", type);
}

/* A whole number from 0 to high. */
static void put_whole(struct json_out *o, uint64_t high)
{
	put_type(o, "integer");
	json_out_u64(o, "minimum", 0);
	json_out_u64(o, "maximum", high);
}

/* A 64-bit value in one of its two forms. */
static void put_u64(struct json_out *o)
{
	json_out_array(o, "oneOf");
	json_out_object(o, NULL);
	put_whole(o, UINT64_MAX);
	json_out_end(o);
	json_out_object(o, NULL);
	put_type(o, "string");
	json_out_str(o, "pattern", "^0x[0-9a-fA-F]{1,16}$");
	json_out_end(o);
	json_out_end(o);
}

static void put_share(struct json_out *o, bool above_nought)
{
	put_type(o, "number");
	json_out_u64(o, above_nought ? "exclusiveMinimum" : "minimum", 0);
	json_out_u64(o, "maximum", 1);
}

static void put_word(struct json_out *o, bool required)
{
	put_type(o, "string");
	if (required) /* an optional word that is empty is absent */
		json_out_u64(o, "minLength", 1);
}

static void put_words(struct json_out *o, const struct vocab *v)
{
	json_out_array(o, "enum");
	for (unsigned i = v->first; i < v->end; i++)
		json_out_str(o, NULL, v->name(i));
	json_out_end(o);
}

static void put_key(struct json_out *o)
{
	put_type(o, "object");
	json_out_object(o, "properties");
	json_out_object(o, "ns");
	put_word(o, true);
	json_out_end(o);
	json_out_object(o, "v");
	put_u64(o);
	json_out_end(o);
	json_out_object(o, "scope");
	put_u64(o);
	json_out_end(o);
	json_out_end(o);
	json_out_array(o, "required");
	json_out_str(o, NULL, "ns");
	json_out_str(o, NULL, "v");
	json_out_end(o);
}

static void put_context(struct json_out *o, const struct claim_field *f)
{
	json_out_array(o, "type");
	json_out_str(o, NULL, "object");
	if (f->nullable)
		json_out_str(o, NULL, "null");
	json_out_end(o);
	json_out_object(o, "properties");
	json_out_object(o, "tid");
	put_whole(o, UINT32_MAX);
	json_out_end(o);
	json_out_object(o, "t");
	put_u64(o);
	json_out_end(o);
	if (f->kernel) {
		json_out_object(o, "kernel");
		put_type(o, "boolean");
		json_out_end(o);
	}
	json_out_end(o);
	json_out_array(o, "required");
	json_out_str(o, NULL, "tid");
	json_out_str(o, NULL, "t");
	json_out_end(o);
}

static void put_field(struct json_out *o, const struct claim_field *f)
{
	json_out_object(o, f->name);
	switch ((enum field_form)f->form) {
	case FORM_U64:
	case FORM_HEX:
		put_u64(o);
		break;
	case FORM_U32:
		put_whole(o, UINT32_MAX);
		break;
	case FORM_WORD:
		put_word(o, f->required);
		break;
	case FORM_VOCAB:
		put_words(o, f->vocab);
		break;
	case FORM_PROB:
		put_share(o, f->has == HAS_IP);
		break;
	case FORM_CONTEXT:
		put_context(o, f);
		break;
	case FORM_KEY:
		put_key(o);
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

/* Unknown fields are allowed, at every depth. */
static void put_shape(struct json_out *o, const struct claim_shape *s)
{
	json_out_object(o, NULL);
	put_type(o, "object");
	json_out_object(o, "properties");
	put_const(o, "c", s->name);
	for (unsigned i = 0; i < CLAIM_FIELDS_MAX && s->fields[i].name; i++)
		put_field(o, &s->fields[i]);
	json_out_end(o);
	json_out_array(o, "required");
	json_out_str(o, NULL, "c");
	for (unsigned i = 0; i < CLAIM_FIELDS_MAX && s->fields[i].name; i++)
		if (s->fields[i].required)
			json_out_str(o, NULL, s->fields[i].name);
	json_out_end(o);
	json_out_end(o);
}

void declares_schema(struct json_out *o, const char *name)
{
	json_out_object(o, name);
	put_type(o, "array");
	json_out_object(o, "items");
	json_out_array(o, "anyOf");
	json_out_object(o, NULL);
	json_out_array(o, "enum");
	for (unsigned i = 0; i < DECLARES_CNT; i++)
		json_out_str(o, NULL, declares_name(i));
	json_out_end(o);
	json_out_end(o);
	json_out_object(o, NULL); /* other words are ignored */
	put_type(o, "string");
	json_out_str(o, "pattern", "^(?!handoff$|handoff:)");
	json_out_end(o);
	json_out_end(o);
	json_out_end(o);
	json_out_end(o);
}

static void put_header(struct json_out *o)
{
	static const char *const needed[] = {"claims", "profiler", "version", "clock", "declares"};

	json_out_object(o, NULL);
	put_type(o, "object");
	json_out_object(o, "properties");
	json_out_object(o, "claims");
	json_out_u64(o, "const", 1);
	json_out_end(o);
	json_out_object(o, "profiler");
	put_word(o, true);
	json_out_end(o);
	json_out_object(o, "version");
	put_word(o, true);
	json_out_end(o);
	put_const(o, "clock", "monotonic");
	declares_schema(o, "declares");
	json_out_end(o);
	json_out_array(o, "required");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		json_out_str(o, NULL, needed[i]);
	json_out_end(o);
	json_out_end(o);
}

void claims_schema(FILE *out)
{
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_str(&o, "$schema", "http://json-schema.org/draft-07/schema#");
	json_out_str(&o, "title", "a line of claims: the header first, then a claim a line");
	json_out_array(&o, "oneOf");
	put_header(&o);
	for (unsigned i = 0; i < CLAIM_KIND_CNT; i++)
		put_shape(&o, &claim_shapes[i]);
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
}
