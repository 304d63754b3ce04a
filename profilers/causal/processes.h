/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each process of the tree has done to each resource.
 *
 * A manifest holds for every process that runs its file, and each has its memory for itself: what
 * one holds no other gives up, and a fork has a copy of all. Bounded: a full table forgets the
 * process that was seen first, which begins again from nought.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_PROCESSES_H
#define ASSAY_PROFILERS_CAUSAL_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

enum { PROCESSES_MAX = 4096 };

struct process_of {	    /* one a resource */
	uint32_t closed;    /* releases by this process */
	uint64_t capacity;  /* that it has set up, or has a copy of */
	uint64_t uncounted; /* of that the part that it has not made use of */
};

struct process {
	uint32_t tgid;
	bool hits; /* it has hit a site */
	UT_hash_handle hh;
	struct process_of of[];
};

struct processes {
	struct process *v;
	uint32_t resources; /* how many there are; set by the owner */
};

struct process *processes_find(const struct processes *p, uint32_t tgid); /* NULL: not known */
struct process *processes_get(struct processes *p, uint32_t tgid);	  /* NULL: no memory */
/* What the parent has set up the child has, too; what the child has done begins. -ENOMEM, or 0. */
int processes_fork(struct processes *p, uint32_t parent, uint32_t child);
void processes_forget(struct processes *p, uint32_t tgid);
void processes_free(struct processes *p);

#endif
