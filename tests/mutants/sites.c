/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds mutable tokens in C source. */
#include "tests/mutants/sites.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_NONE, TOKEN_NAME, TOKEN_NUMBER, TOKEN_PUNCT, TOKEN_OTHER };

struct token {
	enum token_kind kind;
	const char *at;
	size_t len;
};

struct scan {
	struct sites *out;
	const char *path, *text, *at;
	unsigned line;
	const char *line_start;
	struct token prev[3]; /* the last three, newest first */
	unsigned braces;      /* inside an enumerator list: its depth, else 0 */
	bool enum_ahead;
	unsigned excused_line;
	int err;
};

/* The whole file in a NUL-terminated buffer. */
static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0, room = 0;

	if (!f)
		return NULL;
	while (!feof(f) && !ferror(f)) {
		char *bigger = len + 4096 > room ? realloc(text, room = len + 65536) : text;

		if (!bigger)
			break;
		text = bigger;
		len += fread(text + len, 1, 4095, f);
	}
	fclose(f);
	if (text)
		text[len] = 0;
	return text;
}

static bool token_is(const struct token *t, const char *word)
{
	return t->len == strlen(word) && !memcmp(t->at, word, t->len);
}

static void add(struct scan *s, const struct token *t, const char *to)
{
	struct sites *o = s->out;
	struct site *x;

	if (o->cnt == o->room) {
		size_t room = o->room ? 2 * o->room : 1024;
		struct site *v = realloc(o->v, room * sizeof(*v));

		if (!v) {
			s->err = -ENOMEM;
			return;
		}
		o->v = v;
		o->room = room;
	}
	x = &o->v[o->cnt++];
	*x = (struct site){
		.text = s->text,
		.offset = (size_t)(t->at - s->text),
		.len = t->len,
		.line = s->line,
		.column = (unsigned)(t->at - s->line_start) + 1,
	};
	snprintf(x->file, sizeof(x->file), "%s", s->path);
	snprintf(x->from, sizeof(x->from), "%.*s", (int)t->len, t->at);
	snprintf(x->to, sizeof(x->to), "%s", to);
}

/* Can what stands before be the left side of a binary operator? */
static bool operand_before(const struct scan *s)
{
	const struct token *p = &s->prev[0];

	if (p->kind == TOKEN_NUMBER)
		return true;
	if (p->kind == TOKEN_NAME)
		return !token_is(p, "return") && !token_is(p, "case");
	return token_is(p, ")") || token_is(p, "]");
}

static void mutate_punct(struct scan *s, const struct token *t)
{
	static const char *const flips[][2] = {
		{"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},	{"==", "!="}, {"!=", "=="},
		{"&&", "||"}, {"||", "&&"}, {"+=", "-="}, {"-=", "+="}, {"+", "-"},   {"-", "+"},
	};

	if ((token_is(t, "+") || token_is(t, "-")) && !operand_before(s))
		return;
	for (size_t i = 0; i < sizeof(flips) / sizeof(flips[0]); i++)
		if (token_is(t, flips[i][0]))
			add(s, t, flips[i][1]);
}

/* "TYPE NAME [" or "* NAME [": the size of an array that is declared here. */
static bool declares_array(const struct scan *s)
{
	static const char *const no_types[] = {"return", "case", "sizeof", "else"};

	if (!token_is(&s->prev[0], "[") || s->prev[1].kind != TOKEN_NAME)
		return false;
	for (size_t i = 0; i < sizeof(no_types) / sizeof(no_types[0]); i++)
		if (token_is(&s->prev[2], no_types[i]))
			return false;
	return s->prev[2].kind == TOKEN_NAME;
}

static void mutate_number(struct scan *s, const struct token *t)
{
	char to[SITE_TOKEN], *end;
	unsigned long v = strtoul(t->at, &end, 10);

	if (s->braces || declares_array(s) || (t->len > 1 && t->at[0] == '0') || t->len > 8)
		return;
	for (const char *c = end; c < t->at + t->len; c++)
		if (!strchr("uUlL", *c))
			return; /* a fraction or a hexadecimal */
	snprintf(to, sizeof(to), "%lu%.*s", v + 1, (int)(t->at + t->len - end), end);
	add(s, t, to);
	if (!v)
		return;
	snprintf(to, sizeof(to), "%lu%.*s", v - 1, (int)(t->at + t->len - end), end);
	add(s, t, to);
}

static void mutate_name(struct scan *s, const struct token *t)
{
	if (token_is(t, "true"))
		add(s, t, "false");
	else if (token_is(t, "false"))
		add(s, t, "true");
	else if (token_is(t, "enum"))
		s->enum_ahead = true;
}

static void follow_braces(struct scan *s, const struct token *t)
{
	if (token_is(t, "{") && (s->enum_ahead || s->braces))
		s->braces++;
	else if (token_is(t, "}") && s->braces)
		s->braces--;
	if (t->kind == TOKEN_PUNCT)
		s->enum_ahead = false;
}

static void take(struct scan *s, enum token_kind kind, size_t len)
{
	struct token t = {.kind = kind, .at = s->at, .len = len};
	size_t before = s->out->cnt;

	if (kind == TOKEN_PUNCT)
		mutate_punct(s, &t);
	else if (kind == TOKEN_NUMBER)
		mutate_number(s, &t);
	else if (kind == TOKEN_NAME)
		mutate_name(s, &t);
	follow_braces(s, &t);
	for (size_t i = before; i < s->out->cnt; i++)
		s->out->v[i].excused = s->line == s->excused_line;
	s->prev[2] = s->prev[1];
	s->prev[1] = s->prev[0];
	s->prev[0] = t;
	s->at += len;
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

static void new_line(struct scan *s)
{
	s->line++;
	s->at++;
	s->line_start = s->at;
}

static bool first_on_line(const struct scan *s)
{
	const char *c = s->line_start;

	while (c < s->at && isspace((unsigned char)*c))
		c++;
	return c == s->at;
}

/* An excuse counts for every line that its comment touches, or for the line below it. */
static void excuse(struct scan *s, unsigned from, unsigned to, bool alone)
{
	s->excused_line = alone ? to + 1 : from;
	for (size_t i = s->out->cnt; !alone && i > 0 && s->out->v[i - 1].line == from &&
				     !strcmp(s->out->v[i - 1].file, s->path);
	     i--)
		s->out->v[i - 1].excused = true;
}

static void skip_comment(struct scan *s)
{
	const char *end = strstr(s->at + 2, "*/");
	const char *mark = strstr(s->at, "mutant: equivalent because ");
	bool marked = mark && end && mark < end, alone = first_on_line(s);
	unsigned from = s->line;

	while (*s->at && s->at != end) {
		if (*s->at == '\n')
			new_line(s);
		else
			s->at++;
	}
	if (end)
		s->at += 2;
	if (marked)
		excuse(s, from, s->line, alone);
}

static void skip_preprocessor(struct scan *s)
{
	while (*s->at && *s->at != '\n') {
		if (s->at[0] == '\\' && s->at[1] == '\n') {
			s->at++;
			new_line(s);
		} else {
			s->at++;
		}
	}
}

static void skip_quoted(struct scan *s)
{
	const char *end = s->at + 1;

	while (*end && *end != *s->at)
		end += *end == '\\' && end[1] ? 2 : 1;
	take(s, TOKEN_OTHER, (size_t)(end - s->at) + (*end != 0));
}

static void take_word(struct scan *s)
{
	enum token_kind kind = isdigit((unsigned char)*s->at) ? TOKEN_NUMBER : TOKEN_NAME;
	size_t len = 1;

	while (isalnum((unsigned char)s->at[len]) || s->at[len] == '_' ||
	       (kind == TOKEN_NUMBER && s->at[len] == '.'))
		len++;
	take(s, kind, len);
}

static void scan_one(struct scan *s)
{
	unsigned char c = (unsigned char)*s->at;

	if (c == '\n')
		new_line(s);
	else if (isspace(c))
		s->at++;
	else if (c == '/' && s->at[1] == '*')
		skip_comment(s);
	else if (c == '#' && first_on_line(s))
		skip_preprocessor(s);
	else if (c == '"' || c == '\'')
		skip_quoted(s);
	else if (isalnum(c) || c == '_')
		take_word(s);
	else
		take(s, TOKEN_PUNCT, punct_len(s->at));
}

int sites_scan(struct sites *out, const char *path)
{
	char *text = read_text(path);
	char **texts = realloc(out->texts, (out->texts_cnt + 1) * sizeof(*texts));
	struct scan s = {.out = out, .path = path, .text = text, .at = text, .line = 1};

	if (texts)
		out->texts = texts;
	if (!text || !texts) {
		free(text);
		return text ? -ENOMEM : -EIO;
	}
	out->texts[out->texts_cnt++] = text;
	s.line_start = text;
	for (size_t i = 0; i < 3; i++)
		s.prev[i] = (struct token){.kind = TOKEN_NONE, .at = "", .len = 0};
	while (*s.at && !s.err)
		scan_one(&s);
	return s.err;
}

void sites_free(struct sites *s)
{
	for (size_t i = 0; i < s->texts_cnt; i++)
		free(s->texts[i]);
	free(s->texts);
	free(s->v);
	*s = (struct sites){0};
}

int site_apply(const struct site *x, const char *to_path)
{
	FILE *f = fopen(to_path, "w");
	int err;

	if (!f)
		return -errno;
	fwrite(x->text, 1, x->offset, f);
	fputs(x->to, f);
	fputs(x->text + x->offset + x->len, f);
	err = ferror(f) ? -EIO : 0;
	return fclose(f) ? -EIO : err;
}
