/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this machine can do, found by trying it (never by comparing versions).
 *
 * Every probe ends in one line: can, or cannot with the reason and a cure. Probes leave nothing
 * behind. The words of `needs` in a describe (contracts §3) are names of probes, or programs on
 * PATH.
 */
#ifndef ASSAY_HARNESS_MACHINE_H
#define ASSAY_HARNESS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/programs.h"
#include "lib/diag.h"

enum probe_id {
	PROBE_ROOT = 0,
	PROBE_BPF,
	PROBE_RINGBUF,
	PROBE_BTF,
	PROBE_TP_BTF,
	PROBE_TRACEFS,
	PROBE_BPFFS,
	PROBE_UPROBE_MULTI,
	PROBE_PERF,
	PROBE_USER_EVENTS,
	PROBE_PIDNS,
	PROBE_IO_URING,
	PROBE_FUTEX,
	PROBE_MEMLOCK,
	PROBE_PTRACE,
	PROBE_ADMIN,
	PROBE_GNUPLOT,
	PROBE_CNT,
};

struct probe {
	const char *name;   /* the word that `needs` uses */
	const char *serves; /* what is lost without it */
	bool can;
	char detail[256]; /* can: what was found; cannot: why not */
	char cure[160];	  /* "" where there is none, or nothing is missing */
};

struct machine {
	struct probe probes[PROBE_CNT];
};

void machine_probe(struct machine *ret);

/* One row a probe, in harness/probes_*.c. Fills can, detail and cure. */
void probe_bpf_family(struct machine *m);
void probe_kernel_family(struct machine *m);

/* For probes: sets the three fields. cure NULL: none. */
void probe_set(struct machine *m, enum probe_id id, bool can, const char *cure, const char *fmt,
	       ...) __attribute__((format(printf, 5, 6)));

/* True if every word is there; else *d says what is missing, why, and the cure. */
bool machine_has(const struct machine *m, const char (*needs)[NAME_LEN], unsigned cnt,
		 struct diag *d);
/* The same of the programs among them, whatever the machine lets anybody do. */
bool machine_has_programs(const struct machine *m, const char (*needs)[NAME_LEN], unsigned cnt,
			  struct diag *d);

/* Whether the word is one that is probed for; else it is a program, on PATH or with its path. One
 * whose name is such a word, too, is told by "program:" before it. */
bool machine_probes(const struct machine *m, const char *word);
const char *machine_program(const char *word); /* what follows that */

/* How many processors this process may use, at least 1. */
unsigned machine_processors(void);

/* What the processors have done since the machine started, in ticks; zeros where it is not known.
 */
struct machine_ticks {
	uint64_t idle, all;
};
struct machine_ticks machine_ticks(void);

/* The share of time in which they had nothing to do since then; negative: not known. */
double machine_idle_since(const struct machine_ticks *then);

/* Can evidence be recorded, or a profiler that needs BPF be run, at all? */
bool machine_can_record(const struct machine *m, struct diag *d);

#endif
