/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions and guards: text to bytes for the BPF side, and back. */
#include "lib/formats/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/formats/manifest_tree.h"
#include "lib/numbers.h"

#define EXPR_CURE "arg0 … arg5, retval, a number, or *(arg0+16):u64"

enum { LOADS_MAX = 2, ARGS_CNT = 6 };

struct scan {
	const char *start, *p;
	struct manifest_fault *f;
};

struct type {
	const char *name;
	uint8_t width, is_signed;
};
static const struct type types[] = {
	{"u8", 1, 0}, {"u16", 2, 0}, {"u32", 4, 0}, {"u64", 8, 0},
	{"s8", 1, 1}, {"s16", 2, 1}, {"s32", 4, 1}, {"s64", 8, 1},
};

/* Longest first, so that <= is not read as <. */
static const struct {
	const char *s;
	uint8_t op;
} ops[] = {
	{"==", WHEN_EQ}, {"!=", WHEN_NE}, {"<=", WHEN_LE}, {">=", WHEN_GE},
	{"<", WHEN_LT},	 {">", WHEN_GT},  {"&", WHEN_AND},
};

static int no(struct scan *s, const char *at, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int no(struct scan *s, const char *at, const char *cure, const char *fmt, ...)
{
	va_list ap;

	s->f->at = (size_t)(at - s->start);
	snprintf(s->f->cure, sizeof(s->f->cure), "%s", cure);
	va_start(ap, fmt);
	vsnprintf(s->f->reason, sizeof(s->f->reason), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static void skip_blanks(struct scan *s)
{
	s->p += strspn(s->p, " ");
}

static bool take(struct scan *s, char c)
{
	skip_blanks(s);
	if (*s->p != c)
		return false;
	s->p++;
	return true;
}

/* Letters, digits and underscores, cut to 31 for the comparison that follows. */
static void take_word(struct scan *s, char ret[32])
{
	size_t n = 0, len = 0;

	skip_blanks(s);
	while (isalnum((unsigned char)s->p[n]) || s->p[n] == '_') {
		if (len < 31)
			ret[len++] = s->p[n];
		n++;
	}
	ret[len] = 0;
	s->p += n;
}

static int take_number(struct scan *s, uint64_t *ret)
{
	const char *at;
	char word[32];
	int rc;

	skip_blanks(s);
	at = s->p;
	take_word(s, word);
	rc = parse_u64(word, ret);
	if (rc == -ERANGE)
		return no(s, at, "at most 64 bits", "%s does not fit 64 bits", word);
	if (rc || (word[0] == '0' && isdigit((unsigned char)word[1])))
		return no(s, at, "decimal, or 0x and hex digits", "\"%s\" is no number",
			  shown(word[0] ? word : at).s);
	return 0;
}

/* ":u32" if there is one. */
static int take_type(struct scan *s, const struct type **ret)
{
	const char *at;
	char word[32];

	*ret = NULL;
	if (!take(s, ':'))
		return 0;
	skip_blanks(s);
	at = s->p;
	take_word(s, word);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, word))
			*ret = &types[i];
	if (!*ret)
		return no(s, at, "u8 u16 u32 u64 s8 s16 s32 s64", "there is no type \"%s\"",
			  shown(word[0] ? word : at).s);
	return 0;
}

static int atom_word(struct scan *s, const char *at, const char *word, struct desc_expr *e)
{
	if (!strcmp(word, "retval")) {
		e->kind = EXPR_RETVAL;
		return 0;
	}
	if (!strncmp(word, "arg", 3) && isdigit((unsigned char)word[3]) && !word[4] &&
	    word[3] < '0' + ARGS_CNT) {
		e->kind = EXPR_ARG;
		e->reg = (uint8_t)(word[3] - '0');
		return 0;
	}
	if (!strncmp(word, "arg", 3) && isdigit((unsigned char)word[3]))
		return no(s, at, "arg0 … arg5", "there is no %s: six arguments can be named",
			  shown(word).s);
	return no(s, at, EXPR_CURE, "\"%s\" is no expression", shown(word[0] ? word : at).s);
}

static int take_atom(struct scan *s, struct desc_expr *e)
{
	const char *at;
	char word[32];

	skip_blanks(s);
	at = s->p;
	if (isdigit((unsigned char)*at)) {
		uint64_t v;
		int rc = take_number(s, &v);

		if (!rc) {
			e->kind = EXPR_CONST;
			e->value = v;
		}
		return rc;
	}
	if (!*at)
		return no(s, at, EXPR_CURE, "an expression is missing here");
	take_word(s, word);
	return atom_word(s, at, word, e);
}

/* "+16", "-8" or nothing, behind what a load reads from. */
static int take_offset(struct scan *s, int32_t *ret)
{
	const char *at;
	uint64_t v = 0;
	bool minus;
	int rc;

	skip_blanks(s);
	at = s->p;
	if (*at != '+' && *at != '-') {
		*ret = 0;
		return 0;
	}
	minus = *s->p++ == '-';
	rc = take_number(s, &v);
	if (rc)
		return rc;
	if (v > INT32_MAX)
		return no(s, at, "an offset inside the object", "the offset is beyond 2 GiB");
	*ret = minus ? -(int32_t)v : (int32_t)v;
	return 0;
}

static int set_width(struct scan *s, const char *at, bool inner, struct desc_expr *e)
{
	const struct type *type;
	const char *colon = s->p;
	int rc = take_type(s, &type);

	if (rc)
		return rc;
	if (inner && type && strcmp(type->name, "u64"))
		return no(s, colon, "leave the inner type away: *(*(arg0+8)+16):u32",
			  "the inner load reads a pointer, which is u64");
	if (!inner && !type && e->loads)
		return no(s, at, "as in *(arg0+16):u64", "a load needs its type");
	e->width = type && !inner ? type->width : 8;
	e->is_signed = type && !inner ? type->is_signed : 0;
	return 0;
}

static int take_load(struct scan *s, unsigned depth, struct desc_expr *e);

/* What a load reads from: another load, or a register. */
static int take_base(struct scan *s, unsigned depth, struct desc_expr *e)
{
	const char *at;
	int rc;

	skip_blanks(s);
	at = s->p;
	if (take(s, '*')) {
		if (depth == LOADS_MAX)
			return no(s, at, "a site where the inner pointer is an argument",
				  "loads nest at most twice");
		rc = take_load(s, depth + 1, e);
		return rc ? rc : set_width(s, at, true, e);
	}
	rc = take_atom(s, e);
	if (!rc && e->kind == EXPR_CONST)
		return no(s, at, "load from arg0 … arg5 or retval",
			  "a fixed address moves with every start of the program");
	return rc;
}

/* After the star: "(base+off)". The innermost load comes first in off[]. */
static int take_load(struct scan *s, unsigned depth, struct desc_expr *e)
{
	int32_t off = 0;
	int rc;

	if (!take(s, '('))
		return no(s, s->p, "brackets, as in *(arg0+16):u64", "a load needs brackets");
	rc = take_base(s, depth, e);
	if (!rc)
		rc = take_offset(s, &off);
	if (rc)
		return rc;
	if (!take(s, ')'))
		return no(s, s->p, "one offset, then a bracket: *(arg0+16):u64",
			  "\")\" is missing");
	e->off[e->loads++] = off;
	return 0;
}

static int take_expr(struct scan *s, struct desc_expr *e)
{
	const char *at;
	int rc;

	skip_blanks(s);
	at = s->p;
	rc = take(s, '*') ? take_load(s, 1, e) : take_atom(s, e);
	if (!rc && e->kind == EXPR_CONST) {
		e->width = 8;
		return 0;
	}
	return rc ? rc : set_width(s, at, false, e);
}

int manifest_expr_parse(const char *text, struct desc_expr *ret, struct manifest_fault *f)
{
	struct scan s = {text, text, f};
	struct desc_expr e = {.kind = EXPR_NONE};
	int rc = take_expr(&s, &e);

	if (rc)
		return rc;
	skip_blanks(&s);
	if (*s.p == '+' || *s.p == '-')
		return no(&s, s.p, "*(arg0+16):u64 reads what stands 16 bytes behind arg0",
			  "sums stand inside a load only");
	if (*s.p)
		return no(&s, s.p, EXPR_CURE, "\"%s\" is too much", shown(s.p).s);
	*ret = e;
	return 0;
}

static int take_op(struct scan *s, uint8_t *ret)
{
	skip_blanks(s);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t len = strlen(ops[i].s);

		if (strncmp(s->p, ops[i].s, len))
			continue;
		s->p += len;
		*ret = ops[i].op;
		return 0;
	}
	if (!*s->p)
		return no(s, s->p, "as in retval != 0",
			  "a guard compares: the comparison is missing");
	return no(s, s->p, *s->p == '=' ? "==" : "== != < <= > >= &", "\"%s\" is no comparison",
		  shown(s->p).s);
}

static uint64_t width_mask(uint8_t width)
{
	return width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

/* Whether the left side, of its type, can have the value at all. */
static bool fits(const struct desc_when *w, bool minus, uint64_t v)
{
	uint64_t mask = width_mask(w->lhs.width);

	if (w->op == WHEN_AND)
		return !minus && v <= mask;
	if (!w->lhs.is_signed)
		return minus ? w->lhs.width == 8 : v <= mask;
	return minus ? v <= (mask >> 1) + 1 : v <= mask >> 1;
}

/* The constant on the right. A minus makes a 64-bit comparison signed. */
static int take_value(struct scan *s, struct desc_when *w)
{
	const char *at;
	bool minus;
	uint64_t v;
	int rc;

	skip_blanks(s);
	at = s->p;
	minus = take(s, '-');
	rc = take_number(s, &v);
	if (rc)
		return rc;
	if (minus && v > UINT64_C(1) << 63)
		return no(s, at, "at least -2^63", "the number does not fit 64 bits");
	if (!fits(w, minus, v))
		return no(s, at, "a wider or a signed type on the left, as in retval:s32",
			  "the left side can never have this value");
	w->is_signed = w->op != WHEN_AND && (w->lhs.is_signed || minus);
	w->value = minus ? 0 - v : v;
	return 0;
}

static int check_guard(struct scan *s, const struct desc_when *w)
{
	skip_blanks(s);
	if (*s->p == '&' || *s->p == '|')
		return no(s, s->p, "two descriptors, or the stronger half",
			  "one comparison a guard");
	if (*s->p)
		return no(s, s->p, "as in retval != 0", "\"%s\" is too much", shown(s->p).s);
	if (w->lhs.kind == EXPR_CONST)
		return no(s, s->start, "arg0 … arg5, retval or a load on the left",
			  "a guard that compares two numbers always says the same");
	if (!w->is_signed && !w->value && (w->op == WHEN_GE || w->op == WHEN_LT))
		return no(s, s->start, "name a signed type, as in retval:s32 >= 0",
			  "an unsigned value is never below 0");
	if (w->op == WHEN_AND && !w->value)
		return no(s, s->start, "a mask of at least one bit",
			  "nothing has a bit in common with 0");
	return 0;
}

int manifest_when_parse(const char *text, struct desc_when *ret, struct manifest_fault *f)
{
	struct scan s = {text, text, f};
	struct desc_when w = {.op = WHEN_ALWAYS};
	int rc = take_expr(&s, &w.lhs);

	if (!rc)
		rc = take_op(&s, &w.op);
	if (!rc)
		rc = take_value(&s, &w);
	if (!rc)
		rc = check_guard(&s, &w);
	if (!rc)
		*ret = w;
	return rc;
}

static const char *type_name(const struct desc_expr *e)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].width == e->width && types[i].is_signed == e->is_signed)
			return types[i].name;
	return "u64";
}

struct manifest_text manifest_expr_text(const struct desc_expr *e)
{
	struct manifest_text t = {""};
	size_t n = 0;

	if (e->kind == EXPR_CONST) {
		snprintf(t.s, sizeof(t.s), "%" PRIu64, (uint64_t)e->value);
		return t;
	}
	if (e->kind == EXPR_NONE)
		return t;
	for (unsigned i = 0; i < e->loads; i++)
		n += (size_t)snprintf(t.s + n, sizeof(t.s) - n, "*(");
	if (e->kind == EXPR_ARG)
		n += (size_t)snprintf(t.s + n, sizeof(t.s) - n, "arg%u", e->reg);
	else
		n += (size_t)snprintf(t.s + n, sizeof(t.s) - n, "retval");
	for (unsigned i = 0; i < e->loads; i++) {
		if (e->off[i])
			n += (size_t)snprintf(t.s + n, sizeof(t.s) - n, "%+d", e->off[i]);
		n += (size_t)snprintf(t.s + n, sizeof(t.s) - n, ")");
	}
	if (e->loads || e->width != 8 || e->is_signed)
		snprintf(t.s + n, sizeof(t.s) - n, ":%s", type_name(e));
	return t;
}

struct manifest_text manifest_when_text(const struct desc_when *w)
{
	struct manifest_text t = {""};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (ops[i].op != w->op)
			continue;
		if (w->is_signed)
			snprintf(t.s, sizeof(t.s), "%.96s %s %" PRId64,
				 manifest_expr_text(&w->lhs).s, ops[i].s, (int64_t)w->value);
		else
			snprintf(t.s, sizeof(t.s), "%.96s %s %" PRIu64,
				 manifest_expr_text(&w->lhs).s, ops[i].s, (uint64_t)w->value);
	}
	return t;
}
