/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of truth: typed fields, and the first thing that is wrong with them. */
#include "groundtruth/truth_fields.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char number_cure[] = "write a JSON integer, or a string of 0x and hex digits";

int line_fault(struct truth_line *x, const char *cure, const char *fmt, ...)
{
	char what[384];
	va_list ap;

	if (x->err)
		return x->err;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	x->err = diag_set(x->d, -EINVAL, x->path, x->line, cure, "%s", what);
	return x->err;
}

bool line_field(struct truth_line *x, const struct json_value *o, const char *name,
		struct json_value *ret)
{
	if (x->err)
		return false;
	if (json_get(o, name, ret))
		return true;
	line_fault(x, "write every field that the truth format requires", "%s has no \"%s\"",
		   x->record, name);
	return false;
}

void line_object(struct truth_line *x, const struct json_value *o, const char *name,
		 struct json_value *ret)
{
	struct json_value v;

	if (!line_field(x, o, name, &v))
		return;
	if (v.kind == JSON_OBJECT)
		*ret = v;
	else
		line_fault(x, "write {…}", "\"%s\" of %s is no object", name, x->record);
}

static void number_of(struct truth_line *x, const struct json_value *v, const char *name,
		      uint64_t *ret)
{
	if (json_u64(v, ret))
		line_fault(x, number_cure, "\"%s\" of %s is no 64-bit number", name, x->record);
}

void line_u64(struct truth_line *x, const struct json_value *o, const char *name, uint64_t *ret)
{
	struct json_value v;

	if (line_field(x, o, name, &v))
		number_of(x, &v, name, ret);
}

static void narrow(struct truth_line *x, const char *name, uint64_t wide, uint32_t *ret)
{
	if (x->err)
		return;
	if (wide > UINT32_MAX)
		line_fault(x, "give a number below 2^32", "\"%s\" of %s does not fit 32 bits", name,
			   x->record);
	else
		*ret = (uint32_t)wide;
}

void line_u32(struct truth_line *x, const struct json_value *o, const char *name, uint32_t *ret)
{
	uint64_t wide = 0;

	line_u64(x, o, name, &wide);
	narrow(x, name, wide, ret);
}

bool line_u64_maybe(struct truth_line *x, const struct json_value *o, const char *name,
		    uint64_t *ret)
{
	struct json_value v;

	if (x->err || !json_get(o, name, &v))
		return false;
	number_of(x, &v, name, ret);
	return true;
}

bool line_array(struct truth_line *x, const struct json_value *o, const char *name,
		struct json_iter *ret)
{
	struct json_value v;

	if (!line_field(x, o, name, &v))
		return false;
	if (v.kind == JSON_ARRAY) {
		json_iter_init(ret, &v);
		return true;
	}
	line_fault(x, "write […]", "\"%s\" of %s is no array", name, x->record);
	return false;
}

void line_window(struct truth_line *x, const struct json_value *o, const char *name,
		 struct window *ret)
{
	struct json_value v;
	struct json_iter it;
	uint64_t t[2];
	unsigned n = 0;
	bool wrong = false;

	if (!line_array(x, o, name, &it))
		return;
	while (json_iter_next(&it, NULL, &v)) {
		uint64_t extra;

		wrong |= json_u64(&v, n < 2 ? &t[n] : &extra) != 0;
		n++;
	}
	if (wrong || n != 2)
		line_fault(x, "write [t0,t1] in ns", "\"%s\" of %s is no window of two times", name,
			   x->record);
	else if (t[0] > t[1])
		line_fault(x, "write the earlier time first", "\"%s\" of %s ends before it begins",
			   name, x->record);
	else
		*ret = (struct window){t[0], t[1]};
}

void line_bool(struct truth_line *x, const struct json_value *o, const char *name, uint8_t *ret)
{
	struct json_value v;

	if (!line_field(x, o, name, &v))
		return;
	if (v.kind == JSON_BOOL)
		*ret = v.b;
	else
		line_fault(x, "write true or false", "\"%s\" of %s is neither true nor false", name,
			   x->record);
}

void line_intern(struct truth_line *x, const struct json_value *v, const char *name, uint32_t *ret)
{
	int64_t id;

	if (x->err)
		return;
	if (v->kind != JSON_STRING || memchr(v->str.s, 0, v->str.len)) {
		line_fault(x, "write a JSON string without NUL", "\"%s\" of %s is no word", name,
			   x->record);
		return;
	}
	id = truth_build_str(x->b, v->str.s, v->str.len);
	if (id < 0)
		x->err = diag_set(x->d, (int)id, x->path, x->line, NULL, "out of memory");
	else
		*ret = (uint32_t)id;
}

void line_str(struct truth_line *x, const struct json_value *o, const char *name, uint32_t *ret)
{
	struct json_value v;

	if (line_field(x, o, name, &v))
		line_intern(x, &v, name, ret);
}

void line_word(struct truth_line *x, const struct json_value *o, const char *name,
	       int (*parse)(const char *, size_t), const char *what, uint8_t *ret)
{
	struct json_value v;
	int word;

	if (!line_field(x, o, name, &v))
		return;
	word = v.kind == JSON_STRING ? parse(v.str.s, v.str.len) : -1;
	if (word < 0)
		line_fault(x, "use a word of the contract", "\"%s\" of %s is no %s", name,
			   x->record, what);
	else
		*ret = (uint8_t)word;
}

const char *truth_cost_field(unsigned of)
{
	static const char *const fields[COST_OF_CNT] = {[COST_OF_FUNCTION] = "function",
							[COST_OF_PAIR] = "pair",
							[COST_OF_NAMES] = "names"};

	return of < COST_OF_CNT ? fields[of] : NULL;
}

/* Of an operation, unless another thing is named, or nothing but a thread. */
void line_cost_of(struct truth_line *x, const struct json_value *o, struct truth_cost *c)
{
	struct json_value v;

	if (json_get(o, "tid", &v)) {
		line_u32(x, o, "tid", &c->tid);
		c->has_tid = 1;
	}
	for (unsigned of = 0; of < COST_OF_CNT; of++)
		if (truth_cost_field(of) && json_get(o, truth_cost_field(of), &v)) {
			line_intern(x, &v, truth_cost_field(of), &c->name_str);
			c->of = (uint8_t)of;
			return;
		}
	if (c->has_tid && !json_get(o, "op", &v))
		c->of = COST_OF_THREAD;
	else
		line_u64(x, o, "op", &c->op);
}
