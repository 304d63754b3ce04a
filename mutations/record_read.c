/* SPDX-License-Identifier: BSD-2-Clause */
/* record.yaml into its struct: the tables of what stands where, and the rules between values. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/manifest_fields.h"
#include "mutations/record.h"

typedef int read_fn(struct reading *r, const struct field *f, const struct node *n, void *slot);
static read_fn read_version, read_workloads, read_form, read_flags, read_invalid, read_changes;
static read_fn read_witness, read_of, read_reached, read_since, read_compilers, read_levels;
static read_fn read_symbols, read_cases, read_canon, read_event, read_handoff, read_sum, read_bound;

static int way_parse(const char *s, size_t len)
{
	static const char *const words[WAY_CNT] = {"fewer", "more"};

	for (int i = 0; i < WAY_CNT; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return i;
	return -1;
}

static const struct field form_fields[] = {
	{"patch", "patch: a file beside the record, NAME.patch or NAME.cocci", false,
	 FIELD(struct form_spec, patch), read_word, NULL, 0, 0},
	{"flags", "flags: [-O1, -fno-inline]", false, 0, 0, read_flags, NULL, 0, 0},
	{"config", "config: a file beside the record", false, FIELD(struct form_spec, config),
	 read_word, NULL, 0, 0},
};
static const struct shape form_shape = SHAPE("a form", form_fields);

static const struct field invalid_fields[] = {
	{"descriptor", "descriptor: an id of the workload's manifest", true,
	 FIELD(struct invalid_spec, descriptor), read_u32, NULL, 1, UINT32_MAX},
	{"why", "why: one sentence", true, FIELD(struct invalid_spec, why), read_line, NULL, 0, 0},
};
static const struct shape invalid_shape = SHAPE("an invalid descriptor", invalid_fields);

static const struct field change_fields[] = {
	{"event", "event: RELEASE", false, 0, 0, read_event, NULL, 0, 0},
	{"class", "class: a resource, as in pool.frame", false, FIELD(struct change_spec, class),
	 read_word, NULL, 0, 0},
	{"handoff", "handoff: io", false, 0, 0, read_handoff, NULL, 0, 0},
	{"sum", "sum: units", false, 0, 0, read_sum, NULL, 0, 0},
	{"way", "way: fewer or more", true, FIELD(struct change_spec, way), read_choice, way_parse,
	 0, 0},
};
static const struct shape change_shape = SHAPE("a change", change_fields);

static const struct field reached_fields[] = {
	{"event", "event: RELEASE", false, 0, 0, read_event, NULL, 0, 0},
	{"class", "class: a resource, as in pool.frame", false, FIELD(struct change_spec, class),
	 read_word, NULL, 0, 0},
	{"handoff", "handoff: io", false, 0, 0, read_handoff, NULL, 0, 0},
};
static const struct shape reached_shape = SHAPE("reached", reached_fields);

static const struct field witness_fields[] = {
	{"measure",
	 "measure: count ratio units outstanding unpaired overlap moved delay mean or max", true,
	 FIELD(struct witness_spec, measure), read_choice, measure_parse, 0, 0},
	{"of", "of: [1, 3], ids of descriptors, or io or wake", true, 0, 0, read_of, NULL, 0, 0},
	{"above", "above: a number from 0 on", false, 0, 0, read_bound, NULL, 0, 0},
	{"below", "below: a number from 0 on", false, 0, 0, read_bound, NULL, 0, 0},
};
static const struct shape witness_shape = SHAPE("a witness", witness_fields);

/* In the order in which one needs the other. */
static const struct field root_fields[] = {
	{"mutation", "mutation: 1", true, 0, 0, read_version, NULL, 1, UINT64_MAX},
	{"id", "id: the folder's name", true, FIELD(struct mutation, id), read_word, NULL, 0, 0},
	{"class", "class: one of the catalogue's (assay mutate list --classes)", true,
	 FIELD(struct mutation, class), read_choice, mutation_class_parse, 0, 0},
	{"kind", "kind: patch, flags, config or harness", true, FIELD(struct mutation, kind),
	 read_choice, mutation_kind_parse, 0, 0},
	{"workloads", "workloads: [pool]", true, 0, 0, read_workloads, NULL, 0, 0},
	{"what", "what: one sentence", true, FIELD(struct mutation, what), read_line, NULL, 0, 0},
	{"naive", "naive: the reading of an observer that trusts the old manifest", true,
	 FIELD(struct mutation, naive), read_line, NULL, 0, 0},
	{"base", "base: {patch: …, flags: […], config: …}", false,
	 FIELD(struct mutation, forms[FORM_BASE]), read_form, NULL, 0, 0},
	{"mutant", "mutant: {patch: …, flags: […], config: …}", true,
	 FIELD(struct mutation, forms[FORM_MUTANT]), read_form, NULL, 0, 0},
	{"twin", "twin: {patch: …, flags: […], config: …}", true,
	 FIELD(struct mutation, forms[FORM_TWIN]), read_form, NULL, 0, 0},
	{"repaired", "repaired: a manifest beside the record", false,
	 FIELD(struct mutation, repaired), read_word, NULL, 0, 0},
	{"invalid", "invalid: [{descriptor: 3, why: …}]", false, 0, 0, read_invalid, NULL, 0, 0},
	{"since", "since: start, or the number of an operation", false,
	 FIELD(struct mutation, onset), read_since, NULL, 1, UINT32_MAX},
	{"share", "share: percent of the traffic that moves, 1 … 100", false,
	 FIELD(struct mutation, share), read_u32, NULL, 1, 100},
	{"canon", "canon: differs or equal", true, 0, 0, read_canon, NULL, 0, 0},
	{"changes", "changes: [{event: RELEASE, class: pool.frame, way: fewer}]", false, 0, 0,
	 read_changes, NULL, 0, 0},
	{"witness", "witness: {measure: ratio, of: [3, 1], below: 0.9}", false,
	 FIELD(struct mutation, witness), read_witness, NULL, 0, 0},
	{"reached", "reached: {event: RELEASE, class: pool.frame}, or {handoff: io}", true,
	 FIELD(struct mutation, reached), read_reached, NULL, 0, 0},
	{"compilers", "compilers: [gcc, clang]", false, 0, 0, read_compilers, NULL, 0, 0},
	{"levels", "levels: [O0, O2]", false, 0, 0, read_levels, NULL, 0, 0},
	{"symbols", "symbols: preserved or changed", false, 0, 0, read_symbols, NULL, 0, 0},
	{"cases", "cases: [a list, of public sources]", false, 0, 0, read_cases, NULL, 0, 0},
	{"ops", "ops: operations of a run that certifies, 1 … 100000", false,
	 FIELD(struct mutation, ops), read_u64, NULL, 1, 100000},
	{"deprecated", "deprecated: why", false, FIELD(struct mutation, deprecated), read_line,
	 NULL, 0, 0},
};
static const struct shape root_shape = SHAPE("a mutation record", root_fields);

static int read_version(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	uint64_t v;
	int rc = read_u64(r, f, n, &v);

	if (!rc && v != 1)
		rc = node_fault(r, n, "mutation: 1, or a newer assay",
				"records of version %s cannot be read", tree_text(&r->tree, n));
	return rc;
}

/* ---- lists of words ---- */

struct words {
	char *v;
	size_t size; /* of one */
	uint32_t max;
	uint32_t *cnt;
	read_fn *read;
};

static int read_list(struct reading *r, const struct field *f, const struct node *n,
		     const struct words *w)
{
	struct field one = *f;
	const struct node *c = read_items(r, f, n, w->max);
	int rc = c ? 0 : -EINVAL;

	one.size = (uint32_t)w->size;
	for (*w->cnt = 0; c && !rc; c = tree_next(&r->tree, c))
		rc = w->read(r, &one, c, w->v + (*w->cnt)++ * w->size);
	return rc;
}

static int read_workloads(struct reading *r, const struct field *f, const struct node *n,
			  void *slot)
{
	struct mutation *m = slot;
	struct words w = {m->workloads[0], RECORD_WORD, RECORD_WORKLOADS_MAX, &m->workloads_cnt,
			  read_word};

	return read_list(r, f, n, &w);
}

static int read_cases(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	struct words w = {m->cases[0], RECORD_TEXT, RECORD_CASES_MAX, &m->cases_cnt, read_line};

	return read_list(r, f, n, &w);
}

/* What a flag may be: the optimiser's and the linker's business, nothing with a path or a name. */
static int read_flag(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);

	if (!s)
		return -EINVAL;
	if (strncmp(s, "-O", 2) && strncmp(s, "-f", 2) && strncmp(s, "-m", 2) &&
	    strncmp(s, "-Wl,", 4))
		return node_fault(r, n, "flags that begin with -O -f -m or -Wl,",
				  "\"%s\" is no flag of code generation", shown(s).s);
	return read_line(r, f, n, slot);
}

static int read_flags(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct form_spec *s = slot;
	struct words w = {s->flags[0], RECORD_WORD, RECORD_FLAGS_MAX, &s->flags_cnt, read_flag};

	return read_list(r, f, n, &w);
}

static int read_form(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_mapping(r, &form_shape, n, slot);
}

/* ---- parts ---- */

static int read_event(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct change_spec *c = slot;
	struct field choice = {f->key, f->help, false, 0, 0, NULL, event_kind_parse, 0, 0};

	c->is_event = true;
	return read_choice(r, &choice, n, &c->event);
}

static int read_handoff(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct change_spec *c = slot;
	struct field choice = {f->key, f->help, false, 0, 0, NULL, handoff_type_parse, 0, 0};

	c->is_handoff = true;
	return read_choice(r, &choice, n, &c->handoff);
}

static int read_sum(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	if (strcmp(tree_text(&r->tree, n), "units"))
		return node_fault(r, n, f->help, "only units can be summed");
	((struct change_spec *)slot)->units = true;
	return 0;
}

static int check_subject(struct reading *r, const struct node *n, const struct change_spec *c)
{
	if (c->is_event == c->is_handoff)
		return node_fault(r, n, "event: and class:, or handoff:",
				  "it names neither or both of event and handoff");
	if (c->is_event != !!c->class[0])
		return node_fault(r, n, "event: RELEASE, class: pool.frame",
				  "event and class belong together");
	return 0;
}

static int read_changes(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	const struct node *c = read_items(r, f, n, RECORD_CHANGES_MAX);
	int rc = c ? 0 : -EINVAL;

	for (; c && !rc; c = tree_next(&r->tree, c)) {
		struct change_spec *v = &m->changes[m->changes_cnt++];

		rc = read_mapping(r, &change_shape, c, v);
		if (!rc)
			rc = check_subject(r, c, v);
	}
	return rc;
}

static int read_reached(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct reach_spec *to = slot;
	struct change_spec c = {.units = false};
	int rc = read_mapping(r, &reached_shape, n, &c);

	if (!rc)
		rc = check_subject(r, n, &c);
	if (rc)
		return rc;
	*to = (struct reach_spec){.is_event = c.is_event,
				  .is_handoff = c.is_handoff,
				  .event = c.event,
				  .handoff = c.handoff};
	memcpy(to->class, c.class, sizeof(to->class));
	return 0;
}

static int read_invalid(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	const struct node *c = read_items(r, f, n, RECORD_INVALID_MAX);
	int rc = c ? 0 : -EINVAL;

	for (; c && !rc; c = tree_next(&r->tree, c))
		rc = read_mapping(r, &invalid_shape, c, &m->invalid[m->invalid_cnt++]);
	return rc;
}

static int read_seen(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct seen_name *s = slot;
	const char *word = read_text(r, f, n);

	if (!word)
		return -EINVAL;
	if (!strcmp(word, "io"))
		s->kind = SEEN_IO;
	else if (!strcmp(word, "wake"))
		s->kind = SEEN_WAKE;
	else
		return read_u32(r, f, n, &s->descriptor);
	return 0;
}

static int read_of(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct witness_spec *s = slot;
	struct field one = *f;
	struct words w = {(char *)s->of, sizeof(s->of[0]), 2, &s->of_cnt, read_seen};

	one.min = 1;
	one.max = UINT32_MAX;
	return read_list(r, &one, n, &w);
}

static int read_bound(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct witness_spec *s = slot;
	bool above = !strcmp(f->key, "above");

	*(above ? &s->has_above : &s->has_below) = true;
	return read_f64(r, f, n, above ? &s->above : &s->below);
}

static int read_witness(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	static const uint8_t takes[MEASURE_CNT] = {
		[MEASURE_COUNT] = 1,	   [MEASURE_RATIO] = 2,	   [MEASURE_UNITS] = 2,
		[MEASURE_OUTSTANDING] = 2, [MEASURE_UNPAIRED] = 2, [MEASURE_OVERLAP] = 2,
		[MEASURE_MOVED] = 2,	   [MEASURE_DELAY] = 2,	   [MEASURE_MEAN] = 1,
		[MEASURE_MAX] = 1,
	};
	struct witness_spec *s = slot;
	int rc;

	if (n->kind == NODE_SCALAR && !strcmp(tree_text(&r->tree, n), "none"))
		return 0;
	rc = read_mapping(r, &witness_shape, n, s);
	if (!rc && s->of_cnt != takes[s->measure])
		rc = node_fault(r, n, f->help, "%s takes %u names, not %u",
				measure_name(s->measure), takes[s->measure], s->of_cnt);
	if (!rc && !s->has_above && !s->has_below)
		rc = node_fault(r, n, "above: or below:", "it has no bound, so it never fires");
	return rc;
}

static int read_since(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	if (!strcmp(tree_text(&r->tree, n), "start"))
		return 0;
	return read_u64(r, f, n, slot);
}

static int read_either(struct reading *r, const struct field *f, const struct node *n,
		       const char *first, const char *second, bool *has_first, bool *has_second)
{
	const struct node *c = read_items(r, f, n, 2);

	if (!c)
		return -EINVAL;
	for (; c; c = tree_next(&r->tree, c)) {
		const char *s = tree_text(&r->tree, c);

		if (!strcmp(s, first))
			*has_first = true;
		else if (!strcmp(s, second))
			*has_second = true;
		else
			return node_fault(r, c, f->help, "\"%s\" is neither %s nor %s", shown(s).s,
					  first, second);
	}
	return 0;
}

static int read_compilers(struct reading *r, const struct field *f, const struct node *n,
			  void *slot)
{
	struct mutation *m = slot;

	return read_either(r, f, n, "gcc", "clang", &m->gcc, &m->clang);
}

static int read_levels(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;

	return read_either(r, f, n, "O0", "O2", &m->o0, &m->o2);
}

static int read_word_of_two(struct reading *r, const struct field *f, const struct node *n,
			    const char *no, const char *yes, bool *ret)
{
	const char *s = tree_text(&r->tree, n);

	if (strcmp(s, no) && strcmp(s, yes))
		return node_fault(r, n, f->help, "\"%s\" is neither %s nor %s", shown(s).s, no,
				  yes);
	*ret = !strcmp(s, yes);
	return 0;
}

static int read_symbols(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_word_of_two(r, f, n, "preserved", "changed",
				&((struct mutation *)slot)->symbols_change);
}

static int read_canon(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_word_of_two(r, f, n, "equal", "differs",
				&((struct mutation *)slot)->canon_differs);
}

/* ---- rules between values ---- */

static bool form_differs(const struct form_spec *a, const struct form_spec *b)
{
	return strcmp(a->patch, b->patch) || strcmp(a->config, b->config) ||
	       a->flags_cnt != b->flags_cnt || memcmp(a->flags, b->flags, sizeof(a->flags));
}

static int check_id(struct reading *r, const struct node *n, const char *id)
{
	for (const char *p = id; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
			return node_fault(r, n, "small letters, digits and -", "\"%s\" is no id",
					  shown(id).s);
	return 0;
}

static int check_rules(struct reading *r, const struct mutation *m)
{
	const struct node *n = tree_root(&r->tree);

	if (!form_differs(&m->forms[FORM_BASE], &m->forms[FORM_MUTANT]))
		return node_fault(r, tree_get(&r->tree, n, "mutant"), "a patch, flags or a config",
				  "the mutant is made exactly like the base");
	if (m->class == CLASS_NULL && (m->invalid_cnt || m->canon_differs))
		return node_fault(r, n, "canon: equal and no invalid descriptors",
				  "a control that changes something is none");
	if (m->changes_cnt && !m->canon_differs)
		return node_fault(r, tree_get(&r->tree, n, "changes"), "canon: differs",
				  "counts change, but canon is said to be equal");
	if (m->invalid_cnt && !m->repaired[0])
		return node_fault(r, tree_get(&r->tree, n, "invalid"),
				  "repaired: a manifest beside the record",
				  "descriptors become invalid, and no repaired manifest is named");
	if (m->witness.of_cnt && !m->invalid_cnt)
		return node_fault(r, tree_get(&r->tree, n, "witness"), "witness: none",
				  "nothing becomes invalid, so there is nothing to witness");
	return check_id(r, tree_get(&r->tree, n, "id"), m->id);
}

int mutation_parse(const char *bytes, size_t len, const char *path, struct mutation *ret,
		   struct diag *d)
{
	struct reading r = {.d = d};
	struct mutation *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	snprintf(r.m.path, sizeof(r.m.path), "%s", path);
	rc = tree_read(bytes, len, path, &r.tree, d);
	if (!rc) {
		m->share = 100;
		rc = read_mapping(&r, &root_shape, tree_root(&r.tree), m);
		if (!rc)
			rc = check_rules(&r, m);
		tree_free(&r.tree);
	}
	if (!rc) {
		if (!m->gcc && !m->clang)
			m->gcc = m->clang = true;
		if (!m->o0 && !m->o2)
			m->o2 = true;
		*ret = *m;
	}
	free(m);
	return rc;
}
