/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a workload is to the driver: one const descriptor, and the state of a run and its threads.
 *
 * A workload's folder defines `const struct workload workload` and nothing else is touched to add
 * one. The driver parses options, starts one thread a worker, keeps the counters, speaks the stop
 * protocol and prints the summary. Work is recorded through act.h only.
 *
 * Threads with index < workers take arrivals; further ones (workload->threads) serve them. Once
 * all of the first have returned, `quiesce` runs on the main thread and lets the others end. The
 * last `late` of them the workload starts itself, by run_start on any of its threads and before
 * the last thread with arrivals returns, or never. Processes that work for a run beside the one
 * that was started (run_crew) are the workload's: it starts them in `open`, adds their counters to
 * those of the main thread in `close`, and has waited for them then.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_WORKLOAD_H
#define ASSAY_WORKLOADS_DRIVER_WORKLOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/recorder.h"
#include "lib/vocab.h"
#include "workloads/driver/arrivals.h"
#include "workloads/driver/histogram.h"
#include "workloads/driver/options.h"
#include "workloads/driver/rng.h"

/*
 * A function that a profiler may probe: never inlined, entry of patchable nops. clang would make
 * one five-byte nop of them, of a form that no kernel knows for one: a probe there is
 * single-stepped.
 */
#ifdef __clang__
#define OPERATOR __attribute__((noinline, patchable_function_entry(1, 0)))
#else
#define OPERATOR __attribute__((noinline, patchable_function_entry(5, 0)))
#endif

enum { OUTCOMES_MAX = 16 };

/* Acts of one thread, counted apart from what is recorded. */
struct counters {
	uint64_t begin, end, segment, handoff, event;
	uint64_t taken; /* receiving ends: the second count of handoffs */
	uint64_t marks[MARK_CNT];
	uint64_t outcomes[OUTCOMES_MAX]; /* by index in workload->outcomes */
};

struct run;

struct worker {
	struct run *run;
	unsigned index;
	unsigned cpu;
	uint32_t tid;
	pthread_t thread;
	bool started;
	struct rng rng;
	struct arrivals arrivals; /* index < workers */
	struct histogram latency;
	struct counters counts;
	struct recorder rec;
	uint64_t segment_op, segment_t0; /* the open segment; see act.h */
	bool in_segment;
	uint64_t sink; /* results of burns */
	void *priv;    /* the workload's */
} __attribute__((aligned(64)));

struct run {
	const struct run_options *options;
	uint64_t rounds_us; /* burn rounds a microsecond */
	struct recorder_channel channel;
	struct worker *workers; /* threads_cnt, then one for the main thread */
	unsigned threads_cnt;
	uint64_t start;		   /* ns; arrivals count from it */
	_Atomic unsigned ended[2]; /* threads that have ended, those with arrivals apart */
	void *priv;		   /* the workload's */
};

/* What a run can be made to suffer from, by the settings `ail` and `turn`. */
struct ailment {
	uint8_t label;	 /* enum diagnosis */
	uint8_t subject; /* index in workload->classes of what is to blame */
};

struct workload {
	const char *name, *models;
	const char *const *kinds;	/* of operations, NULL-terminated */
	const char *const *settings;	/* names that --config may give, NULL-terminated, or NULL */
	uint32_t keys;			/* bits 1u << key_ns */
	uint32_t handoffs;		/* bits 1u << handoff_type */
	uint32_t marks;			/* bits 1u << mark: those that a default run has */
	const char *const *outcomes;	/* what else a default run has, NULL-terminated, or NULL */
	const char *const *classes;	/* of resources, NULL-terminated, or NULL */
	const struct ailment *ailments; /* the last has the label 0, or NULL */
	unsigned records; /* of truth that an operation is worth, by default, with room for uneven
			   * shares between threads; 0: not many */
	struct run_options defaults;

	unsigned (*threads)(const struct run_options *o);
	unsigned (*late)(const struct run_options *o); /* of them; may be NULL: none */
	/* Main thread, before the first stop: what a calibration has to see; may be NULL. There are
	 * no workers yet, and nothing is recorded. */
	void (*prepare)(struct run *r);
	void (*open)(struct run *r);	   /* main thread, before the first thread */
	void (*body)(struct worker *w);	   /* each thread */
	void (*quiesce)(struct worker *w); /* main thread's worker; may be NULL */
	void (*close)(struct run *r);	   /* main thread, after the last thread */
	/* Another build of the program, started by a run with `crew WORD`: exits with what this
	 * returns; may be NULL. */
	int (*crew)(const char *word);
};

extern const struct workload workload;

static inline struct worker *run_main_worker(struct run *r)
{
	return &r->workers[r->threads_cnt];
}

/* Starts a late thread, once. */
void run_start(struct worker *w);

/*
 * In a process that works for another one's run: starts cnt threads, each with the body of the
 * workload, and waits for all. r has options (of no workers that take arrivals), rounds_us, the
 * channel and priv; its workers are made here and are the caller's to look at and free. Called by
 * the process's first thread.
 */
void run_crew(struct run *r, unsigned cnt);

/* Adds what the threads of another process have done to what a thread of this one has. */
void counters_add(struct counters *into, const struct counters *from);

/* cnt things of so many bytes, zeroed, from a cache line's start to another's end; never NULL, and
 * free's in the end. */
void *run_alloc(size_t cnt, size_t size);

/*
 * A run that cannot go on: says what failed and exits 1 at once, since other threads may wait for
 * this one for ever. err is a negative errno, or 0.
 */
void run_fail(int err, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* The same for something that a machine may not have: exits 77 where err says that it has not. */
void run_lacks(int err, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* The same for a run that was asked for and cannot be: exits 2. */
void run_refuse(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
