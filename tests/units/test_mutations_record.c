/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of mutations: what is read, and what is refused with which line and cure. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutations/record.h"

static const char good[] = "mutation: 1\n"
			   "id: relmove-pool-1\n"
			   "class: RELMOVE\n"
			   "kind: patch\n"
			   "workloads: [pool]\n"
			   "what: an error path keeps its pin\n"
			   "naive: pins leak\n"
			   "mutant: {patch: mutant.patch, flags: [-O1]}\n"
			   "twin: {patch: twin.patch}\n"
			   "repaired: repaired.patch\n"
			   "invalid:\n"
			   "  - {descriptor: 3, why: it is not called on that path}\n"
			   "since: 200\n"
			   "share: 80\n"
			   "canon: differs\n"
			   "changes:\n"
			   "  - {event: RELEASE, class: pool.frame, way: fewer}\n"
			   "  - {handoff: io, way: more}\n"
			   "witness: {measure: ratio, of: [3, io], below: 0.9, above: 2}\n"
			   "reached: {event: RELEASE, class: pool.frame}\n"
			   "compilers: [clang]\n"
			   "levels: [O0]\n"
			   "cases: [\"github.com/x/y#1\"]\n"
			   "ops: 300\n";

static int parse(const char *text, struct mutation *m, struct diag *d)
{
	return mutation_parse(text, strlen(text), "record.yaml", m, d);
}

Test(mutations_record, reads_every_key)
{
	struct mutation m;
	struct diag d = {0};

	cr_assert_eq(parse(good, &m, &d), 0, "%s", d.reason);
	cr_assert_str_eq(m.id, "relmove-pool-1");
	cr_assert_eq(m.class, CLASS_RELMOVE);
	cr_assert_eq(m.kind, KIND_PATCH);
	cr_assert(mutation_on(&m, "pool"));
	cr_assert_not(mutation_on(&m, "poo"));
	cr_assert_str_eq(m.forms[FORM_MUTANT].patch, "mutant.patch");
	cr_assert_str_eq(m.forms[FORM_MUTANT].flags[0], "-O1");
	cr_assert_eq(m.forms[FORM_BASE].patch[0], 0);
	cr_assert_eq(m.invalid_cnt, 1);
	cr_assert_eq(m.invalid[0].descriptor, 3);
	cr_assert_eq(m.onset, 200);
	cr_assert_eq(m.share, 80);
	cr_assert(m.canon_differs);
	cr_assert_eq(m.changes_cnt, 2);
	cr_assert(m.changes[0].is_event && m.changes[1].is_handoff);
	cr_assert_eq(m.changes[0].way, WAY_FEWER);
	cr_assert_eq(m.witness.measure, MEASURE_RATIO);
	cr_assert_eq(m.witness.of[0].descriptor, 3);
	cr_assert_eq(m.witness.of[1].kind, SEEN_IO);
	cr_assert(m.witness.has_above && m.witness.has_below);
	cr_assert(m.clang && !m.gcc && m.o0 && !m.o2);
	cr_assert_eq(m.cases_cnt, 1);
	cr_assert_eq(m.ops, 300);
}

/* A copy of the good record in which one text is another. */
static char *with(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	char *s;

	cr_assert_not_null(at, "%s", from);
	cr_assert_geq(asprintf(&s, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)), 0);
	return s;
}

struct wrong {
	const char *from, *to;
	uint64_t line;
	const char *says;
};

static const struct wrong wrongs[] = {
	{"share: 80", "shore: 80", 14, "no key \"shore\""},
	{"share: 80", "share: 0", 14, "outside 1"},
	{"share: 80", "share: 80percent", 14, "no whole number"},
	{"class: RELMOVE", "class: RELMOVED", 3, "is no class"},
	{"kind: patch", "kind: patched", 4, "is no kind"},
	{"id: relmove-pool-1", "id: Relmove", 2, "no id"},
	{"flags: [-O1]", "flags: [-I/etc]", 8, "no flag of code generation"},
	{"mutant: {patch: mutant.patch, flags: [-O1]}", "mutant: {}", 8, "exactly like the base"},
	{"repaired: repaired.patch\n", "", 11, "no repaired manifest"},
	{"canon: differs", "canon: equal", 17, "counts change"},
	{"way: fewer", "way: less", 17, "is no way"},
	{"event: RELEASE, class: pool.frame, way", "event: RELEASE, way", 17, "belong together"},
	{"handoff: io, way", "way", 18, "neither or both"},
	{"measure: ratio, of: [3, io]", "measure: ratio, of: [3]", 19, "takes 2 names"},
	{", below: 0.9, above: 2", "", 19, "no bound"},
	{"reached: {event: RELEASE, class: pool.frame}\n", "", 1, "lacks \"reached\""},
	{"levels: [O0]", "levels: [O3]", 22, "neither O0 nor O2"},
	{"mutation: 1", "mutation: 2", 1, "version 2"},
	{"since: 200", "since: never", 13, "no whole number"},
};

Test(mutations_record, refuses_with_line_and_cure)
{
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		char *text = with(wrongs[i].from, wrongs[i].to);
		struct mutation m;
		struct diag d = {0};

		cr_assert_eq(parse(text, &m, &d), -EINVAL, "%s", wrongs[i].to);
		cr_assert_eq(d.line, wrongs[i].line, "%s: line %llu: %s", wrongs[i].to,
			     (unsigned long long)d.line, d.reason);
		cr_assert(strstr(d.reason, wrongs[i].says), "%s: %s", wrongs[i].to, d.reason);
		cr_assert(d.cure[0], "%s: no cure", wrongs[i].to);
		free(text);
	}
}

Test(mutations_record, leaves_the_result_alone_when_it_fails)
{
	struct mutation m = {.share = 77};
	struct diag d = {0};

	cr_assert_eq(parse("mutation: 1\nid: x\n", &m, &d), -EINVAL);
	cr_assert_eq(m.share, 77);
}

Test(mutations_record, takes_a_control_only_if_nothing_changes)
{
	char *text = with("class: RELMOVE", "class: NULL");
	struct mutation m;
	struct diag d = {0};

	cr_assert_eq(parse(text, &m, &d), -EINVAL);
	cr_assert(strstr(d.reason, "control"), "%s", d.reason);
	free(text);
}

/* Every record of the tree, which the scan also checks for the files that it names. */
Test(mutations_record, reads_the_records_of_the_tree)
{
	struct mutation_list l;
	const struct mutation *m;
	struct diag d = {0};

	cr_assert_eq(mutation_scan("mutations", &l, &d), 0, "%s:%llu: %s", d.file,
		     (unsigned long long)d.line, d.reason);
	cr_assert_gt(l.cnt, 0);
	cr_assert_eq(mutation_find(&l, l.v[0].id, &m, &d), 0);
	cr_assert_eq(mutation_find(&l, "null-uring-l", &m, &d), -ENOENT);
	cr_assert(strstr(d.cure, "null-uring-1"), "%s", d.cure);
	mutation_list_free(&l);
}
