/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes C source with all its mutants in it. */
#include "tests/mutants/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"

enum { SCHEMA_BYTES_MAX = 1 << 24 };

struct emitter {
	const struct sites *s;
	const struct source *f;
	const struct tokens *t;
	FILE *out;
};

static void emit(struct emitter *e, size_t from, size_t to);

static bool is_operator(const struct emitter *e, const struct site *x)
{
	return e->t->v[x->token].kind == TOKEN_PUNCT;
}

/* The mutable operator that reaches furthest of those whose operands begin at a token. */
static const struct site *widest(const struct emitter *e, size_t from, size_t to)
{
	const struct site *best = NULL;

	for (size_t i = e->f->first; i < e->f->first + e->f->cnt; i++) {
		const struct site *x = &e->s->v[i];

		if (is_operator(e, x) && x->from == from && x->to <= to &&
		    (!best || x->to > best->to))
			best = x;
	}
	return best;
}

static const char *asked(const struct site *x)
{
	return x->fixed ? "MF" : "M";
}

/* Both operands once: with the left known, `&&` and `||` differ in when the right one decides. */
static void emit_logic(struct emitter *e, const struct site *x)
{
	bool and = !strcmp(x->old, "&&");

	fprintf(e->out, "({ const _Bool mutant_%u = (", x->id);
	emit(e, x->from, x->token);
	fprintf(e->out, "); mutant_%u != %s%s(%u) ? (_Bool)(", x->id, and? "" : "!", asked(x),
		x->id);
	emit(e, x->token + 1, x->to);
	fprintf(e->out, ") : mutant_%u; })", x->id);
}

static void emit_with(struct emitter *e, const struct site *x, const char *operator)
{
	putc('(', e->out);
	emit(e, x->from, x->token);
	fprintf(e->out, " %s ", operator);
	emit(e, x->token + 1, x->to);
	putc(')', e->out);
}

/* What was a difference: of numbers, or of pointers, which have no sum. */
static void emit_sum(struct emitter *e, const struct site *x)
{
	fprintf(e->out, "(M_SUM(%u, (", x->id);
	emit(e, x->token + 1, x->to);
	fputs(")) ? M_SUM_OF((", e->out);
	emit(e, x->from, x->token);
	fputs("), (", e->out);
	emit(e, x->token + 1, x->to);
	fputs(")) : ", e->out);
	emit_with(e, x, x->old);
	putc(')', e->out);
}

static void emit_operator(struct emitter *e, const struct site *x)
{
	if (!x->fixed && !strcmp(x->old, "-")) {
		emit_sum(e, x);
		return;
	}
	if (!x->fixed && (!strcmp(x->old, "&&") || !strcmp(x->old, "||"))) {
		emit_logic(e, x);
		return;
	}
	fprintf(e->out, "(%s(%u) ? ", asked(x), x->id);
	emit_with(e, x, x->new);
	fputs(" : ", e->out);
	emit_with(e, x, x->old);
	putc(')', e->out);
}

/* A constant, with its mutants before it. */
static void emit_constant(struct emitter *e, size_t token)
{
	const struct token *t = &e->t->v[token];
	bool any = false;

	for (size_t i = e->f->first; i < e->f->first + e->f->cnt; i++) {
		const struct site *x = &e->s->v[i];

		if (x->token != token || is_operator(e, x))
			continue;
		fprintf(e->out, "%s%s(%u) ? %s : ", any ? "" : "(", asked(x), x->id, x->new);
		any = true;
	}
	fprintf(e->out, "%.*s%s", (int)t->len, t->at, any ? ")" : "");
}

/* Tokens with what stands between them; the text before the first is the caller's. */
static void emit(struct emitter *e, size_t from, size_t to)
{
	for (size_t i = from; i < to;) {
		const struct site *x = widest(e, i, to);
		const struct token *last;

		if (x)
			emit_operator(e, x);
		else
			emit_constant(e, i);
		i = x ? x->to : i + 1;
		last = &e->t->v[i - 1];
		if (i < to)
			fwrite(last->at + last->len, 1,
			       (size_t)(e->t->v[i].at - (last->at + last->len)), e->out);
	}
}

static char *emit_file(const struct sites *s, const struct source *f)
{
	char *text = NULL;
	size_t len;
	struct emitter e = {.s = s, .f = f, .t = &f->tokens, .out = open_memstream(&text, &len)};
	const struct token *first = f->tokens.v, *last = first + f->tokens.cnt - 1;

	if (!e.out)
		return NULL;
	fputs("#include \"tests/mutants/switch.h\"\n", e.out);
	if (f->tokens.cnt) {
		fwrite(f->text, 1, (size_t)(first->at - f->text), e.out);
		emit(&e, 0, f->tokens.cnt);
		fputs(last->at + last->len, e.out);
	}
	if (fclose(e.out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Leaves a file that is as it should be, so that nothing is compiled again for it. */
static int write_file(const char *folder, const char *path, const char *text, struct diag *d)
{
	char to[PATH_MAX], *old = NULL, *slash;
	int err;

	snprintf(to, sizeof(to), "%s/%s", folder, path);
	slash = strrchr(to, '/');
	*slash = 0;
	err = dir_make(to, d);
	*slash = '/';
	if (err)
		return err;
	if (access(to, F_OK) || file_read(to, SCHEMA_BYTES_MAX, &old, NULL, d) ||
	    strcmp(old, text) != 0)
		err = file_write(to, text, strlen(text), d);
	free(old);
	return err;
}

int schema_write(const struct sites *s, const char *folder, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < s->files_cnt && !err; i++) {
		char *text = emit_file(s, &s->files[i]);

		err = text ? write_file(folder, s->files[i].path, text, d) : -ENOMEM;
		free(text);
	}
	return err;
}
