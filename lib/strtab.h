/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interned strings of one file: a word is stored once and named by a 32-bit id.
 *
 * Id 0 is the empty string and stands for "absent". Ids are dealt in order of first use, so the
 * same input gives the same ids. Not thread-safe. The table owns its bytes; pointers stay valid
 * until the table is freed, or the word forgotten.
 */
#ifndef ASSAY_LIB_STRTAB_H
#define ASSAY_LIB_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct strtab;

struct strtab *strtab_new(void); /* NULL and errno on failure */
void strtab_free(struct strtab *t);

/* Id of the word, added if new; negative errno on failure. Words may hold any byte but NUL. */
int64_t strtab_intern(struct strtab *t, const char *s, size_t len);

/* Id of the word, or -ENOENT. */
int64_t strtab_find(const struct strtab *t, const char *s, size_t len);

/* Takes the word with the greatest id out again; nothing if this is not it, or it is 0. */
void strtab_forget_last(struct strtab *t, uint32_t id);

/* NUL-terminated; id must have been dealt by this table. */
const char *strtab_get(const struct strtab *t, uint32_t id);
uint32_t strtab_count(const struct strtab *t); /* including id 0 */

#endif
