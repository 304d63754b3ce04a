/* SPDX-License-Identifier: BSD-2-Clause */
/* Spans of OTLP/JSON: what ran where, and which span it came from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/import_json.h"
#include "lib/strtab.h"

enum { KIND_PRODUCER = 4 }; /* SpanKind of opentelemetry-proto's trace.proto */

struct span {
	uint32_t id, cause; /* words: its own id, that of its parent or of what it is linked to */
	uint32_t tid;	    /* 0: not said */
	uint64_t start;
	bool producer;
	int type;
};

struct spans {
	struct strtab *ids;
	struct span *v;
	size_t cnt, cap;
};

/* An attribute's value by its key: an AnyValue object. */
static bool attribute(const struct json_value *span, const char *name, struct json_value *ret)
{
	struct json_value list, a, key;
	struct json_iter it;

	if (!json_get(span, "attributes", &list))
		return false;
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &a))
		if (json_get(&a, "key", &key) && json_str_is(&key, name))
			return json_get(&a, "value", ret);
	return false;
}

static uint32_t thread_of(const struct json_value *span)
{
	struct json_value any, v;
	uint64_t tid;

	if (attribute(span, "thread.id", &any) && json_get(&any, "intValue", &v) &&
	    import_u64(&v, &tid) && tid <= UINT32_MAX)
		return (uint32_t)tid;
	return 0;
}

/* The type that its attribute assay.type names, the one of the options otherwise. */
static int type_of(struct import *x, uint64_t line, const struct json_value *span)
{
	struct json_value any, v;

	if (attribute(span, "assay.type", &any) && json_get(&any, "stringValue", &v) &&
	    v.kind == JSON_STRING)
		return import_type(x, line, v.str.s, v.str.len);
	return import_type(x, line, NULL, 0);
}

static int64_t word_of(struct spans *s, const struct json_value *o, const char *name)
{
	struct json_value v;

	if (!json_get(o, name, &v) || v.kind != JSON_STRING || !v.str.len)
		return 0;
	return strtab_intern(s->ids, v.str.s, v.str.len);
}

/* What it came from: the first link, else the parent. */
static int64_t cause_of(struct spans *s, const struct json_value *span)
{
	struct json_value links, link;
	struct json_iter it;

	if (json_get(span, "links", &links)) {
		json_iter_init(&it, &links);
		if (json_iter_next(&it, NULL, &link))
			return word_of(s, &link, "spanId");
	}
	return word_of(s, span, "parentSpanId");
}

static int grow(struct spans *s)
{
	size_t cap = s->cap ? s->cap * 2 : 1024;
	struct span *v;

	if (s->cnt < s->cap)
		return 0;
	v = realloc(s->v, cap * sizeof(*v));
	if (!v)
		return -ENOMEM;
	s->v = v;
	s->cap = cap;
	return 0;
}

static int read_span(struct import *x, uint64_t line, const struct json_value *o, struct spans *s)
{
	int64_t id = word_of(s, o, "spanId"), cause = cause_of(s, o);
	struct span span = {.tid = thread_of(o)};
	struct json_value v;
	uint64_t t;
	int rc;

	if (id < 0 || cause < 0 || grow(s))
		return -ENOMEM;
	if (!id || !json_get(o, "startTimeUnixNano", &v) || !import_u64(&v, &t))
		return import_bad(x, line, "spans of OTLP/JSON have both",
				  "span %zu has no spanId, or no startTimeUnixNano", s->cnt + 1);
	rc = import_time(x, line, t, &span.start);
	if (rc)
		return rc;
	rc = type_of(x, line, o);
	if (rc < 0)
		return rc;
	span.type = rc;
	span.id = (uint32_t)id;
	span.cause = (uint32_t)cause;
	span.producer = json_get(o, "kind", &v) && ((v.kind == JSON_UINT && v.u == KIND_PRODUCER) ||
						    json_str_is(&v, "SPAN_KIND_PRODUCER"));
	s->v[s->cnt++] = span;
	return 0;
}

/* The spans of every list below o: resourceSpans, scopeSpans, spans. */
static int read_lists(struct import *x, uint64_t line, const struct json_value *o, unsigned depth,
		      struct spans *s)
{
	static const char *const names[] = {"resourceSpans", "scopeSpans", "spans"};
	struct json_value list, e;
	struct json_iter it;
	int rc = 0;

	if (!json_get(o, names[depth], &list)) {
		x->result.left[LEFT_OTHER]++;
		return 0;
	}
	json_iter_init(&it, &list);
	while (!rc && json_iter_next(&it, NULL, &e))
		rc = depth == 2 ? read_span(x, line, &e, s) : read_lists(x, line, &e, depth + 1, s);
	return rc;
}

static int read_request(struct import *x, uint64_t line, const struct json_value *o, void *arg)
{
	return read_lists(x, line, o, 0, arg);
}

static int by_id(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int put_span(struct import *x, const struct spans *s, const struct span *to)
{
	const struct span wanted = {.id = to->cause};
	const struct span *from =
		to->cause ? bsearch(&wanted, s->v, s->cnt, sizeof(*s->v), by_id) : NULL;
	struct claim c = {.kind = CLAIM_HANDOFF, .type = (uint8_t)to->type, .has = HAS_DST};

	if (!to->cause || !to->tid || (from && from->tid == to->tid)) {
		x->result.left[!to->cause ? LEFT_ROOT : !to->tid ? LEFT_NO_THREAD : LEFT_SAME]++;
		return 0;
	}
	if (from && from->tid && from->producer) {
		c.has |= HAS_SRC;
		c.handoff.src_tid = from->tid;
		c.handoff.src_t = from->start;
	}
	c.handoff.dst_tid = to->tid;
	c.handoff.dst_t = to->start;
	return import_put(x, &c);
}

int import_otlp(struct import *x, char *text, size_t len)
{
	struct spans s = {.ids = strtab_new()};
	int rc = s.ids ? import_each_value(x, text, len, read_request, &s) : -ENOMEM;

	if (!rc && s.cnt)
		qsort(s.v, s.cnt, sizeof(*s.v), by_id);
	for (size_t i = 0; !rc && i < s.cnt; i++)
		rc = put_span(x, &s, &s.v[i]);
	strtab_free(s.ids);
	free(s.v);
	return rc;
}
