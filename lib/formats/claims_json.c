/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of JSON to one claim, by the table. */
#include "lib/formats/claims_fields.h"

#include <errno.h>
#include <string.h>

/* Where we are, for the one error that ends the reading. */
struct place {
	const char *path;
	uint64_t line;
	struct diag *d;
};

#define refuse(p, cure, ...) diag_set((p)->d, -EINVAL, (p)->path, (p)->line, cure, __VA_ARGS__)

static const char int_cure[] =
	"write a whole number from 0 to 2^64-1, or a string of 0x and hex digits";

static int read_u64(const struct json_value *v, const char *name, uint64_t *ret,
		    const struct place *p)
{
	if (!json_u64(v, ret))
		return 0;
	return refuse(p, int_cure, "\"%s\" is no 64-bit number without sign, fraction or exponent",
		      name);
}

static int read_u32(const struct json_value *v, const char *name, uint32_t *ret,
		    const struct place *p)
{
	uint64_t wide;
	int err = read_u64(v, name, &wide, p);

	if (err)
		return err;
	if (wide > UINT32_MAX)
		return refuse(p, "thread and descriptor ids have 32 bits", "\"%s\" is too large",
			      name);
	*ret = (uint32_t)wide;
	return 0;
}

static int read_prob(const struct json_value *v, const char *name, double *ret,
		     const struct place *p)
{
	double x;

	if (json_f64(v, &x))
		return refuse(p, "write a number, or leave the field out", "\"%s\" is no number%s",
			      name, v->kind == JSON_BIG ? " that a double can hold" : "");
	*ret = x + 0.0; /* -0.0 becomes 0.0 */
	return 0;
}

/* *ret is an id; 0 for the empty word. */
static int read_word(const struct json_value *v, const char *name, struct strtab *strings,
		     uint32_t *ret, const struct place *p)
{
	int64_t id;

	if (v->kind != JSON_STRING)
		return refuse(p, "write it in quotes", "\"%s\" is no string", name);
	if (memchr(v->str.s, 0, v->str.len))
		return refuse(p, "write the word without \\u0000", "\"%s\" holds a NUL character",
			      name);
	id = strtab_intern(strings, v->str.s, v->str.len);
	if (id < 0)
		return diag_set(p->d, (int)id, p->path, p->line, NULL, "%s", strerror((int)-id));
	*ret = (uint32_t)id;
	return 0;
}

static int read_vocab(const struct json_value *v, const struct claim_field *f, uint8_t *ret,
		      const struct place *p)
{
	int word;

	if (v->kind != JSON_STRING)
		return refuse(p, f->vocab->cure, "\"%s\" is no string", f->name);
	word = f->vocab->parse(v->str.s, v->str.len);
	if (word < 0)
		return refuse(p, f->vocab->cure, "\"%s\" is \"%.*s\", which is none of its words",
			      f->name, (int)(v->str.len < 64 ? v->str.len : 64), v->str.s);
	*ret = (uint8_t)word;
	return 0;
}

/* Bits of the parts of a context or key that were seen; 0 is any other. */
enum part { PART_TID = 1, PART_T = 2, PART_KERNEL = 4, PART_NS = 1, PART_V = 2, PART_SCOPE = 4 };

static int once(unsigned *seen, unsigned bit, const struct json_value *name, const struct place *p)
{
	if (*seen & bit)
		return refuse(p, "write each field once", "\"%s\" is there twice", name->str.s);
	*seen |= bit;
	return 0;
}

static int read_context_part(const struct json_value *name, const struct json_value *v,
			     const struct claim_field *f, struct claim *c, unsigned *seen,
			     const struct place *p)
{
	unsigned part = json_str_is(name, "tid")		   ? PART_TID
			: json_str_is(name, "t")		   ? PART_T
			: f->kernel && json_str_is(name, "kernel") ? PART_KERNEL
								   : 0;
	int err = once(seen, part, name, p);

	if (err || !part)
		return err;
	if (part == PART_TID)
		return read_u32(v, "tid", (uint32_t *)((char *)c + f->tid_off), p);
	if (part == PART_T)
		return read_u64(v, "t", (uint64_t *)((char *)c + f->off), p);
	if (v->kind != JSON_BOOL)
		return refuse(p, "write true, or leave the field out",
			      "\"kernel\" is neither true nor false");
	c->has |= v->b ? f->kernel : 0;
	return 0;
}

static int read_context(const struct json_value *v, const struct claim_field *f, struct claim *c,
			const struct place *p)
{
	struct json_value name, part;
	struct json_iter it;
	unsigned seen = 0;
	int err;

	if (v->kind == JSON_NULL && f->nullable)
		return 0;
	if (v->kind != JSON_OBJECT)
		return refuse(p, "write {\"tid\":TID,\"t\":NANOSECONDS}", "\"%s\" is no object%s",
			      f->name, f->nullable ? " and not null" : "");
	c->has |= f->has;
	json_iter_init(&it, v);
	while (json_iter_next(&it, &name, &part)) {
		err = read_context_part(&name, &part, f, c, &seen, p);
		if (err)
			return err;
	}
	if (!(seen & PART_TID) || !(seen & PART_T))
		return refuse(p, "write {\"tid\":TID,\"t\":NANOSECONDS}", "\"%s\" has no \"%s\"",
			      f->name, seen & PART_TID ? "t" : "tid");
	return 0;
}

static int read_key_part(const struct json_value *name, const struct json_value *v, struct claim *c,
			 unsigned *seen, const struct place *p)
{
	unsigned part = json_str_is(name, "ns")	     ? PART_NS
			: json_str_is(name, "v")     ? PART_V
			: json_str_is(name, "scope") ? PART_SCOPE
						     : 0;
	int err = once(seen, part, name, p);

	if (err || !part)
		return err;
	if (part == PART_V)
		return read_u64(v, "v", &c->handoff.key_v, p);
	if (part == PART_SCOPE) {
		c->has |= HAS_SCOPE;
		return read_u64(v, "scope", &c->handoff.key_scope, p);
	}
	if (v->kind != JSON_STRING)
		return refuse(p, "name the key's space in quotes", "\"ns\" is no string");
	c->ns = (uint8_t)key_ns_parse(v->str.s, v->str.len);
	return 0;
}

static int read_key(const struct json_value *v, struct claim *c, const struct place *p)
{
	static const char cure[] = "write {\"ns\":SPACE,\"v\":VALUE}, or leave the key out";
	struct json_value name, part;
	struct json_iter it;
	unsigned seen = 0;
	int err;

	if (v->kind != JSON_OBJECT)
		return refuse(p, cure, "\"key\" is no object");
	c->has |= HAS_KEY;
	json_iter_init(&it, v);
	while (json_iter_next(&it, &name, &part)) {
		err = read_key_part(&name, &part, c, &seen, p);
		if (err)
			return err;
	}
	if (!(seen & PART_NS) || !(seen & PART_V))
		return refuse(p, cure, "\"key\" has no \"%s\"", seen & PART_NS ? "v" : "ns");
	return 0;
}

static int read_field(const struct json_value *v, const struct claim_field *f,
		      struct strtab *strings, struct claim *c, const struct place *p)
{
	void *at = (char *)c + f->off;

	switch ((enum field_form)f->form) {
	case FORM_CONTEXT:
		return read_context(v, f, c, p);
	case FORM_KEY:
		return read_key(v, c, p);
	case FORM_VOCAB:
		return read_vocab(v, f, at, p);
	case FORM_WORD:
		return read_word(v, f->name, strings, at, p);
	case FORM_U64:
	case FORM_HEX:
		c->has |= f->has;
		return read_u64(v, f->name, at, p);
	case FORM_U32:
		c->has |= f->has;
		return read_u32(v, f->name, at, p);
	case FORM_PROB:
		c->has |= f->has;
		return read_prob(v, f->name, at, p);
	}
	return 0;
}

static const struct claim_field *find_field(const struct claim_shape *shape,
					    const struct json_value *name)
{
	char id[sizeof(shape->fields[0].id)] = {0};

	if (name->str.len > sizeof(id))
		return NULL;
	for (size_t i = 0; i < name->str.len; i++)
		id[i] = name->str.s[i];
	for (size_t i = 0; i < CLAIM_FIELDS_MAX && shape->fields[i].name; i++)
		if (!memcmp(id, shape->fields[i].id, sizeof(id)))
			return &shape->fields[i];
	return NULL;
}

/* The bit beyond those of the fields, for "c" itself. */
#define SEEN_C (1u << CLAIM_FIELDS_MAX)

static int read_fields(const struct json_value *v, const struct claim_shape *shape,
		       struct strtab *strings, struct claim *c, unsigned *seen,
		       const struct place *p)
{
	struct json_value name, value;
	struct json_iter it;
	int err = 0;

	json_iter_init(&it, v);
	while (!err && json_iter_next(&it, &name, &value)) {
		const struct claim_field *f = find_field(shape, &name);

		if (f) {
			err = once(seen, 1u << (f - shape->fields), &name, p);
			err = err ? err : read_field(&value, f, strings, c, p);
		} else if (json_str_is(&name, "c")) {
			err = once(seen, SEEN_C, &name, p);
		}
	}
	return err;
}

static int check_required(const struct claim_shape *shape, unsigned seen, const struct place *p)
{
	for (size_t i = 0; i < CLAIM_FIELDS_MAX && shape->fields[i].name; i++) {
		const struct claim_field *f = &shape->fields[i];

		if (f->required && !(seen & 1u << i))
			return refuse(p,
				      f->nullable
					      ? "write null where there was one that you don't know"
					      : "add the field",
				      "a %s claim without \"%s\"", shape->name, f->name);
	}
	return 0;
}

static int find_kind(const struct json_value *v, const struct place *p)
{
	static const char cure[] =
		"use one of handoff event health effect cost profile gap diagnosis";
	struct json_value c;
	int kind;

	if (v->kind != JSON_OBJECT)
		return refuse(p, "write one JSON object a line", "a claim is no object");
	if (!json_get(v, "c", &c)) {
		if (json_get(v, "claims", &c))
			return refuse(p, "write the header once, as the first line",
				      "a second header");
		return refuse(p, cure, "a claim without \"c\"");
	}
	if (c.kind != JSON_STRING)
		return refuse(p, cure, "\"c\" is no string");
	kind = claim_kind_parse(c.str.s, c.str.len);
	if (kind < 0)
		return refuse(p, cure, "an unknown claim \"%.*s\"",
			      (int)(c.str.len < 64 ? c.str.len : 64), c.str.s);
	return kind;
}

int claim_from_json(const struct json_value *v, struct strtab *strings, struct claim *ret,
		    const char *path, uint64_t line, struct diag *d)
{
	struct place p = {.path = path, .line = line, .d = d};
	const struct claim_fault *fault;
	struct claim c = {0};
	unsigned seen = 0;
	int kind, err;

	kind = find_kind(v, &p);
	if (kind < 0)
		return kind;
	c.kind = (uint8_t)kind;
	err = read_fields(v, &claim_shapes[kind], strings, &c, &seen, &p);
	err = err ? err : check_required(&claim_shapes[kind], seen, &p);
	if (err)
		return err;
	claim_normalise(&c);
	fault = claim_fault(&c, strtab_count(strings));
	if (fault)
		return refuse(&p, fault->cure, "%s", fault->reason);
	*ret = c;
	return 0;
}
