/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the application's threads cost when they did not run, from the scheduler's records alone
 * (contracts §5.3, profiles by thread and by pair). Nothing of it belongs to an operation.
 *
 * off-cpu: by thread, all that passed in `scored` between its leaving a CPU and its coming back to
 * one, whether it slept or was preempted. Before it came first and after it left last is none.
 *
 * blocked: of an absence that began with a sleep what passed until the first wake-up in it, by
 * thread and by pair of waker and woken. The rest of the absence it could have run. Of a sleep
 * without a wake-up in it, the wake-up came as it was falling asleep: nothing passed.
 *
 * Pairs stand twice, by thread and by name, for whoever knows threads by their names only. Where
 * switches or wake-ups are not known, or not all, there is nothing of the kind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/collect_join.h"
#include "groundtruth/timeline.h"
#include "groundtruth/wakes.h"

enum { NAMES_LEN = 2 * WAKES_NAME_LEN };

struct sleep {
	uint64_t ns;
	uint32_t waker, woken;
	char names[NAMES_LEN]; /* of the two, as they stand in truth */
};

struct absences {
	struct collect *x;
	uint32_t tid; /* whose */
	uint64_t off_ns;
	struct sleep *v;
	size_t cnt, cap;
	int err;
};

/* What other processes are called is not for truth to stumble over. */
static void print_names(const struct wake *w, char ret[NAMES_LEN])
{
	snprintf(ret, NAMES_LEN, "%.15s>%.15s", w->waker ? w->waker_name : "0", w->woken_name);
	for (char *c = ret; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void add_sleep(struct absences *s, const struct wake *w, uint64_t ns)
{
	struct sleep *to = collect_more(&s->v, &s->cnt, &s->cap, sizeof(*s->v));

	if (!to) {
		s->err = -ENOMEM;
		return;
	}
	*to = (struct sleep){.ns = ns, .waker = w->waker, .woken = w->woken};
	print_names(w, to->names);
}

static void on_absence(void *arg, const struct timeline_absence *a)
{
	struct absences *s = arg;
	const struct collect_info *info = s->x->info;
	uint64_t from = a->from > info->scored.t0 ? a->from : info->scored.t0;
	uint64_t to = a->to < info->scored.t1 ? a->to : info->scored.t1;
	const struct wake *w;

	if (to <= from)
		return;
	s->off_ns += to - from;
	w = a->sleeps && info->wakes ? wakes_first(info->wakes, s->tid, a->from, a->to) : NULL;
	if (w && w->t > from)
		add_sleep(s, w, (w->t < to ? w->t : to) - from);
}

static int emit(struct collect *x, const char *kind, struct truth_cost c)
{
	int64_t word = truth_build_str(&x->b, kind, strlen(kind));

	if (word < 0)
		return (int)word;
	c.kind_str = (uint32_t)word;
	return truth_build_record(&x->b, ARRAY_COSTS, REC_COST, &c);
}

static int emit_thread(struct collect *x, const char *kind, uint32_t tid, uint64_t ns)
{
	return emit(x, kind,
		    (struct truth_cost){.of = COST_OF_THREAD, .tid = tid, .has_tid = 1, .v = ns});
}

static int emit_named(struct collect *x, enum truth_cost_of of, const char *name, uint64_t ns)
{
	int64_t word = truth_build_str(&x->b, name, strlen(name));

	if (word < 0)
		return (int)word;
	return emit(x, "blocked",
		    (struct truth_cost){.of = (uint8_t)of, .name_str = (uint32_t)word, .v = ns});
}

/* ---- the same sleeps under three headings ---- */

static int by_thread(const void *pa, const void *pb)
{
	const struct sleep *a = pa, *b = pb;

	return a->woken < b->woken ? -1 : a->woken > b->woken;
}

static int by_pair(const void *pa, const void *pb)
{
	const struct sleep *a = pa, *b = pb;

	if (a->woken != b->woken)
		return by_thread(pa, pb);
	return a->waker < b->waker ? -1 : a->waker > b->waker;
}

static int by_names(const void *pa, const void *pb)
{
	const struct sleep *a = pa, *b = pb;

	return strcmp(a->names, b->names);
}

static int emit_sum(struct collect *x, enum truth_cost_of of, const struct sleep *s, uint64_t ns)
{
	char pair[WAKES_PAIR_LEN];

	if (of == COST_OF_THREAD)
		return emit_thread(x, "blocked", s->woken, ns);
	if (of == COST_OF_NAMES)
		return emit_named(x, of, s->names, ns);
	wakes_pair_print(s->waker, s->woken, pair);
	return emit_named(x, of, pair, ns);
}

static int emit_sums(struct absences *s, enum truth_cost_of of,
		     int (*order)(const void *, const void *))
{
	int err = 0;

	if (s->cnt)
		qsort(s->v, s->cnt, sizeof(*s->v), order);
	for (size_t i = 0, next; !err && i < s->cnt; i = next) {
		uint64_t ns = 0;

		for (next = i; next < s->cnt && !order(&s->v[i], &s->v[next]); next++)
			ns += s->v[next].ns;
		err = emit_sum(s->x, of, &s->v[i], ns);
	}
	return err;
}

/* ---- */

/* Every application thread ran: one whose switches are not known has lost some. */
static bool all_known(const struct collect *x)
{
	const uint32_t *threads = x->b.store->arrays[ARRAY_THREADS];

	for (size_t i = 0; i < x->b.cnt[ARRAY_THREADS]; i++)
		if (!timeline_knows(x->info->timeline, threads[i])) {
			if (x->info->no_off_cpu)
				diag_set(x->info->no_off_cpu, -ENODATA, NULL, 0, NULL,
					 "the context switches of thread %u do not alternate",
					 threads[i]);
			return false;
		}
	return true;
}

static int emit_all(struct absences *s)
{
	const uint32_t *threads = s->x->b.store->arrays[ARRAY_THREADS];
	int err = 0;

	for (size_t i = 0; !err && i < s->x->b.cnt[ARRAY_THREADS]; i++) {
		s->tid = threads[i];
		s->off_ns = 0;
		timeline_absences(s->x->info->timeline, s->tid, on_absence, s);
		err = s->err ? s->err : emit_thread(s->x, "off-cpu", s->tid, s->off_ns);
	}
	if (!err)
		err = emit_sums(s, COST_OF_THREAD, by_thread);
	if (!err)
		err = emit_sums(s, COST_OF_PAIR, by_pair);
	return err ? err : emit_sums(s, COST_OF_NAMES, by_names);
}

int collect_threads(struct collect *x)
{
	struct absences s = {.x = x};
	int err = x->info->timeline && all_known(x) ? emit_all(&s) : 0;

	free(s.v);
	return err ? collect_fault(x, err) : 0;
}
