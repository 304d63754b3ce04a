/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits C source into tokens and finds the operands of its operators. */
#include "tests/mutants/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct tokens *out;
	const char *at, *line_start;
	unsigned line;
	int err;
};

#define IN_LIST(t, list) in_list(t, list, sizeof(list) / sizeof((list)[0]))

bool token_is(const struct token *t, const char *word)
{
	return t->len == strlen(word) && !memcmp(t->at, word, t->len);
}

static bool in_list(const struct token *t, const char *const *list, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (token_is(t, list[i]))
			return true;
	return false;
}

/* Room for one more, or NULL. */
static void *grown(void *v, size_t cnt, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 256;

	if (cnt < *room)
		return v;
	v = realloc(v, more * size);
	if (v)
		*room = more;
	return v;
}

static void add_token(struct reader *r, enum token_kind kind, size_t len)
{
	struct tokens *o = r->out;
	struct token *v = grown(o->v, o->cnt, &o->room, sizeof(*v));

	if (!v) {
		r->err = -ENOMEM;
		return;
	}
	o->v = v;
	v[o->cnt++] = (struct token){.at = r->at,
				     .len = len,
				     .match = TOKEN_UNMATCHED,
				     .kind = kind,
				     .line = r->line,
				     .column = (unsigned)(r->at - r->line_start) + 1};
	r->at += len;
}

static void new_line(struct reader *r)
{
	r->line++;
	r->line_start = ++r->at;
}

static bool first_on_line(const struct reader *r)
{
	const char *c = r->line_start;

	while (c < r->at && isspace((unsigned char)*c))
		c++;
	return c == r->at;
}

/* A comment of its own speaks for the line below it, one beside code for the lines it touches. */
static void add_excuse(struct reader *r, const char *mark, const char *colon, unsigned from,
		       bool alone)
{
	struct tokens *o = r->out;
	struct excuse *v = grown(o->excuses, o->excuses_cnt, &o->excuses_room, sizeof(*v));

	if (!v) {
		r->err = -ENOMEM;
		return;
	}
	o->excuses = v;
	v[o->excuses_cnt++] = (struct excuse){.to = mark,
					      .len = (size_t)(colon - mark),
					      .from = alone ? r->line + 1 : from,
					      .last = alone ? r->line + 1 : r->line};
}

static void read_comment(struct reader *r)
{
	static const char word[] = "mutant", reason[] = ": equivalent because ";
	const char *begin = r->at, *end = strstr(r->at + 2, "*/");
	const char *mark = strstr(begin, word), *colon = strstr(begin, reason);
	bool alone = first_on_line(r), marked;
	unsigned from = r->line;

	end = end ? end + 2 : begin + strlen(begin);
	marked = mark && colon && mark < colon && colon < end;
	while (r->at < end) {
		if (*r->at == '\n')
			new_line(r);
		else
			r->at++;
	}
	if (marked)
		add_excuse(r, mark + strlen(word), colon, from, alone);
}

static void skip_preprocessor(struct reader *r)
{
	while (*r->at && *r->at != '\n') {
		if (r->at[0] == '\\' && r->at[1] == '\n') {
			r->at++;
			new_line(r);
		} else {
			r->at++;
		}
	}
}

static void read_quoted(struct reader *r)
{
	const char *end = r->at + 1;

	while (*end && *end != *r->at)
		end += *end == '\\' && end[1] ? 2 : 1;
	add_token(r, TOKEN_QUOTED, (size_t)(end - r->at) + (*end != 0));
}

static void read_word(struct reader *r)
{
	enum token_kind kind = isdigit((unsigned char)*r->at) ? TOKEN_NUMBER : TOKEN_NAME;
	size_t len = 1;

	while (isalnum((unsigned char)r->at[len]) || r->at[len] == '_' ||
	       (kind == TOKEN_NUMBER &&
		(r->at[len] == '.' || (strchr("+-", r->at[len]) && strchr("eE", r->at[len - 1])))))
		len++;
	add_token(r, kind, len);
}

static size_t punct_len(const char *at)
{
	static const char *const longs[] = {
		"<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
		"++",  "--",  "->",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

	for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
		if (!strncmp(at, longs[i], strlen(longs[i])))
			return strlen(longs[i]);
	return 1;
}

static void read_one(struct reader *r)
{
	unsigned char c = (unsigned char)*r->at;

	if (c == '\n')
		new_line(r);
	else if (isspace(c))
		r->at++;
	else if (c == '/' && r->at[1] == '*')
		read_comment(r);
	else if (c == '#' && first_on_line(r))
		skip_preprocessor(r);
	else if (c == '"' || c == '\'')
		read_quoted(r);
	else if (isalnum(c) || c == '_')
		read_word(r);
	else
		add_token(r, TOKEN_PUNCT, punct_len(r->at));
}

static bool is_opening(const struct token *t)
{
	return t->kind == TOKEN_PUNCT && t->len == 1 && strchr("([{", *t->at);
}

static bool is_closing(const struct token *t)
{
	return t->kind == TOKEN_PUNCT && t->len == 1 && strchr(")]}", *t->at);
}

/* The chain of brackets that are open is kept in their own `match`. */
static void match_brackets(struct tokens *t)
{
	size_t open = TOKEN_UNMATCHED;

	for (size_t i = 0; i < t->cnt; i++) {
		if (is_opening(&t->v[i])) {
			t->v[i].match = open;
			open = i;
		} else if (is_closing(&t->v[i]) && open != TOKEN_UNMATCHED) {
			size_t outer = t->v[open].match;

			t->v[open].match = i;
			t->v[i].match = open;
			open = outer;
		}
	}
	while (open != TOKEN_UNMATCHED) {
		size_t outer = t->v[open].match;

		t->v[open].match = TOKEN_UNMATCHED;
		open = outer;
	}
}

int tokens_read(struct tokens *ret, const char *text)
{
	struct tokens t = {0};
	struct reader r = {.out = &t, .at = text, .line_start = text, .line = 1};

	while (*r.at && !r.err)
		read_one(&r);
	if (r.err) {
		tokens_free(&t);
		return r.err;
	}
	match_brackets(&t);
	*ret = t;
	return 0;
}

void tokens_free(struct tokens *t)
{
	free(t->v);
	free(t->excuses);
	*t = (struct tokens){0};
}

static bool is_type_name(const struct token *t)
{
	static const char *const names[] = {"int",   "unsigned", "long",  "short", "char", "double",
					    "float", "bool",	 "_Bool", "void",  "const"};

	return IN_LIST(t, names) || (t->len > 2 && !memcmp(t->at + t->len - 2, "_t", 2));
}

/* Is the `)` at i the end of a cast? */
static bool ends_cast(const struct tokens *t, size_t i)
{
	static const char *const tags[] = {"struct", "union", "enum"};
	size_t open = t->v[i].match;

	if (open == TOKEN_UNMATCHED || open + 1 == i)
		return false;
	if (open && t->v[open - 1].kind == TOKEN_NAME && !token_is(&t->v[open - 1], "return"))
		return false; /* a call, or sizeof */
	for (size_t k = open + 1; k < i; k++) {
		const struct token *x = &t->v[k];

		if (IN_LIST(x, tags))
			k++;
		else if (!is_type_name(x) && !(token_is(x, "*") && k > open + 1))
			return false;
	}
	return true;
}

/* Is the `)` at i the end of what a statement is governed by? */
static bool ends_condition(const struct tokens *t, size_t i)
{
	static const char *const words[] = {"if", "while", "for", "switch"};
	size_t open = t->v[i].match;

	return token_is(&t->v[i], ")") && open != TOKEN_UNMATCHED && open &&
	       IN_LIST(&t->v[open - 1], words);
}

/* Can what stands before i be the end of an operand? */
static bool operand_before(const struct tokens *t, size_t i)
{
	static const char *const words[] = {"return", "case", "else", "do", "sizeof"};
	const struct token *p;

	if (!i)
		return false;
	p = &t->v[i - 1];
	if (p->kind == TOKEN_NAME)
		return !IN_LIST(p, words);
	if (p->kind != TOKEN_PUNCT)
		return true;
	if (token_is(p, ")"))
		return !ends_cast(t, i - 1) && !ends_condition(t, i - 1);
	return token_is(p, "]") || token_is(p, "++") || token_is(p, "--");
}

enum { BIND_ASSIGN = 1, BIND_CHOICE, BIND_FIRST, BIND_UNARY = 100 };

/* How tightly a binary operator binds: more is tighter; 0 if it is none. */
static int binding(const struct tokens *t, size_t i)
{
	static const char *const by_binding[][5] = {{"||"},
						    {"&&"},
						    {"|"},
						    {"^"},
						    {"&"},
						    {"==", "!="},
						    {"<", "<=", ">", ">="},
						    {"<<", ">>"},
						    {"+", "-"},
						    {"*", "/", "%"}};
	static const char *const assigns[] = {
		"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	const struct token *x = &t->v[i];

	if (x->kind != TOKEN_PUNCT)
		return 0;
	if (IN_LIST(x, assigns))
		return BIND_ASSIGN;
	if (token_is(x, "?") || token_is(x, ":"))
		return BIND_CHOICE;
	for (size_t b = 0; b < sizeof(by_binding) / sizeof(by_binding[0]); b++)
		for (size_t k = 0; k < 5 && by_binding[b][k]; k++)
			if (token_is(x, by_binding[b][k]))
				return operand_before(t, i) ? BIND_FIRST + (int)b : 0;
	return 0;
}

bool token_is_binary(const struct tokens *t, size_t i)
{
	return binding(t, i) >= BIND_FIRST;
}

static size_t operand_begin(const struct tokens *t, size_t i, int bind)
{
	static const char *const stops[] = {"return", "case", "else", "do", ",",
					    ";",      "{",    "}",    "(",  "["};

	while (i) {
		const struct token *x = &t->v[i - 1];
		int b = binding(t, i - 1);

		if (IN_LIST(x, stops) || (b && b < bind) || ends_condition(t, i - 1))
			break;
		i = is_closing(x) && x->match != TOKEN_UNMATCHED ? x->match : i - 1;
	}
	return i;
}

static size_t operand_end(const struct tokens *t, size_t i, int bind)
{
	unsigned choices = 0;

	for (; i < t->cnt; i++) {
		const struct token *x = &t->v[i];
		int b = binding(t, i);

		if (is_closing(x) || token_is(x, ",") || token_is(x, ";"))
			break;
		if (bind == BIND_ASSIGN && token_is(x, "?"))
			choices++;
		else if (choices && token_is(x, ":"))
			choices--;
		else if (b && (bind == BIND_ASSIGN ? token_is(x, ":") : b <= bind))
			break;
		if (is_opening(x) && x->match != TOKEN_UNMATCHED)
			i = x->match;
	}
	return i;
}

void token_operands(const struct tokens *t, size_t i, size_t *ret_from, size_t *ret_to)
{
	int bind = binding(t, i);

	*ret_from = operand_begin(t, i, bind == BIND_ASSIGN ? BIND_UNARY : bind);
	*ret_to = operand_end(t, i + 1, bind);
}
