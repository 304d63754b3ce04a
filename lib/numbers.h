/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people type them, read strictly: the whole word or nothing.
 *
 * No blanks, no signs, no silent overflow; a fraction is taken where it comes out whole in the
 * base unit (1.5ms is 1,500,000 ns). All return 0, -EINVAL (no such number), -ERANGE (does not fit)
 * and leave *ret alone on failure. Pure, thread-safe.
 */
#ifndef ASSAY_LIB_NUMBERS_H
#define ASSAY_LIB_NUMBERS_H

#include <stdint.h>

/* Decimal, or 0x and hex digits. */
int parse_u64(const char *s, uint64_t *ret);

/* Things: 250, 10K, 1.5M, 2G; powers of 1,000. */
int parse_count(const char *s, uint64_t *ret);

/* Bytes: 4096, 64K, 1M, 2G, also KiB, MiB, GiB; powers of 1,024. */
int parse_bytes(const char *s, uint64_t *ret);

/* A duration with its unit, 10ns, 1.5us, 20ms, 3s, in ns; 0 needs none. */
int parse_duration(const char *s, uint64_t *ret_ns);

/* A finite decimal number, perhaps negative, perhaps with an exponent. */
int parse_f64(const char *s, double *ret);

#endif
