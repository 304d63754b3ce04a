/* SPDX-License-Identifier: BSD-2-Clause */
/* record.yaml into its struct: the tables of what stands where, and the rules between values. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mutations/record_parts.h"

static read_fn read_version, read_workloads, read_since, read_compilers, read_levels;
static read_fn read_symbols, read_cases, read_acceptance, read_canon;

/* In the order in which one needs the other. */
static const struct field root_fields[] = {
	{"mutation", "mutation: 1", true, 0, 0, read_version, NULL, 1, UINT64_MAX},
	{"id", "id: the folder's name", true, FIELD(struct mutation, id), read_word, NULL, 0, 0},
	{"class", "class: a word of assay-mutation(5), as in RELMOVE", true,
	 FIELD(struct mutation, class), read_choice, mutation_class_parse, 0, 0},
	{"kind", "kind: patch, flags, config or harness", true, FIELD(struct mutation, kind),
	 read_choice, mutation_kind_parse, 0, 0},
	{"workloads", "workloads: [pool]", true, 0, 0, read_workloads, NULL, 0, 0},
	{"after", "after: the id of a mutation whose mutant is this one's base", false,
	 FIELD(struct mutation, after), read_word, NULL, 0, 0},
	{"what", "what: one sentence", true, FIELD(struct mutation, what), read_line, NULL, 0, 0},
	{"naive", "naive: the reading of an observer that trusts the old manifest", true,
	 FIELD(struct mutation, naive), read_line, NULL, 0, 0},
	{"base", "base: {patch: …, flags: […], config: …}", false,
	 FIELD(struct mutation, forms[FORM_BASE]), read_form, NULL, 0, 0},
	{"mutant", "mutant: {patch: …, flags: […], config: …}", true,
	 FIELD(struct mutation, forms[FORM_MUTANT]), read_form, NULL, 0, 0},
	{"twin", "twin: {patch: …, flags: […], config: …}", true,
	 FIELD(struct mutation, forms[FORM_TWIN]), read_form, NULL, 0, 0},
	{"repaired", "repaired: NAME.patch, of the workload's manifest.yaml", false,
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
	{"reading", "reading: {figure: event.precision, of: all, below: 0.9}", false,
	 FIELD(struct mutation, reading), read_reading, NULL, 0, 0},
	{"reached", "reached: {event: RELEASE, class: pool.frame}, or {handoff: io}", true,
	 FIELD(struct mutation, reached), read_reached, NULL, 0, 0},
	{"compilers", "compilers: [gcc, clang]", false, 0, 0, read_compilers, NULL, 0, 0},
	{"levels", "levels: [O0, O2]", false, 0, 0, read_levels, NULL, 0, 0},
	{"absent", "absent: why a level or a compiler knows no such fault", false,
	 FIELD(struct mutation, absent), read_line, NULL, 0, 0},
	{"symbols", "symbols: preserved or changed", false, 0, 0, read_symbols, NULL, 0, 0},
	{"cases", "cases: [a list, of public sources]", false, 0, 0, read_cases, NULL, 0, 0},
	{"acceptance", "acceptance: A1, the case whose second version it is", false,
	 FIELD(struct mutation, acceptance), read_acceptance, NULL, 0, 0},
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

static int read_workloads(struct reading *r, const struct field *f, const struct node *n,
			  void *slot)
{
	struct mutation *m = slot;
	struct items w = {m->workloads[0], RECORD_WORD, RECORD_WORKLOADS_MAX, &m->workloads_cnt,
			  read_word};

	return read_list(r, f, n, &w);
}

static int read_cases(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	struct items w = {m->cases[0], RECORD_TEXT, RECORD_CASES_MAX, &m->cases_cnt, read_line};

	return read_list(r, f, n, &w);
}

static int read_acceptance(struct reading *r, const struct field *f, const struct node *n,
			   void *slot)
{
	const char *s = tree_text(&r->tree, n);

	if (s[0] != 'A' || !s[1] || strlen(s) > 3 || s[1 + strspn(s + 1, "0123456789")])
		return node_fault(r, n, "as in acceptance: A1 (assay list acceptance)",
				  "this is no acceptance case");
	strcpy(slot, s);
	return 0;
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
				  "repaired: NAME.patch, of the workload's manifest.yaml",
				  "descriptors become invalid, and no repaired manifest is named");
	if (m->witness.of_cnt && !m->invalid_cnt)
		return node_fault(r, tree_get(&r->tree, n, "witness"), "witness: none",
				  "nothing becomes invalid, so there is nothing to witness");
	if (m->after[0] && m->forms[FORM_BASE].patch[0])
		return node_fault(r, tree_get(&r->tree, n, "base"), "leave base out",
				  "its base is the mutant of %s", shown(m->after).s);
	if (m->after[0] && check_id(r, tree_get(&r->tree, n, "after"), m->after))
		return -EINVAL;
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
