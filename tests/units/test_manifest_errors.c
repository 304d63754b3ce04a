/* SPDX-License-Identifier: BSD-2-Clause */
/* Every way to write a manifest wrongly: one error, at its place, with a cure. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/manifest.h"

/* Line numbers of the cases below count from here. */
static const char sound[] =
	"manifest: 1\n"								   /* 1 */
	"application: pool\n"							   /* 2 */
	"build_id: 9f2c0011\n"							   /* 3 */
	"resources:\n"								   /* 4 */
	"  - resource: pool.frame\n"						   /* 5 */
	"    unit: frame\n"							   /* 6 */
	"    capacity: {site: pool_init, arg: 1}\n"				   /* 7 */
	"    lifetime: [ACQUIRE, USE*, RELEASE]\n"				   /* 8 */
	"    owner: operation\n"						   /* 9 */
	"  - {resource: waiter, unit: slot}\n"					   /* 10 */
	"descriptors:\n"							   /* 11 */
	"  - id: 1\n"								   /* 12 */
	"    resource: pool.frame\n"						   /* 13 */
	"    event: ACQUIRE\n"							   /* 14 */
	"    site: pool_get:return\n"						   /* 15 */
	"    instance_key: retval\n"						   /* 16 */
	"    unit_key: 1\n"							   /* 17 */
	"    when: retval != 0\n"						   /* 18 */
	"    generation: acquire_epoch\n"					   /* 19 */
	"    confidence: validated\n"						   /* 20 */
	"    provenance: {by: review, source: pool.c, evidence: [seen, tested]}\n" /* 21 */
	"  - id: 3\n"								   /* 22 */
	"    resource: pool.frame\n"						   /* 23 */
	"    event: RELEASE\n"							   /* 24 */
	"    site: pool_put\n"							   /* 25 */
	"    instance_key: \"*(arg0+8):u64\"\n"					   /* 26 */
	"  - {id: 4, resource: waiter, event: WAIT, site: pool_wait}\n"		   /* 27 */
	"invariants:\n"								   /* 28 */
	"  - {id: release, kind: pairing, of: [1, 3]}\n"			   /* 29 */
	"  - {id: rate, kind: ratio, of: [1, 3], at_most: 2}\n";		   /* 30 */

struct wrong {
	const char *old, *new; /* what is replaced, once */
	uint32_t line, column;
	const char *reason, *cure; /* parts of them */
};

static struct manifest m;
static struct diag d;

static int parse(const char *text, size_t len)
{
	memset(&d, 0, sizeof(d));
	return manifest_parse(text, len, "m.yaml", &m, &d);
}

static char *replaced(const char *old, const char *new)
{
	const char *at = strstr(sound, old);
	char *text = malloc(sizeof(sound) + strlen(new));

	cr_assert_not_null(at, "the sound manifest has no \"%s\"", old);
	sprintf(text, "%.*s%s%s", (int)(at - sound), sound, new, at + strlen(old));
	return text;
}

static void expect_error(const char *text, size_t len, const struct wrong *w)
{
	char column[32];

	snprintf(column, sizeof(column), "column %u: ", w->column);
	if (parse(text, len) != -EINVAL) {
		cr_expect_fail("\"%s\" is taken", w->new);
		return;
	}
	cr_expect_str_eq(d.file, "m.yaml");
	cr_expect_eq(d.line, w->line, "\"%s\": line %u, not %u: %s", w->new, (unsigned)d.line,
		     w->line, d.reason);
	cr_expect(!strncmp(d.reason, column, strlen(column)), "\"%s\": %snot in %s", w->new, column,
		  d.reason);
	cr_expect(strstr(d.reason, w->reason), "\"%s\": \"%s\" not in %s", w->new, w->reason,
		  d.reason);
	cr_expect(d.cure[0] && strstr(d.cure, w->cure), "\"%s\": \"%s\" not in cure %s", w->new,
		  w->cure, d.cure);
}

static void expect_errors(const struct wrong *w, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		char *text = replaced(w[i].old, w[i].new);

		expect_error(text, strlen(text), &w[i]);
		free(text);
	}
}
#define EXPECT_ERRORS(w) expect_errors(w, sizeof(w) / sizeof((w)[0]))

Test(manifest_errors, none_when_all_is_well)
{
	cr_assert_eq(parse(sound, strlen(sound)), 0, "%s", d.reason);
	cr_expect_eq(m.resources_cnt, 2);
	cr_expect_eq(m.descriptors_cnt, 3);
	cr_expect_eq(m.invariants_cnt, 2);
	cr_expect_eq(m.warnings_cnt, 0);
	manifest_free(&m);
}

Test(manifest_errors, keys)
{
	static const struct wrong w[] = {
		{"    event: RELEASE", "    evnt: RELEASE", 24, 5,
		 "no key \"evnt\" in a descriptor", "event"},
		{"unit: slot", "units: slot", 10, 24, "no key \"units\" in a resource", "unit"},
		{"manifest: 1\n", "manifest: 1\nqqqqqqq: 1\n", 2, 1, "no key \"qqqqqqq\"",
		 "manifest application build_id"},
		{"    event: RELEASE\n", "", 22, 5, "a descriptor lacks \"event\"", "event: WAIT"},
		{"unit: slot", "owner: shared", 10, 5, "a resource lacks \"unit\"", "unit:"},
		{"application: pool\n", "", 1, 1, "lacks \"application\"", "application:"},
		{"manifest: 1\n", "", 1, 1, "lacks \"manifest\"", "manifest: 1"},
		{"arg: 1}", "by: 1}", 7, 33, "no key \"by\" in capacity", "arg"},
		{", arg: 1}", "}", 7, 15, "capacity lacks \"arg\"", "0 … 5"},
		{"by: review", "buy: review", 21, 18, "no key \"buy\" in provenance", "by"},
		{"    event: RELEASE\n", "    event: RELEASE\n    event: USE\n", 25, 5,
		 "\"event\" stands twice", "one of them"},
		{"kind: pairing", "knd: pairing", 29, 19, "no key \"knd\" in an invariant", "kind"},
		{", of: [1, 3]}", "}", 29, 5, "an invariant lacks \"of\"", "of: [1, 3]"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, types)
{
	static const struct wrong w[] = {
		{"id: 1\n", "id: 5objects\n", 12, 9, "\"5objects\" is no whole number", "number"},
		{"id: 1\n", "id: -1\n", 12, 9, "\"-1\" is no whole number", "from 1 on"},
		{"id: 1\n", "id: 010\n", 12, 9, "\"010\" is no whole number", "number"},
		{"id: 1\n", "id: \"1\"\n", 12, 9, "a string in quotes", "without quotes"},
		{"id: 1\n", "id: 0\n", 12, 9, "outside 1 …", "from 1 on"},
		{"id: 1\n", "id: 4294967296\n", 12, 9, "outside", "from 1 on"},
		{"id: 1\n", "id: 18446744073709551616\n", 12, 9, "64 bits", "number"},
		{"id: 1\n", "id: 0x\n", 12, 9, "no whole number", "number"},
		{"id: 1\n", "id: [1]\n", 12, 9, "\"id\" is a sequence", "number"},
		{"id: 1\n", "id:\n", 12, 8, "\"id\" has no value", "number"},
		{"manifest: 1", "manifest: 2", 1, 11, "version 2", "newer assay"},
		{"unit: slot", "unit: {a: b}", 10, 30, "\"unit\" is a mapping", "unit:"},
		{"unit: slot", "unit: a slot", 10, 30, "\"a slot\" is no word", "letters"},
		{"owner: operation", "owner: nobody", 9, 12, "\"nobody\" is no owner", "shared"},
		{"event: RELEASE", "event: release", 24, 12, "\"release\" is no event", "RELEASE"},
		{"[ACQUIRE, USE*, RELEASE]", "[ACQUIRE, USED*]", 8, 25, "\"USED*\" is no event",
		 "USE*"},
		{"[ACQUIRE, USE*, RELEASE]", "ACQUIRE", 8, 15, "\"lifetime\" is a string",
		 "[ACQUIRE"},
		{"[ACQUIRE, USE*, RELEASE]", "[]", 8, 15, "is empty", "[ACQUIRE"},
		{"{site: pool_init, arg: 1}", "64", 7, 15, "capacity is a mapping, not a string",
		 "key: value"},
		{"arg: 1}", "arg: 6}", 7, 38, "arg is 6", "0 … 5"},
		{"build_id: 9f2c0011", "build_id: 9f2c001", 3, 11, "no build-id", "stamp"},
		{"build_id: 9f2c0011", "build_id: 9f2c001g", 3, 11, "no build-id", "stamp"},
		{"at_most: 2", "at_most: 2x", 30, 50, "\"2x\" is no ratio", "at_most:"},
		{"at_most: 2", "at_most: -2", 30, 50, "\"-2\" is no ratio", "at_most:"},
		{"[seen, tested]", "seen", 21, 56, "\"evidence\" is a string", "list"},
		{"generation: acquire_epoch", "generation: epoch", 19, 17, "is no generation",
		 "create_epoch"},
		{"confidence: validated", "confidence: sure", 20, 17, "is no confidence",
		 "candidate"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, references)
{
	static const struct wrong w[] = {
		{"id: 3\n", "id: 1\n", 22, 9, "a descriptor 1 already, in line 12", "another"},
		{"resource: waiter,", "resource: pool.frame,", 10, 16,
		 "a resource pool.frame already", "another"},
		{"id: rate", "id: release", 30, 10, "an invariant release already", "another"},
		{"event: WAIT, site", "event: WAIT, resource: x, site", 27, 44,
		 "\"resource\" stands twice", "one"},
		{"resource: waiter, event", "resource: water, event", 27, 23,
		 "no resource \"water\"", "under resources"},
		{"of: [1, 3]}", "of: [1, 9]}", 29, 42, "no descriptor 9", "an id"},
		{"of: [1, 3]}", "of: [1, x]}", 29, 42, "\"x\" is no whole number", "ids"},
		{"of: [1, 3]}", "of: [1, 1]}", 29, 42, "descriptor 1 stands twice", "once"},
		{"of: [1, 3]}", "of: [1]}", 29, 38, "compares 2 descriptors", "[a, b]"},
		{"of: [1, 3]}", "of: [3, 4]}", 29, 42, "descriptor 4 names none", "instance_key"},
		{"    event: RELEASE", "    event: USE", 29, 38, "one that ends it", "release"},
		{"kind: pairing, of: [1, 3]", "kind: generation, of: [3]", 29, 42,
		 "descriptor 3 is RELEASE", "ACQUIRE"},
		{"of: [1, 3], at_most", "of: [1, 3, 4], at_most", 30, 33, "of names 3", "a pair"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, invariants)
{
	static const struct wrong w[] = {
		{"kind: pairing", "kind: paring", 29, 25, "\"paring\" is no kind", "pairing"},
		{"of: [1, 3]}", "of: [1, 3], max: 4}", 29, 51, "pairing takes no \"max\"", "leave"},
		{", at_most: 2", "", 30, 5, "ratio lacks", "at_least"},
		{"at_most: 2", "at_most: 2, at_least: 3", 30, 50, "greater", "smaller"},
		{"at_most: 2", "at_most: 2, evidence: proof", 30, 63, "only warns", "warning"},
		{"at_most: 2", "at_most: 2, evidence: prof", 30, 63, "\"prof\" is no evidence",
		 "proof"},
		{"kind: pairing, of: [1, 3]", "kind: silence, of: [1]", 29, 5,
		 "silence lacks \"effect\"", "assay-manifest"},
		{"kind: pairing, of: [1, 3]", "kind: silence, of: [1], effect: disk", 29, 51,
		 "\"disk\" is no effect", "block-io"},
		{"kind: pairing, of: [1, 3]", "kind: range, of: [1]", 29, 5, "lacks \"min\" or",
		 "max"},
		{"kind: pairing, of: [1, 3]", "kind: range, of: [3], max: 4", 29, 37,
		 "descriptor 3 has none", "unit_key"},
		{"kind: pairing, of: [1, 3]", "kind: range, of: [1], min: 5, max: 4", 29, 54,
		 "greater", "smaller"},
		{"kind: pairing, of: [1, 3]", "kind: actor, of: [1], many: 1", 29, 47, "many is 1",
		 "2 or more"},
		{"kind: pairing, of: [1, 3]", "kind: system-effect, of: [1], effect: block-io", 29,
		 5, "lacks \"within_ms\"", "assay-manifest"},
		{"kind: pairing, of: [1, 3]", "kind: known-value, of: [1]", 29, 5,
		 "lacks \"value\"", "assay-manifest"},
		{"kind: pairing, of: [1, 3]", "kind: balance, of: [1, 3], at_least: 2", 29, 56,
		 "more than the capacity", "0.5"},
		{"kind: pairing, of: [1, 3]", "kind: exclusion, of: [1, 3]", 29, 40,
		 "compares 3 descriptors", "[a, b, c]"},
		{"kind: pairing, of: [1, 3]", "kind: count, of: [1, 3, 4]", 29, 43, "4 names none",
		 "instance_key"},
		{"kind: pairing, of: [1, 3]", "kind: balance, of: [1, 3], within: 20", 29, 54,
		 "\"20\" is no duration", "20ms"},
		{"kind: pairing, of: [1, 3]", "kind: balance, of: [1, 3], within: 1s, within_ms: 1",
		 29, 69, "say the same", "one"},
	};

	EXPECT_ERRORS(w);
}

/* What follows line 26: a waiter that has an instance, and one invariant. */
#define TAIL                                                                                       \
	"  - {id: 4, resource: waiter, event: WAIT, site: pool_wait}\n"                            \
	"invariants:\n"                                                                            \
	"  - {id: release, kind: pairing, of: [1, 3]}\n"
#define OTHER(of)                                                                                  \
	"  - {id: 4, resource: waiter, event: WAIT, site: pool_wait, instance_key: arg0}\n"        \
	"  - {id: 5, resource: pool.frame, event: USE, site: pool_use, instance_key: arg0}\n"      \
	"invariants:\n"                                                                            \
	"  - {id: it, " of "}\n"

Test(manifest_errors, invariants_of_two_resources)
{
	static const struct wrong w[] = {
		{TAIL, OTHER("kind: exclusion, of: [4, 3, 1]"), 30, 35, "both ends of a life",
		 "[use, acquire, release]"},
		{TAIL, OTHER("kind: exclusion, of: [5, 1, 3]"), 30, 35, "compares two resources",
		 "[use, acquire, release]"},
		{TAIL, OTHER("kind: count, of: [1, 4, 3]"), 30, 31, "both ends of a life",
		 "[acquire, release, reading]"},
		{TAIL, OTHER("kind: count, of: [1, 3, 4]"), 30, 31, "looks at units", "unit_key"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, sites_and_what_can_be_evaluated_there)
{
	static const struct wrong w[] = {
		{"site: pool_get:return", "site: pool_get", 16, 19, "no retval at the entry",
		 "pool_get:return"},
		{"site: pool_get:return", "site: pool_get+0", 16, 19, "no retval at the entry",
		 ":return"},
		{"site: pool_get:return", "site: usdt:pool:get", 16, 19,
		 "a USDT site has no retval", "arg0"},
		{"site: pool_put", "site: pool_put:retrun", 25, 19, "is no kind of site",
		 "symbol:return"},
		{"site: pool_put", "site: pool_put+x", 25, 20, "\"x\" is no offset", "0x1a4"},
		{"site: pool_put", "site: pool_put+4:return", 25, 20, "is no offset", "0x1a4"},
		{"site: pool_put", "site: pool::put", 25, 15, "as the linker knows", "nm"},
		{"site: pool_put", "site: usdt:pool", 25, 20, "names provider and probe",
		 "usdt:provider:name"},
		{"site: pool_put", "site: pool put", 25, 15, "does not belong to a symbol",
		 "symbol"},
		{"unit_key: 1", "unit_key: 0", 17, 15, "0 units", "1 or more"},
		{"event: WAIT,", "event: WAIT, generation: create_epoch,", 27, 56, "none is named",
		 "instance_key"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, expressions)
{
	static const struct wrong w[] = {
		{"\"*(arg0+8):u64\"", "*(arg0+8):u64", 26, 19, "a * outside quotes", "in quotes"},
		{"\"*(arg0+8):u64\"", "\"*(arg0+8)\"", 26, 20, "needs its type", ":u64"},
		{"\"*(arg0+8):u64\"", "\"*(arg0+8):u63\"", 26, 30, "no type \"u63\"", "s64"},
		{"\"*(arg0+8):u64\"", "\"*(arg0+8:u64\"", 26, 28, "\")\" is missing", "bracket"},
		{"\"*(arg0+8):u64\"", "\"*arg0\"", 26, 21, "needs brackets", "*(arg0+16)"},
		{"\"*(arg0+8):u64\"", "\"*(*(*(arg0))):u64\"", 26, 24, "at most twice", "argument"},
		{"\"*(arg0+8):u64\"", "\"*(*(arg0+8):u32+4):u64\"", 26, 31, "reads a pointer",
		 "inner type"},
		{"\"*(arg0+8):u64\"", "\"*(4096+8):u64\"", 26, 22, "fixed address", "arg0"},
		{"\"*(arg0+8):u64\"", "\"*(arg0+4294967296):u64\"", 26, 26, "2 GiB", "inside"},
		{"\"*(arg0+8):u64\"", "arg6", 26, 19, "there is no arg6", "arg5"},
		{"\"*(arg0+8):u64\"", "arg0+16", 26, 23, "sums stand inside a load",
		 "*(arg0+16):u64"},
		{"\"*(arg0+8):u64\"", "rdi", 26, 19, "\"rdi\" is no expression", "arg0"},
		{"\"*(arg0+8):u64\"", "arg0 arg1", 26, 24, "is too much", "arg0"},
		{"\"*(arg0+8):u64\"", "0x1ffffffffffffffff", 26, 19, "64 bits", "64 bits"},
		{"\"*(arg0+8):u64\"", "\"\"", 26, 19, "has no value", "arg0"},
		{"\"*(arg0+8):u64\"", "\" \"", 26, 21, "missing here", "arg0"},
		{"when: retval != 0", "when: retval", 18, 17, "the comparison is missing", "!= 0"},
		{"when: retval != 0", "when: retval = 0", 18, 18, "is no comparison", "=="},
		{"when: retval != 0", "when: retval != arg1", 18, 21, "is no number", "decimal"},
		{"when: retval != 0", "when: retval != 0 && arg0 == 1", 18, 23, "one comparison",
		 "two descriptors"},
		{"when: retval != 0", "when: retval >= 0", 18, 11, "never below 0", "retval:s32"},
		{"when: retval != 0", "when: retval:u8 == 256", 18, 24, "never have this value",
		 "wider"},
		{"when: retval != 0", "when: retval:s8 == -129", 18, 24, "never have this value",
		 "wider"},
		{"when: retval != 0", "when: retval:u32 != -1", 18, 25, "never have this value",
		 "signed"},
		{"when: retval != 0", "when: retval & 0", 18, 11, "nothing has a bit", "mask"},
		{"when: retval != 0", "when: 1 == 1", 18, 11, "always says the same",
		 "on the left"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, yaml)
{
	static const struct wrong w[] = {
		{"unit: frame", "unit: &a frame", 6, 11, "an anchor", "the value out"},
		{"unit: frame", "unit: *a", 6, 11, "an alias", "quotes"},
		{"unit: frame", "unit: !!str frame", 6, 11, "a tag", "leave"},
		{"    unit: frame", "\tunit: frame", 6, 1, "a tab", "blanks"},
		{"    unit: frame", "   unit: frame", 6, 4, "expected", "indentation"},
		{"[ACQUIRE, USE*, RELEASE]", "[ACQUIRE, USE*", 9, 10, "expected", "brackets"},
		{"owner: operation", "owner: \x01", 9, 12, "control character 0x01", "remove"},
		{"owner: operation", "owner: \xff", 9, 12, "byte 0xff is no UTF-8", "utf-8"},
		{"owner: operation", "owner: \"\\0\"", 9, 12, "holds a NUL", "leave"},
		{"manifest: 1\n", "manifest: 1\n---\n", 2, 1, "second document", "one file"},
		{"    unit: frame\n", "    [a]: b\n", 6, 5, "a key that is a sequence", "a word"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, files_that_are_no_manifest)
{
	static const struct wrong nul = {"", "NUL", 1, 5, "control character 0x00", "remove"};
	static const struct wrong empty = {"", "empty", 1, 1, "nothing in it", "assay-manifest"};
	static const struct wrong list = {"", "list", 1, 1, "a mapping, not a sequence", "key"};
	static const struct wrong loop = {"", "loop", 1, 4, "an anchor", "the value out"};
	static const struct wrong deep = {"", "deep", 1, 13, "12 levels", "layout"};

	expect_error("mani\0fest: 1\n", 13, &nul);
	expect_error("", 0, &empty);
	expect_error("# nothing\n", 10, &empty);
	expect_error("- a\n", 4, &list);
	expect_error("a: &a [*a, *a]\n", 15, &loop);
	expect_error("[[[[[[[[[[[[[[[[[[[[", 20, &deep);
}

/* The place of an error does not depend on how long a character is in bytes. */
Test(manifest_errors, columns_count_characters)
{
	static const struct wrong w[] = {
		{"{by: review, source: pool.c,", "{by: review, source: \"äöü€\", bye: x,", 21, 46,
		 "no key \"bye\"", "by"},
	};

	EXPECT_ERRORS(w);
}

Test(manifest_errors, large_files_end_early)
{
	size_t len = 10 << 20;
	char *text = malloc(len);

	memset(text, 'a', len);
	cr_expect_eq(parse(text, len), -EINVAL);
	cr_expect(strstr(d.reason, "1 MiB"), "%s", d.reason);
	memset(text, '[', 1 << 20);
	cr_expect_eq(parse(text, 1 << 20), -EINVAL);
	memset(text, '\n', 1 << 20);
	cr_expect_eq(parse(text, 1 << 20), -EINVAL);
	memset(text, ',', 1 << 20);
	memcpy(text, "a: [", 4);
	cr_expect_eq(parse(text, 1 << 20), -EINVAL);
	for (size_t i = 4; i < 1 << 20; i++)
		text[i] = i % 2 ? ',' : 'a';
	cr_expect_eq(parse(text, 1 << 20), -EINVAL);
	cr_expect(strstr(d.reason, "100,000"), "%s", d.reason);
	free(text);
}

/* Words of the file stand in messages, whatever they hold. */
Test(manifest_errors, long_and_odd_words_are_cut)
{
	char text[1200], word[900];

	memset(word, 'x', sizeof(word));
	word[899] = 0;
	snprintf(text, sizeof(text), "manifest: 1\n%s: 1\n", word);
	cr_expect_eq(parse(text, strlen(text)), -EINVAL);
	cr_expect_lt(strlen(d.reason), 200);
	snprintf(text, sizeof(text), "manifest: %s%s\n", word, word + 700);
	cr_expect_eq(parse(text, strlen(text)), -EINVAL);
	cr_expect(strstr(d.reason, "1,000 bytes"), "%s", d.reason);
}

Test(manifest_errors, missing_file)
{
	cr_expect_eq(manifest_load("/nonexistent/pool.yaml", &m, &d), -ENOENT);
	cr_expect_str_eq(d.file, "/nonexistent/pool.yaml");
}

Test(manifest_errors, lists_have_limits)
{
	char *text = malloc(1 << 20), *at = text;

	at += sprintf(at, "manifest: 1\napplication: a\nresources: [{resource: r, unit: u}]\n"
			  "descriptors:\n");
	for (unsigned i = 1; i <= MANIFEST_DESCRIPTORS_MAX + 1; i++)
		at += sprintf(at, "  - {id: %u, resource: r, event: USE, site: s}\n", i);
	cr_expect_eq(parse(text, (size_t)(at - text)), -EINVAL);
	cr_expect(strstr(d.reason, "1025 items, 1024 is the limit"), "%s", d.reason);
	free(text);
}
