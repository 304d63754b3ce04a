/* SPDX-License-Identifier: BSD-2-Clause */
/* The frozen list and the funnel. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/frozen.h"
#include "mutations/funnel.h"

static const char *const text = "# a comment\n"
				"own-pool-1 OWN pool pool.frame\n"
				"xfer-calls-1 XFER calls,pool calls.lease,calls.page\n"
				"handoff-uring-1 HANDOFF uring -\n";

Test(mutations_frozen, finds_what_stands_in_it)
{
	struct frozen_list l;
	struct diag d = {0};

	cr_assert_eq(frozen_parse(text, "list", &l, &d), 0, "%s", d.reason);
	cr_assert(l.there);
	cr_assert_eq(l.cnt, 3);
	cr_assert_str_eq(frozen_find(&l, "xfer-calls-1")->resources, "calls.lease,calls.page");
	cr_assert_str_eq(frozen_find(&l, "handoff-uring-1")->class, "HANDOFF");
	cr_assert_null(frozen_find(&l, "own-pool"));
	frozen_free(&l);
	cr_assert_eq(frozen_parse("", "list", &l, &d), 0);
	cr_assert_eq(l.cnt, 0);
	frozen_free(&l);
}

Test(mutations_frozen, names_the_line_that_is_none)
{
	static const char *const bad[] = {
		"# fine\nown-pool-1 OWN pool\n",
		"# fine\nown-pool-1 OWN pool pool.frame more\n",
		"# fine\nown-pool-1 OWM pool pool.frame\n",
		"# fine\nown-pool-1  OWN pool pool.frame\n",
		"own-pool-1 OWN pool pool.frame\nown-pool-1 OWN pool pool.frame\n",
	};
	struct frozen_list l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag d = {0};

		cr_assert_eq(frozen_parse(bad[i], "list", &l, &d), -EINVAL, "%s", bad[i]);
		cr_assert_eq(d.line, 2);
		cr_assert(d.cure[0]);
	}
}

/* A house with the manifest of a workload in it. */
static void build_house(struct house *h)
{
	static const char manifest[] =
		"manifest: 1\napplication: w\nresources:\n"
		"  - {resource: w.a, unit: one, lifetime: [ACQUIRE, RELEASE]}\n"
		"  - {resource: w.b, unit: one, lifetime: [ACQUIRE, RELEASE]}\n"
		"descriptors:\n"
		"  - {id: 1, resource: w.a, event: ACQUIRE, site: f, instance_key: arg0}\n"
		"  - {id: 2, resource: w.a, event: RELEASE, site: g, instance_key: arg0}\n"
		"  - {id: 3, resource: w.b, event: ACQUIRE, site: i, instance_key: arg0}\n";
	char path[RECORD_PATH];

	*h = (struct house){.source = "/tmp/assay-frozen-XXXXXX"};
	cr_assert_not_null(mkdtemp(h->source));
	cr_assert_eq(house_path(h->records, NULL, "%s/mutations", h->source), 0);
	cr_assert_eq(house_path(h->variants, NULL, "%s/variants", h->source), 0);
	cr_assert_eq(house_path(path, NULL, "%s/workloads/w", h->source), 0);
	cr_assert_eq(dir_make(path, NULL), 0);
	cr_assert_eq(dir_make(h->records, NULL), 0);
	cr_assert_eq(house_path(path, NULL, "%s/workloads/w/manifest.yaml", h->source), 0);
	cr_assert_eq(file_write(path, manifest, strlen(manifest), NULL), 0);
}

static struct mutation mutation(const char *id, unsigned invalid)
{
	struct mutation m = {.class = CLASS_OWN, .workloads_cnt = 1, .invalid_cnt = invalid};

	strcpy(m.id, id);
	strcpy(m.workloads[0], "w");
	for (unsigned i = 0; i < invalid; i++)
		m.invalid[i].descriptor = i + 1;
	return m;
}

Test(mutations_frozen, names_each_stale_resource_once)
{
	struct mutation none = mutation("a-w-1", 0), all = mutation("b-w-1", 3);
	struct mutation wrong = mutation("c-w-1", 4);
	struct house h;
	struct frozen v;
	struct diag d = {0};

	build_house(&h);
	cr_assert_eq(frozen_line(&h, &none, &v, &d), 0, "%s", d.reason);
	cr_assert_str_eq(v.resources, "-");
	cr_assert_eq(frozen_line(&h, &all, &v, &d), 0, "%s", d.reason);
	cr_assert_str_eq(v.resources, "w.a,w.b");
	cr_assert_eq(frozen_line(&h, &wrong, &v, &d), -EINVAL);
	house_remove(h.source, NULL);
}

Test(mutations_frozen, is_read_as_it_was_written)
{
	struct mutation m = mutation("a-w-1", 2);
	struct frozen_list l = {0}, back;
	struct house h;
	struct frozen v;
	struct diag d = {0};

	build_house(&h);
	cr_assert_eq(frozen_load(&h, &back, &d), 0);
	cr_assert_not(back.there);
	cr_assert_eq(frozen_line(&h, &m, &v, &d), 0);
	cr_assert_eq(frozen_add(&l, &v), 0);
	cr_assert_eq(frozen_save(&h, &l, &d), 0, "%s", d.reason);
	cr_assert_eq(frozen_load(&h, &back, &d), 0, "%s", d.reason);
	cr_assert(back.there);
	cr_assert_eq(back.cnt, 1);
	cr_assert_eq(memcmp(&back.v[0], &v, sizeof(v)), 0);
	frozen_free(&l);
	frozen_free(&back);
	house_remove(h.source, NULL);
}

/* ---- the funnel ---- */

static struct certificate passed(void)
{
	struct certificate c = {.hash = 1};

	for (unsigned s = 0; s < STEP_CNT; s++)
		certificate_set(&c, (enum step)s, STEP_PASSED, "fine");
	return c;
}

Test(mutations_funnel, counts_who_is_misled_among_those_that_could_be)
{
	struct mutation m = mutation("a-w-1", 0);
	struct certificate good = passed(), bad = passed(), none = passed();
	struct funnel f = {.written = 0};

	certificate_set(&bad, STEP_CANON, STEP_FAILED, "why");
	certificate_set(&none, STEP_READING, STEP_NONE, "none declared");
	funnel_add(&f, &m, &good);
	cr_assert_eq(f.misleading, 0);
	m.invalid_cnt = 1;
	funnel_add(&f, &m, &good);
	funnel_add(&f, &m, &bad);
	funnel_add(&f, &m, &none);
	cr_assert_eq(f.misleading, 2);
	cr_assert_eq(f.misread, 1);
}

Test(mutations_funnel, counts_a_mutation_up_to_its_first_failed_step)
{
	struct mutation m = mutation("a-w-1", 0), old = mutation("b-w-1", 0);
	struct certificate good = passed(), bad = passed(), blind = passed(), none = passed();
	struct funnel f = {.written = 0};

	strcpy(old.deprecated, "it proved wrong");
	certificate_set(&bad, STEP_CANON, STEP_FAILED, "why");
	certificate_set(&blind, STEP_WITNESS, STEP_UNCHECKED, "no BPF");
	certificate_set(&none, STEP_WITNESS, STEP_NONE, "none declared");
	funnel_add(&f, &m, &good);
	funnel_add(&f, &m, &bad);
	funnel_add(&f, &m, &blind);
	funnel_add(&f, &m, &none);
	funnel_add(&f, &m, NULL);
	funnel_add(&f, &old, &good);
	cr_assert_eq(f.written, 5);
	cr_assert_eq(f.passed[STEP_COMPILES], 4);
	cr_assert_eq(f.passed[STEP_CANON], 3);
	cr_assert_eq(f.none[STEP_WITNESS], 1);
	cr_assert_eq(f.unchecked[STEP_WITNESS], 1);
	cr_assert_eq(f.certified, 3);
	cr_assert_eq(f.verdicts[VERDICT_WITNESSED], 1);
	cr_assert_eq(f.verdicts[VERDICT_CERTIFIED], 2);
	cr_assert_eq(f.verdicts[VERDICT_FAILS], 1);
	cr_assert_eq(f.verdicts[VERDICT_UNVERIFIED], 1);
	cr_assert_eq(f.verdicts[VERDICT_DEPRECATED], 1);
}

Test(mutations_funnel, is_one_json_object_with_every_mutation)
{
	struct mutation m[] = {mutation("a-w-1", 3), mutation("b-w-1", 0)};
	struct mutation_list l = {m, 2};
	struct frozen_list frozen;
	struct certificate c = passed();
	struct house h;
	struct diag d = {0};
	char *text_out;
	size_t len;
	FILE *out = open_memstream(&text_out, &len);

	build_house(&h);
	cr_assert_eq(certificate_save(&h, "a-w-1", &c, &d), 0, "%s", d.reason);
	cr_assert_eq(frozen_parse("a-w-1 OWN w w.a,w.b\n", "list", &frozen, &d), 0);
	cr_assert_eq(funnel_json(&h, &l, &frozen, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_assert(strstr(text_out, "\"resources\":[\"w.a\",\"w.b\"],\"invalid\":[1,2,3]"));
	cr_assert(strstr(text_out, "\"verdict\":\"witnessed\",\"frozen\":true,\"steps\":{\"comp"));
	cr_assert(strstr(text_out, "\"verdict\":\"not verified\",\"frozen\":false,\"steps\":{}"));
	cr_assert(strstr(text_out, "\"funnel\":{\"written\":2,\"steps\":[{\"step\":\"compiles\","
				   "\"passed\":1,\"none\":0,\"unchecked\":0}"));
	cr_assert_eq(text_out[len - 1], '\n');
	free(text_out);
	frozen_free(&frozen);
	house_remove(h.source, NULL);
}
