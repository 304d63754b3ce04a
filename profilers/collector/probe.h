/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which programs of the collector fit this kernel: asked of its BTF, never of its version.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_PROBE_H
#define ASSAY_PROFILERS_COLLECTOR_PROBE_H

#include <stddef.h>
#include <stdint.h>

struct collector; /* the skeleton, opened and not loaded */
struct btf;

/*
 * Chooses the form of each program, switches the others off, and returns the enum collect_want
 * bits that can be had of those wanted. What cannot is written to missing (cut to fit).
 */
uint32_t probe_programs(struct collector *skel, const struct btf *btf, uint32_t want, char *missing,
			size_t size);

#endif
