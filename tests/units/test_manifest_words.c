/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sound manifest means: every value in its place, warnings, stamping, comparing. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"

static const char sound[] =
	"# The pool, as of its third version.\n"
	"manifest: 1\n"
	"application: pool\n"
	"build_id: 9F2C0011   # of the release build\n"
	"resources:\n"
	"  - resource: pool.frame\n"
	"    unit: frame\n"
	"    capacity: {site: pool_init, arg: 1}\n"
	"    lifetime: [ACQUIRE, USE*, RELEASE]\n"
	"    owner: shared\n"
	"descriptors:\n"
	"  - id: 0x10\n"
	"    resource: pool.frame\n"
	"    event: ACQUIRE\n"
	"    site: pool_get:return\n"
	"    instance_key: retval\n"
	"    unit_key: \"*(*(arg0+8)-16):s32\"\n"
	"    target_id: arg1:u32\n"
	"    when: \"retval:s32 >= -1\"\n"
	"    generation: acquire_epoch\n"
	"    confidence: candidate\n"
	"    provenance: {by: review, source: pool.c, evidence: [seen]}\n"
	"  - {id: 3, resource: pool.frame, event: RELEASE, site: pool_put, instance_key: arg0}\n"
	"  - {id: 4, resource: pool.frame, event: USE, site: pool_scan+0x1a4, unit_key: 4096}\n"
	"invariants:\n"
	"  - {id: pair, kind: pairing, of: [16, 3]}\n"
	"  - {id: fit, kind: balance, of: [16, 3], within: 20ms}\n"
	"  - {id: near, kind: ratio, of: [16, 3], at_least: 0.5, at_most: 2}\n"
	"  - {id: size, kind: range, of: [4], min: 1, max: 0xffff, evidence: proof}\n"
	"  - {id: crowd, kind: actor, of: [4], many: 3}\n"
	"  - {id: io, kind: system-effect, of: [16], effect: block-io, within_ms: 5}\n"
	"  - {id: self, kind: known-value, of: [4], value: 4096}\n";

static struct manifest m;
static struct diag d;

static void load(struct manifest *ret, const char *text)
{
	cr_assert_eq(manifest_parse(text, strlen(text), "m.yaml", ret, &d), 0, "%s", d.reason);
}

static void teardown(void)
{
	manifest_free(&m);
}

TestSuite(manifest_words, .fini = teardown);

Test(manifest_words, resources_are_read_whole)
{
	const struct manifest_resource *r;

	load(&m, sound);
	r = &m.resources[0];
	cr_expect_str_eq(m.application, "pool");
	cr_expect_str_eq(m.build_id, "9f2c0011");
	cr_expect_str_eq(r->name, "pool.frame");
	cr_expect_str_eq(r->unit, "frame");
	cr_expect(r->has_capacity);
	cr_expect_str_eq(r->capacity_site.symbol, "pool_init");
	cr_expect_eq(r->capacity_arg, 1);
	cr_expect_eq(r->owner, OWNER_SHARED);
	cr_expect_eq(r->lifetime_cnt, 3);
	cr_expect_str_eq(r->lifetime[1], "USE*");
	cr_expect_eq(r->line, 6);
}

Test(manifest_words, descriptors_are_read_whole)
{
	const struct manifest_descriptor *v;

	load(&m, sound);
	v = manifest_descriptor_by_id(&m, 16);
	cr_assert_not_null(v);
	cr_expect_null(manifest_descriptor_by_id(&m, 1));
	cr_expect_eq(v->event, EVENT_ACQUIRE);
	cr_expect_eq(v->site.kind, SITE_RETURN);
	cr_expect_str_eq(v->site.symbol, "pool_get");
	cr_expect_eq(v->site.line, 15);
	cr_expect_eq(v->site.column, 11);
	cr_expect_eq(v->generation, GENERATION_ACQUIRE);
	cr_expect_eq(v->confidence, CONFIDENCE_CANDIDATE);
	cr_expect_str_eq(v->by, "review");
	cr_expect_str_eq(v->source, "pool.c");
	cr_expect_str_eq(manifest_resource_of(&m, v)->name, "pool.frame");
	v = manifest_descriptor_by_id(&m, 4);
	cr_expect_eq(v->site.offset, 0x1a4);
	cr_expect_eq(v->generation, GENERATION_NONE);
	cr_expect_eq(v->confidence, CONFIDENCE_VALIDATED);
	cr_expect_eq(v->when.op, WHEN_ALWAYS);
	cr_expect_eq(v->instance_key.kind, EXPR_NONE);
}

Test(manifest_words, expressions_become_bytes)
{
	struct desc_prog p;

	load(&m, sound);
	p = manifest_prog(manifest_descriptor_by_id(&m, 16));
	cr_expect_eq(p.id, 16);
	cr_expect(p.on_return && p.needs_args);
	cr_expect_eq(p.instance.kind, EXPR_RETVAL);
	cr_expect_eq(p.instance.loads, 0);
	cr_expect_eq(p.instance.width, 8);
	cr_expect_eq(p.units.kind, EXPR_ARG);
	cr_expect_eq(p.units.reg, 0);
	cr_expect_eq(p.units.loads, 2);
	cr_expect_eq(p.units.off[0], 8, "the inner load comes first");
	cr_expect_eq(p.units.off[1], -16);
	cr_expect_eq(p.units.width, 4);
	cr_expect(p.units.is_signed);
	cr_expect_eq(p.target.width, 4);
	cr_expect_eq(p.when.op, WHEN_GE);
	cr_expect(p.when.is_signed);
	cr_expect_eq(p.when.value, UINT64_MAX);
	p = manifest_prog(manifest_descriptor_by_id(&m, 3));
	cr_expect_not(p.on_return || p.needs_args);
	p = manifest_capacity_prog(&m, 0);
	cr_expect_eq(p.event, DESC_EVENT_CAPACITY);
	cr_expect_eq(p.instance.reg, 1);
	cr_expect_not(p.needs_args);
}

Test(manifest_words, invariants_are_read_whole)
{
	const struct manifest_invariant *v;

	load(&m, sound);
	v = m.invariants;
	cr_assert_eq(m.invariants_cnt, 7);
	cr_expect_eq(v[0].kind, INV_PAIRING);
	cr_expect(v[0].of_cnt == 2 && v[0].of[0] == 16 && v[0].of[1] == 3);
	cr_expect_eq(v[0].evidence, EVIDENCE_PROOF, "unless it says otherwise");
	cr_expect(v[1].has_within && v[1].within_ns == 20000000);
	cr_expect_eq(v[1].evidence, EVIDENCE_WARNING);
	cr_expect(v[2].has_at_least && v[2].has_at_most);
	cr_expect_float_eq(v[2].at_least, 0.5, 0);
	cr_expect_float_eq(v[2].at_most, 2, 0);
	cr_expect(v[3].has_min && v[3].min == 1 && v[3].has_max && v[3].max == 0xffff);
	cr_expect_eq(v[3].evidence, EVIDENCE_PROOF);
	cr_expect_eq(v[4].many, 3);
	cr_expect_eq(v[4].effect, EFFECT_KIND_CNT);
	cr_expect_eq(v[5].effect, EFFECT_BLOCK_IO);
	cr_expect_eq(v[5].within_ns, 5000000);
	cr_expect_eq(v[6].value, 4096);
}

Test(manifest_words, texts_parse_to_what_they_print)
{
	static const struct {
		char from[48], to[48];
	} expr[] = {
		{"arg0", "arg0"},
		{" retval ", "retval"},
		{"0x10", "16"},
		{"arg5:u16", "arg5:u16"},
		{"arg1:u64", "arg1"},
		{"arg1:s64", "arg1:s64"},
		{"*(arg0):u8", "*(arg0):u8"},
		{"* ( arg0 + 0x10 ) : s32", "*(arg0+16):s32"},
		{"*(*(retval-8):u64+24):u64", "*(*(retval-8)+24):u64"},
	};
	static const struct {
		char from[48], to[48];
	} when[] = {
		{"retval != 0", "retval != 0"},
		{"retval!=-1", "retval != -1"},
		{"arg1 & 0x80", "arg1 & 128"},
		{"*(arg0+4):u16<=65535", "*(arg0+4):u16 <= 65535"},
		{"retval:s32 < 0", "retval:s32 < 0"},
		{"arg0 == 18446744073709551615", "arg0 == 18446744073709551615"},
	};
	struct manifest_fault f;
	struct desc_expr e;
	struct desc_when w;

	for (size_t i = 0; i < sizeof(expr) / sizeof(expr[0]); i++) {
		cr_assert_eq(manifest_expr_parse(expr[i].from, &e, &f), 0, "%s", f.reason);
		cr_expect_str_eq(manifest_expr_text(&e).s, expr[i].to);
	}
	for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
		cr_assert_eq(manifest_when_parse(when[i].from, &w, &f), 0, "%s", f.reason);
		cr_expect_str_eq(manifest_when_text(&w).s, when[i].to);
	}
}

Test(manifest_words, guards_are_signed_where_a_side_is)
{
	struct manifest_fault f;
	struct desc_when w;

	cr_assert_eq(manifest_when_parse("retval > 5", &w, &f), 0);
	cr_expect_not(w.is_signed);
	cr_assert_eq(manifest_when_parse("retval > -5", &w, &f), 0);
	cr_expect(w.is_signed);
	cr_assert_eq(manifest_when_parse("retval:s8 > 5", &w, &f), 0);
	cr_expect(w.is_signed && w.lhs.is_signed && w.lhs.width == 1);
}

Test(manifest_words, sites_parse_to_what_they_print)
{
	static const char sites[][48] = {"pool_get",	    "pool_get+0x1a4",
					 "pool_get:return", "usdt:postgresql:buffer__read-start",
					 "f.part.0",	    "_ZN4pool3getEv"};
	struct manifest_fault f;
	struct manifest_site s;

	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		cr_assert_eq(manifest_site_parse(sites[i], &s, &f), 0, "%s", f.reason);
		cr_expect_str_eq(manifest_site_text(&s).s, sites[i]);
	}
	cr_assert_eq(manifest_site_parse("pool_get+420", &s, &f), 0);
	cr_expect_eq(s.offset, 420);
}

static void expect_warning(const char *descriptor, uint32_t column, const char *text)
{
	char all[1024];

	snprintf(all, sizeof(all),
		 "manifest: 1\napplication: a\n"
		 "resources: [{resource: r, unit: u, lifetime: [ACQUIRE, RELEASE]}]\n"
		 "descriptors: [{id: 1, resource: r, %s}]\n",
		 descriptor);
	load(&m, all);
	cr_expect_eq(m.warnings_cnt, text ? 1 : 0, "%s", descriptor);
	if (text && m.warnings_cnt) {
		cr_expect_eq(m.warnings[0].line, 4);
		cr_expect_eq(m.warnings[0].column, column, "%s: column %u", descriptor,
			     m.warnings[0].column);
		cr_expect(strstr(m.warnings[0].text, text), "%s", m.warnings[0].text);
	}
	manifest_free(&m);
}

Test(manifest_words, misplaced_sites_are_warned_of)
{
	expect_warning("event: ACQUIRE, site: \"f:return\"", 0, NULL);
	expect_warning("event: ACQUIRE, site: f", 58, "as in f:return");
	expect_warning("event: ACQUIRE, site: \"usdt:a:b\"", 0, NULL);
	expect_warning("event: RELEASE, site: f", 0, NULL);
	expect_warning("event: RELEASE, site: \"f:return\"", 58, "at the entry");
	expect_warning("event: RELEASE, site: f+4", 58, "at the entry");
	expect_warning("event: WAIT, site: f+4, instance_key: arg0", 74, "a register as it stands");
	expect_warning("event: USE, site: f", 43, "USE is not in the lifetime of r");
	expect_warning("event: WAIT, site: f", 0, NULL);
}

/* ---- stamping ---- */

static char *stamped(const char *text)
{
	char *out;
	size_t len;

	cr_assert_eq(manifest_stamp(text, strlen(text), "m.yaml", "aabbccddeeff", &out, &len, &d),
		     0, "%s", d.reason);
	cr_assert_eq(len, strlen(out));
	return out;
}

static void expect_stamped(const char *before, const char *after)
{
	static const char tail[] = "resources: [{resource: r, unit: u}]\n"
				   "descriptors: [{id: 1, resource: r, event: USE, site: f}]\n";
	char text[512], want[512], *got;

	snprintf(text, sizeof(text), "%s%s", before, tail);
	snprintf(want, sizeof(want), "%s%s", after, tail);
	got = stamped(text);
	cr_expect_str_eq(got, want);
	free(got);
}

Test(manifest_words, stamping_changes_one_value)
{
	expect_stamped("manifest: 1\nbuild_id: 00112233  # of v1\napplication: a\n",
		       "manifest: 1\nbuild_id: aabbccddeeff  # of v1\napplication: a\n");
	expect_stamped("# \xc3\xa4\nmanifest: 1\r\nbuild_id: \"00112233\"\napplication: a\n",
		       "# \xc3\xa4\nmanifest: 1\r\nbuild_id: aabbccddeeff\napplication: a\n");
	expect_stamped("manifest: 1\nbuild_id:\napplication: a\n",
		       "manifest: 1\nbuild_id: aabbccddeeff\napplication: a\n");
	expect_stamped("manifest: 1\nbuild_id: ''\napplication: a\n",
		       "manifest: 1\nbuild_id: aabbccddeeff\napplication: a\n");
	expect_stamped("---\nmanifest: 1\napplication: a # \xe2\x82\xac\n",
		       "---\nmanifest: 1\napplication: a # \xe2\x82\xac\nbuild_id: aabbccddeeff\n");
}

Test(manifest_words, stamping_twice_changes_nothing)
{
	char *once = stamped(sound), *twice = stamped(once);

	cr_expect_str_eq(once, twice);
	cr_expect(strstr(once, "build_id: aabbccddeeff   # of the release build\n"));
	free(once);
	free(twice);
}

Test(manifest_words, stamping_needs_a_line)
{
	static const char flow[] =
		"{manifest: 1, application: a, resources: [{resource: r, unit: u}],\n"
		" descriptors: [{id: 1, resource: r, event: USE, site: f}]}\n";
	char *out;
	size_t len;

	cr_expect_eq(manifest_stamp(flow, strlen(flow), "m.yaml", "aabbccdd", &out, &len, &d),
		     -EINVAL);
	cr_expect(strstr(d.reason, "no line for the build_id") && d.cure[0], "%s", d.reason);
	cr_expect_eq(manifest_stamp("x: 1\n", 5, "m.yaml", "aabbccdd", &out, &len, &d), -EINVAL);
}

/* ---- comparing ---- */

static int diff(const char *a, const char *b, char **ret)
{
	struct manifest x, y;
	size_t len;
	FILE *f = open_memstream(ret, &len);
	int cnt;

	load(&x, a);
	load(&y, b);
	cnt = manifest_diff(&x, &y, f);
	fclose(f);
	manifest_free(&x);
	manifest_free(&y);
	return cnt;
}

static void expect_diff(const char *old, const char *new, const char *line)
{
	const char *at = strstr(sound, old);
	char text[sizeof(sound) + 128], *out;
	int cnt;

	cr_assert_not_null(at, "%s", old);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - sound), sound, new, at + strlen(old));
	cnt = diff(sound, text, &out);
	cr_expect_eq(cnt, line[0] ? 1 : 0, "%s: %s", new, out);
	cr_expect_str_eq(out, line);
	free(out);
}

Test(manifest_words, layout_means_nothing)
{
	expect_diff("# The pool, as of its third version.\n", "", "");
	expect_diff("id: 0x10", "id: 16", "");
	expect_diff("\"*(*(arg0+8)-16):s32\"", "'*( *(arg0 + 8) - 16 ) : s32'", "");
	expect_diff("within: 20ms", "within_ms: 20", "");
	expect_diff("9F2C0011", "9f2c0011", "");
	expect_diff("id: pair, kind: pairing", "kind: pairing, evidence: proof, id: pair", "");
}

Test(manifest_words, changes_are_named)
{
	expect_diff("site: pool_put", "site: pool_unpin",
		    "~ descriptor 3: site: pool_put -> pool_unpin\n");
	expect_diff(", instance_key: arg0}", ", instance_key: arg0, when: arg1 != 0}",
		    "~ descriptor 3: when: (none) -> arg1 != 0\n");
	expect_diff("build_id: 9F2C0011", "build_id: 00000000",
		    "~ manifest: build_id: 9f2c0011 -> 00000000\n");
	expect_diff("arg: 1}", "arg: 2}",
		    "~ resource pool.frame: capacity: arg1 at pool_init -> arg2 at pool_init\n");
	expect_diff("at_most: 2", "at_most: 3", "~ invariant near: at_most: 2 -> 3\n");
	expect_diff("  - {id: self, kind: known-value, of: [4], value: 4096}\n", "",
		    "- invariant self: kind: known-value; of: 4; evidence: proof; value: 4096\n");
	expect_diff("  - {id: self,", "  - {id: more, kind: emit-rate, of: [4]}\n  - {id: self,",
		    "+ invariant more: kind: emit-rate; of: 4; evidence: warning\n");
}

/* ---- the page ---- */

/* What newcomers copy is sound, and warns of nothing. */
Test(manifest_words, the_example_of_the_page_is_sound)
{
	char *page, *from, *end;

	cr_assert_eq(file_read("docs/manifest.md", 1 << 20, &page, NULL, &d), 0, "%s", d.reason);
	from = strstr(page, "```yaml\n");
	cr_assert_not_null(from);
	from += strlen("```yaml\n");
	end = strstr(from, "```");
	cr_assert_not_null(end);
	cr_expect_eq(manifest_parse(from, (size_t)(end - from), "docs", &m, &d), 0, "%s", d.reason);
	cr_expect_eq(m.descriptors_cnt, 2);
	cr_expect_eq(m.warnings_cnt, 0);
	free(page);
}
