/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What watching costs (contracts §5.6), from runs with and without the profiler.
 *
 * Runs come in pairs of neighbours, one of each arm, the order reversed from pair to pair (ABBA),
 * so that a drift of the machine falls on both arms alike. An effect is the mean of the paired
 * differences:
 *
 *   interval   mean ± t(0.975, n−1) · s/√n, s the standard deviation of the differences with n−1
 *              (Student 1908, Biometrika 6(1))
 *   MDE        (t(0.975, n−1) + t(0.80, n−1)) · s/√n: the least true effect that this many pairs
 *              of this noise find with probability 0.8 at the two-sided level 0.05 (Bloom 1995,
 *              "Minimum detectable effects", Evaluation Review 19(5))
 *   p          exact, by all 2^n signs (statistics.h), where those can be counted
 *
 * Fewer than two pairs have no MDE, and then there is no effect either: nothing is said without
 * what could have been seen. Where s is 0 all differences are equal, and the MDE is 0.
 *
 * Counted cost: Σ over classes of BPF programs (hits an operation · ns of an empty program there +
 * its own run time an operation) + the profiler's own CPU an operation. Hits and run time are the
 * kernel's (bpf_prog_info.run_cnt, .run_time_ns), taken in a run of their own, since counting
 * costs; ns of an empty program were measured in the same session. Hits of a program on sites of
 * several classes are divided by the number of its sites in each. Of classes without such a figure,
 * and of probes that are no BPF programs, nothing is counted: `uncounted` says so. What CLASS_OTHER
 * takes is in its owner's CPU already. Hits are those of the workload's own threads: what others on
 * the machine hit, kernel threads and idle processors among them, is nothing that is charged to it,
 * in the paired figure neither.
 *
 * Units: seconds in runs; figures in ns an operation, shares of the unwatched run's CPU, bytes.
 * Pure functions; thread-safe.
 */
#ifndef ASSAY_SCORING_OVERHEAD_H
#define ASSAY_SCORING_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum overhead_arm {
	ARM_PLAIN = 0,	 /* truth is recorded, nobody watches */
	ARM_WATCHED = 1, /* truth is recorded, the profiler watches */
	ARM_BARE = 2,	 /* the profiler watches, the workload has no truth channel */
	ARM_CNT = 3,
};

/* What a run used between its two stops, unless said otherwise. */
struct overhead_run {
	enum overhead_arm arm;
	uint32_t pair; /* open and closed loop count for themselves */
	bool closed;   /* loop: no arrivals, so many in flight */
	uint64_t ops;
	double wall;
	double user, system;   /* CPU of the workload and its children, what probes cost included */
	double kernel;	       /* CPU of the kernel's own worker threads, machine-wide */
	double watch;	       /* CPU of the profiler */
	double drain;	       /* the same from the second stop to its exit */
	double attach;	       /* the same before the run */
	double load;	       /* wall time from its start to its ready byte */
	double p50_ns, p99_ns; /* latency from intended arrival */
	double peak_bytes;     /* largest resident memory of the profiler's processes, summed */
};

/* Where a BPF program is attached, by what it costs to get there and back. */
enum overhead_class {
	CLASS_TRACEPOINT = 0,	   /* raw and BTF tracepoints but those of system calls */
	CLASS_SYSCALL = 1,	   /* the same on the way into and out of every system call */
	CLASS_PERF_TRACEPOINT = 2, /* through a perf event */
	CLASS_UPROBE = 3,	   /* at a site of which nothing is known */
	CLASS_SAMPLE = 4,	   /* clock and counter samples */
	CLASS_OTHER = 5,	   /* run by its owner, in its owner's time */
	CLASS_NOP = 6,		   /* uprobes and USDT on a nop, or what else is emulated */
	CLASS_NOP5 = 7,		   /* uprobe on a nop of five bytes */
	CLASS_PUSH = 8,
	CLASS_STEPPED = 9, /* uprobe on an instruction that is single-stepped */
	CLASS_RETURN = 10, /* uretprobe, with its trap at the entry */
	OVERHEAD_CLASS_CNT = 11,
};

const char *overhead_arm_name(unsigned arm);
const char *overhead_class_name(unsigned class);
int overhead_arm_parse(const char *word); /* -1: none */
int overhead_class_parse(const char *word);

struct overhead_hits {
	double programs;     /* one on sites of several classes is divided among them */
	double hits, run_ns; /* of the counted run, by threads of the workload */
	double others;	     /* hits by anybody else */
	double empty_ns;     /* a hit of an empty program; negative: not known */
};

/* What was seen of the profiler from outside, or stands in its claims; negative: it was not. */
struct overhead_seen {
	double probes;		/* places that its programs are attached at */
	double sites, attached; /* of its manifest, in the program: all, and those with a probe */
	double ring_bytes;	/* moved through its BPF ring buffers in the counted run */
	double kernel_bytes;	/* memory of its maps, at the run's end */
	double claims, claims_bytes, lost; /* of the scored run; lost: by its own gaps */
};

#define OVERHEAD_SEEN_NOTHING ((struct overhead_seen){-1, -1, -1, -1, -1, -1, -1, -1})

struct overhead {
	uint32_t declares; /* enum declares of lib/formats/claims.h; a figure `declares` each */
	struct overhead_run *runs;
	size_t cnt;
	bool counted; /* hits are there */
	uint64_t counted_ops;
	struct overhead_hits hits[OVERHEAD_CLASS_CNT];
	struct overhead_seen seen;
};

struct effect {
	double mean, lo, hi, mde, p;
	size_t n;
};

/* From n paired differences; false below two. p is NAN where there are too many to be permuted. */
bool effect_of(const double *difference, size_t n, struct effect *ret);

/* One figure: overhead.NAME of scope. */
struct overhead_figure {
	const char *metric, *scope;
	bool has, has_interval;
	double value, lo, hi;
	uint64_t n;
};

/*
 * All figures that the runs give, in a fixed order, each effect followed by its `_mde` and `_p`; fn
 * returns not 0 to stop, and that is returned. -ENOMEM.
 */
int overhead_each(const struct overhead *o, int (*fn)(const struct overhead_figure *f, void *arg),
		  void *arg);

#endif
