/* SPDX-License-Identifier: BSD-2-Clause */
/* The process tree that exists at attach, read from /proc. */
#ifndef ASSAY_PROFILERS_COLLECTOR_TREE_H
#define ASSAY_PROFILERS_COLLECTOR_TREE_H

#include <stdint.h>

/* Called for a process of the tree, parents first; negative stops the walk and is returned. */
typedef int tree_fn(void *arg, uint32_t pid);

/* -ESRCH: the root does not exist. Children that vanish meanwhile are skipped. */
int tree_walk(uint32_t root, tree_fn *fn, void *arg);

/* Threads, and open ring descriptors, of a process; 0 where it cannot be read. */
uint32_t tree_threads(uint32_t pid);
uint32_t tree_rings(uint32_t pid);

#endif
