/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators found in texts. */
#include "mutations/generate/operator.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *word_find(const char *s, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = s; (at = strstr(at, word)); at += len)
		if ((at == s || !is_word(at[-1])) && !is_word(at[len]))
			return at;
	return NULL;
}

static bool is_header(const struct text *t)
{
	size_t len = strlen(t->name);

	return len > 2 && !strcmp(t->name + len - 2, ".h");
}

static const char *line_start(const char *text, const char *at)
{
	while (at > text && at[-1] != '\n')
		at--;
	return at;
}

/* ---- parameters ---- */

static void copy(char *to, size_t cap, const char *from, size_t len)
{
	len = len < cap ? len : cap - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

static bool is_number(const char *type)
{
	return !strcmp(type, "unsigned ") || !strcmp(type, "uint32_t ") ||
	       !strcmp(type, "uint64_t ");
}

/* "struct job *j": the name is the last word, all before it the type. */
static bool read_param(const char *s, size_t len, struct param *ret)
{
	const char *end;
	size_t name = len;

	while (len && isspace((unsigned char)*s)) {
		s++;
		len--;
	}
	name = len;
	while (name && is_word(s[name - 1]))
		name--;
	if (!name || name == len || memchr(s, '(', len) || memchr(s, '[', len))
		return false;
	*ret = (struct param){.number = false};
	copy(ret->type, sizeof(ret->type), s, name);
	copy(ret->name, sizeof(ret->name), s + name, len - name);
	ret->number = is_number(ret->type);
	end = strstr(ret->type, " *");
	if (!strncmp(ret->type, "struct ", 7) && end && !end[2])
		copy(ret->tag, sizeof(ret->tag), ret->type + 7, (size_t)(end - ret->type) - 7);
	return true;
}

static bool read_params(const char *s, const char *end, struct operator_text *ret)
{
	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		const char *to = comma ? comma : end;

		if (ret->params_cnt == OPERATOR_PARAMS ||
		    !read_param(s, (size_t)(to - s), &ret->params[ret->params_cnt]))
			return false;
		ret->params_cnt++;
		s = to + 1;
	}
	return ret->params_cnt > 0;
}

/* ---- definitions and declarations ---- */

/* OPERATOR RESULT NAME(PARAMS)\n{ … \n}\n */
static bool read_definition(const char *text, const char *at, const char *name,
			    struct operator_text *ret)
{
	static const char lead[] = "OPERATOR ";
	const char *from = line_start(text, at), *close, *end;

	if (strncmp(from, lead, sizeof(lead) - 1) || at[strlen(name)] != '(')
		return false;
	close = strchr(at, ')');
	end = close && !strncmp(close, ")\n{", 3) ? strstr(close, "\n}\n") : NULL;
	if (!end)
		return false;
	from += sizeof(lead) - 1;
	copy(ret->result, sizeof(ret->result), from, (size_t)(at - from));
	ret->from = (size_t)(from - text) - (sizeof(lead) - 1);
	ret->open = (size_t)(close - text) + 2;
	ret->end = (size_t)(end - text) + 3;
	return read_params(at + strlen(name) + 1, close, ret);
}

static bool find_definition(const struct texts *t, const char *name, struct operator_text *ret)
{
	for (unsigned i = 0; i < t->cnt; i++) {
		const char *at = is_header(&t->v[i]) ? NULL : t->v[i].s;

		while (at && (at = word_find(at, name))) {
			if (read_definition(t->v[i].s, at, name, ret)) {
				ret->file = i;
				return true;
			}
			at += strlen(name);
		}
	}
	return false;
}

/* In column 0 of a header stands the type of a declaration, and nothing else that names it. */
static bool find_declaration(const struct texts *t, const char *name, struct operator_text *ret)
{
	for (unsigned i = 0; i < t->cnt; i++) {
		const char *at = is_header(&t->v[i]) ? t->v[i].s : NULL;

		while (at && (at = word_find(at, name))) {
			const char *line = line_start(t->v[i].s, at);

			if (isalpha((unsigned char)*line) && at[strlen(name)] == '(') {
				ret->header = i;
				return true;
			}
			at += strlen(name);
		}
	}
	return false;
}

bool operator_find(const struct texts *t, const char *name, struct operator_text *ret)
{
	struct operator_text v = {.params_cnt = 0};

	if (strlen(name) >= OPERATOR_WORD || !find_definition(t, name, &v) ||
	    !find_declaration(t, name, &v))
		return false;
	strcpy(v.name, name);
	*ret = v;
	return true;
}

/* ---- as text ---- */

bool operator_is_void(const struct operator_text *o)
{
	return !strcmp(o->result, "void ");
}

bool operator_gives_pointer(const struct operator_text *o)
{
	return strchr(o->result, '*') != NULL;
}

void operator_params(const struct operator_text *o, char *ret, size_t cap)
{
	size_t n = 0;

	for (unsigned i = 0; i < o->params_cnt && n < cap; i++)
		n += (size_t)snprintf(ret + n, cap - n, "%s%s%s", i ? ", " : "", o->params[i].type,
				      o->params[i].name);
}

void operator_args(const struct operator_text *o, char *ret, size_t cap)
{
	size_t n = 0;

	for (unsigned i = 0; i < o->params_cnt && n < cap; i++)
		n += (size_t)snprintf(ret + n, cap - n, "%s%s", i ? ", " : "", o->params[i].name);
}

const char *operator_body(const struct texts *t, const struct operator_text *o, size_t *ret_len)
{
	*ret_len = o->end - o->open - 4; /* without { and \n}\n */
	return t->v[o->file].s + o->open + 1;
}

/* ---- structures ---- */

bool struct_find(const struct texts *t, const char *tag, unsigned *ret_file, size_t *ret_end)
{
	char head[OPERATOR_WORD + 16];

	snprintf(head, sizeof(head), "\nstruct %s {", tag);
	for (unsigned i = 0; i < t->cnt; i++) {
		const char *at = is_header(&t->v[i]) ? strstr(t->v[i].s, head) : NULL;
		const char *end = at ? strstr(at, "\n}") : NULL;

		if (!end)
			continue;
		*ret_file = i;
		*ret_end = (size_t)(end - t->v[i].s) + 1;
		return true;
	}
	return false;
}

bool member_find(const struct texts *t, const char *tag, const char *member, unsigned *ret_file,
		 size_t *ret_from)
{
	char line[OPERATOR_WORD + 16];
	const char *text, *at, *head;
	unsigned file;
	size_t end;

	if (!struct_find(t, tag, &file, &end))
		return false;
	text = t->v[file].s;
	snprintf(line, sizeof(line), "\nstruct %s {", tag);
	head = strstr(text, line);
	snprintf(line, sizeof(line), "\n\tuint32_t %s;", member);
	at = strstr(head, line);
	if (!at || at >= text + end)
		return false;
	*ret_file = file;
	*ret_from = (size_t)(at - text) + 1;
	return true;
}
