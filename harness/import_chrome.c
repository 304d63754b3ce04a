/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow events of the Trace Event Format. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/import_json.h"
#include "lib/strtab.h"

struct flow {
	uint32_t key; /* of (cat, name, id) */
	uint32_t tid;
	uint64_t t;
	int type;
	char phase; /* s t f */
};

struct flows {
	struct strtab *keys;
	struct flow *v;
	size_t cnt, cap;
};

/*
 * Microseconds as they are written, 1234.567. A double holds every ns up to 2^52 exactly enough to
 * be rounded to it; above that (52 days) only whole microseconds are certain.
 */
static bool microseconds(const struct json_value *v, uint64_t *ret_ns)
{
	uint64_t whole;

	if (v->kind == JSON_DOUBLE && v->d >= 0 && v->d * 1e3 < 0x1p52) {
		*ret_ns = (uint64_t)llround(v->d * 1e3);
		return true;
	}
	if (!import_u64(v, &whole) || whole > UINT64_MAX / 1000)
		return false;
	*ret_ns = whole * 1000;
	return true;
}

/* Text of a field, strings as they are and numbers as digits; what does not fit shows in *at. */
static void put_text(char *to, size_t cap, size_t *at, const struct json_value *o, const char *name)
{
	size_t left = *at < cap ? cap - *at : 0;
	struct json_value v;
	uint64_t n;

	to += left ? *at : 0;
	if (!json_get(o, name, &v))
		v.kind = JSON_NULL;
	if (v.kind == JSON_STRING)
		*at += (size_t)snprintf(to, left, "%.*s\x1f", (int)v.str.len, v.str.s);
	else if (import_u64(&v, &n))
		*at += (size_t)snprintf(to, left, "%llu\x1f", (unsigned long long)n);
	else
		*at += (size_t)snprintf(to, left, "\x1f");
}

static int grow(struct flows *f)
{
	size_t cap = f->cap ? f->cap * 2 : 1024;
	struct flow *v = f->cnt < f->cap ? f->v : realloc(f->v, cap * sizeof(*v));

	if (!v)
		return -ENOMEM;
	f->cap = f->cnt < f->cap ? f->cap : cap;
	f->v = v;
	return 0;
}

static int read_flow(struct import *x, uint64_t line, const struct json_value *e, char phase,
		     struct flows *f)
{
	struct json_value tid, ts, cat = {.kind = JSON_NULL};
	char key[512];
	size_t len = 0;
	uint64_t id, t;
	int64_t word;
	int rc;

	if (!json_get(e, "tid", &tid) || !json_get(e, "ts", &ts) || !import_u64(&tid, &id) ||
	    id > UINT32_MAX)
		return import_bad(x, line, "the Trace Event Format asks for both",
				  "flow event %zu has no tid, or no ts", f->cnt + 1);
	if (!microseconds(&ts, &t))
		return import_bad(x, line, "write whole microseconds, or CLOCK_MONOTONIC",
				  "the ts of flow event %zu cannot be kept exactly", f->cnt + 1);
	put_text(key, sizeof(key), &len, e, "cat");
	put_text(key, sizeof(key), &len, e, "name");
	put_text(key, sizeof(key), &len, e, "id");
	if (len >= sizeof(key))
		return import_bad(x, line, "shorter ones",
				  "cat, name and id of flow event %zu have more than %zu bytes",
				  f->cnt + 1, sizeof(key));
	json_get(e, "cat", &cat);
	word = strtab_intern(f->keys, key, len);
	rc = word < 0 ? (int)word : grow(f);
	if (!rc)
		rc = import_time(x, line, t, &t);
	if (rc)
		return rc;
	rc = import_type(x, line, cat.kind == JSON_STRING ? cat.str.s : NULL,
			 cat.kind == JSON_STRING ? cat.str.len : 0);
	if (rc < 0)
		return rc;
	f->v[f->cnt++] = (struct flow){(uint32_t)word, (uint32_t)id, t, rc, phase};
	return 0;
}

/* By flow, then by time; what ends a flow comes after what began it at the same time. */
static int by_flow(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (x->phase != 's') - (y->phase != 's');
}

static int put_step(struct import *x, const struct flow *from, const struct flow *to)
{
	struct claim c = {.kind = CLAIM_HANDOFF, .type = (uint8_t)to->type, .has = HAS_DST};

	if (from) {
		c.has |= HAS_SRC;
		c.handoff.src_tid = from->tid;
		c.handoff.src_t = from->t;
	}
	c.handoff.dst_tid = to->tid;
	c.handoff.dst_t = to->t;
	return import_put(x, &c);
}

static int put_flows(struct import *x, struct flows *f)
{
	const struct flow *open = NULL;
	int rc = 0;

	if (f->cnt)
		qsort(f->v, f->cnt, sizeof(*f->v), by_flow);
	for (size_t i = 0; !rc && i < f->cnt; i++) {
		const struct flow *at = &f->v[i];

		if (open && open->key != at->key)
			open = NULL;
		if (at->phase != 's')
			rc = put_step(x, open, at);
		open = at->phase == 'f' ? NULL : at;
	}
	return rc;
}

static int read_event(struct import *x, uint64_t line, const struct json_value *e, struct flows *f)
{
	struct json_value ph;

	if (json_get(e, "ph", &ph) && ph.kind == JSON_STRING && ph.str.len == 1 &&
	    strchr("stf", ph.str.s[0]))
		return read_flow(x, line, e, ph.str.s[0], f);
	x->result.left[LEFT_OTHER]++;
	return 0;
}

/* A whole trace in one of its two forms, or an event, as where a line holds one. */
static int read_trace(struct import *x, uint64_t line, const struct json_value *o, void *arg)
{
	struct json_value events = *o, e;
	struct json_iter it;
	int rc = 0;

	if (o->kind == JSON_OBJECT && json_get(o, "ph", &e))
		return read_event(x, line, o, arg);
	if (o->kind == JSON_OBJECT && !json_get(o, "traceEvents", &events))
		return import_bad(x, line, "an object with traceEvents, or an array of events",
				  "there is no \"traceEvents\"");
	json_iter_init(&it, &events);
	while (!rc && json_iter_next(&it, NULL, &e))
		rc = read_event(x, line, &e, arg);
	return rc;
}

int import_chrome(struct import *x, char *text, size_t len)
{
	struct flows f = {.keys = strtab_new()};
	int rc = f.keys ? import_each_value(x, text, len, read_trace, &f) : -ENOMEM;

	if (!rc)
		rc = put_flows(x, &f);
	strtab_free(f.keys);
	free(f.v);
	return rc;
}
