/* SPDX-License-Identifier: BSD-2-Clause */
/* A manifest read into its struct: the tables of what stands where. */
#include "lib/formats/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/manifest_fields.h"
#include "lib/numbers.h"

typedef int read_fn(struct reading *r, const struct field *f, const struct node *n, void *slot);
static read_fn read_version, read_build_id, read_resources, read_descriptors, read_invariants;
static read_fn read_capacity, read_lifetime, read_resource_name, read_provenance, read_of;
static read_fn read_within, read_within_ms, read_bound, read_strings, read_flagged_f64;

static const struct field capacity_fields[] = {
	{"site", "site: symbol, symbol:return or usdt:provider:name", true,
	 FIELD(struct manifest_resource, capacity_site), read_site, NULL, 0, 0},
	{"arg", "arg: 0 … 5", true, FIELD(struct manifest_resource, capacity_arg), read_u8, NULL, 0,
	 5},
};
static const struct shape capacity_shape = SHAPE("capacity", capacity_fields);

static const struct field resource_fields[] = {
	{"resource", "resource: a word, as in pool.frame", true,
	 FIELD(struct manifest_resource, name), read_word, NULL, 0, 0},
	{"unit", "unit: a word, as in frame, bytes, slots, tokens", true,
	 FIELD(struct manifest_resource, unit), read_word, NULL, 0, 0},
	{"capacity", "capacity: {site: pool_init, arg: 1}", false, 0, 0, read_capacity, NULL, 0, 0},
	{"lifetime", "lifetime: [ACQUIRE, USE*, RELEASE]", false, 0, 0, read_lifetime, NULL, 0, 0},
	{"owner", "owner: operation, thread, shared or external", false,
	 FIELD(struct manifest_resource, owner), read_choice, manifest_owner_parse, 0, 0},
};
static const struct shape resource_shape = SHAPE("a resource", resource_fields);

static const struct field provenance_fields[] = {
	{"by", "by: a word, as in review", false, FIELD(struct manifest_descriptor, by), read_word,
	 NULL, 0, 0},
	{"source", "source: a path", false, FIELD(struct manifest_descriptor, source), read_line,
	 NULL, 0, 0},
	{"evidence", "evidence: [a list, of strings]", false, 0, 0, read_strings, NULL, 0, 0},
};
static const struct shape provenance_shape = SHAPE("provenance", provenance_fields);

static const struct field descriptor_fields[] = {
	{"id", "id: a number from 1 on", true, FIELD(struct manifest_descriptor, id), read_u32,
	 NULL, 1, UINT32_MAX},
	{"resource", "resource: one of those above", true,
	 FIELD(struct manifest_descriptor, resource), read_resource_name, NULL, 0, 0},
	{"event",
	 "event: WAIT ACQUIRE USE RELEASE SPAWN RUN PARK PUSH POP SUBMIT HANDLE BEGIN or END", true,
	 FIELD(struct manifest_descriptor, event), read_choice, event_kind_parse, 0, 0},
	{"site", "site: symbol, symbol+0x1a4, symbol:return or usdt:provider:name", true,
	 FIELD(struct manifest_descriptor, site), read_site, NULL, 0, 0},
	{"instance_key", "instance_key: arg0 … arg5, retval or \"*(arg0+16):u64\"", false,
	 FIELD(struct manifest_descriptor, instance_key), read_expr, NULL, 0, 0},
	{"unit_key", "unit_key: a number, arg0 … arg5, retval or \"*(arg0+16):u64\"", false,
	 FIELD(struct manifest_descriptor, unit_key), read_expr, NULL, 0, 0},
	{"target_id", "target_id: arg0 … arg5, retval or \"*(arg0+16):u64\"", false,
	 FIELD(struct manifest_descriptor, target_id), read_expr, NULL, 0, 0},
	{"when", "when: one comparison, as in retval != 0", false,
	 FIELD(struct manifest_descriptor, when), read_when, NULL, 0, 0},
	{"generation", "generation: acquire_epoch, create_epoch or none", false,
	 FIELD(struct manifest_descriptor, generation), read_choice, manifest_generation_parse, 0,
	 0},
	{"confidence", "confidence: validated or candidate", false,
	 FIELD(struct manifest_descriptor, confidence), read_choice, manifest_confidence_parse, 0,
	 0},
	{"provenance", "provenance: {by: review, source: pool.c, evidence: [...]}", false, 0, 0,
	 read_provenance, NULL, 0, 0},
};
static const struct shape descriptor_shape = SHAPE("a descriptor", descriptor_fields);

static const struct field invariant_fields[] = {
	{"id", "id: a word, as in release-needs-acquire", true,
	 FIELD(struct manifest_invariant, id), read_word, NULL, 0, 0},
	{"kind",
	 "kind: pairing membership generation balance ratio order range monotone silence emit-rate "
	 "actor system-effect known-value exclusion or count",
	 true, FIELD(struct manifest_invariant, kind), read_choice, invariant_kind_parse, 0, 0},
	{"of", "of: [1, 3], ids of descriptors", true, 0, 0, read_of, NULL, 0, 0},
	{"evidence", "evidence: proof or warning", false,
	 FIELD(struct manifest_invariant, evidence), read_choice, manifest_evidence_parse, 0, 0},
	{"effect", "effect: block-io, page-fault or sched-delay", false,
	 FIELD(struct manifest_invariant, effect), read_choice, effect_kind_parse, 0, 0},
	{"at_least", "at_least: a ratio from 0 on, as in 0.5", false, 0, 0, read_flagged_f64, NULL,
	 0, 0},
	{"at_most", "at_most: a ratio from 0 on, as in 2", false, 0, 0, read_flagged_f64, NULL, 0,
	 0},
	{"min", "min: a whole number, or 0x and hex digits", false, 0, 0, read_bound, NULL, 0, 0},
	{"max", "max: a whole number, or 0x and hex digits", false, 0, 0, read_bound, NULL, 0, 0},
	{"value", "value: a whole number, or 0x and hex digits", false,
	 FIELD(struct manifest_invariant, value), read_u64, NULL, 0, 0},
	{"within", "within: a duration with its unit, as in 20ms", false, 0, 0, read_within, NULL,
	 0, 0},
	{"within_ms", "within_ms: milliseconds, a whole number", false, 0, 0, read_within_ms, NULL,
	 1, 86400000},
	{"many", "many: the number of threads, 2 or more", false,
	 FIELD(struct manifest_invariant, many), read_u32, NULL, 2, UINT32_MAX},
};
static const struct shape invariant_shape = SHAPE("an invariant", invariant_fields);

/* In the order in which one needs the other. */
static const struct field root_fields[] = {
	{"manifest", "manifest: 1", true, 0, 0, read_version, NULL, 1, UINT64_MAX},
	{"application", "application: a word, as in pool", true,
	 FIELD(struct manifest, application), read_word, NULL, 0, 0},
	{"build_id", "build_id: hex digits, as readelf -n prints them; empty: not stamped", false,
	 0, 0, read_build_id, NULL, 0, 0},
	{"resources", "resources: a list of {resource: …, unit: …}", true, 0, 0, read_resources,
	 NULL, 0, 0},
	{"descriptors", "descriptors: a list of {id: …, resource: …, event: …, site: …}", true, 0,
	 0, read_descriptors, NULL, 0, 0},
	{"invariants", "invariants: a list of {id: …, kind: …, of: [...]}", false, 0, 0,
	 read_invariants, NULL, 0, 0},
};
static const struct shape root_shape = SHAPE("a manifest", root_fields);

static int read_version(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	uint64_t v;
	int rc = read_u64(r, f, n, &v);

	if (!rc && v != 1)
		rc = node_fault(r, n, "manifest: 1, or a newer assay",
				"manifests of version %s cannot be read", tree_text(&r->tree, n));
	return rc;
}

static int read_build_id(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = tree_text(&r->tree, n);
	char *id = r->m.build_id;

	r->m.build_id_place.line = n->line;
	r->m.build_id_place.column = n->column;
	if (n->kind == NODE_SCALAR && !n->len)
		return 0;
	s = read_text(r, f, n);
	if (!s)
		return -EINVAL;
	if (n->len % 2 || n->len < 8 || n->len >= sizeof(r->m.build_id) ||
	    strspn(s, "0123456789abcdefABCDEF") != n->len)
		return node_fault(r, n, "assay manifest stamp FILE EXE writes it",
				  "\"%s\" is no build-id: 8 to 64 hex digits, an even number",
				  shown(s).s);
	for (size_t i = 0; i <= n->len; i++)
		id[i] = (char)tolower((unsigned char)s[i]);
	return 0;
}

static int read_capacity(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct manifest_resource *v = slot; /* the field's place is 0 */

	v->has_capacity = true;
	return read_mapping(r, &capacity_shape, n, v);
}

/* EVENT, or EVENT with * ? + behind it. */
static int read_lifetime_word(struct reading *r, const struct field *f, const struct node *n,
			      char ret[16])
{
	const struct field word = {.key = f->key, .help = f->help, .size = 16};
	int rc = read_word(r, &word, n, ret);
	size_t len;

	if (rc)
		return rc;
	len = strlen(ret);
	if (len > 1 && strchr("*?+", ret[len - 1]))
		len--;
	if (event_kind_parse(ret, len) < 0)
		return node_fault(r, n, f->help, "\"%s\" is no event", shown(ret).s);
	return 0;
}

static int read_lifetime(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct manifest_resource *v = slot;
	const struct node *item = read_items(r, f, n, MANIFEST_LIFETIME_MAX);
	int rc = item ? 0 : -EINVAL;

	for (; item && !rc; item = tree_next(&r->tree, item))
		rc = read_lifetime_word(r, f, item, v->lifetime[v->lifetime_cnt++]);
	return rc;
}

static int read_resource_name(struct reading *r, const struct field *f, const struct node *n,
			      void *slot)
{
	const char *s = read_text(r, f, n);

	if (!s)
		return -EINVAL;
	for (uint32_t i = 0; i < r->m.resources_cnt; i++) {
		if (strcmp(r->m.resources[i].name, s))
			continue;
		*(uint32_t *)slot = i;
		return 0;
	}
	return node_fault(r, n, "the name of one under resources", "there is no resource \"%s\"",
			  shown(s).s);
}

static int read_provenance(struct reading *r, const struct field *f, const struct node *n,
			   void *slot)
{
	return read_mapping(r, &provenance_shape, n, slot);
}

/* Checked, not kept: the evidence of a claim is for people. */
static int read_strings(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const struct node *item;

	if (n->kind != NODE_SEQUENCE)
		return node_fault(r, n, f->help, "\"%s\" is %s", f->key, node_word(n));
	for (item = tree_child(&r->tree, n); item; item = tree_next(&r->tree, item))
		if (!read_text(r, f, item))
			return -EINVAL;
	return 0;
}

static int read_of_id(struct reading *r, const struct field *f, const struct node *n,
		      struct manifest_invariant *v)
{
	const struct field number = {.key = "of", .help = f->help, .min = 1, .max = UINT32_MAX};
	uint32_t id;
	int rc = read_u32(r, &number, n, &id);

	if (rc)
		return rc;
	if (!manifest_descriptor_by_id(&r->m, id))
		return node_fault(r, n, "an id from descriptors", "there is no descriptor %u", id);
	for (uint32_t i = 0; i < v->of_cnt; i++)
		if (v->of[i] == id)
			return node_fault(r, n, "each once", "descriptor %u stands twice", id);
	v->of[v->of_cnt++] = id;
	return 0;
}

static int read_of(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const struct node *item = read_items(r, f, n, MANIFEST_OF_MAX);
	int rc = item ? 0 : -EINVAL;

	for (; item && !rc; item = tree_next(&r->tree, item))
		rc = read_of_id(r, f, item, slot);
	return rc;
}

static int read_flagged_f64(struct reading *r, const struct field *f, const struct node *n,
			    void *slot)
{
	struct manifest_invariant *v = slot;
	bool least = !strcmp(f->key, "at_least");

	*(least ? &v->has_at_least : &v->has_at_most) = true;
	return read_f64(r, f, n, least ? &v->at_least : &v->at_most);
}

static int read_bound(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct manifest_invariant *v = slot;
	bool min = !strcmp(f->key, "min");

	*(min ? &v->has_min : &v->has_max) = true;
	return read_u64(r, f, n, min ? &v->min : &v->max);
}

static int read_within(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct manifest_invariant *v = slot;
	const char *s = read_text(r, f, n);

	if (!s)
		return -EINVAL;
	if (parse_duration(s, &v->within_ns) || !v->within_ns)
		return node_fault(r, n, f->help, "\"%s\" is no duration", shown(s).s);
	v->has_within = true;
	return 0;
}

static int read_within_ms(struct reading *r, const struct field *f, const struct node *n,
			  void *slot)
{
	struct manifest_invariant *v = slot;
	uint64_t ms;
	int rc = read_u64(r, f, n, &ms);

	if (!rc && v->has_within)
		rc = node_fault(r, n, "one of them", "within and within_ms say the same");
	if (!rc) {
		v->within_ns = ms * 1000000;
		v->has_within = true;
	}
	return rc;
}

/* One of the three lists: where it goes and how an element begins and ends. */
struct list {
	const struct shape *shape;
	void **array;
	uint32_t *cnt;
	size_t size;
	uint32_t max;
	int (*one)(struct reading *r, const struct shape *shape, const struct node *n, void *v);
};

static int read_list(struct reading *r, const struct field *f, const struct node *n,
		     const struct list *list)
{
	const struct node *item = read_items(r, f, n, list->max);
	int rc = item ? 0 : -EINVAL;

	if (rc)
		return rc;
	*list->array = calloc(n->cnt, list->size);
	if (!*list->array)
		return diag_set(r->d, -ENOMEM, r->m.path, 0, "free memory", "memory is full");
	for (; item && !rc; item = tree_next(&r->tree, item)) {
		rc = list->one(r, list->shape, item,
			       (char *)*list->array + *list->cnt * list->size);
		*list->cnt += !rc; /* an element is there when it is whole */
	}
	return rc;
}

static int one_resource(struct reading *r, const struct shape *shape, const struct node *n, void *v)
{
	struct manifest_resource *e = v;
	int rc;

	e->line = n->line;
	e->column = n->column;
	rc = read_mapping(r, shape, n, e);
	return rc ? rc : rules_resource(r, n, e);
}

static int one_descriptor(struct reading *r, const struct shape *shape, const struct node *n,
			  void *v)
{
	struct manifest_descriptor *e = v;
	int rc;

	e->line = n->line;
	e->column = n->column;
	rc = read_mapping(r, shape, n, e);
	return rc ? rc : rules_descriptor(r, n, e);
}

static int one_invariant(struct reading *r, const struct shape *shape, const struct node *n,
			 void *v)
{
	struct manifest_invariant *e = v;
	int rc;

	e->line = n->line;
	e->column = n->column;
	e->effect = EFFECT_KIND_CNT;
	e->evidence = EVIDENCE_CNT;
	rc = read_mapping(r, shape, n, e);
	return rc ? rc : rules_invariant(r, n, e);
}

static int read_resources(struct reading *r, const struct field *f, const struct node *n,
			  void *slot)
{
	struct manifest *m = &r->m;

	return read_list(r, f, n,
			 &(struct list){&resource_shape, (void **)&m->resources, &m->resources_cnt,
					sizeof(*m->resources), MANIFEST_RESOURCES_MAX,
					one_resource});
}

static int read_descriptors(struct reading *r, const struct field *f, const struct node *n,
			    void *slot)
{
	struct manifest *m = &r->m;

	return read_list(r, f, n,
			 &(struct list){&descriptor_shape, (void **)&m->descriptors,
					&m->descriptors_cnt, sizeof(*m->descriptors),
					MANIFEST_DESCRIPTORS_MAX, one_descriptor});
}

static int read_invariants(struct reading *r, const struct field *f, const struct node *n,
			   void *slot)
{
	struct manifest *m = &r->m;

	return read_list(r, f, n,
			 &(struct list){&invariant_shape, (void **)&m->invariants,
					&m->invariants_cnt, sizeof(*m->invariants),
					MANIFEST_INVARIANTS_MAX, one_invariant});
}

int manifest_parse(const char *bytes, size_t len, const char *path, struct manifest *ret,
		   struct diag *d)
{
	struct reading r = {.d = d};
	int rc;

	snprintf(r.m.path, sizeof(r.m.path), "%s", path);
	if (len > MANIFEST_BYTES_MAX)
		return diag_set(d, -EINVAL, path, 0, "split the manifest",
				"%zu bytes, 1 MiB is the limit of a manifest", len);
	rc = tree_read(bytes, len, path, &r.tree, d);
	if (rc)
		return rc;
	rc = read_mapping(&r, &root_shape, tree_root(&r.tree), &r.m);
	tree_free(&r.tree);
	if (rc) {
		manifest_free(&r.m);
		return rc;
	}
	*ret = r.m;
	return 0;
}

int manifest_load(const char *path, struct manifest *ret, struct diag *d)
{
	char *bytes;
	size_t len;
	int rc = file_read(path, MANIFEST_BYTES_MAX, &bytes, &len, d);

	if (rc == -EFBIG)
		return diag_set(d, -EINVAL, path, 0, "split the manifest",
				"more than 1 MiB, the limit of a manifest");
	if (rc)
		return rc;
	rc = manifest_parse(bytes, len, path, ret, d);
	free(bytes);
	return rc;
}

void manifest_free(struct manifest *m)
{
	free(m->resources);
	free(m->descriptors);
	free(m->invariants);
	free(m->warnings);
	*m = (struct manifest){.resources_cnt = 0};
}
