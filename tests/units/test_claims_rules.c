/* SPDX-License-Identifier: BSD-2-Clause */
/* Each rule of the claims table, refused on its own line with a reason and a cure. */
#include "tests/units/claims_text.h"

TestSuite(claims_rules, .init = setup, .fini = teardown);

/* The claim stands on line 3, after a good one. */
static void claim_refused(const char *claim, const char *word)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s\n%s", HEADER, GOOD, claim, GOOD);
	refused_at(text, 3, word);
}

static void claim_accepted(const char *claim, struct claim *ret)
{
	char text[4096];
	struct claims c;
	struct diag d = {0};

	snprintf(text, sizeof(text), "%s%s\n", HEADER, claim);
	cr_assert_eq(load(text, &c, &d), 0, "%s: %s", claim, d.reason);
	cr_assert_eq(c.cnt, 1);
	if (ret)
		*ret = c.v[0];
	claims_free(&c);
}

struct full {
	const char *text;
	const char *required[6]; /* each removed in turn */
};

/* One claim of each kind with every field of the table. */
static const struct full fulls[CLAIM_KIND_CNT] = {
	{"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{\"tid\":102,"
	 "\"t\":640},\"key\":{\"ns\":\"user_data\",\"scope\":1,\"v\":\"0x7f\"},\"gen\":3,\"conf\":"
	 "0.98,\"how\":\"observed\",\"source\":\"kernel\"}",
	 {"\"type\":\"io\"", "\"src\":{\"tid\":101,\"t\":215}", "\"dst\":{\"tid\":102,\"t\":640}"}},
	{"{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	 "\"gen\":4,\"units\":1,\"tid\":101,\"t\":301,\"desc\":1,\"conf\":0.99}",
	 {"\"event\":\"ACQUIRE\"", "\"class\":\"pool.frame\"", "\"tid\":101", "\"t\":301"}},
	{"{\"c\":\"health\",\"desc\":2,\"state\":\"stale\",\"t\":2500,\"why\":\"balance\","
	 "\"evidence\":41,\"p_stale\":0.97}",
	 {"\"desc\":2", "\"state\":\"stale\"", "\"t\":2500"}},
	{"{\"c\":\"effect\",\"cause\":{\"tid\":101,\"t\":215},\"kind\":\"block-io\",\"tid\":102,"
	 "\"t\":450,\"v\":4096,\"conf\":0.5}",
	 {"\"cause\":{\"tid\":101,\"t\":215}", "\"kind\":\"block-io\"", "\"tid\":102",
	  "\"t\":450"}},
	{"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\",\"v\":240,\"ip\":0.5}",
	 {"\"root\":{\"tid\":101,\"t\":105}", "\"kind\":\"cpu\"", "\"v\":240"}},
	{"{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"102\",\"kind\":\"cpu\",\"v\":990,"
	 "\"ip\":0.01}",
	 {"\"by\":\"thread\"", "\"key\":\"102\"", "\"kind\":\"cpu\"", "\"v\":990"}},
	{"{\"c\":\"gap\",\"from\":495,\"to\":610,\"lost\":12,\"scope\":\"ring\"}",
	 {"\"from\":495", "\"to\":610"}},
	{"{\"c\":\"diagnosis\",\"label\":\"pool-thrash\",\"subject\":\"pool.frame\",\"t\":5000,"
	 "\"conf\":0.8}",
	 {"\"label\":\"pool-thrash\"", "\"t\":5000"}},
};

static void swap_refused(enum claim_kind kind, const char *old, const char *new, const char *word)
{
	char text[2048];

	swap(text, sizeof(text), fulls[kind].text, old, new);
	claim_refused(text, word);
}

static void swap_accepted(enum claim_kind kind, const char *old, const char *new, struct claim *ret)
{
	char text[2048];

	swap(text, sizeof(text), fulls[kind].text, old, new);
	claim_accepted(text, ret);
}

Test(claims_rules, takes_every_kind_with_every_field)
{
	struct claim c;

	for (int kind = 0; kind < CLAIM_KIND_CNT; kind++) {
		claim_accepted(fulls[kind].text, &c);
		cr_assert_eq(c.kind, kind);
	}
}

Test(claims_rules, names_the_field_when_a_required_one_is_missing)
{
	/* the field becomes an unknown one, so that the JSON stays well-formed */
	for (int kind = 0; kind < CLAIM_KIND_CNT; kind++)
		for (int i = 0; i < 6 && fulls[kind].required[i]; i++) {
			const char *field = fulls[kind].required[i];
			char renamed[128], name[32];

			snprintf(renamed, sizeof(renamed), "\"un%s", field + 1);
			sscanf(field, "%31[^:]", name);
			swap_refused(kind, field, renamed, name);
		}
}

Test(claims_rules, does_without_every_optional_field)
{
	static const char *const minimal[] = {
		"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":1,\"t\":2},\"dst\":null}",
		"{\"c\":\"event\",\"event\":\"USE\",\"class\":\"x\",\"tid\":1,\"t\":2}",
		"{\"c\":\"health\",\"desc\":2,\"state\":\"suspect\",\"t\":3}",
		("{\"c\":\"effect\",\"cause\":{\"tid\":1,\"t\":2},\"kind\":\"page-fault\","
		 "\"tid\":1,\"t\":2}"),
		"{\"c\":\"cost\",\"root\":null,\"kind\":\"cpu\",\"v\":0}",
		"{\"c\":\"profile\",\"by\":\"op-kind\",\"key\":\"get\",\"kind\":\"cpu\",\"v\":0}",
		"{\"c\":\"gap\",\"from\":0,\"to\":0}",
		"{\"c\":\"diagnosis\",\"label\":\"x\",\"t\":0}",
	};
	struct claim c;

	for (int kind = 0; kind < CLAIM_KIND_CNT; kind++) {
		claim_accepted(minimal[kind], &c);
		cr_assert_eq(c.has & ~(HAS_SRC | HAS_DST), 0, "%s", minimal[kind]);
	}
}

Test(claims_rules, ignores_unknown_fields_at_every_depth)
{
	struct claim c;

	swap_accepted(CLAIM_HANDOFF, "{\"tid\":101",
		      "{\"x\":{\"tid\":[1,{\"t\":null}]},\"tid\":101", &c);
	cr_assert_eq(c.handoff.src_tid, 101);
	swap_accepted(CLAIM_HANDOFF, "{\"ns\":", "{\"u\":1,\"u\":2,\"ns\":", &c);
	cr_assert_eq(c.handoff.key_v, 0x7f);
	swap_accepted(CLAIM_GAP, "\"from\":495", "\"desc\":\"no number\",\"from\":495", &c);
	cr_assert_eq(c.gap.from, 495);
	swap_accepted(CLAIM_EFFECT, "{\"tid\":101", "{\"kernel\":7,\"tid\":101", &c);
	cr_assert_eq(c.effect.cause_tid, 101);
}

Test(claims_rules, ignores_numbers_that_no_reader_can_use_in_unknown_fields)
{
	struct claim c;

	swap_accepted(CLAIM_HANDOFF, "\"type\"",
		      "\"x\":{\"a\":[18446744073709551616,-9223372036854775809,1e400]},\"type\"",
		      &c);
	cr_assert_eq(c.handoff.src_t, 215);
	cr_assert_eq(c.handoff.key_v, 0x7f);
	swap_refused(CLAIM_HANDOFF, "\"type\"", "\"x\":[1e400,01],\"type\"", "malformed");
	swap_refused(CLAIM_HANDOFF, "\"conf\":0.98", "\"conf\":1e400",
		     "\"conf\" is no number that a double can hold");
}

Test(claims_rules, refuses_unknown_claims)
{
	claim_refused("{\"c\":\"rumour\",\"t\":5}", "rumour");
	claim_refused("{\"t\":5}", "\"c\"");
	claim_refused("{\"c\":7,\"t\":5}", "no string");
	claim_refused("[1]", "no object");
	claim_refused("7", "no object");
	claim_refused(HEADER, "second header");
}

Test(claims_rules, refuses_words_outside_the_vocabularies)
{
	swap_refused(CLAIM_HANDOFF, "\"io\"", "\"teleport\"", "teleport");
	swap_refused(CLAIM_HANDOFF, "\"io\"", "\"IO\"", "IO");
	swap_refused(CLAIM_HANDOFF, "\"io\"", "7", "type");
	swap_refused(CLAIM_HANDOFF, "\"observed\"", "\"guessed\"", "guessed");
	swap_refused(CLAIM_HANDOFF, "\"kernel\"", "\"heaven\"", "heaven");
	swap_refused(CLAIM_EVENT, "\"ACQUIRE\"", "\"acquire\"", "acquire");
	swap_refused(CLAIM_HEALTH, "\"stale\"", "\"ill\"", "ill");
	swap_refused(CLAIM_EFFECT, "\"block-io\"", "\"noise\"", "noise");
	swap_refused(CLAIM_PROFILE, "\"thread\"", "\"colour\"", "colour");
}

Test(claims_rules, takes_all_ten_types_and_no_other)
{
	struct claim c;
	char type[32];

	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++) {
		snprintf(type, sizeof(type), "\"%s\"", handoff_type_name(i));
		swap_accepted(CLAIM_HANDOFF, "\"io\"", type, &c);
		cr_assert_eq(c.type, i);
	}
}

Test(claims_rules, refuses_probabilities_outside_their_range)
{
	static const char *const bad[] = {"1.0000001", "-0.1", "2", "-1", "1e300"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		swap_refused(CLAIM_HANDOFF, "0.98", bad[i], "conf");
		swap_refused(CLAIM_EVENT, "0.99", bad[i], "conf");
		swap_refused(CLAIM_EFFECT, "0.5", bad[i], "conf");
		swap_refused(CLAIM_DIAGNOSIS, "0.8", bad[i], "conf");
		swap_refused(CLAIM_HEALTH, "0.97", bad[i], "p_stale");
		swap_refused(CLAIM_COST, "0.5", bad[i], "ip");
		swap_refused(CLAIM_PROFILE, "0.01", bad[i], "ip");
	}
	swap_refused(CLAIM_COST, "0.5", "0", "ip");
	swap_refused(CLAIM_PROFILE, "0.01", "0.0", "ip");
	swap_refused(CLAIM_HANDOFF, "0.98", "\"0.98\"", "conf");
	swap_refused(CLAIM_HANDOFF, "0.98", "null", "conf");
}

Test(claims_rules, takes_probabilities_at_their_borders)
{
	struct claim c;

	swap_accepted(CLAIM_HANDOFF, "0.98", "0", &c);
	cr_assert_eq(c.handoff.conf, 0);
	cr_assert(c.has & HAS_CONF);
	swap_accepted(CLAIM_HANDOFF, "0.98", "1", &c);
	cr_assert_eq(c.handoff.conf, 1);
	swap_accepted(CLAIM_HANDOFF, "0.98", "-0.0", &c);
	cr_assert_eq(c.raw[6], 0, "-0.0 was kept");
	swap_accepted(CLAIM_COST, "0.5", "1e-300", &c);
	cr_assert_eq(c.cost.ip, 1e-300);
	swap_accepted(CLAIM_COST, "0.5", "1.0", &c);
}

Test(claims_rules, refuses_a_gap_that_ends_before_it_begins)
{
	swap_refused(CLAIM_GAP, "610", "494", "later");
	swap_accepted(CLAIM_GAP, "610", "495", NULL);
}

Test(claims_rules, refuses_a_handoff_without_ends)
{
	claim_refused("{\"c\":\"handoff\",\"type\":\"io\",\"src\":null,\"dst\":null}", "both null");
	claim_refused("{\"c\":\"handoff\",\"type\":\"io\",\"dst\":{\"tid\":1,\"t\":2}}", "\"src\"");
	claim_refused("{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":1},\"dst\":null}",
		      "\"t\"");
	claim_refused("{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"t\":1},\"dst\":null}",
		      "\"tid\"");
	claim_refused("{\"c\":\"handoff\",\"type\":\"io\",\"src\":5,\"dst\":null}", "\"src\"");
	claim_refused("{\"c\":\"effect\",\"cause\":null,\"kind\":\"block-io\",\"tid\":1,\"t\":2}",
		      "\"cause\"");
}

Test(claims_rules, refuses_malformed_keys)
{
	static const char key[] = "{\"ns\":\"user_data\",\"scope\":1,\"v\":\"0x7f\"}";

	swap_refused(CLAIM_HANDOFF, key, "null", "key");
	swap_refused(CLAIM_HANDOFF, key, "{\"v\":1}", "ns");
	swap_refused(CLAIM_HANDOFF, key, "{\"ns\":\"fd\"}", "\"v\"");
	swap_refused(CLAIM_HANDOFF, key, "{\"ns\":3,\"v\":1}", "ns");
	swap_refused(CLAIM_HANDOFF, key, "{\"ns\":\"fd\",\"v\":\"3\"}", "\"v\"");
	swap_refused(CLAIM_HANDOFF, key, "{\"ns\":\"fd\",\"v\":3,\"scope\":-1}", "scope");
}

Test(claims_rules, reads_a_foreign_key_space_as_other)
{
	struct claim c;

	swap_accepted(CLAIM_HANDOFF, "\"user_data\"", "\"my_space\"", &c);
	cr_assert_eq(c.ns, KEY_OTHER);
	cr_assert(c.has & HAS_KEY);
}

Test(claims_rules, refuses_numbers_that_are_not_64_bit_integers)
{
	static const char *const bad[] = {
		"215.0", "2e2", "-1", "\"215\"", "true", "null", "\"0x\"", "[215]", "{}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char end[64];

		snprintf(end, sizeof(end), "\"t\":%s}", bad[i]);
		swap_refused(CLAIM_HANDOFF, "\"t\":215}", end, "\"t\"");
	}
	swap_refused(CLAIM_HANDOFF, "\"gen\":3", "\"gen\":1.5", "gen");
	swap_refused(CLAIM_EVENT, "\"tid\":101", "\"tid\":4294967296", "tid");
	swap_refused(CLAIM_HANDOFF, "215", "18446744073709551616", "\"t\" is no 64-bit number");
}

Test(claims_rules, keeps_64_bits_exact_in_both_forms)
{
	struct claim a, b;

	swap_accepted(CLAIM_HANDOFF, "\"0x7f\"", "9007199254740993", &a);
	swap_accepted(CLAIM_HANDOFF, "\"0x7f\"", "\"0x20000000000001\"", &b);
	cr_assert_eq(a.handoff.key_v, UINT64_C(9007199254740993));
	cr_assert_eq(memcmp(&a, &b, sizeof(a)), 0);
	swap_accepted(CLAIM_HANDOFF, "215", "18446744073709551615", &a);
	cr_assert_eq(a.handoff.src_t, UINT64_MAX);
}

Test(claims_rules, takes_kernel_only_as_true_or_false)
{
	struct claim c;

	swap_accepted(CLAIM_HANDOFF, "\"t\":640}", "\"t\":640,\"kernel\":true}", &c);
	cr_assert_eq(c.has & (HAS_SRC_KERNEL | HAS_DST_KERNEL), HAS_DST_KERNEL);
	swap_accepted(CLAIM_HANDOFF, "\"t\":640}", "\"t\":640,\"kernel\":false}", &c);
	cr_assert_eq(c.has & HAS_DST_KERNEL, 0);
	swap_refused(CLAIM_HANDOFF, "\"t\":640}", "\"t\":640,\"kernel\":1}", "kernel");
}

Test(claims_rules, refuses_words_that_are_empty_or_no_strings)
{
	swap_refused(CLAIM_EVENT, "\"pool.frame\"", "\"\"", "empty");
	swap_refused(CLAIM_EVENT, "\"pool.frame\"", "5", "class");
	swap_refused(CLAIM_EVENT, "\"pool.frame\"", "\"a\\u0000b\"", "NUL");
	swap_refused(CLAIM_PROFILE, "\"102\"", "102", "key");
	swap_refused(CLAIM_GAP, "\"ring\"", "3", "scope");
	swap_refused(CLAIM_DIAGNOSIS, "\"pool-thrash\"", "\"\"", "empty");
}

Test(claims_rules, refuses_a_known_field_that_is_there_twice)
{
	swap_refused(CLAIM_GAP, "\"from\":495", "\"from\":1,\"from\":495", "twice");
	swap_refused(CLAIM_GAP, "\"from\":495", "\"c\":\"gap\",\"from\":495", "twice");
	swap_refused(CLAIM_HANDOFF, "\"tid\":101", "\"tid\":101,\"tid\":101", "twice");
	swap_refused(CLAIM_HANDOFF, "\"scope\":1", "\"scope\":1,\"scope\":1", "twice");
}

/* cnt claims of which each names another thing; `name` has one %u. */
static int load_many(const char *name, unsigned cnt, struct diag *d)
{
	size_t room = strlen(HEADER) + cnt * (strlen(name) + 12) + 1, at;
	char *text = malloc(room);
	struct claims c;
	int rc;

	cr_assert_not_null(text);
	at = (size_t)snprintf(text, room, "%s", HEADER);
	for (unsigned i = 0; i < cnt; i++)
		at += (size_t)snprintf(text + at, room - at, name, i);
	rc = load(text, &c, d);
	if (!rc) {
		cr_assert_eq(c.cnt, cnt);
		claims_free(&c);
	}
	free(text);
	return rc;
}

/* Each has lines of its own in every table: one file would bury all others. */
Test(claims_rules, refuses_more_than_a_thousand_names_of_one_sort)
{
	static const char *const names[] = {
		"{\"c\":\"cost\",\"root\":null,\"kind\":\"k%u\",\"v\":1}\n",
		"{\"c\":\"profile\",\"by\":\"thread\",\"key\":\"1\",\"kind\":\"k%u\",\"v\":1}\n",
		"{\"c\":\"diagnosis\",\"label\":\"l%u\",\"t\":1}\n",
		"{\"c\":\"event\",\"event\":\"USE\",\"class\":\"c\",\"tid\":1,\"t\":1,\"desc\":%u}"
		"\n",
	};
	struct diag d = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert_eq(load_many(names[i], 1000, &d), 0, "%s", names[i]);
		cr_assert_eq(load_many(names[i], 1001, &d), -EINVAL, "%s", names[i]);
		cr_assert_eq(d.line, 1002);
		cr_assert_not_null(strstr(d.reason, "1000"), "%s", d.reason);
	}
	cr_assert_eq(load_many("{\"c\":\"diagnosis\",\"label\":\"l\",\"t\":%u}\n", 3000, &d), 0);
	cr_assert_eq(load_many("{\"c\":\"profile\",\"by\":\"function\",\"key\":\"f%u\","
			       "\"kind\":\"cpu\",\"v\":1}\n",
			       3000, &d),
		     0, "functions have no lines of their own");
}

Test(claims_rules, refuses_as_many_in_the_packed_form)
{
	const struct claims_header h = {.profiler = "x", .version = "1"};

	for (unsigned cnt = 1000; cnt <= 1001; cnt++) {
		struct diag d = {0};
		struct claims_writer *w = claims_writer_open(path, CLAIMS_BINARY, &h, &d);
		struct claims c;

		cr_assert_not_null(w);
		for (unsigned i = 0; i < cnt; i++) {
			struct claim x = {.kind = CLAIM_EVENT,
					  .has = HAS_DESC,
					  .event = {.t = 1, .tid = 1, .desc = UINT32_MAX - i}};

			x.event.class_str = (uint32_t)claims_writer_str(w, "c");
			cr_assert_eq(claims_writer_put(w, &x), 0);
			cr_assert_eq(claims_writer_put(w, &x), 0);
		}
		cr_assert_eq(claims_writer_close(w, &d), 0, "%s", d.reason);
		cr_assert_eq(claims_load(path, &c, &d), cnt > 1000 ? -EINVAL : 0);
		if (cnt > 1000)
			cr_assert_not_null(strstr(d.reason, "1000 descriptors"), "%s", d.reason);
		else
			claims_free(&c);
	}
}

Test(claims_rules, refuses_a_last_line_cut_at_any_byte)
{
	const char *whole = fulls[CLAIM_HANDOFF].text;
	char text[2048];
	struct claims c;
	struct diag d;

	for (size_t cut = 1; cut < strlen(whole); cut++) {
		snprintf(text, sizeof(text), "%s%.*s", HEADER, (int)cut, whole);
		cr_assert_eq(load(text, &c, &d), -EINVAL, "accepted: %s", text);
		cr_assert_eq(d.line, 2);
		cr_assert_not_null(strstr(d.cure, "cut"), "%s", d.cure);
	}
}
