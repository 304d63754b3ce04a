/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds mutable tokens in C source. */
#include "tests/mutants/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/hash.h"

/* Where the scan stands: the token, and the tokens up to which something holds. */
struct scan {
	struct sites *out;
	struct source *src;
	const struct tokens *t;
	size_t i;
	size_t body_to;	 /* inside a function */
	size_t fixed_to; /* inside a static initialiser or a case label */
	size_t skip_to;	 /* inside what is left alone */
	int err;
};

static const struct token *before(const struct scan *s, size_t back)
{
	static const struct token none = {.at = "", .kind = TOKEN_PUNCT};

	return s->i < back ? &none : &s->t->v[s->i - back];
}

/* Does a list of words, parted by blanks, hold this one? */
static bool lists(const char *list, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	for (const char *at = list; at + word_len <= list + len; at++)
		if (!memcmp(at, word, word_len) && at > list && at[-1] == ' ' &&
		    (at + word_len == list + len || at[word_len] == ' '))
			return true;
	return false;
}

static bool excused(const struct tokens *t, unsigned line, const char *new)
{
	for (size_t i = 0; i < t->excuses_cnt; i++) {
		const struct excuse *e = &t->excuses[i];

		if (line >= e->from && line <= e->last && (!e->len || lists(e->to, e->len, new)))
			return true;
	}
	return false;
}

static bool grow(struct sites *o)
{
	size_t room = o->room ? 2 * o->room : 1024;
	struct site *v = o->cnt < o->room ? o->v : realloc(o->v, room * sizeof(*v));

	if (!v)
		return false;
	if (o->cnt == o->room)
		o->room = room;
	o->v = v;
	return true;
}

static void add(struct scan *s, const char *new)
{
	const struct token *t = &s->t->v[s->i];
	struct sites *o = s->out;
	bool fixed = s->i < s->fixed_to || s->i >= s->body_to;
	struct site *x;

	if (fixed && s->src->header)
		return;
	if (s->src->cnt == SITES_A_FILE || !grow(o)) {
		s->err = s->src->cnt == SITES_A_FILE ? -E2BIG : -ENOMEM;
		return;
	}
	x = &o->v[o->cnt++];
	*x = (struct site){.file = (uint32_t)o->files_cnt,
			   .token = s->i,
			   .from = s->i,
			   .to = s->i + 1,
			   .line = t->line,
			   .column = t->column,
			   .fixed = fixed,
			   .excused = excused(s->t, t->line, new)};
	x->id = 1 + x->file * SITES_A_FILE + (uint32_t)s->src->cnt++;
	if (t->kind == TOKEN_PUNCT)
		token_operands(s->t, s->i, &x->from, &x->to);
	snprintf(x->old, sizeof(x->old), "%.*s", (int)t->len, t->at);
	snprintf(x->new, sizeof(x->new), "%s", new);
}

static void mutate_punct(struct scan *s, const struct token *t)
{
	static const char *const flips[][2] = {
		{"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},	{"==", "!="}, {"!=", "=="},
		{"&&", "||"}, {"||", "&&"}, {"+=", "-="}, {"-=", "+="}, {"+", "-"},   {"-", "+"},
	};

	if ((token_is(t, "+") || token_is(t, "-")) && !token_is_binary(s->t, s->i))
		return;
	for (size_t i = 0; i < sizeof(flips) / sizeof(flips[0]); i++)
		if (token_is(t, flips[i][0]))
			add(s, flips[i][1]);
}

/* "TYPE NAME [": the size of an array that is declared here. */
static bool declares_array(const struct scan *s)
{
	static const char *const no_types[] = {"return", "case", "sizeof", "else"};
	const struct token *type = before(s, 3);

	if (!token_is(before(s, 1), "[") || before(s, 2)->kind != TOKEN_NAME || s->i < 3)
		return false;
	for (size_t i = 0; i < sizeof(no_types) / sizeof(no_types[0]); i++)
		if (token_is(type, no_types[i]))
			return false;
	return type->kind == TOKEN_NAME;
}

static bool is_width(const struct scan *s)
{
	return token_is(before(s, 1), ":") && s->i >= s->body_to;
}

static void mutate_number(struct scan *s, const struct token *t)
{
	char to[SITE_TOKEN], *end;
	unsigned long v = strtoul(t->at, &end, 10);

	if (declares_array(s) || is_width(s) || (t->len > 1 && t->at[0] == '0') || t->len > 8)
		return;
	for (const char *c = end; c < t->at + t->len; c++)
		if (!strchr("uUlL", *c))
			return; /* a fraction or a hexadecimal */
	snprintf(to, sizeof(to), "%lu%.*s", v + 1, (int)(t->at + t->len - end), end);
	add(s, to);
	if (!v)
		return;
	snprintf(to, sizeof(to), "%lu%.*s", v - 1, (int)(t->at + t->len - end), end);
	add(s, to);
}

/* The end of the brackets that begin somewhere in the next `within` tokens. */
static size_t past_brackets(const struct scan *s, const char *open, size_t within)
{
	for (size_t i = s->i + 1; i < s->t->cnt && i <= s->i + within; i++)
		if (token_is(&s->t->v[i], open) && s->t->v[i].match != TOKEN_UNMATCHED)
			return s->t->v[i].match + 1;
	return s->i + 1;
}

/* The end of what is stated here: its `;` or, after a case, its `:`. */
static size_t past(const struct scan *s, const char *end)
{
	size_t i = s->i;

	while (i < s->t->cnt && !token_is(&s->t->v[i], end))
		i += s->t->v[i].match != TOKEN_UNMATCHED && s->t->v[i].match > i
			     ? s->t->v[i].match - i
			     : 1;
	return i;
}

static void mutate_name(struct scan *s, const struct token *t)
{
	if (token_is(t, "true"))
		add(s, "false");
	else if (token_is(t, "false"))
		add(s, "true");
	else if (token_is(t, "enum"))
		s->skip_to = past_brackets(s, "{", 2);
	else if (token_is(t, "sizeof") || token_is(t, "_Static_assert"))
		s->skip_to = past_brackets(s, "(", 1);
	else if (token_is(t, "static") && s->i < s->body_to)
		s->fixed_to = past(s, ";");
	else if (token_is(t, "case"))
		s->fixed_to = past(s, ":");
}

/* What a bracket opens: the body of a function, or a designator. */
static void follow_bracket(struct scan *s, const struct token *t)
{
	if (t->match == TOKEN_UNMATCHED || t->match < s->i)
		return;
	if (token_is(t, "{") && token_is(before(s, 1), ")") && s->i >= s->body_to)
		s->body_to = t->match;
	if (token_is(t, "[") && (token_is(before(s, 1), "{") || token_is(before(s, 1), ",")) &&
	    s->i >= s->fixed_to)
		s->fixed_to = t->match;
}

static void scan_token(struct scan *s)
{
	const struct token *t = &s->t->v[s->i];

	follow_bracket(s, t);
	if (s->i < s->skip_to)
		return;
	if (t->kind == TOKEN_PUNCT)
		mutate_punct(s, t);
	else if (t->kind == TOKEN_NUMBER)
		mutate_number(s, t);
	else if (t->kind == TOKEN_NAME)
		mutate_name(s, t);
}

static bool has_file(const struct sites *o, const char *path)
{
	for (size_t i = 0; i < o->files_cnt; i++)
		if (!strcmp(o->files[i].path, path))
			return true;
	return false;
}

static struct source *add_file(struct sites *o, const char *path)
{
	struct source *f = realloc(o->files, (o->files_cnt + 1) * sizeof(*f));

	if (!f)
		return NULL;
	o->files = f;
	f += o->files_cnt;
	*f = (struct source){.first = o->cnt};
	snprintf(f->path, sizeof(f->path), "%s", path);
	f->header = strlen(path) > 2 && !strcmp(path + strlen(path) - 2, ".h");
	return f;
}

static uint64_t hash_of(const struct source *f)
{
	uint64_t hash = hash_bytes(f->path, strlen(f->path), 0);

	for (size_t i = 0; i < f->tokens.cnt; i++)
		hash = hash_bytes(f->tokens.v[i].at, f->tokens.v[i].len, hash);
	return hash;
}

int sites_scan(struct sites *out, const char *path, struct diag *d)
{
	struct scan s = {.out = out};
	int err;

	if (has_file(out, path))
		return diag_set(d, -EINVAL, path, 0, "quote the patterns of --only and --but",
				"it is given twice");
	s.src = out->files_cnt < SITES_FILES ? add_file(out, path) : NULL;
	err = s.src ? file_read(path, SITE_BYTES_MAX, &s.src->text, NULL, d) : -ENOMEM;
	if (!err)
		err = tokens_read(&s.src->tokens, s.src->text);
	if (err) {
		if (s.src)
			free(s.src->text);
		return err;
	}
	s.src->hash = hash_of(s.src);
	s.t = &s.src->tokens;
	for (; s.i < s.t->cnt && !s.err; s.i++)
		scan_token(&s);
	out->files_cnt++;
	return s.err;
}

void sites_free(struct sites *s)
{
	for (size_t i = 0; i < s->files_cnt; i++) {
		free(s->files[i].text);
		tokens_free(&s->files[i].tokens);
	}
	free(s->files);
	free(s->v);
	*s = (struct sites){0};
}
