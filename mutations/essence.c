/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens of a preprocessed source, in pieces of the outermost level; pieces that nobody needs go.
 */
#include "mutations/essence.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN, TOKEN_LINE };

struct token {
	const char *s;
	uint32_t len;
	uint32_t name; /* of a word: its number, else 0 */
	uint8_t kind;  /* enum token_kind */
	bool apart;    /* white space stands before it */
};

/* A declaration or definition, and the pragma lines in between. */
struct piece {
	size_t from, to; /* tokens */
	uint32_t name;	 /* of the function that it declares and that may go; 0: it stays */
	bool gone;
};

/* A word that is in the text, and how often in pieces that are kept. */
struct word {
	const char *s;
	uint32_t len, uses;
};

struct source {
	struct token *tokens;
	struct piece *pieces;
	size_t tokens_cnt, pieces_cnt;
	struct word *words; /* open addressing; a name is the place + 1 */
	size_t words_cap;   /* a power of two, at least twice the tokens */
};

/* ---- tokens ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static uint32_t name_of(struct source *x, const char *s, uint32_t len)
{
	size_t at = hash_bytes(s, len, 0) & (x->words_cap - 1);

	while (x->words[at].s && (x->words[at].len != len || memcmp(x->words[at].s, s, len)))
		at = (at + 1) & (x->words_cap - 1);
	x->words[at].s = s;
	x->words[at].len = len;
	return (uint32_t)at + 1;
}

/* Behind the quotation mark that ends a text or character. */
static const char *text_end(const char *s, const char *end)
{
	char mark = *s++;

	while (s < end && *s != mark)
		s += *s == '\\' && s + 1 < end ? 2 : 1;
	return s < end ? s + 1 : end;
}

static const char *word_end(const char *s, const char *end)
{
	while (s < end && is_word(*s))
		s++;
	return s;
}

static const char *number_end(const char *s, const char *end)
{
	while (s < end && (is_word(*s) || *s == '.'))
		s++;
	return s;
}

static const char *line_end(const char *s, const char *end)
{
	const char *at = memchr(s, '\n', (size_t)(end - s));

	return at ? at : end;
}

static const char *token_end(const char *s, const char *end, bool first, enum token_kind *ret)
{
	if (first && *s == '#') {
		*ret = TOKEN_LINE;
		return line_end(s, end);
	}
	if (*s == '"' || *s == '\'') {
		*ret = TOKEN_TEXT;
		return text_end(s, end);
	}
	if (isdigit((unsigned char)*s)) {
		*ret = TOKEN_NUMBER;
		return number_end(s, end);
	}
	*ret = is_word(*s) ? TOKEN_WORD : TOKEN_SIGN;
	return is_word(*s) ? word_end(s, end) : s + 1;
}

static void cut_tokens(struct source *x, const char *s, const char *end)
{
	bool first = true, apart = false;

	while (s < end) {
		struct token *t = &x->tokens[x->tokens_cnt];
		enum token_kind kind;
		const char *from = s;

		if (isspace((unsigned char)*s)) {
			first |= *s++ == '\n';
			apart = true;
			continue;
		}
		s = token_end(from, end, first, &kind);
		*t = (struct token){
			.s = from, .len = (uint32_t)(s - from), .kind = kind, .apart = apart};
		if (kind == TOKEN_WORD)
			t->name = name_of(x, t->s, t->len);
		x->tokens_cnt++;
		first = apart = false;
	}
}

static bool is(const struct token *t, const char *s)
{
	return t->len == strlen(s) && !memcmp(t->s, s, t->len);
}

/* ---- pieces ---- */

static int depth_of(const struct token *t)
{
	if (t->kind != TOKEN_SIGN)
		return 0;
	return strchr("({[", *t->s) ? 1 : strchr(")}]", *t->s) ? -1 : 0;
}

/* One past the last token of the piece that begins here: a semicolon of the outermost level, or the
 * brace that ends what a closing parenthesis stood before. */
static size_t piece_end(const struct source *x, size_t i)
{
	bool body = false;
	int depth = 0;

	for (size_t from = i; i < x->tokens_cnt; i++) {
		const struct token *t = &x->tokens[i];

		if (t->kind == TOKEN_LINE && i == from)
			return i + 1;
		if (!depth && is(t, "{"))
			body = i > from && is(t - 1, ")");
		depth += depth_of(t);
		if (!depth && (is(t, ";") || (body && is(t, "}"))))
			return i + 1;
	}
	return i;
}

/* Behind the parenthesis that closes the one at i. */
static size_t skip_parentheses(const struct source *x, size_t i, size_t to)
{
	int depth = 0;

	do
		depth += depth_of(&x->tokens[i++]);
	while (depth > 0 && i < to);
	return i;
}

static bool is_attribute(const struct token *t)
{
	return is(t, "__attribute__") || is(t, "__attribute");
}

/* Words before a name that make no type and no object, beside those that are types. */
static bool is_definer(const struct token *t)
{
	return is(t, "typedef") || is(t, "_Static_assert") || is(t, "asm") || is(t, "__asm__") ||
	       is(t, "_Alignas") || is(t, "typeof") || is(t, "__typeof__") || is(t, "_Atomic");
}

/* Attributes for whose sake code is made, or names are bound, though nobody uses it. */
static bool is_lasting(const struct source *x, const struct piece *p)
{
	static const char *const words[] = {"used",    "retain", "constructor", "destructor",
					    "section", "alias",	 "ifunc",	"weak",
					    "weakref", "asm",	 "__asm__",	"__asm"};

	for (size_t i = p->from; i < p->to; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
			const struct token *t = &x->tokens[i];
			bool wrapped = t->len > 4 && !memcmp(t->s, "__", 2); /* __used__ */

			if (is(t, words[k]) || (wrapped && t->len == strlen(words[k]) + 4 &&
						!memcmp(t->s + 2, words[k], t->len - 4)))
				return true;
		}
	return false;
}

/* What stands behind the parameters: attributes and ; or a body. */
static bool ends_as_function(const struct source *x, size_t i, const struct piece *p, bool inlined)
{
	while (i < p->to && is_attribute(&x->tokens[i]) && i + 1 < p->to)
		i = skip_parentheses(x, i + 1, p->to);
	if (i >= p->to)
		return false;
	return is(&x->tokens[i], ";") ? i + 1 == p->to : inlined && is(&x->tokens[i], "{");
}

/* The name of the function that a piece declares, or defines as static inline; 0: it stays. */
static uint32_t removable(const struct source *x, const struct piece *p)
{
	bool is_static = false, is_inline = false;
	size_t i = p->from;

	while (i + 1 < p->to) {
		const struct token *t = &x->tokens[i];

		if (is_attribute(t)) {
			i = skip_parentheses(x, i + 1, p->to);
			continue;
		}
		if (is_definer(t) || (t->kind != TOKEN_WORD && !is(t, "*")))
			return 0;
		is_static |= is(t, "static");
		is_inline |= is(t, "inline") || is(t, "__inline") || is(t, "__inline__");
		if (t->kind == TOKEN_WORD && is(t + 1, "("))
			break;
		i++;
	}
	if (i + 1 >= p->to || i == p->from || is_lasting(x, p))
		return 0;
	return ends_as_function(x, skip_parentheses(x, i + 1, p->to), p, is_static && is_inline)
		       ? x->tokens[i].name
		       : 0;
}

static void cut_pieces(struct source *x)
{
	for (size_t i = 0; i < x->tokens_cnt;) {
		struct piece *p = &x->pieces[x->pieces_cnt++];

		*p = (struct piece){.from = i, .to = piece_end(x, i)};
		p->name = removable(x, p);
		i = p->to;
	}
}

/* ---- uses ---- */

/* Words in texts count: assembly names what it calls there. */
static void count_text(struct source *x, const struct token *t, int by)
{
	for (const char *s = t->s, *end = s + t->len; s < end;) {
		const char *to = word_end(s, end);

		if (to > s)
			x->words[name_of(x, s, (uint32_t)(to - s)) - 1].uses += (uint32_t)by;
		s = to > s ? to : s + 1;
	}
}

static void count_piece(struct source *x, const struct piece *p, int by)
{
	for (size_t i = p->from; i < p->to; i++) {
		const struct token *t = &x->tokens[i];

		if (t->name)
			x->words[t->name - 1].uses += (uint32_t)by;
		else if (t->kind == TOKEN_TEXT || t->kind == TOKEN_LINE)
			count_text(x, t, by);
	}
}

static uint32_t uses_in(const struct source *x, const struct piece *p)
{
	uint32_t n = 0;

	for (size_t i = p->from; i < p->to; i++)
		n += x->tokens[i].name == p->name;
	return n;
}

static void drop_unused(struct source *x)
{
	bool again = true;

	for (size_t i = 0; i < x->pieces_cnt; i++)
		count_piece(x, &x->pieces[i], 1);
	while (again) {
		again = false;
		for (size_t i = 0; i < x->pieces_cnt; i++) {
			struct piece *p = &x->pieces[i];

			if (p->gone || !p->name || x->words[p->name - 1].uses != uses_in(x, p))
				continue;
			count_piece(x, p, -1);
			p->gone = again = true;
		}
	}
}

/* ---- the whole ---- */

static void hash_kept(const struct source *x, uint64_t *h)
{
	for (size_t i = 0; i < x->pieces_cnt; i++) {
		const struct piece *p = &x->pieces[i];

		for (size_t k = p->from; !p->gone && k < p->to; k++) {
			const struct token *t = &x->tokens[k];
			/* Words are apart by themselves; a first token always is. */
			bool apart = t->kind != TOKEN_WORD && k > p->from && t->apart;

			*h = hash_bytes(t->s, t->len, *h + t->kind * 2u + apart);
		}
	}
}

/* No text has more tokens, words in texts counted, than bytes. */
static int source_open(struct source *x, size_t len)
{
	x->words_cap = 1024;
	while (x->words_cap < len)
		x->words_cap *= 2;
	x->tokens = calloc(len + 1, sizeof(*x->tokens));
	x->pieces = calloc(len + 1, sizeof(*x->pieces));
	x->words = calloc(x->words_cap, sizeof(*x->words));
	return x->tokens && x->pieces && x->words ? 0 : -ENOMEM;
}

static void source_close(struct source *x)
{
	free(x->tokens);
	free(x->pieces);
	free(x->words);
}

int essence_hash(const char *text, size_t len, uint64_t *h)
{
	struct source x = {.tokens = NULL};
	int rc = source_open(&x, len);

	if (!rc) {
		cut_tokens(&x, text, text + len);
		cut_pieces(&x);
		drop_unused(&x);
		hash_kept(&x, h);
	}
	source_close(&x);
	return rc;
}
