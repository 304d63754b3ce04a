/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small application of records by hand, watched through a manifest: what the tests of rules
 * share.
 *
 * Descriptors 1 ACQUIRE, 2 USE, 3 RELEASE of t.slot, all with instance and units; 4 ACQUIRE and
 * 5 RELEASE of t.job, counted in hits; 6, where a test wants it, another USE of t.slot. A test
 * gives the invariants. Events are 10 µs apart; every thousand of them the tallies come, as from
 * the collector.
 */
#ifndef ASSAY_TESTS_UNITS_TEST_PROFILERS_RESOURCES_H
#define ASSAY_TESTS_UNITS_TEST_PROFILERS_RESOURCES_H

#include <stdarg.h>

#include "lib/formats/manifest.h"
#include "tests/units/test_profilers.h"

enum { ACQ = 1, USE = 2, REL = 3, JOB = 4, JOB_END = 5, USE_TOO = 6, DESCS = 7 };
enum { DESC_ROOM = 24 }; /* of which a test may give more */
enum { TICK_EVENTS = 1000 };
enum { WORDS_MAX = 64 };

struct app {
	struct manifest m;
	struct join_setup setup;
	const struct joiner *joiner;
	struct outlet outlet;
	void *state;
	uint64_t now, events;
	uint64_t hits[DESCS], passed[DESCS];
	double drop;	 /* share of EV_APP records that are lost and not told */
	uint64_t random; /* state of the generator */
	/* what came out */
	char words[WORDS_MAX][64];
	int words_cnt;
	unsigned state_of[DESC_ROOM];
	const char *why[DESC_ROOM];
	uint64_t evidence[DESC_ROOM];
	double p[DESC_ROOM];
	uint64_t claims, falls, raises;
	struct claim last; /* the last event */
};

static const char app_head[] =
	"manifest: 1\napplication: t\nresources:\n"
	"  - {resource: t.slot, unit: slot, capacity: {site: init, arg: 0},\n"
	"     lifetime: [ACQUIRE, USE*, RELEASE], owner: %s}\n"
	"  - {resource: t.job, unit: job, lifetime: [ACQUIRE, RELEASE], owner: operation}\n"
	"descriptors:\n"
	"  - {id: 1, resource: t.slot, event: ACQUIRE, site: get:return, instance_key: retval,\n"
	"     unit_key: arg1, generation: acquire_epoch, confidence: validated}\n"
	"  - {id: 2, resource: t.slot, event: USE, site: use, instance_key: arg0, unit_key: arg1,\n"
	"     confidence: validated}\n"
	"  - {id: 3, resource: t.slot, event: RELEASE, site: %s, instance_key: arg0,\n"
	"     unit_key: arg1, confidence: validated}\n"
	"  - {id: 4, resource: t.job, event: %s, site: begin:return, instance_key: retval,\n"
	"     confidence: validated}\n"
	"  - {id: 5, resource: t.job, event: RELEASE, site: finish, instance_key: arg0,\n"
	"     confidence: validated}\n"
	"%s"
	"invariants:\n";
static const char app_use_too[] =
	"  - {id: 6, resource: t.slot, event: USE, site: use_too, instance_key: arg0,\n"
	"     confidence: validated}\n";

static const char *app_more = app_use_too;    /* descriptors from USE_TOO on */
static unsigned app_descs = USE_TOO;	      /* how many there are, and 1 */
static const char *app_put_site = "put";      /* of the RELEASE of t.slot */
static const char *app_job_event = "ACQUIRE"; /* PUSH: operations move */

static int64_t app_str(void *arg, const char *word)
{
	struct app *a = arg;

	for (int i = 0; i < a->words_cnt; i++)
		if (!strcmp(a->words[i], word))
			return i + 1;
	cr_assert_lt(a->words_cnt, WORDS_MAX);
	snprintf(a->words[a->words_cnt], sizeof(a->words[0]), "%s", word);
	return ++a->words_cnt;
}

static void app_health(struct app *a, const struct claim *c)
{
	uint32_t d = c->health.desc;

	a->falls += c->type > a->state_of[d];
	a->raises += c->type < a->state_of[d];
	a->state_of[d] = c->type;
	a->p[d] = c->health.p_stale;
	if (!c->health.why_str || !strncmp(a->words[c->health.why_str - 1], "withheld-", 9))
		return; /* repeats what was said */
	a->evidence[d] = c->health.evidence;
	a->why[d] = a->words[c->health.why_str - 1];
}

static int app_put(void *arg, const struct claim *c)
{
	struct app *a = arg;

	a->claims++;
	if (c->kind == CLAIM_HEALTH)
		app_health(a, c);
	else if (c->kind == CLAIM_EVENT)
		a->last = *c;
	return 0;
}

static inline void app_record(struct app *a, struct ev_rec r)
{
	r.t = a->now;
	if (!r.tgid)
		r.tgid = PID;
	cr_assert_eq(a->joiner->record(a->state, &r), 0);
}

static inline void app_open_as(struct app *a, const struct joiner *j, unsigned start,
			       const char *owner, const char *invariants)
{
	char text[8192];
	struct diag d = {0};
	int n;

	memset(a, 0, sizeof(*a));
	for (unsigned i = 0; i < DESC_ROOM; i++)
		a->why[i] = "";
	n = snprintf(text, sizeof(text), app_head, owner, app_put_site, app_job_event,
		     app_descs > USE_TOO ? app_more : "");
	n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", invariants);
	cr_assert_eq(manifest_parse(text, (size_t)n, "test", &a->m, &d), 0, "line %lu: %s", d.line,
		     d.reason);
	a->setup = (struct join_setup){.manifest = &a->m, .start = (uint8_t)start};
	a->joiner = j;
	a->outlet = (struct outlet){.put = app_put, .str = app_str, .arg = a};
	a->state = j->open(j, &a->setup, &a->outlet);
	cr_assert_not_null(a->state);
	a->now = 1000000;
	a->random = 20261129;
	app_record(a, (struct ev_rec){.kind = EV_PROC_FORK, .a = PID, .b = PID, .c = 1});
	for (unsigned i = 1; i < app_descs; i++)
		app_record(a, (struct ev_rec){.kind = EV_APP_SITE, .a = i, .c = 1});
}

static inline void app_open(struct app *a, const char *invariants)
{
	app_open_as(a, &joiner_causal, HEALTH_VALIDATED, "operation", invariants);
}

static inline void app_tick(struct app *a)
{
	for (unsigned i = 1; i < app_descs; i++)
		app_record(a, (struct ev_rec){.kind = EV_APP_HITS,
					      .a = i,
					      .b = a->hits[i],
					      .c = a->passed[i]});
}

static inline void app_finish(struct app *a)
{
	app_tick(a);
	cr_assert_eq(a->joiner->finish(a->state), 0);
	manifest_free(&a->m);
	cr_expect_eq(a->raises, 0);
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators" (2016) */
static inline double app_draw(struct app *a)
{
	a->random ^= a->random >> 12;
	a->random ^= a->random << 25;
	a->random ^= a->random >> 27;
	return (double)(a->random * UINT64_C(2685821657736338717) >> 11) / 9007199254740992.0;
}

static inline void app_hit_in(struct app *a, uint32_t pid, unsigned id, uint32_t tid,
			      uint64_t instance, uint64_t units)
{
	static const uint8_t event[DESCS] = {
		0,	  EVENT_ACQUIRE, EVENT_USE, EVENT_RELEASE, EVENT_ACQUIRE, EVENT_RELEASE,
		EVENT_USE};

	a->now += 10000;
	a->hits[id]++;
	a->passed[id]++;
	if (a->drop == 0 || app_draw(a) >= a->drop)
		app_record(a, (struct ev_rec){.kind = EV_APP,
					      .tid = tid,
					      .tgid = pid,
					      .a = instance,
					      .b = units,
					      .e = id | (uint64_t)event[id] << 32});
	if (++a->events % TICK_EVENTS == 0)
		app_tick(a);
}

static inline void app_hit(struct app *a, unsigned id, uint32_t tid, uint64_t instance,
			   uint64_t units)
{
	app_hit_in(a, PID, id, tid, instance, units);
}

static inline void app_capacity(struct app *a, uint64_t capacity)
{
	app_record(a, (struct ev_rec){.kind = EV_APP_CAPACITY,
				      .a = capacity,
				      .e = (uint64_t)DESC_EVENT_CAPACITY << 32});
}

/* One whole life of slot number i modulo 8, by thread APP. */
static inline void app_life(struct app *a, uint64_t i)
{
	app_hit(a, ACQ, APP, 0x1000 + i % 8, 2);
	app_hit(a, USE, APP, 0x1000 + i % 8, 1);
	app_hit(a, REL, APP, 0x1000 + i % 8, 2);
}

#define EXPECT_STATE(a, id, state, invariant)                                                      \
	do {                                                                                       \
		cr_expect_eq((a)->state_of[id], state, "descriptor %u is %s by %s",                \
			     (unsigned)(id), health_state_name((a)->state_of[id]), (a)->why[id]);  \
		if (state != HEALTH_VALIDATED)                                                     \
			cr_expect_str_eq((a)->why[id], invariant);                                 \
	} while (0)

static inline void app_expect_kept(const struct app *a)
{
	for (unsigned i = 1; i < DESCS; i++)
		EXPECT_STATE(a, i, HEALTH_VALIDATED, "");
	cr_expect_eq(a->falls, 0);
}

static inline void app_read_block(struct app *a)
{
	app_record(a, (struct ev_rec){.kind = EV_IO_SUBMIT, .tid = APP, .d = IORING_OP_READ});
}

static inline void app_unchanged(struct app *a, uint64_t lives)
{
	for (uint64_t i = 0; i < lives; i++) {
		app_life(a, i);
		app_hit(a, JOB, APP, 7 + i % 3, 0);
		app_read_block(a);
		app_hit(a, JOB_END, APP, 7 + i % 3, 0);
	}
}

/* Where an invariant alone is under test. */
#define ONLY(kind, rest) "  - {id: it, kind: " kind ", " rest "}\n"

#endif
