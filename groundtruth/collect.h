/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The evaluator's end of the channel: make it, hand it over, turn raw logs into truth.
 *
 * A channel is used for one run. Tokens and gaps between decoys come from getrandom; the maker
 * alone keeps the list of dealt tokens and of decoy tokens. Not thread-safe. Collecting looks at
 * the memory with the maker's own idea of its layout, so that a program that wrote over it cannot
 * lead the reader astray.
 */
#ifndef ASSAY_GROUNDTRUTH_COLLECT_H
#define ASSAY_GROUNDTRUTH_COLLECT_H

#include "groundtruth/truth.h"

struct channel;
struct timeline;
struct wakes;

struct channel_options {
	unsigned slots;	  /* threads that may record, one after another or at once */
	uint64_t records; /* capacity of each slot, records (72 bytes each) */
	/*
	 * Decoys among raw records, ppm; 10,000 … 25,000, 20,000 is good. In truth they are up to
	 * twice that share, since the two raw records of a handoff become one (contracts: 1 to 5
	 * %).
	 */
	unsigned decoy_ppm;
	/*
	 * In memory that nobody can read but who has it mapped: the kernel refuses ptrace,
	 * /proc/PID/mem, map_files and process_vm_readv (memfd_secret(2); mm/secretmem.c). It
	 * cannot be opened again by way of /proc, takes five times as long to make (4 ms a MiB)
	 * and counts as locked.
	 */
	bool secret;
};

/* Memory of a descriptor, filled and populated. NULL and *d on failure. */
struct channel *channel_new(const struct channel_options *o, struct diag *d);
int channel_fd(const struct channel *c); /* to be handed over as LOG_FD */
/* The workload has it: nobody can take the descriptor from here any more, which is -1 now. */
void channel_let_go(struct channel *c);
/* A descriptor of such memory; -ENOSYS: this kernel has none. */
int channel_secret_memory(uint64_t bytes);
void channel_free(struct channel *c);

/* Takes so much off every time in the logs of a workload whose clock was ahead by it. Once, when
 * the workload has ended. */
void channel_set_back(struct channel *c, int64_t ahead_ns);

struct collect_descriptor {
	uint32_t id;
	const char *resource;
	bool valid, has_since, has_contradicted;
	uint64_t since;
	uint64_t contradicted; /* where the harness knows; the workload's own record may be earlier
				*/
};

struct collect_info { /* what the harness knows and the logs do not */
	const char *workload, *variant;
	uint64_t seed;
	struct window scored; /* quiet moments, taken by the harness */
	const struct collect_descriptor *descriptors;
	size_t descriptors_cnt;
	bool undiagnosed; /* what the workload says of its health is left out */
	/* Since when others kept it from CPUs, whatever the workload says of its health; 0: nobody.
	 */
	uint64_t contended;
	/* Addresses of the work items that the logs know by number, from 1; none: `work` is no key
	 * of this run. A number beyond them makes the run broken. */
	const uint64_t *work_items;
	size_t work_items_cnt;
	/* The name of the function at an address as linked, NULL: there is none. Not given: costs
	 * of functions are left out. */
	const char *(*function_at)(const void *program, uint64_t addr);
	const void *program;
	/* When its threads were on a CPU; NULL: not known, and truth has no cpu and no off-cpu. */
	const struct timeline *timeline;
	/* Set where what it says is not so, and truth has no cpu, or no off-cpu, either; NULL:
	 * nobody asks. */
	struct diag *no_cpu, *no_off_cpu;
	/* Who woke them; NULL: not known, and truth does not know how long they were blocked. */
	const struct wakes *wakes;
};

/*
 * Joins SRC and DST by id, derives dst.t from the segments, tells decoys by the token lists.
 * Records come out sorted by their first time, costs after them. The same logs always give the same
 * truth. -EINVAL: torn record, full log, missing log, unknown token, no close block and the like
 * (run broken).
 */
int channel_collect(const struct channel *c, const struct collect_info *info, struct truth *ret,
		    struct diag *d);

/* The raw memory of a broken run, for whoever has to find out why. */
int channel_dump(const struct channel *c, const char *path, struct diag *d);

#endif
