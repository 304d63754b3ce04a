/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units, read strictly. */
#include "lib/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit count_units[] = {
	{"", 1}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {0}};
static const struct unit byte_units[] = {
	{"", 1},	  {"K", 1 << 10},   {"M", 1 << 20},   {"G", 1 << 30},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {0}};
static const struct unit time_units[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {0}};

static int read_digits(const char **s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	for (; isdigit((unsigned char)**s); (*s)++)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v))
			return -ERANGE;
	*ret = v;
	return 0;
}

/* The digits after the point, in parts of a unit of `factor`; only if that comes out whole. */
static int read_fraction(const char **s, uint64_t factor, uint64_t *ret)
{
	const char *from = *s;
	uint64_t digits, scale = 1;
	int err;

	err = read_digits(s, &digits);
	if (err || *s - from > 19)
		return -EINVAL;
	for (ptrdiff_t i = 0; i < *s - from; i++)
		scale *= 10;
	if ((unsigned __int128)digits * factor % scale)
		return -EINVAL;
	*ret = (uint64_t)((unsigned __int128)digits * factor / scale);
	return 0;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (!strcmp(units->name, name))
			return units;
	return NULL;
}

static int parse_with_units(const char *s, const struct unit *units, uint64_t *ret)
{
	const struct unit *unit = find_unit(units, s + strspn(s, "0123456789."));
	uint64_t whole, fraction = 0;
	int err;

	err = read_digits(&s, &whole);
	if (err)
		return err;
	if (!unit)
		return -EINVAL;
	if (*s == '.') {
		s++;
		err = read_fraction(&s, unit->factor, &fraction);
		if (err)
			return err;
	}
	if (strcmp(s, unit->name) != 0)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit->factor, &whole) ||
	    __builtin_add_overflow(whole, fraction, &whole))
		return -ERANGE;
	*ret = whole;
	return 0;
}

static int parse_hex(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (; *s; s++) {
		int c = tolower((unsigned char)*s);

		if (!isxdigit(c))
			return -EINVAL;
		if (v >> 60)
			return -ERANGE;
		v = v << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	*ret = v;
	return 0;
}

int parse_u64(const char *s, uint64_t *ret)
{
	uint64_t v;
	int err;

	if (s[0] == '0' && s[1] == 'x' && s[2])
		return parse_hex(s + 2, ret);
	err = read_digits(&s, &v);
	if (err || *s)
		return err ? err : -EINVAL;
	*ret = v;
	return 0;
}

int parse_count(const char *s, uint64_t *ret)
{
	return parse_with_units(s, count_units, ret);
}

int parse_bytes(const char *s, uint64_t *ret)
{
	return parse_with_units(s, byte_units, ret);
}

int parse_duration(const char *s, uint64_t *ret_ns)
{
	if (!strcmp(s, "0")) {
		*ret_ns = 0;
		return 0;
	}
	return parse_with_units(s, time_units, ret_ns);
}

int parse_f64(const char *s, double *ret)
{
	const char *digits = *s == '-' ? s + 1 : s;
	char *end;
	double v;

	/* strtod alone would take blanks, "inf", "nan" and hexadecimal */
	if (!isdigit((unsigned char)*digits) || strspn(digits, "0123456789.eE+-") != strlen(digits))
		return -EINVAL;
	v = strtod(s, &end);
	if (*end)
		return -EINVAL;
	if (!isfinite(v))
		return -ERANGE;
	*ret = v;
	return 0;
}
