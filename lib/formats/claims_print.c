/* SPDX-License-Identifier: BSD-2-Clause */
/* One claim to its line of JSON, by the table. */
#include "lib/formats/claims_fields.h"

#include <string.h>

#include "lib/json_out.h"

static void print_context(struct json_out *o, const struct claim_field *f, const struct claim *c)
{
	uint64_t t;
	uint32_t tid;

	if (!(c->has & f->has)) {
		json_out_null(o, f->name);
		return;
	}
	memcpy(&t, (const char *)c + f->off, sizeof(t));
	memcpy(&tid, (const char *)c + f->tid_off, sizeof(tid));
	json_out_object(o, f->name);
	json_out_u64(o, "tid", tid);
	json_out_u64(o, "t", t);
	if (c->has & f->kernel)
		json_out_bool(o, "kernel", true);
	json_out_end(o);
}

static void print_key(struct json_out *o, const struct claim *c)
{
	json_out_object(o, "key");
	json_out_str(o, "ns", key_ns_name(c->ns));
	if (c->has & HAS_SCOPE)
		json_out_u64(o, "scope", c->handoff.key_scope);
	json_out_hex(o, "v", c->handoff.key_v);
	json_out_end(o);
}

static void print_number(struct json_out *o, const struct claim_field *f, const void *at)
{
	uint64_t u64;
	uint32_t u32;
	double f64;

	switch ((enum field_form)f->form) {
	case FORM_U32:
		memcpy(&u32, at, sizeof(u32));
		json_out_u64(o, f->name, u32);
		break;
	case FORM_PROB:
		memcpy(&f64, at, sizeof(f64));
		json_out_f64(o, f->name, f64);
		break;
	case FORM_HEX:
		memcpy(&u64, at, sizeof(u64));
		json_out_hex(o, f->name, u64);
		break;
	default:
		memcpy(&u64, at, sizeof(u64));
		json_out_u64(o, f->name, u64);
	}
}

/* An absent word has id 0, an absent word of a vocabulary is its empty one. */
static void print_word(struct json_out *o, const struct claim_field *f, const void *at,
		       const struct strtab *strings)
{
	const char *word;
	uint32_t id;

	if (f->form == FORM_VOCAB) {
		word = f->vocab->name(*(const uint8_t *)at);
	} else {
		memcpy(&id, at, sizeof(id));
		word = strtab_get(strings, id);
	}
	if (word[0])
		json_out_str(o, f->name, word);
}

static void print_field(struct json_out *o, const struct claim_field *f, const struct claim *c,
			const struct strtab *strings)
{
	const void *at = (const char *)c + f->off;

	if (f->form == FORM_CONTEXT)
		print_context(o, f, c);
	else if (f->has && !(c->has & f->has))
		return;
	else if (f->form == FORM_KEY)
		print_key(o, c);
	else if (f->form == FORM_VOCAB || f->form == FORM_WORD)
		print_word(o, f, at, strings);
	else
		print_number(o, f, at);
}

int claim_print(FILE *out, const struct claim *c, const struct strtab *strings)
{
	const struct claim_shape *shape = &claim_shapes[c->kind];
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_str(&o, "c", shape->name);
	for (size_t i = 0; i < CLAIM_FIELDS_MAX && shape->fields[i].name; i++)
		print_field(&o, &shape->fields[i], c, strings);
	json_out_end(&o);
	json_out_newline(&o);
	return json_out_error(&o);
}
