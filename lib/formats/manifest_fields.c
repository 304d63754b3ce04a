/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of a manifest, read strictly: the whole of the right type, or an error with its place. */
#include "lib/formats/manifest_fields.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/numbers.h"
#include "lib/suggest.h"

enum { KEYS_MAX = 48 };

static int unknown_key(struct reading *r, const struct shape *shape, const struct node *key)
{
	const char *names[KEYS_MAX], *near;
	char cure[240];
	size_t n = 0, cnt = shape->cnt < KEYS_MAX ? shape->cnt : KEYS_MAX;

	for (size_t i = 0; i < cnt; i++)
		names[i] = shape->fields[i].key;
	near = suggest(tree_text(&r->tree, key), names, cnt);
	if (near)
		return node_fault(r, key, near, "there is no key \"%s\" in %s",
				  shown(tree_text(&r->tree, key)).s, shape->what);
	cure[0] = 0;
	for (size_t i = 0; i < cnt && n < sizeof(cure); i++)
		n += (size_t)snprintf(cure + n, sizeof(cure) - n, "%s%s", i ? " " : "", names[i]);
	return node_fault(r, key, cure, "there is no key \"%s\" in %s",
			  shown(tree_text(&r->tree, key)).s, shape->what);
}

static bool has_field(const struct shape *shape, const char *key)
{
	for (size_t i = 0; i < shape->cnt; i++)
		if (!strcmp(shape->fields[i].key, key))
			return true;
	return false;
}

static int check_keys(struct reading *r, const struct shape *shape, const struct node *n)
{
	const struct tree *t = &r->tree;
	const struct node *key, *value;

	if (n->kind != NODE_MAPPING)
		return node_fault(r, n, "key: value pairs", "%s is a mapping, not %s", shape->what,
				  node_word(n));
	for (key = tree_child(t, n); key; key = tree_next(t, value)) {
		value = tree_next(t, key);
		if (key->kind != NODE_SCALAR)
			return node_fault(r, key, "a word", "a key that is %s", node_word(key));
		if (!has_field(shape, tree_text(t, key)))
			return unknown_key(r, shape, key);
		if (tree_get(t, n, tree_text(t, key)) != value)
			return node_fault(r, key, "one of them", "\"%s\" stands twice in %s",
					  tree_text(t, key), shape->what);
	}
	return 0;
}

int read_mapping(struct reading *r, const struct shape *shape, const struct node *n, void *into)
{
	int rc = check_keys(r, shape, n);

	for (size_t i = 0; i < shape->cnt && !rc; i++) {
		const struct field *f = &shape->fields[i];
		const struct node *value = tree_get(&r->tree, n, f->key);

		if (value)
			rc = f->read(r, f, value, (char *)into + f->at);
		else if (f->required)
			rc = node_fault(r, n, f->help, "%s lacks \"%s\"", shape->what, f->key);
	}
	return rc;
}

static int wrong_type(struct reading *r, const struct field *f, const struct node *n)
{
	return node_fault(r, n, f->help, "\"%s\" is %s", f->key, node_word(n));
}

const char *read_text(struct reading *r, const struct field *f, const struct node *n)
{
	if (n->kind == NODE_SCALAR && n->len)
		return tree_text(&r->tree, n);
	if (n->kind == NODE_SCALAR)
		node_fault(r, n, f->help, "\"%s\" has no value", f->key);
	else
		wrong_type(r, f, n);
	return NULL;
}

int read_line(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);

	if (!s)
		return -EINVAL;
	if (n->len >= f->size)
		return node_fault(r, n, "a shorter one", "\"%s\" has more than %u bytes", f->key,
				  f->size - 1);
	memcpy(slot, s, n->len + 1);
	return 0;
}

int read_word(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);

	for (const char *p = s; p && *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.:-*?+/", *p))
			return node_fault(r, n, "letters, digits and _ . : - /",
					  "\"%s\" is no word", shown(s).s);
	return s ? read_line(r, f, n, slot) : -EINVAL;
}

int read_choice(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);
	int v;

	if (!s)
		return -EINVAL;
	v = f->parse(s, n->len);
	if (v < 0)
		return node_fault(r, n, f->help, "\"%s\" is no %s", shown(s).s, f->key);
	*(uint8_t *)slot = (uint8_t)v;
	return 0;
}

/* parse_u64 takes 010 for ten, YAML 1.1 for eight: neither. */
static int read_number(struct reading *r, const struct field *f, const struct node *n,
		       uint64_t *ret)
{
	const char *s = read_text(r, f, n);
	uint64_t max = f->max ? f->max : UINT64_MAX, v;
	int rc;

	if (!s)
		return -EINVAL;
	if (!n->plain)
		return node_fault(r, n, "the number without quotes", "\"%s\" is a string in quotes",
				  f->key);
	rc = parse_u64(s, &v);
	if (rc == -ERANGE)
		return node_fault(r, n, f->help, "%s does not fit 64 bits", shown(s).s);
	if (rc || (s[0] == '0' && isdigit((unsigned char)s[1])))
		return node_fault(r, n, f->help, "\"%s\" is no whole number", shown(s).s);
	if (v < f->min || v > max)
		return node_fault(r, n, f->help,
				  "%s is %" PRIu64 ", outside %" PRIu64 " … %" PRIu64, f->key, v,
				  f->min, max);
	*ret = v;
	return 0;
}

int read_u64(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	uint64_t v;
	int rc = read_number(r, f, n, &v);

	if (!rc)
		memcpy(slot, &v, sizeof(v));
	return rc;
}

int read_u32(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	uint64_t v;
	int rc = read_number(r, f, n, &v);

	if (!rc)
		*(uint32_t *)slot = (uint32_t)v;
	return rc;
}

int read_u8(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	uint64_t v;
	int rc = read_number(r, f, n, &v);

	if (!rc)
		*(uint8_t *)slot = (uint8_t)v;
	return rc;
}

int read_f64(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);
	double v;

	if (!s)
		return -EINVAL;
	if (!n->plain || parse_f64(s, &v) || v < 0)
		return node_fault(r, n, f->help, "\"%s\" is no ratio", shown(s).s);
	memcpy(slot, &v, sizeof(v));
	return 0;
}

/* Points into the scalar where its characters stand in the file as they are. */
static int text_fault(struct reading *r, const struct node *n, const struct manifest_fault *f)
{
	const char *s = tree_text(&r->tree, n);
	uint32_t column = n->column;

	if (n->lead != UINT32_MAX) {
		column += n->lead;
		for (size_t i = 0; i < f->at; i++)
			column += (s[i] & 0xc0) != 0x80;
	}
	return place_fault(r->d, r->m.path, n->line, column, f->cure, "%s", f->reason);
}

int read_site(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);
	struct manifest_site *site = slot;
	struct manifest_fault fault;

	if (!s)
		return -EINVAL;
	if (manifest_site_parse(s, site, &fault))
		return text_fault(r, n, &fault);
	site->line = n->line;
	site->column = n->column;
	return 0;
}

int read_expr(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);
	struct manifest_fault fault;

	if (!s)
		return -EINVAL;
	return manifest_expr_parse(s, slot, &fault) ? text_fault(r, n, &fault) : 0;
}

int read_when(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);
	struct manifest_fault fault;

	if (!s)
		return -EINVAL;
	return manifest_when_parse(s, slot, &fault) ? text_fault(r, n, &fault) : 0;
}

const struct node *read_items(struct reading *r, const struct field *f, const struct node *n,
			      uint32_t max)
{
	if (n->kind != NODE_SEQUENCE) {
		wrong_type(r, f, n);
		return NULL;
	}
	if (!n->cnt) {
		node_fault(r, n, f->help, "\"%s\" is empty", f->key);
		return NULL;
	}
	if (n->cnt > max) {
		node_fault(r, n, "split the manifest", "\"%s\" has %u items, %u is the limit",
			   f->key, n->cnt, max);
		return NULL;
	}
	return tree_child(&r->tree, n);
}
