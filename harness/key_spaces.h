/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which space the keys of a type of handoff are in, and what makes one: the table of
 * docs/adapter.md (contracts §2, Keys). Constant; thread-safe.
 */
#ifndef ASSAY_HARNESS_KEY_SPACES_H
#define ASSAY_HARNESS_KEY_SPACES_H

#include <stdint.h>

/* enum key_ns; KEY_NONE where handoffs of the type have no key. */
uint8_t key_space(unsigned type);
/* "fd, the descriptor of who reads; scope: its inode", "none". */
const char *key_words(unsigned type);

#endif
