/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes applied to texts. */
#include "mutations/generate/change.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED "__attribute__((always_inline)) static inline "

static int not_as_expected(const char *name, struct diag *d)
{
	return diag_set(d, -EINVAL, name, 0, NULL, "the sources are not as they were read");
}

static int splice(struct text *t, size_t at, size_t len, const char *with, struct diag *d)
{
	int rc = text_splice(t, at, len, with);

	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

/* Splices what was printed, and frees it. */
static int splice_printed(struct text *t, size_t at, size_t len, char *with, struct diag *d)
{
	int rc = with ? splice(t, at, len, with, d)
		      : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	free(with);
	return rc;
}

void change_say(char to[CHANGE_TEXT], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, CHANGE_TEXT, fmt, ap);
	va_end(ap);
}

/* ---- definitions ---- */

static int put_first(struct texts *t, const char *name, const char *statements, struct diag *d)
{
	struct operator_text o;

	if (!operator_find(t, name, &o))
		return not_as_expected(name, d);
	return splice_printed(&t->v[o.file], o.open + 1, 0, text_printed("\n%s", statements), d);
}

/* The name in brackets is no call of the macro that callers see. */
static char *define(const struct operator_text *o, const char *params, const char *statements)
{
	return text_printed("OPERATOR %s(%s)(%s)\n{\n%s}\n", o->result, o->name, params,
			    statements);
}

static char *sibling_and_operator(const struct change *c, const struct operator_text *o,
				  const char *lead, const char *body, int len,
				  const char *statements)
{
	char params[CHANGE_TEXT], *last, *all;

	operator_params(o, params, sizeof(params));
	last = define(o, params, statements);
	all = last ? text_printed("%s%s%s(%s)\n{%.*s\n}\n\n%s", lead, o->result, c->sibling, params,
				  len, body, last)
		   : NULL;
	free(last);
	return all;
}

static char *definition(const struct change *c, const struct texts *t,
			const struct operator_text *o)
{
	char args[CHANGE_TEXT], call[2 * CHANGE_TEXT], *own, *all;
	size_t len;
	const char *body = operator_body(t, o, &len);

	operator_args(o, args, sizeof(args));
	switch (c->body) {
	case BODY_MOVES:
		snprintf(call, sizeof(call), "\t%s%s(%s);\n", operator_is_void(o) ? "" : "return ",
			 c->sibling, args);
		return sibling_and_operator(c, o, "OPERATOR ", body, (int)len, call);
	case BODY_COPIED:
		own = text_printed("%.*s\n", (int)len - 1, body + 1);
		all = own ? sibling_and_operator(c, o, "OPERATOR ", body, (int)len, own) : NULL;
		free(own);
		return all;
	case BODY_INSIDE:
		return sibling_and_operator(c, o, INLINED, body, (int)len, c->around);
	default:
		operator_params(o, call, sizeof(call));
		return text_printed("OPERATOR %s(%s)(%s)\n{%.*s\n}\n", o->result, o->name, call,
				    (int)len, body);
	}
}

static int define_anew(const struct change *c, struct texts *t, struct diag *d)
{
	struct operator_text o;

	if (!operator_find(t, c->name, &o))
		return not_as_expected(c->name, d);
	return splice_printed(&t->v[o.file], o.from, o.end - o.from, definition(c, t, &o), d);
}

/* ---- headers ---- */

/* #define NAME(a, b) THROUGH(a, b) */
static char *redirect(const struct change *c, const struct operator_text *o, const char *params)
{
	char names[2 * OPERATOR_PARAMS * 2] = "";

	for (unsigned i = 0; i < o->params_cnt; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%c",
			 i ? ", " : "", (char)('a' + (int)i));
	return text_printed("%s%s%s(%s)\n{\n%s}\n#define %s(%s) %s(%s)\n", INLINED, o->result,
			    c->through, params, c->call, o->name, names, c->through, names);
}

/* What the sibling is to those who include the header. */
static char *announce(const struct change *c, const struct texts *t, const struct operator_text *o,
		      const char *params)
{
	size_t len;
	const char *body = operator_body(t, o, &len);

	if (c->body == BODY_HERE)
		return text_printed("%s%s%s(%s)\n{%.*s\n}\n", INLINED, o->result, c->sibling,
				    params, (int)len, body);
	if (c->body != BODY_MOVES && c->body != BODY_COPIED)
		return strdup("");
	if (!c->label[0])
		return text_printed("%s%s(%s);\n", o->result, c->sibling, params);
	return text_printed("%s%s(%s) __asm__(\"%s\");\n", o->result, c->sibling, params, c->label);
}

static const char *last_line(const char *text, const char *line)
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, line)); at++)
		found = at;
	return found;
}

/* Behind all that the header declares. */
static int head_anew(const struct change *c, struct texts *t, struct diag *d)
{
	char params[CHANGE_TEXT], *says, *through;
	struct operator_text o;
	const char *end;
	int rc;

	if (!operator_find(t, c->name, &o))
		return not_as_expected(c->name, d);
	end = last_line(t->v[o.header].s, "\n#endif");
	if (!end)
		return not_as_expected(t->v[o.header].name, d);
	operator_params(&o, params, sizeof(params));
	says = announce(c, t, &o, params);
	through = says && c->through[0] ? redirect(c, &o, params) : strdup("");
	rc = !says || !through
		     ? diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory")
		     : splice_printed(&t->v[o.header], (size_t)(end - t->v[o.header].s) + 1, 0,
				      text_printed("%s%s%s\n",
						   c->settings
							   ? "#include "
							     "\"workloads/driver/settings.h\"\n\n"
							   : "",
						   says, through),
				      d);
	free(says);
	free(through);
	return rc;
}

/* ---- members ---- */

static int add_field(const struct field *f, struct texts *t, struct diag *d)
{
	unsigned file;
	size_t end;

	if (!struct_find(t, f->tag, &file, &end))
		return not_as_expected(f->tag, d);
	return splice_printed(&t->v[file], end, 0, text_printed("\tuint32_t %s;\n", f->name), d);
}

static bool is_truths(const struct text *t)
{
	const char *last = strrchr(t->name, '/');

	return last && !strcmp(last, "/watch.c");
}

/* "\tX->member = V;" becomes one statement that also writes what was added. */
static int write_both(const struct change *c, struct text *t, size_t line, size_t arrow,
		      struct diag *d)
{
	size_t start = line + strspn(t->s + line, "\t");
	size_t end = (size_t)(strchrnul(t->s + line, ';') - t->s);
	int who = (int)(arrow - start);
	const char *x = t->s + start;
	char *with;

	if (c->written_before)
		with = text_printed("%.*s->%s = %.*s->%s, %.*s", who, x, c->added, who, x,
				    c->member, (int)(end - start), x);
	else if (c->fixed)
		with = text_printed("%.*s, %.*s->%s = %u", (int)(end - start), x, who, x, c->added,
				    c->more);
	else
		with = text_printed("%.*s, %.*s->%s = %.*s->%s + %u", (int)(end - start), x, who, x,
				    c->added, who, x, c->member, c->more);
	return splice_printed(t, start, end - start, with, d);
}

static bool is_write(const struct change *c, const char *behind)
{
	if (c->resets_only)
		return !strncmp(behind, " = 0;", 5);
	return !strncmp(behind, " = ", 3) || !strncmp(behind, " += ", 4) ||
	       !strncmp(behind, " -= ", 4);
}

static int write_in(const struct change *c, struct text *t, unsigned *cnt, struct diag *d)
{
	char arrow[OPERATOR_WORD + 4];
	size_t at = 0;

	snprintf(arrow, sizeof(arrow), "->%s", c->member);
	for (const char *p; (p = strstr(t->s + at, arrow));) {
		size_t here = (size_t)(p - t->s), line = here;
		int rc;

		at = here + strlen(arrow);
		while (line && t->s[line - 1] != '\n')
			line--;
		if (t->s[line] != '\t' || strcspn(t->s + line, " ") < here - line ||
		    !is_write(c, t->s + at))
			continue;
		rc = write_both(c, t, line, here, d);
		if (rc)
			return rc;
		at = (size_t)(strchrnul(t->s + line, '\n') - t->s);
		++*cnt;
	}
	return 0;
}

static int write_all(const struct change *c, struct texts *t, struct diag *d)
{
	unsigned cnt = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < t->cnt; i++)
		if (!is_truths(&t->v[i]))
			rc = write_in(c, &t->v[i], &cnt, d);
	return rc || cnt ? rc : not_as_expected(c->member, d);
}

/* What the file says of the member's place is said of its new one. */
static int move_assertion(const struct change *c, struct texts *t, struct diag *d)
{
	char said[2 * OPERATOR_WORD + 32];
	int rc = 0;

	snprintf(said, sizeof(said), "offsetof(struct %s, %s) == ", c->tag, c->member);
	for (unsigned i = 0; !rc && i < t->cnt; i++) {
		const char *at = is_truths(&t->v[i]) ? NULL : strstr(t->v[i].s, said);
		size_t from;

		if (!at)
			continue;
		at += strlen(said);
		from = (size_t)(at - t->v[i].s);
		rc = splice_printed(&t->v[i], from, strspn(at, "0123456789"),
				    text_printed("%lu", strtoul(at, NULL, 10) + 4), d);
	}
	return rc;
}

static int move_member(const struct change *c, struct texts *t, struct diag *d)
{
	size_t from, end;
	unsigned file;
	int rc;

	if (!member_find(t, c->tag, c->member, &file, &from) ||
	    !struct_find(t, c->tag, &file, &end))
		return not_as_expected(c->member, d);
	rc = splice_printed(&t->v[file], c->behind ? end : from, 0,
			    text_printed("\tuint32_t %s;\n", c->added), d);
	if (!rc && !c->behind)
		rc = move_assertion(c, t, d);
	return rc || !c->written ? rc : write_all(c, t, d);
}

/* ---- the whole ---- */

static bool is_defined_anew(const struct change *c)
{
	return c->through[0] || c->body != BODY_STAYS;
}

int change_apply(const struct change *c, struct texts *t, struct diag *d)
{
	int rc = c->first[0] ? put_first(t, c->name, c->first, d) : 0;

	if (!rc && c->other[0])
		rc = put_first(t, c->other, c->other_first, d);
	for (unsigned i = 0; !rc && i < CHANGE_FIELDS; i++)
		if (c->fields[i].name[0])
			rc = add_field(&c->fields[i], t, d);
	if (!rc && (is_defined_anew(c) || c->settings))
		rc = head_anew(c, t, d);
	if (!rc && is_defined_anew(c))
		rc = define_anew(c, t, d);
	return rc || !c->member[0] ? rc : move_member(c, t, d);
}
