/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether truth bears out a diagnosis: each label where it shows, and where it does not. */
#include "groundtruth/symptoms.h"
#include "lib/vocab.h"
#include "tests/units/truth_help.h"

/* ---- memory; the program is linked with --wrap for malloc (groundtruth/module.mk) ---- */

static long until_failure = -1; /* allocations; negative: none fails */

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return until_failure >= 0 && until_failure-- == 0 ? NULL : __real_malloc(bytes);
}

/* ---- truth ---- */

struct writing {
	char text[1 << 18];
	size_t len;
	unsigned life, events, effects, handoffs;
};

static void put(struct writing *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->len += (size_t)vsnprintf(w->text + w->len, sizeof(w->text) - w->len, fmt, ap);
	va_end(ap);
	cr_assert_lt(w->len, sizeof(w->text));
}

static void event(struct writing *w, const char *kind, unsigned life, unsigned tid, unsigned t)
{
	w->events++;
	put(w,
	    "{\"r\":\"event\",\"event\":\"%s\",\"class\":\"c\",\"instance\":1,\"life\":%u,"
	    "\"units\":1,\"op\":1,\"tid\":%u,\"t\":[%u,%u]}\n",
	    kind, life, tid, t, t);
}

/* A life from t on for so long; 0: for ever. */
static void life(struct writing *w, unsigned t, unsigned lasts, bool used)
{
	unsigned id = ++w->life;

	event(w, "ACQUIRE", id, 101, t);
	if (used)
		event(w, "USE", id, 101, t);
	if (lasts)
		event(w, "RELEASE", id, 102, t + lasts);
}

static void begin(struct writing *w)
{
	*w = (struct writing){.life = 10};
	put(w, "%s", HEADER);
}

/* Healthy up to 1000, ill from there to 2000. */
static struct truth end(struct writing *w, const char *label)
{
	struct truth t;
	struct diag d;

	put(w,
	    "{\"r\":\"diagnosis\",\"label\":\"healthy\",\"subject\":\"\",\"t\":[0,1000]}\n"
	    "{\"r\":\"diagnosis\",\"label\":\"%s\",\"subject\":\"c\",\"t\":[1000,2000]}\n"
	    "{\"r\":\"close\",\"counts\":{\"begin\":0,\"end\":0,\"segment\":0,\"handoff\":%u,"
	    "\"event\":%u},\"full\":false}\n",
	    label, w->handoffs, w->events);
	cr_assert_eq(load_text(w->text, &t, &d), 0, "%s", d.reason);
	return t;
}

static void expect(struct writing *w, const char *label, double before, double now, bool shows)
{
	struct truth t = end(w, label);
	unsigned which = (unsigned)diagnosis_parse(label, strlen(label));
	struct diag d = {.reason = ""};
	double a, b;

	cr_assert_eq(symptom(&t, which, "c", (struct window){0, 999}, &a), 0);
	cr_assert_eq(symptom(&t, which, "c", (struct window){1000, 2000}, &b), 0);
	cr_expect_float_eq(a, before, 1e-9, "%s before: %g", label, a);
	cr_expect_float_eq(b, now, 1e-9, "%s now: %g", label, b);
	cr_expect_eq(symptoms_check(&t, "f", &d), shows ? 0 : -EINVAL, "%s: %s", label, d.reason);
	cr_expect_eq(strstr(d.reason, label) != NULL, !shows, "%s", d.reason);
	truth_free(&t);
}

static struct writing w;

static void lives(unsigned from, unsigned cnt, unsigned lost, unsigned unused, unsigned waits)
{
	for (unsigned i = 0; i < cnt; i++) {
		if (i < waits)
			event(&w, "WAIT", ++w.life, 101, from + i);
		life(&w, from + i, i < lost ? 0 : 5, i >= unused);
	}
}

Test(symptoms, leak_is_what_is_not_released)
{
	begin(&w);
	lives(10, 100, 0, 0, 0);
	lives(1010, 100, 4, 0, 0);
	expect(&w, "leak", 0, 0.04, true);
	begin(&w);
	lives(10, 100, 4, 0, 0);
	lives(1010, 100, 4, 0, 0);
	expect(&w, "leak", 0.04, 0.04, false);
}

Test(symptoms, wasteful_is_what_is_not_used)
{
	begin(&w);
	lives(10, 100, 0, 5, 0);
	lives(1010, 100, 0, 60, 0);
	expect(&w, "wasteful", 0.05, 0.6, true);
	begin(&w);
	lives(10, 100, 0, 0, 0);
	lives(1010, 100, 0, 40, 0);
	expect(&w, "wasteful", 0, 0.4, false);
}

Test(symptoms, overload_and_starved_are_waits)
{
	static const char *const labels[] = {"overload", "starved"};

	for (size_t i = 0; i < 2; i++) {
		begin(&w);
		lives(10, 100, 0, 0, 10);
		lives(1010, 100, 0, 0, 30);
		expect(&w, labels[i], 0.1, 0.3, true);
		begin(&w);
		lives(10, 100, 0, 0, 25);
		lives(1010, 100, 0, 0, 30);
		expect(&w, labels[i], 0.25, 0.3, false);
	}
}

Test(symptoms, convoy_is_a_fifth_that_holds_nearly_all_while_somebody_waits)
{
	begin(&w);
	lives(10, 10, 0, 0, 2);
	event(&w, "WAIT", 900, 101, 1001);
	for (unsigned i = 0; i < 10; i++)
		life(&w, 1010 + i, i < 2 ? 96 : 1, true);
	expect(&w, "convoy", 0.2, 0.96, true);
	begin(&w);
	for (unsigned i = 0; i < 10; i++)
		life(&w, 1010 + i, i < 2 ? 96 : 1, true);
	expect(&w, "convoy", 0, 0, false);
}

static void transfer(unsigned t, unsigned lasts)
{
	w.effects++;
	put(&w,
	    "{\"r\":\"effect\",\"cause\":1,\"kind\":\"block-io\",\"tid\":102,\"t\":[%u,%u],"
	    "\"v\":4096}\n",
	    t, t + lasts);
}

Test(symptoms, slow_io_is_the_median_of_who_releases)
{
	begin(&w);
	lives(10, 1, 0, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		transfer(20 + i, 100);
	for (unsigned i = 0; i < 5; i++)
		transfer(1020 + i, 300 + i);
	expect(&w, "slow-io", 100, 302, false); /* three times as long, and still fast */
}

Test(symptoms, pool_thrash_is_transfers_per_acquire)
{
	begin(&w);
	lives(10, 10, 0, 0, 0);
	lives(1010, 10, 0, 0, 0);
	for (unsigned i = 0; i < 14; i++)
		put(&w,
		    "{\"r\":\"handoff\",\"id\":%u,\"type\":\"io\",\"key\":{\"ns\":\"user_data\","
		    "\"scope\":1,\"v\":7},\"src\":{\"op\":1,\"tid\":101,\"t\":[%u,%u]},"
		    "\"marks\":[\"lost\"]}\n",
		    5000 + ++w.handoffs, i < 5 ? 20 + i : 1020 + i, i < 5 ? 20 + i : 1020 + i);
	expect(&w, "pool-thrash", 0.5, 0.9, true);
}

/* Ten operations in turn, each with so much CPU and delay. */
static void operations(unsigned from, unsigned first, unsigned cpu, unsigned delay)
{
	for (unsigned op = first; op < first + 10; op++, from += 10) {
		put(&w, "{\"r\":\"begin\",\"op\":%u,\"kind\":\"get\",\"tid\":101,\"t\":[%u,%u]}\n",
		    op, from, from);
		put(&w, "{\"r\":\"end\",\"op\":%u,\"tid\":101,\"t\":[%u,%u]}\n", op, from + 5,
		    from + 5);
		put(&w, "{\"r\":\"cost\",\"op\":%u,\"tid\":101,\"kind\":\"cpu\",\"v\":%u}\n", op,
		    cpu);
		put(&w, "{\"r\":\"cost\",\"op\":%u,\"kind\":\"sched-delay\",\"v\":%u}\n", op,
		    delay);
	}
}

Test(symptoms, cpu_contention_is_delay_in_what_operations_ran_or_could_have)
{
	begin(&w);
	operations(10, 1, 90, 10);
	operations(1010, 101, 60, 40);
	expect(&w, "cpu-contention", 0.1, 0.4, true);
	begin(&w);
	operations(10, 1, 70, 30);
	operations(1010, 101, 60, 40);
	expect(&w, "cpu-contention", 0.3, 0.4, false);
	begin(&w);
	operations(1010, 101, 90, 10);
	expect(&w, "cpu-contention", 0, 0.1, false);
}

Test(symptoms, of_unknown_labels_nothing_is_asked)
{
	struct truth t;
	struct diag d;

	begin(&w);
	t = end(&w, "gremlins");
	cr_expect_eq(symptoms_check(&t, "f", &d), 0);
	truth_free(&t);
}

/* What could not be looked for is not said not to show, and what it was before is not taken for
 * nothing. */
static void expect_no_memory(const char *label, long allocations)
{
	struct truth t = end(&w, label);
	struct diag d;
	long n = 0;

	for (until_failure = 0; symptoms_check(&t, "f", &d) == -ENOMEM; until_failure = ++n)
		cr_assert(strstr(d.reason, "memory"), "%s: %s", label, d.reason);
	until_failure = -1;
	cr_expect_eq(n, allocations, "%s: %ld", label, n);
	truth_free(&t);
}

Test(symptoms, memory_that_ran_out_is_told_from_what_does_not_show)
{
	begin(&w);
	life(&w, 100, 10, true);
	life(&w, 1100, 10, false);
	expect_no_memory("wasteful", 4);
	begin(&w);
	expect_no_memory("slow-io", 2);
}
