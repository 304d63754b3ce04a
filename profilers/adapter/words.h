/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futex words that processes share: which word of which file an address of a process is.
 *
 * Two processes may have mapped the same word at two addresses, and one address may be two words in
 * two processes. The newest record of a page holds. At most WORDS_PAGES pages are kept.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_WORDS_H
#define ASSAY_PROFILERS_ADAPTER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"

enum { WORDS_PAGES = 4096 };

struct words;

struct words *words_new(void);
void words_free(struct words *w);
int words_record(struct words *w, const struct ev_rec *r); /* an EV_FUTEX_PAGE */

/* False: what lies there is not known. Inode 0: memory that is the process's own. */
bool words_find(const struct words *w, uint32_t tgid, uint64_t address, uint64_t *ret_inode,
		uint64_t *ret_offset);

#endif
