/* SPDX-License-Identifier: BSD-2-Clause */
/* libyaml's events as a tree with places; what a manifest may not contain ends here. */
#include "lib/formats/manifest_tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/utf8.h"

#define QUOTE_CURE "put an expression that begins with * in quotes: \"*(arg0+16):u64\""

/* What is being read: the open nodes from the root down, and the last child of each. */
struct tree_reader {
	struct tree *t;
	const char *path;
	struct diag *d;
	uint32_t open[TREE_DEPTH], last[TREE_DEPTH];
	uint32_t depth;
	bool ended; /* the root is whole */
};

int place_fault(struct diag *d, const char *path, uint32_t line, uint32_t column, const char *cure,
		const char *fmt, ...)
{
	char reason[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return diag_set(d, -EINVAL, path, line, cure, "column %u: %s", column, reason);
}

struct shown shown(const char *s)
{
	struct shown r;
	size_t at = 0, n;

	while (*s && at + 8 < sizeof(r.s)) {
		n = utf8_step(s, strlen(s));
		if (n > 1)
			memcpy(r.s + at, s, n);
		else
			r.s[at] = *s >= ' ' && *s < 127 ? *s : '?';
		at += n ? n : 1;
		s += n ? n : 1;
	}
	strcpy(r.s + at, *s ? "…" : "");
	return r;
}

const char *node_word(const struct node *n)
{
	switch (n->kind) {
	case NODE_SEQUENCE:
		return "a sequence";
	case NODE_MAPPING:
		return "a mapping";
	default:
		return n->len || !n->plain ? "a string" : "nothing";
	}
}

const char *tree_text(const struct tree *t, const struct node *n)
{
	return n->kind == NODE_SCALAR ? t->pool + n->text : "";
}

const struct node *tree_get(const struct tree *t, const struct node *mapping, const char *key)
{
	const struct node *k, *v;

	for (k = tree_child(t, mapping); k; k = tree_next(t, v)) {
		v = tree_next(t, k);
		if (!strcmp(tree_text(t, k), key))
			return v;
	}
	return NULL;
}

void tree_free(struct tree *t)
{
	free(t->nodes);
	free(t->pool);
	*t = (struct tree){.cnt = 0};
}

static int fault_at(struct tree_reader *r, yaml_mark_t at, const char *cure, const char *reason)
{
	return place_fault(r->d, r->path, (uint32_t)at.line + 1, (uint32_t)at.column + 1, cure,
			   "%s", reason);
}

static int no_memory(struct tree_reader *r)
{
	return diag_set(r->d, -ENOMEM, r->path, 0, "free memory", "memory is full");
}

static int pool_add(struct tree *t, const char *s, size_t len, uint32_t *ret)
{
	if (t->used + len + 1 > t->room) {
		size_t room = 2 * t->room + len + 4096;
		char *p = realloc(t->pool, room);

		if (!p)
			return -ENOMEM;
		t->pool = p;
		t->room = room;
	}
	memcpy(t->pool + t->used, s, len);
	t->pool[t->used + len] = 0;
	*ret = (uint32_t)t->used;
	t->used += len + 1;
	return 0;
}

static int node_room(struct tree *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 256;
	struct node *p;

	if (t->cnt < t->cap)
		return 0;
	p = reallocarray(t->nodes, cap, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p[0] = (struct node){.line = 0};
	t->nodes = p;
	t->cap = cap;
	return 0;
}

/* Hangs a new node behind its elder sibling. A mapping counts its keys: every other child. */
static void hang(struct tree_reader *r, uint32_t id)
{
	struct node *parent;
	uint32_t *last;

	if (!r->depth)
		return;
	parent = &r->t->nodes[r->open[r->depth - 1]];
	last = &r->last[r->depth - 1];
	if (*last)
		r->t->nodes[*last].next = id;
	else
		parent->child = id;
	*last = id;
	parent->cnt++;
}

static int add_node(struct tree_reader *r, const yaml_event_t *e, enum node_kind kind,
		    uint32_t *ret_id)
{
	struct tree *t = r->t;

	if (t->cnt >= TREE_NODES_MAX)
		return fault_at(r, e->start_mark, "split the manifest", "more than 100,000 values");
	if (node_room(t))
		return no_memory(r);
	t->nodes[t->cnt] = (struct node){
		.kind = kind,
		.line = (uint32_t)e->start_mark.line + 1,
		.column = (uint32_t)e->start_mark.column + 1,
		.end_line = (uint32_t)e->end_mark.line + 1,
		.end_column = (uint32_t)e->end_mark.column + 1,
	};
	*ret_id = t->cnt++;
	hang(r, *ret_id);
	return 0;
}

static int refuse_tag(struct tree_reader *r, const yaml_event_t *e, const void *anchor,
		      const void *tag)
{
	if (anchor)
		return fault_at(r, e->start_mark, "write the value out where it is used",
				"an anchor (&name): a manifest has none");
	if (tag)
		return fault_at(r, e->start_mark, "leave the tag away",
				"a tag (!name): a manifest has none");
	return 0;
}

static int open_node(struct tree_reader *r, const yaml_event_t *e, enum node_kind kind,
		     const void *anchor, const void *tag)
{
	uint32_t id;
	int rc = refuse_tag(r, e, anchor, tag);

	if (!rc && r->depth == TREE_DEPTH)
		rc = fault_at(r, e->start_mark, "man 5 assay-manifest shows the layout",
			      "more than 12 levels deep");
	if (!rc)
		rc = add_node(r, e, kind, &id);
	if (rc)
		return rc;
	r->open[r->depth] = id;
	r->last[r->depth++] = 0;
	return 0;
}

static void close_node(struct tree_reader *r)
{
	struct node *n = &r->t->nodes[r->open[--r->depth]];

	if (n->kind == NODE_MAPPING)
		n->cnt /= 2;
}

/* Characters before the scalar's first, if each of its characters stands in the file as it is. */
static uint32_t scalar_lead(const yaml_event_t *e)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t chars = 0, columns = e->end_mark.column - e->start_mark.column;
	uint32_t quotes = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;

	for (size_t i = 0; i < e->data.scalar.length; i++)
		chars += (s[i] & 0xc0) != 0x80;
	if (e->start_mark.line != e->end_mark.line || chars + 2 * quotes != columns)
		return UINT32_MAX;
	return quotes;
}

static int add_scalar(struct tree_reader *r, const yaml_event_t *e)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	const void *tag = e->data.scalar.tag;
	struct node *n;
	uint32_t id, text;
	int rc = refuse_tag(r, e, e->data.scalar.anchor, tag);

	if (!rc && memchr(s, 0, len))
		rc = fault_at(r, e->start_mark, "leave \\0 away", "a string that holds a NUL");
	if (!rc && len > TREE_SCALAR_MAX)
		rc = fault_at(r, e->start_mark, "a shorter one; prose belongs in comments",
			      "a string of more than 1,000 bytes");
	if (!rc)
		rc = add_node(r, e, NODE_SCALAR, &id);
	if (rc)
		return rc;
	if (pool_add(r->t, s, len, &text))
		return no_memory(r);
	n = &r->t->nodes[id];
	n->text = text;
	n->len = (uint32_t)len;
	n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->lead = scalar_lead(e);
	return 0;
}

static int take_event(struct tree_reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->ended)
			return fault_at(r, e->start_mark, "one file a manifest",
					"a second document begins here");
		return 0;
	case YAML_DOCUMENT_END_EVENT:
		r->ended = true;
		return 0;
	case YAML_ALIAS_EVENT:
		return fault_at(r, e->start_mark, QUOTE_CURE ", or write the value out",
				"an alias (*name): a manifest has none");
	case YAML_SCALAR_EVENT:
		return add_scalar(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return open_node(r, e, NODE_SEQUENCE, e->data.sequence_start.anchor,
				 e->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return open_node(r, e, NODE_MAPPING, e->data.mapping_start.anchor,
				 e->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_node(r);
		return 0;
	default:
		return 0;
	}
}

/* The byte at a mark, which counts characters. */
static char byte_at(const char *bytes, size_t len, size_t index)
{
	size_t i = 0;

	for (; i < len && index; i++)
		if (i + 1 == len || (bytes[i + 1] & 0xc0) != 0x80)
			index--;
	return i < len ? bytes[i] : 0;
}

/* libyaml's own complaint, with a cure for what people do. */
static int syntax_fault(struct tree_reader *r, const yaml_parser_t *p, const char *bytes,
			size_t len)
{
	const char *context = p->context ? p->context : "";

	if (p->error == YAML_MEMORY_ERROR)
		return no_memory(r);
	if (byte_at(bytes, len, p->problem_mark.index) == '\t')
		return fault_at(r, p->problem_mark, "blanks in its place",
				"a tab, which YAML does not allow here");
	if (strstr(context, "alias"))
		return fault_at(r, p->context_mark, QUOTE_CURE, "a * outside quotes");
	if (strstr(context, "anchor"))
		return fault_at(r, p->context_mark, "put it in quotes", "a & outside quotes");
	return fault_at(r, p->problem_mark, "check indentation, colons, quotes and brackets here",
			p->problem ? p->problem : "no YAML");
}

static int read_events(struct tree_reader *r, yaml_parser_t *p, const char *bytes, size_t len)
{
	yaml_event_t e;
	bool ended = false;
	int rc = 0;

	while (!rc && !ended) {
		if (!yaml_parser_parse(p, &e))
			return syntax_fault(r, p, bytes, len);
		ended = e.type == YAML_STREAM_END_EVENT;
		rc = take_event(r, &e);
		yaml_event_delete(&e);
	}
	if (!rc && r->t->cnt < 2)
		rc = place_fault(r->d, r->path, 1, 1, "man 5 assay-manifest shows the layout",
				 "there is nothing in it");
	return rc;
}

/* Also the line ends of YAML that no editor counts: a lone CR, U+0085, U+2028, U+2029. */
static bool is_control(const char *s, size_t n, size_t left)
{
	if (n == 2)
		return (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0;
	if (n == 3)
		return !memcmp(s, "\xe2\x80\xa8", 3) || !memcmp(s, "\xe2\x80\xa9", 3);
	if (*s == '\r')
		return left < 2 || s[1] != '\n';
	return n == 1 && (*s == 127 || (*s >= 0 && *s < ' ' && *s != '\t' && *s != '\n'));
}

/* What libyaml would report without a place, or read in another encoding. */
static int check_bytes(struct tree_reader *r, const char *bytes, size_t len)
{
	uint32_t line = 1, column = 1;

	for (size_t i = 0, n; i < len; i += n, column++) {
		n = utf8_step(bytes + i, len - i);
		if (!n)
			return place_fault(r->d, r->path, line, column,
					   "iconv -f latin1 -t utf-8, or an editor that writes it",
					   "byte 0x%02x is no UTF-8", (unsigned char)bytes[i]);
		if (is_control(bytes + i, n, len - i))
			return place_fault(r->d, r->path, line, column, "remove it",
					   "control character 0x%02x", (unsigned char)bytes[i]);
		if (bytes[i] == '\n') {
			line++;
			column = 0;
		}
	}
	return 0;
}

int tree_read(const char *bytes, size_t len, const char *path, struct tree *ret, struct diag *d)
{
	struct tree t = {.cnt = 1};
	struct tree_reader r = {.t = &t, .path = path, .d = d};
	yaml_parser_t p;
	int rc = check_bytes(&r, bytes, len);

	if (rc)
		return rc;
	if (!yaml_parser_initialize(&p))
		return no_memory(&r);
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, (const unsigned char *)bytes, len);
	rc = read_events(&r, &p, bytes, len);
	yaml_parser_delete(&p);
	if (rc) {
		tree_free(&t);
		return rc;
	}
	*ret = t;
	return 0;
}
