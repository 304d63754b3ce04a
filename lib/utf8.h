/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8, as far as a writer of JSON needs it (Unicode 15, table 3-7).
 *
 * Pure functions, thread-safe, no allocation.
 */
#ifndef ASSAY_LIB_UTF8_H
#define ASSAY_LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character at s (1 to 4), 0 if there is none in the len bytes there. */
static inline size_t utf8_step(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char lo = 0x80, hi = 0xbf;
	size_t n;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	n = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	/* no overlong form, no surrogate, nothing above U+10FFFF */
	lo = u[0] == 0xe0 ? 0xa0 : u[0] == 0xf0 ? 0x90 : lo;
	hi = u[0] == 0xed ? 0x9f : u[0] == 0xf4 ? 0x8f : hi;
	if (u[1] < lo || u[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static inline bool utf8_valid(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_step(s + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

#endif
