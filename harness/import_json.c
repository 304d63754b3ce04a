/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON of other tools: objects a line, and what the importers share. */
#include "harness/import_json.h"
#include "harness/key_spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"

int import_time(struct import *x, uint64_t line, uint64_t t, uint64_t *ret)
{
	int64_t offset = x->o->offset_ns;
	uint64_t back = offset < 0 ? -(uint64_t)offset : 0;

	if (t < back || (offset > 0 && t > UINT64_MAX - (uint64_t)offset))
		return import_bad(
			x, line,
			"another --clock, such as monotonic; --offset is added to every time",
			"the time %llu with an offset of %lld is none", (unsigned long long)t,
			(long long)offset);
	*ret = offset < 0 ? t - back : t + (uint64_t)offset;
	return 0;
}

bool import_u64(const struct json_value *v, uint64_t *ret)
{
	char word[32];

	if (!json_u64(v, ret))
		return true;
	if (v->kind != JSON_STRING || v->str.len >= sizeof(word))
		return false;
	memcpy(word, v->str.s, v->str.len);
	word[v->str.len] = '\0';
	return !parse_u64(word, ret);
}

static int each_line(struct import *x, struct json_parser *p, char *text,
		     int (*fn)(struct import *, uint64_t, const struct json_value *, void *),
		     void *arg)
{
	struct json_value v;
	const char *why;
	uint64_t line = 0;
	int rc = 0;

	for (char *at = text, *next; !rc && *at; at = next) {
		size_t n = strcspn(at, "\n");

		next = at + n + (at[n] != '\0');
		line++;
		if (strspn(at, " \t\r") >= n)
			continue;
		rc = json_parse(p, at, n, &v, &why);
		rc = rc == -EINVAL ? import_bad(x, line, "one JSON value a line, or one in all",
						"this is no JSON: %s", why)
				   : rc;
		if (!rc)
			rc = fn(x, line, &v, arg);
	}
	return rc;
}

/* The line on which the whole text stands; 0 where it takes several. */
static uint64_t only_line(const char *text)
{
	size_t before = strspn(text, " \t\r\n"), n = strcspn(text + before, "\n");
	uint64_t line = 1;

	for (size_t i = 0; i < before; i++)
		line += text[i] == '\n';
	return text[before + n + strspn(text + before + n, " \t\r\n")] ? 0 : line;
}

int import_each_value(struct import *x, char *text, size_t len,
		      int (*fn)(struct import *, uint64_t, const struct json_value *, void *),
		      void *arg)
{
	struct json_parser *p = json_parser_new();
	struct json_value v;
	const char *why;
	int rc;

	if (!p)
		return diag_set(x->d, -ENOMEM, x->from, 0, NULL, "out of memory");
	rc = json_parse(p, text, len, &v, &why);
	rc = rc ? each_line(x, p, text, fn, arg) : fn(x, only_line(text), &v, arg);
	json_parser_free(p);
	return rc == -ENOMEM ? diag_set(x->d, rc, x->from, 0, NULL, "out of memory") : rc;
}

/* ---- objects whose fields the user names ---- */

/* "a.b.c" */
static bool get_path(const struct json_value *o, const char *path, struct json_value *ret)
{
	struct json_value at = *o, next;
	char name[64];

	while (*path) {
		size_t n = strcspn(path, ".");

		if (n >= sizeof(name))
			return false;
		memcpy(name, path, n);
		name[n] = '\0';
		if (!json_get(&at, name, &next))
			return false;
		at = next;
		path += n + (path[n] == '.');
	}
	*ret = at;
	return at.kind != JSON_NULL;
}

static bool get(struct import *x, const struct json_value *o, enum import_field f,
		struct json_value *ret)
{
	return get_path(o, x->o->path[f] ? x->o->path[f] : import_fields[f], ret);
}

/* 1: the end is there; 0: it is not. */
static int get_end(struct import *x, uint64_t line, const struct json_value *o,
		   enum import_field tid_field, uint32_t *ret_tid, uint64_t *ret_t)
{
	struct json_value tid, t;
	uint64_t id, at;
	int rc;

	if (!get(x, o, tid_field, &tid))
		return 0;
	if (!get(x, o, tid_field + 1, &t))
		return import_bad(x, line, "--field dst.t=PATH names it",
				  "there is a thread and no %s", import_fields[tid_field + 1]);
	if (!import_u64(&tid, &id) || id > UINT32_MAX || !import_u64(&t, &at))
		return import_bad(x, line, "whole numbers, or strings of them",
				  "%s or %s is no whole number", import_fields[tid_field],
				  import_fields[tid_field + 1]);
	rc = import_time(x, line, at, ret_t);
	*ret_tid = (uint32_t)id;
	return rc ? rc : 1;
}

/* The space that the file names, else that of the type. */
static uint8_t key_space_of(struct import *x, const struct json_value *o, const struct claim *c)
{
	struct json_value ns;

	if (!get(x, o, FIELD_KEY_NS, &ns))
		return key_space(c->type);
	return ns.kind == JSON_STRING ? (uint8_t)key_ns_parse(ns.str.s, ns.str.len) : KEY_OTHER;
}

/* After the type, which has a say in it. */
static int get_key(struct import *x, uint64_t line, const struct json_value *o, struct claim *c)
{
	struct json_value v, scope;
	uint8_t space;

	if (!get(x, o, FIELD_KEY_V, &v))
		return 0;
	space = key_space_of(x, o, c);
	if (space == KEY_NONE || space == KEY_OTHER)
		x->result.keys_ignored++;
	if (space == KEY_NONE)
		return 0;
	if (!import_u64(&v, &c->handoff.key_v))
		return import_bad(x, line, "a whole number, or 0x and hex digits",
				  "key.v is no number");
	c->ns = space;
	c->has |= HAS_KEY;
	if (get(x, o, FIELD_KEY_SCOPE, &scope) && import_u64(&scope, &c->handoff.key_scope))
		c->has |= HAS_SCOPE;
	return 0;
}

static int get_conf(struct import *x, uint64_t line, const struct json_value *o, struct claim *c)
{
	struct json_value v;

	if (!get(x, o, FIELD_CONF, &v))
		return 0;
	if (json_f64(&v, &c->handoff.conf) || !(c->handoff.conf >= 0 && c->handoff.conf <= 1))
		return import_bad(x, line, "a number from 0 to 1", "conf is none");
	c->has |= HAS_CONF;
	return 0;
}

static int read_object(struct import *x, uint64_t line, const struct json_value *o)
{
	struct claim c = {.kind = CLAIM_HANDOFF};
	struct json_value type = {.kind = JSON_NULL};
	int src, dst, rc;

	src = get_end(x, line, o, FIELD_SRC_TID, &c.handoff.src_tid, &c.handoff.src_t);
	dst = src < 0 ? src
		      : get_end(x, line, o, FIELD_DST_TID, &c.handoff.dst_tid, &c.handoff.dst_t);
	if (dst < 0)
		return dst;
	if (!src && !dst) {
		x->result.left[LEFT_NO_END]++;
		return 0;
	}
	c.has = (uint16_t)((src ? HAS_SRC : 0) | (dst ? HAS_DST : 0));
	get(x, o, FIELD_TYPE, &type);
	rc = import_type(x, line, type.kind == JSON_STRING ? type.str.s : NULL,
			 type.kind == JSON_STRING ? type.str.len : 0);
	if (rc < 0)
		return rc;
	c.type = (uint8_t)rc;
	rc = get_conf(x, line, o, &c);
	if (!rc)
		rc = get_key(x, line, o, &c);
	return rc ? rc : import_put(x, &c);
}

/* A line, or a whole array of such objects. */
static int read_value(struct import *x, uint64_t line, const struct json_value *v, void *arg)
{
	struct json_value o;
	struct json_iter it;
	int rc = 0;

	(void)arg;
	if (v->kind != JSON_ARRAY)
		return read_object(x, line, v);
	json_iter_init(&it, v);
	while (!rc && json_iter_next(&it, NULL, &o))
		rc = read_object(x, line, &o);
	return rc;
}

int import_ndjson(struct import *x, char *text, size_t len)
{
	return import_each_value(x, text, len, read_value, NULL);
}
