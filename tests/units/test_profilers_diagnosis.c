/* SPDX-License-Identifier: BSD-2-Clause */
/* From hits at sites to diagnoses: each label by a small service that has it, and by none that has
 * not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <linux/io_uring.h>

#include "profilers/adapter/diagnosis.h"

enum { OPEN = 0, USE = 1, CLOSE = 2, WAIT = 3, FILL = 4, EMPTY = 5 }; /* indices of descriptors */
enum { SLOT = 0, PAGE = 1, CAPACITY = 100, ME = 10, OTHER = 11 };

static const char text[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.slot, unit: slot, capacity: {site: init, arg: 0},\n"
	"     lifetime: [ACQUIRE, USE*, RELEASE], owner: shared}\n"
	"  - {resource: t.page, unit: page, lifetime: [ACQUIRE, RELEASE], owner: shared}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.slot, event: ACQUIRE, site: get:return, instance_key: retval,\n"
	"     unit_key: arg1, generation: acquire_epoch, confidence: validated}\n"
	"  - {id: 2, resource: t.slot, event: USE, site: use, instance_key: arg0,\n"
	"     confidence: validated}\n"
	"  - {id: 3, resource: t.slot, event: RELEASE, site: put, instance_key: arg0,\n"
	"     unit_key: arg1, confidence: validated}\n"
	"  - {id: 4, resource: t.slot, event: WAIT, site: wait, instance_key: arg0,\n"
	"     confidence: validated}\n"
	"  - {id: 5, resource: t.page, event: ACQUIRE, site: load:return, instance_key: arg0,\n"
	"     generation: acquire_epoch, confidence: validated}\n"
	"  - {id: 6, resource: t.page, event: RELEASE, site: drop, instance_key: arg0,\n"
	"     confidence: validated}\n"
	"invariants:\n"
	"  - {id: within, kind: balance, of: [1, 3], evidence: proof}\n"
	"  - {id: loads, kind: ratio, of: [5, 1], at_least: 0.1, at_most: 0.9}\n"
	"  - {id: heard, kind: silence, of: [5], effect: block-io}\n";

struct rig {
	struct manifest m;
	struct outlet out;
	struct diagnoser *x;
	uint64_t now, instance;
	double sure;	/* of SLOT */
	bool busy;	/* nobody settles */
	uint64_t dated; /* the last claim */
	char words[16][32];
	int words_cnt, claims;
	char said[256]; /* "label subject; " of each claim */
};

static int64_t put_word(void *arg, const char *word)
{
	struct rig *r = arg;

	for (int i = 0; i < r->words_cnt; i++)
		if (!strcmp(r->words[i], word))
			return i + 1;
	snprintf(r->words[r->words_cnt], sizeof(r->words[0]), "%s", word);
	return ++r->words_cnt;
}

static int put_claim(void *arg, const struct claim *c)
{
	struct rig *r = arg;
	uint32_t subject = c->diagnosis.subject_str;
	size_t len = strlen(r->said);

	cr_assert_eq(c->kind, CLAIM_DIAGNOSIS);
	cr_expect(r->busy || c->diagnosis.t == r->now);
	r->dated = c->diagnosis.t;
	r->claims++;
	snprintf(r->said + len, sizeof(r->said) - len, "%s %s; ",
		 r->words[c->diagnosis.label_str - 1], subject ? r->words[subject - 1] : "-");
	return 0;
}

static double judge(void *arg, uint32_t resource)
{
	const struct rig *r = arg;

	return resource == SLOT ? r->sure : 1;
}

static void setup(struct rig *r)
{
	struct diag d = {0};

	memset(r, 0, sizeof(*r));
	r->now = 1000000;
	r->sure = 1;
	cr_assert_eq(manifest_parse(text, sizeof(text) - 1, "t", &r->m, &d), 0, "%s", d.reason);
	r->out = (struct outlet){.put = put_claim, .str = put_word, .arg = r};
	r->x = diagnoser_new(&r->m, &r->out);
	cr_assert_not_null(r->x);
	diagnoser_record(r->x,
			 &(struct ev_rec){.kind = EV_APP_CAPACITY, .t = r->now, .a = CAPACITY});
}

static void teardown(struct rig *r)
{
	diagnoser_free(r->x);
	manifest_free(&r->m);
}

static void hit(struct rig *r, uint32_t desc, uint32_t tid, uint64_t instance, uint64_t units,
		uint64_t ns)
{
	struct ev_rec rec = {.kind = EV_APP, .tid = tid, .tgid = 1, .a = instance, .b = units};

	r->now += ns;
	rec.t = r->now;
	diagnoser_event(r->x, desc, &rec);
	if (!r->busy)
		cr_assert_eq(diagnoser_settle(r->x, judge, r), 0);
}

/* So many lives of 1 unit, one after another, each used. */
static void live_well(struct rig *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		hit(r, OPEN, ME, ++r->instance, 1, 1000);
		hit(r, USE, ME, r->instance, 1, 1000);
		hit(r, CLOSE, ME, r->instance, 1, 1000);
	}
}

static const unsigned enough = WINDOW_OPENS * (WINDOWS_AGREE + 2);

#define EXPECT_SAID(r, s) cr_expect_str_eq((r)->said, s, "%s", (r)->said)

Test(diagnosis, says_healthy_once_when_nothing_shows)
{
	struct rig r;

	setup(&r);
	live_well(&r, WINDOW_OPENS * WINDOWS_AGREE - 1);
	EXPECT_SAID(&r, "");
	live_well(&r, 1 + enough);
	EXPECT_SAID(&r, "healthy -; ");
	teardown(&r);
}

static void waste(struct rig *r, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		hit(r, OPEN, ME, ++r->instance, 1, 1000);
		if (i % 3 == 0)
			hit(r, USE, ME, r->instance, 1, 1000);
		hit(r, CLOSE, ME, r->instance, 1, 1000);
	}
}

Test(diagnosis, dates_what_it_says_when_it_was_clear)
{
	struct rig r;
	uint64_t clear;

	setup(&r);
	r.busy = true;
	live_well(&r, WINDOW_OPENS * WINDOWS_AGREE - 1);
	clear = r.now + 1000; /* the next acquire */
	live_well(&r, 100);
	cr_assert_eq(diagnoser_settle(r.x, judge, &r), 0);
	EXPECT_SAID(&r, "healthy -; ");
	cr_expect_eq(r.dated, clear);
	teardown(&r);
}

Test(diagnosis, names_nothing_that_one_window_shows_however_late_it_settles)
{
	struct rig r;

	setup(&r);
	live_well(&r, enough);
	r.busy = true;
	live_well(&r, enough);
	waste(&r, WINDOW_OPENS * 3 / 2);
	cr_assert_eq(diagnoser_settle(r.x, judge, &r), 0);
	EXPECT_SAID(&r, "healthy -; ");
	waste(&r, WINDOW_OPENS * WINDOWS_AGREE);
	cr_assert_eq(diagnoser_settle(r.x, judge, &r), 0);
	EXPECT_SAID(&r, "healthy -; wasteful t.slot; ");
	teardown(&r);
}

/* Windows agreed that pages leak, and the next one, that they do not, is one alone. */
Test(diagnosis, says_nothing_of_what_has_gone_before_anybody_could_say_it)
{
	struct rig r;

	setup(&r);
	r.sure = 0;
	live_well(&r, enough);
	r.sure = 1;
	r.busy = true;
	for (unsigned i = 0; i < WINDOW_OPENS * (LEAK_WINDOWS + 2); i++)
		hit(&r, FILL, ME, i, 1, 1000);
	for (unsigned i = 0; i < WINDOW_OPENS * (LEAK_WINDOWS + 2); i++)
		hit(&r, EMPTY, ME, i, 1, 1000);
	for (unsigned i = 0; i < WINDOW_OPENS * 3 / 2; i++) {
		hit(&r, FILL, ME, i, 1, 1000);
		hit(&r, EMPTY, ME, i, 1, 1000);
	}
	cr_assert_eq(diagnoser_settle(r.x, judge, &r), 0);
	EXPECT_SAID(&r, "");
	teardown(&r);
}

Test(diagnosis, calls_wasteful_what_is_released_without_use)
{
	struct rig r;

	setup(&r);
	live_well(&r, enough);
	waste(&r, enough);
	EXPECT_SAID(&r, "healthy -; wasteful t.slot; ");
	live_well(&r, WINDOW_OPENS * (WINDOWS_CLEAN + 1));
	EXPECT_SAID(&r, "healthy -; wasteful t.slot; healthy -; ");
	teardown(&r);
}

/* One in n is never given back. */
static void leak(struct rig *r, unsigned cnt, unsigned n)
{
	for (unsigned i = 0; i < cnt; i++) {
		hit(r, OPEN, ME, ++r->instance, 1, 1000);
		hit(r, USE, ME, r->instance, 1, 1000);
		if (i % n)
			hit(r, CLOSE, ME, r->instance, 1, 1000);
	}
}

Test(diagnosis, calls_a_leak_what_never_comes_back_and_does_not_forget_it)
{
	struct rig r;

	setup(&r);
	live_well(&r, enough);
	leak(&r, WINDOW_OPENS * (LEAK_WINDOWS + 1), 50);
	EXPECT_SAID(&r, "healthy -; leak t.slot; ");
	live_well(&r, 4 * enough);
	EXPECT_SAID(&r, "healthy -; leak t.slot; ");
	teardown(&r);
}

/* One more in a burst is kept from each to the next: `most` come at once. */
static void sway(struct rig *r, unsigned cnt, unsigned most)
{
	for (unsigned i = 0; i < cnt; i++) {
		for (unsigned k = 0; k < most; k++) {
			hit(r, OPEN, ME, r->instance + k, 1, 1000);
			hit(r, USE, ME, r->instance + k, 1, 1000);
		}
		for (unsigned k = 1; k < most; k++)
			hit(r, CLOSE, ME, r->instance + k, 1, 1000);
		r->instance += most;
	}
}

Test(diagnosis, takes_for_no_leak_what_has_been_in_use_before)
{
	const unsigned window = WINDOW_OPENS / 32; /* bursts, each of which leaves one */
	struct rig r;

	setup(&r);
	sway(&r, window * (LEAK_WINDOWS + 1), 32);
	EXPECT_SAID(&r, "healthy -; ");
	sway(&r, window * 3, 32);
	EXPECT_SAID(&r, "healthy -; leak t.slot; ");
	teardown(&r);
}

Test(diagnosis, takes_a_store_that_fills_and_lost_records_for_no_leak)
{
	struct rig r;

	setup(&r);
	leak(&r, WINDOW_OPENS * (LEAK_WINDOWS - 1), 16);
	live_well(&r, enough);
	for (unsigned i = 0; i < 2 * LEAK_WINDOWS; i++) {
		leak(&r, WINDOW_OPENS, 50);
		diagnoser_lost(r.x);
	}
	cr_expect_null(strstr(r.said, "leak"), "%s", r.said);
	teardown(&r);
}

/* Lives of `units`, each over `ns`, of which so many in a hundred have waited. */
static void crowd(struct rig *r, unsigned cnt, uint64_t units, unsigned waits, uint64_t ns)
{
	for (unsigned i = 0; i < cnt; i++) {
		if (i * 37 % 100 < waits)
			hit(r, WAIT, ME, 1, 1, 10);
		hit(r, OPEN, ME, ++r->instance, units, 10);
		hit(r, USE, ME, r->instance, 1, 10);
		hit(r, CLOSE, ME, r->instance, units, ns);
	}
}

Test(diagnosis, calls_overload_what_is_full_while_more_wait_than_usual)
{
	struct rig r;

	setup(&r);
	crowd(&r, enough, 20, 5, 1000);
	crowd(&r, enough, 80, 40, 1000);
	EXPECT_SAID(&r, "healthy -; overload t.slot; ");
	teardown(&r);
	setup(&r); /* it has always been so */
	crowd(&r, 2 * enough, 80, 40, 1000);
	EXPECT_SAID(&r, "healthy -; ");
	teardown(&r);
	setup(&r); /* nobody waits */
	crowd(&r, enough, 20, 0, 1000);
	crowd(&r, enough, 80, 0, 1000);
	EXPECT_SAID(&r, "healthy -; ");
	teardown(&r);
}

Test(diagnosis, reads_overload_from_more_than_there_can_be)
{
	struct rig r;

	setup(&r);
	crowd(&r, enough, 64 * CAPACITY, 0, 1000);
	EXPECT_SAID(&r, "overload t.slot; ");
	teardown(&r);
}

/* All wait, for one in ten who holds so long. */
static void hold_up(struct rig *r, unsigned cnt, uint64_t ns)
{
	for (unsigned i = 0; i < cnt; i++)
		crowd(r, 1, 1, 100, i % 10 ? 1000 : ns);
}

Test(diagnosis, calls_a_convoy_what_few_hold_long_while_many_wait)
{
	struct rig r;

	setup(&r);
	crowd(&r, enough, 1, 0, 1000); /* nobody waits, usually */
	hold_up(&r, enough, 200000);
	EXPECT_SAID(&r, "healthy -; convoy t.slot; ");
	teardown(&r);
	setup(&r); /* all do, and few hold longer than they did */
	crowd(&r, enough, 1, 100, 1000);
	hold_up(&r, enough, 200000);
	EXPECT_SAID(&r, "healthy -; convoy t.slot; ");
	teardown(&r);
	setup(&r); /* it has always been so */
	hold_up(&r, 2 * enough, 200000);
	EXPECT_SAID(&r, "healthy -; ");
	teardown(&r);
}

/* Of no life that ended in the first windows is it known how many wait. */
Test(diagnosis, calls_a_convoy_what_at_first_was_only_acquired)
{
	struct rig r;

	setup(&r);
	diagnoser_record(r.x, &(struct ev_rec){.kind = EV_APP_CAPACITY, .t = r.now, .a = 10000});
	for (unsigned i = 0; i < WINDOW_OPENS * (USUAL_WINDOWS + 1); i++) {
		hit(&r, WAIT, ME, ++r.instance, 1, 1000);
		hit(&r, OPEN, ME, r.instance, 1, 1000);
	}
	hold_up(&r, enough, 200000);
	EXPECT_SAID(&r, "healthy -; convoy t.slot; ");
	teardown(&r);
}

/* So many lives of a service that is `much` of something. */
typedef void serve_fn(struct rig *r, unsigned cnt, unsigned much);

static void expect_ill(serve_fn *serve, unsigned usual, unsigned ill, const char *said)
{
	struct rig r;

	setup(&r);
	serve(&r, enough, usual);
	serve(&r, enough, ill);
	EXPECT_SAID(&r, said);
	teardown(&r);
}

/* Who waits is given its instance by another thread. */
static void hand_out(struct rig *r, unsigned cnt, unsigned waits)
{
	for (unsigned i = 0; i < cnt; i++) {
		bool waited = i * 37 % 100 < waits;

		r->instance++;
		if (waited)
			hit(r, WAIT, ME, r->instance, 1, 1000);
		hit(r, OPEN, waited ? OTHER : ME, r->instance, 1, 1000);
		hit(r, USE, ME, r->instance, 1, 1000);
		hit(r, CLOSE, ME, r->instance, 1, 1000);
	}
}

Test(diagnosis, calls_starved_what_is_handed_out_too_slowly_and_held_by_few)
{
	expect_ill(hand_out, 10, 90, "healthy -; starved t.slot; ");
}

static void fill(struct rig *r, unsigned cnt, unsigned percent)
{
	for (unsigned i = 0; i < cnt; i++) {
		live_well(r, 1);
		if (i * 37 % 100 >= percent)
			continue;
		hit(r, FILL, ME, r->instance, 1, 1000);
		hit(r, EMPTY, ME, r->instance, 1, 1000);
	}
}

Test(diagnosis, calls_thrash_what_has_to_be_filled_nearly_every_time)
{
	expect_ill(fill, 60, 95, "healthy -; pool-thrash t.slot; ");
}

static void submit(struct rig *r, uint64_t req, uint64_t opcode)
{
	diagnoser_record(
		r->x,
		&(struct ev_rec){
			.kind = EV_IO_SUBMIT, .t = r->now, .tid = OTHER, .b = req, .d = opcode});
}

static void complete(struct rig *r, uint64_t req)
{
	diagnoser_record(r->x, &(struct ev_rec){.kind = EV_IO_COMPLETE, .t = r->now, .b = req});
}

/* Each life is ended by another thread, which first waits for a transfer of so many ns. */
static void write_back(struct rig *r, unsigned cnt, unsigned ns)
{
	for (unsigned i = 0; i < cnt; i++) {
		hit(r, OPEN, ME, ++r->instance, 1, 1000);
		hit(r, USE, ME, r->instance, 1, 1000);
		submit(r, 77, IORING_OP_WRITE);
		r->now += ns;
		complete(r, 77);
		hit(r, CLOSE, OTHER, r->instance, 1, 1000);
	}
}

Test(diagnosis, calls_slow_io_what_another_thread_waits_for_too_long)
{
	expect_ill(write_back, 200000, 3000000, "healthy -; slow-io t.slot; ");
	expect_ill(write_back, 400000, 610000, "healthy -; slow-io t.slot; ");
	expect_ill(write_back, 400000, 590000, "healthy -; "); /* not by half */
	expect_ill(write_back, 100000, 490000, "healthy -; "); /* as storage is */
	expect_ill(write_back, 700000, 800000, "healthy -; "); /* nor there */
	expect_ill(write_back, 1100000, 1100000, "slow-io t.slot; ");
}

/* Of a write nobody hears the end (IOSQE_CQE_SKIP_SUCCESS), and what has its place next, ms later,
 * transfers nothing. */
static void write_unheard(struct rig *r, unsigned cnt, unsigned ns)
{
	for (unsigned i = 0; i < cnt; i++) {
		hit(r, OPEN, ME, ++r->instance, 1, 1000);
		hit(r, USE, ME, r->instance, 1, 1000);
		submit(r, 77, IORING_OP_WRITE);
		r->now += 200000;
		complete(r, 77);
		submit(r, 78, IORING_OP_WRITE);
		r->now += ns;
		submit(r, 78, IORING_OP_NOP);
		complete(r, 78);
		hit(r, CLOSE, OTHER, r->instance, 1, 1000);
	}
}

Test(diagnosis, takes_no_request_for_the_transfer_that_had_its_place_before)
{
	expect_ill(write_unheard, 200000, 3000000, "healthy -; ");
}

Test(diagnosis, withholds_and_counts_what_rests_on_what_is_doubted)
{
	struct rig r;

	setup(&r);
	live_well(&r, enough);
	r.sure = 0;
	leak(&r, WINDOW_OPENS * (LEAK_WINDOWS + 3), 50);
	EXPECT_SAID(&r, "healthy -; ");
	cr_expect_gt(diagnoser_withheld(r.x, SLOT, DIAGNOSIS_LEAK), 1);
	cr_expect_eq(diagnoser_withheld(r.x, PAGE, DIAGNOSIS_LEAK), 0);
	teardown(&r);
	setup(&r); /* and does not call healthy what it cannot see */
	r.sure = 0;
	live_well(&r, enough);
	EXPECT_SAID(&r, "");
	cr_expect_gt(diagnoser_withheld(r.x, SLOT, DIAGNOSIS_HEALTHY), 0);
	teardown(&r);
}
