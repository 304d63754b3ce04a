/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The truth channel of a workload that runs, for cheats that get at it.
 *
 * It is unmapped when the workload is quiet, so it is read meanwhile, what is new of each log at a
 * time; but a descriptor of the memory itself, once opened below map_files, stays. Not thread-safe.
 */
#ifndef ASSAY_TESTS_CHEATS_TRUTH_MEMORY_H
#define ASSAY_TESTS_CHEATS_TRUTH_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

#include "groundtruth/log.h"

enum truth_route {
	ROUTE_MEM,   /* /proc/PID/mem */
	ROUTE_VM,    /* process_vm_readv */
	ROUTE_FILES, /* a descriptor of the memory, opened below map_files */
	ROUTE_FD,    /* one taken from the workload or the harness, and mapped */
	ROUTE_BPF,   /* a program in the workload's context */
};

struct peek;
struct ring_buffer;

struct truth_memory {
	pid_t pid;
	enum truth_route route;
	int fd;
	uint64_t addr, bytes;
	char *copy; /* of what was read, the rest zero */
	char *map;  /* NULL: not mapped */
	struct peek *skel;
	struct ring_buffer *ring;
};

/* Finds the channel and copies all of it, but for programs, which do so when the workload goes on.
 * *ret stays where it is. Negative errno, and nothing to free. */
int truth_memory_open(pid_t pid, enum truth_route route, struct truth_memory *ret);
/* Copies what was recorded since. Negative errno: it is gone; what was read stays. */
int truth_memory_update(struct truth_memory *m);
/* Writes 32 bits there, where the route is ROUTE_MEM. Negative errno. */
int truth_memory_write(const struct truth_memory *m, uint64_t at, uint32_t v);
void truth_memory_close(struct truth_memory *m);

static inline const struct log_channel *truth_memory_head(const struct truth_memory *m)
{
	return (const struct log_channel *)m->copy;
}

static inline const struct log_slot *truth_memory_slot(const struct truth_memory *m, uint32_t i)
{
	return (const struct log_slot *)(m->copy + truth_memory_head(m)->slots_off) + i;
}

#endif
