/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a small function in a child process under the collector and keeps all that was recorded.
 *
 * The child waits for the attach, runs, and exits; then everything is drained. A machine without
 * the rights or the kernel for it ends the program with 77, any other trouble with 1.
 */
#ifndef ASSAY_TESTS_LIVE_RIG_COLLECTOR_RIG_H
#define ASSAY_TESTS_LIVE_RIG_COLLECTOR_RIG_H

#include <stddef.h>

#include "profilers/collector/collect.h"

struct rig {
	struct ev_rec *v;
	size_t cnt;
	uint32_t pid; /* of the child */
	struct collect_stats stats;
};

/* From now on, after every 512 records that are kept the collector waits so long: a slow reader,
 * nothing waits for it. */
void rig_pause(unsigned us);

/* drain_late: nothing is read before the child has ended, so that a small buffer overflows. */
void rig_record(struct rig *r, void (*child)(void), const struct collect_options *o,
		bool drain_late);
void rig_free(struct rig *r);

size_t rig_count(const struct rig *r, unsigned kind);

/* Says what failed and ends the program with 1. */
#define RIG_CHECK(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition))                                                                  \
			rig_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                     \
	} while (0)
void rig_fail(const char *file, int line, const char *condition, const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));

/* Children for more than one test: 23 no-ops one by one; 23 wakes of one thread by another. */
enum { RIG_OPS = 23 };
void rig_child_nops(void);
void rig_child_pingpong(void);

#endif
