/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims made of truth, judged by the scorer: the oracle is perfect and the liars never right. */
#include "tests/units/truth_help.h"

#include "groundtruth/to_claims.h"
#include "groundtruth/truth_build.h"
#include "scoring/score.h"

/* Claims of a truth, by way of a file. */
static void claims_of(const struct truth *t, enum truth_claims mode, struct claims *ret)
{
	const char *path = scratch("claims");
	struct claims_header h;
	struct diag d = {0};
	struct claims_writer *w;

	truth_claims_header(mode, &h);
	w = claims_writer_open(path, CLAIMS_JSON, &h, &d);
	cr_assert(w != NULL, "%s", d.reason);
	cr_assert(truth_to_claims(t, mode, w) == 0);
	cr_assert(claims_writer_close(w, &d) == 0, "%s", d.reason);
	cr_assert(claims_load(path, ret, &d) == 0, "%s", d.reason);
	unlink(path);
}

static void score_of(const struct truth *t, enum truth_claims mode, struct handoff_score *ret)
{
	struct claims c;

	claims_of(t, mode, &c);
	cr_assert(score_handoffs(t, &c, ret, NULL) == 0);
	claims_free(&c);
}

static void assert_perfect(const struct truth *t, const char *name)
{
	struct handoff_score s;

	score_of(t, TRUTH_ORACLE, &s);
	for (int level = 0; level < LEVEL_CNT; level++) {
		const struct handoff_counts *c = &s.level[level].all;

		cr_assert(c->credited == c->truth, "%s: recall %lu of %lu", name,
			  (unsigned long)c->credited, (unsigned long)c->truth);
		cr_assert(c->right == c->truth && c->duplicate + c->false_join + c->half +
								  c->spurious + c->out_of_scope ==
							  0,
			  "%s: right %lu dup %lu false %lu half %lu spurious %lu out %lu of %lu",
			  name, (unsigned long)c->right, (unsigned long)c->duplicate,
			  (unsigned long)c->false_join, (unsigned long)c->half,
			  (unsigned long)c->spurious, (unsigned long)c->out_of_scope,
			  (unsigned long)c->truth);
	}
	cr_assert(!s.cheating && s.one_ended_joined == 0);
	cr_assert(s.one_ended_named == s.one_ended_truth, "%s: named %lu of %lu", name,
		  (unsigned long)s.one_ended_named, (unsigned long)s.one_ended_truth);
}

static void assert_never_right(const struct truth *t, const char *name)
{
	struct handoff_score s;

	score_of(t, TRUTH_LIAR, &s);
	for (int level = 0; level < LEVEL_CNT; level++) {
		const struct handoff_counts *c = &s.level[level].all;

		cr_assert(c->right == 0 && c->duplicate == 0 && c->credited == 0,
			  "%s: the liar is right", name);
		cr_assert(c->orphan == 0 && c->out_of_scope == 0);
		cr_assert(c->two_ended == c->claims);
	}
}

Test(truth_claims, oracle_is_perfect_and_liar_never_right_on_the_samples)
{
	static const char *const names[] = {
		"contract",
		"01-perfect",
		"04-false-join-key-reuse",
		"08-context-and-identity",
		"09-multishot",
		"10-inline-completion-third-thread",
		"11-rank-src-swap",
		"12-ready-without-key-unique",
		"13-ready-without-key-two-windows",
		"14-amb-any-pairing",
		"15-decoy-key-nobody-used",
		"16-one-ended-named-and-joined",
		"22-loss-by-a-gap",
		"23-brier",
		"24-effect-of-a-handoff",
		"25-ids-above-2-53",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];
		struct truth t;
		struct diag d;

		snprintf(path, sizeof(path), "tests/units/data/truth/%s.jsonl", names[i]);
		cr_assert(truth_load(path, &t, &d) == 0);
		assert_perfect(&t, names[i]);
		assert_never_right(&t, names[i]);
		truth_free(&t);
	}
}

/* ---- random truth: dense, with equal keys, batches, groups and all that ---- */

struct dice {
	uint64_t s;
};

/* xorshift64*: the same numbers on every machine. */
static uint64_t roll(struct dice *r, uint64_t below)
{
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return (r->s * UINT64_C(2685821657736338717) >> 20) % below;
}

enum { THREADS = 4, TYPES = 3 };

/* What one sender's call and one receiver's call do: several handoffs at once. */
struct batch {
	uint64_t now;
	uint64_t seq, take;
	uint64_t free_since[THREADS];
	uint64_t last_look[THREADS];
	uint64_t next_id;
};

static struct truth_key some_key(struct dice *r)
{
	if (!roll(r, 4))
		return (struct truth_key){0};
	return (struct truth_key){
		.ns = KEY_USER_DATA, .v = 0x10 * (1 + roll(r, 3)), .scope = 1, .has_scope = 1};
}

static void add_batch(struct truth_build *b, struct dice *r, struct batch *x)
{
	unsigned n = 1 + (unsigned)roll(r, 5);
	uint32_t from = (uint32_t)roll(r, THREADS), to = (uint32_t)roll(r, THREADS);
	uint8_t type = (uint8_t)(roll(r, TYPES) ? HANDOFF_IO : HANDOFF_WAKE);
	uint32_t shared = roll(r, 6) ? 0 : 1u << MARK_MULTISHOT;
	struct truth_key k = some_key(r);
	struct window src = {x->now, x->now + 8 + roll(r, 20)}, ready, dst;

	x->now = src.t1 + roll(r, 3);
	ready.t0 = x->last_look[to] > src.t0 ? x->last_look[to] : src.t0;
	ready.t1 = x->now + 8 + roll(r, 40);
	x->now = ready.t1;
	x->last_look[to] = ready.t1;
	for (unsigned i = 0; i < n; i++) {
		bool amb = !roll(r, 8);
		struct truth_handoff h = {.id = ++x->next_id,
					  .key = k,
					  .src_op = 1,
					  .dst_op = 1,
					  .src_t = src,
					  .dst_ready = ready,
					  .src_tid = 101 + from,
					  .dst_tid = 101 + to,
					  .type = type,
					  .marks = (uint16_t)shared,
					  .seq = ++x->seq,
					  .take = ++x->take,
					  .amb = amb ? 7 : 0,
					  .has = TH_SRC | TH_DST | TH_SEQ | TH_TAKE | TH_MARKS};

		h.has |= amb ? TH_AMB : 0;
		dst.t0 = x->free_since[to] > src.t0 ? x->free_since[to] : src.t0;
		dst.t1 = x->now + 1 + roll(r, 30);
		h.dst_t = dst;
		x->now = x->free_since[to] = dst.t1;
		if (!roll(r, 20)) {
			h.marks |= 1u << MARK_CANCELLED;
			h.has &= (uint8_t) ~(TH_DST | TH_TAKE);
		}
		cr_assert(truth_build_record(b, ARRAY_HANDOFFS, REC_HANDOFF, &h) == 0);
	}
}

static void add_events(struct truth_build *b, struct dice *r, uint64_t from)
{
	uint32_t class = (uint32_t)truth_build_str(b, "c", 1);

	for (uint64_t i = 0; i < 60; i++) {
		struct truth_event e = {.instance = 1 + roll(r, 2),
					.op = 1,
					.units = roll(r, 3),
					.t = {from, from + 10 + roll(r, 10)},
					.class_str = class,
					.tid = 101 + (uint32_t)roll(r, 2),
					.kind = EVENT_USE,
					.has = TE_OP | TE_UNITS};

		e.life = 100 * e.instance + i / 20;
		from += roll(r, 2) ? 0 : 30;
		cr_assert(truth_build_record(b, ARRAY_EVENTS, REC_EVENT, &e) == 0);
	}
}

static void random_truth(uint64_t seed, struct truth *ret)
{
	struct dice r = {seed * 2654435761u + 1};
	struct batch x = {.now = 1000};
	struct truth_op begin = {.id = 1, .begin = {10, 20}, .begin_tid = 101}, end = {.id = 1};
	struct truth_counts n = {.begin = 1, .end = 1};
	struct truth_build b;

	cr_assert(truth_build_init(&b) == 0);
	for (uint32_t i = 0; i < THREADS; i++)
		*(uint32_t *)truth_build_add(&b, ARRAY_THREADS) = 101 + i;
	b.t.keys = 1u << KEY_USER_DATA;
	begin.kind_str = (uint32_t)truth_build_str(&b, "k", 1);
	cr_assert(truth_build_begin(&b, &begin) == 0);
	for (uint64_t i = 0, batches = 1 + roll(&r, 40); i < batches; i++)
		add_batch(&b, &r, &x);
	add_events(&b, &r, x.now);
	end.end = (struct window){x.now + 5000, x.now + 5000};
	end.end_tid = 101;
	cr_assert(truth_build_end(&b, &end) == 0);
	b.t.scored = (struct window){0, x.now + 6000};
	n.handoff = b.cnt[ARRAY_HANDOFFS];
	n.event = b.cnt[ARRAY_EVENTS];
	cr_assert(truth_build_close(&b, &n, false) == 0);
	truth_build_finish(&b, ret);
}

Test(truth_claims, oracle_is_perfect_and_liar_never_right_on_random_runs)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		char name[32];
		struct truth t;
		struct diag d = {0};

		snprintf(name, sizeof(name), "seed %lu", (unsigned long)seed);
		random_truth(seed, &t);
		cr_assert(truth_check(&t, name, &d) == 0, "%s: %s", name, d.reason);
		assert_perfect(&t, name);
		assert_never_right(&t, name);
		truth_free(&t);
	}
}

Test(truth_claims, liar_has_something_to_say_wherever_there_are_two_handoffs)
{
	struct truth t;
	struct handoff_score s;

	random_truth(5, &t);
	score_of(&t, TRUTH_LIAR, &s);
	cr_assert(s.level[LEVEL_CONTEXT].all.claims == s.level[LEVEL_CONTEXT].all.truth);
	cr_assert(s.level[LEVEL_CONTEXT].all.false_join > s.level[LEVEL_CONTEXT].all.truth / 2);
	truth_free(&t);
}

/* The object of `assay score`, as text. */
static void score_files_of(const char *truth_text, enum truth_claims mode, char *json, size_t len)
{
	const char *truth_path = scratch("jsonl"), *claims_path = scratch("claims");
	struct claims_header h;
	struct claims_writer *w;
	struct score *s;
	struct score_options o = {0};
	struct diag d = {0};
	struct truth t;
	FILE *f;

	write_bytes(truth_path, truth_text, strlen(truth_text));
	cr_assert(truth_load(truth_path, &t, &d) == 0, "%s", d.reason);
	truth_claims_header(mode, &h);
	w = claims_writer_open(claims_path, CLAIMS_BINARY, &h, &d);
	cr_assert(w != NULL && truth_to_claims(&t, mode, w) == 0);
	cr_assert(claims_writer_close(w, &d) == 0, "%s", d.reason);
	s = score_files(truth_path, claims_path, &o, &d);
	cr_assert(s != NULL && score_status(s) == SCORE_OK, "%s",
		  s ? score_error(s)->reason : d.reason);
	f = fmemopen(json, len, "w");
	cr_assert(score_json(s, f) == 0);
	fclose(f);
	score_free(s);
	truth_free(&t);
	unlink(truth_path);
	unlink(claims_path);
}

#define RUN                                                                                        \
	"{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":\"monotonic\"," \
	"\"scored\":[10,10000],\"threads\":[101,102],\"keys\":[\"user_data\"],\"descriptors\":["   \
	"{\"id\":1,\"resource\":\"a\",\"valid\":true},{\"id\":2,\"resource\":\"b\",\"valid\":"     \
	"false,\"since\":1200,\"contradicted\":1300}]}\n"                                          \
	"{\"r\":\"begin\",\"op\":1,\"kind\":\"get\",\"tid\":101,\"t\":[100,110]}\n"                \
	"{\"r\":\"begin\",\"op\":2,\"kind\":\"put\",\"tid\":101,\"t\":[110,120]}\n"                \
	"{\"r\":\"handoff\",\"id\":9,\"type\":\"queue\",\"src\":{\"op\":1,\"tid\":101,\"t\":[200," \
	"210]},\"dst\":{\"op\":1,\"tid\":102,\"ready\":[200,300],\"t\":[200,310]}}\n"              \
	"{\"r\":\"event\",\"event\":\"USE\",\"class\":\"a\",\"instance\":5,\"life\":7,\"units\":"  \
	"2,"                                                                                       \
	"\"op\":1,\"tid\":101,\"t\":[400,410],\"desc\":1}\n"                                       \
	"{\"r\":\"event\",\"event\":\"USE\",\"class\":\"a\",\"instance\":5,\"life\":7,\"units\":"  \
	"3,"                                                                                       \
	"\"op\":1,\"tid\":101,\"t\":[410,420],\"desc\":1}\n"                                       \
	"{\"r\":\"effect\",\"cause\":9,\"kind\":\"block-io\",\"tid\":102,\"t\":[500,600],\"v\":1}" \
	"\n"                                                                                       \
	"{\"r\":\"effect\",\"cause\":7,\"kind\":\"page-fault\",\"tid\":102,\"t\":[500,600],\"v\":" \
	"1}"                                                                                       \
	"\n"                                                                                       \
	"{\"r\":\"cost\",\"op\":1,\"tid\":101,\"kind\":\"cpu\",\"v\":250}\n"                       \
	"{\"r\":\"cost\",\"op\":2,\"tid\":102,\"kind\":\"cpu\",\"v\":150}\n"                       \
	"{\"r\":\"cost\",\"tid\":101,\"kind\":\"off-cpu\",\"v\":90}\n"                             \
	"{\"r\":\"cost\",\"tid\":102,\"kind\":\"off-cpu\",\"v\":10}\n"                             \
	"{\"r\":\"cost\",\"pair\":\"101>102\",\"kind\":\"blocked\",\"v\":7}\n"                     \
	"{\"r\":\"cost\",\"pair\":\"0>102\",\"kind\":\"blocked\",\"v\":2}\n"                       \
	"{\"r\":\"cost\",\"names\":\"w>w\",\"kind\":\"blocked\",\"v\":7}\n"                        \
	"{\"r\":\"loss\",\"from\":700,\"to\":800,\"lost\":3}\n"                                    \
	"{\"r\":\"end\",\"op\":1,\"tid\":102,\"t\":[900,905]}\n"                                   \
	"{\"r\":\"end\",\"op\":2,\"tid\":102,\"t\":[950,955]}\n"                                   \
	"{\"r\":\"diagnosis\",\"label\":\"leak\",\"subject\":\"a\",\"t\":[900,1000]}\n" CLOSE(     \
		2, 2, 0, 1, 2)

static bool says(const char *json, const char *what)
{
	return strstr(json, what) != NULL;
}

Test(truth_claims, oracle_is_perfect_in_everything_else_too)
{
	char json[16384];

	score_files_of(RUN, TRUTH_ORACLE, json, sizeof(json));
	cr_assert(says(json, "\"event\":{\"truth\":2,\"claims\":2,\"matched\":2"), "%s", json);
	cr_assert(says(json, "\"units_equal\":2"), "%s", json);
	cr_assert(says(json, "\"life_exactness\":1"), "%s", json);
	cr_assert(says(json, "\"effect\":{\"truth\":2,\"claims\":2,\"matched\":2"), "%s", json);
	cr_assert(says(json, "\"cpu\":{\"true\":400,\"claimed\":400,\"abs_error\":0"), "%s", json);
	cr_assert(says(json, "\"unattributed\":0"), "%s", json);
	cr_assert(says(json, "\"detected\":1,\"detection_rate\":1,\"false_alarms\":0"), "%s", json);
	cr_assert(says(json, "\"localised\":1"), "%s", json);
	cr_assert(says(json, "\"lost_true\":3,\"lost_claimed\":3"), "%s", json);
	cr_assert(says(json, "\"off-cpu\":{\"tv_distance\":0,\"even_distance\":0.4}"), "%s", json);
	cr_assert(says(json, "\"pair\":{\"blocked\":{\"tv_distance\":0,"), "%s", json);
}

Test(truth_claims, liar_is_wrong_in_everything_else_too)
{
	char json[16384];

	score_files_of(RUN, TRUTH_LIAR, json, sizeof(json));
	cr_assert(says(json, "\"event\":{\"truth\":2,\"claims\":2,\"matched\":0"), "%s", json);
	cr_assert(says(json, "\"effect\":{\"truth\":2,\"claims\":2,\"matched\":0"), "%s", json);
	cr_assert(says(json, "\"cpu\":{\"true\":400,\"claimed\":802"), "%s", json);
	cr_assert(says(json, "\"detected\":0,\"detection_rate\":0,\"false_alarms\":1"), "%s", json);
}

Test(truth_claims, liar_decoys_hits_every_decoy)
{
	struct truth t;
	struct diag d = {0};
	struct handoff_score s;
	char *text = malloc(1 << 20);
	size_t at = (size_t)sprintf(text, "%s", HEADER);

	for (int i = 0; i < 100; i++)
		at += (size_t)sprintf(text + at,
				      "{\"r\":\"decoy\",\"as\":\"handoff\",\"type\":\"io\",\"key\":"
				      "{\"ns\":\"user_data\""
				      ",\"v\":%d},\"tid\":%d,\"t\":[%d,%d]}\n",
				      9000 + i / 2, 101 + i % 2, 50 * i + 20, 50 * i + 23);
	sprintf(text + at, CLOSE(0, 0, 0, 0, 0));
	cr_assert(load_text(text, &t, &d) == 0, "%s", d.reason);
	score_of(&t, TRUTH_LIAR_DECOYS, &s);
	cr_assert(s.level[LEVEL_CONTEXT].all.out_of_scope == 50, "no handoff has a decoy's key");
	cr_assert(s.level[LEVEL_CONTEXT].all.decoy_hits == 50, "%lu",
		  (unsigned long)s.level[LEVEL_CONTEXT].all.decoy_hits);
	cr_assert(s.cheating);
	truth_free(&t);
	free(text);
}

Test(truth_claims, knows_its_modes_by_name)
{
	for (int i = 0; i < TRUTH_CLAIMS_CNT; i++)
		cr_assert(truth_claims_parse(truth_claims_name((enum truth_claims)i)) == i);
	cr_assert(truth_claims_parse("causal") == -1);
}
