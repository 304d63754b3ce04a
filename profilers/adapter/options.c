/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the adapter contract, on top of getopt_long. */
#include "profilers/adapter/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int bad(struct diag *d, const struct option_def *o, const char *value, const char *want)
{
	return diag_set(d, -EINVAL, NULL, 0, "give the option again with such a value",
			"--%s %s: not %s", o->name, value, want);
}

/* A plain decimal of at most max; rest points at what follows it. */
static bool number(const char *s, uint64_t max, uint64_t *ret, const char **rest)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*ret = strtoull(s, &end, 10);
	*rest = end;
	return !errno && *ret <= max;
}

static bool whole_number(const char *s, uint64_t max, uint64_t *ret)
{
	const char *rest;

	return number(s, max, ret, &rest) && !*rest;
}

static bool byte_count(const char *s, uint64_t *ret)
{
	static const char suffixes[] = "KMG";
	const char *rest, *found;
	unsigned shift = 0;
	uint64_t v;

	if (!number(s, UINT64_C(1) << 33, &v, &rest))
		return false;
	if (*rest) {
		found = strchr(suffixes, *rest);
		if (!found || rest[1])
			return false;
		shift = 10 * (unsigned)(found - suffixes + 1);
	}
	*ret = v << shift;
	return true;
}

static int set(const struct option_def *o, const char *value, struct diag *d)
{
	uint64_t v = 0;

	switch (o->kind) {
	case OPTION_STRING:
		if (!*value)
			return bad(d, o, value, "a word");
		*(const char **)o->target = value;
		return 0;
	case OPTION_PID:
		if (!whole_number(value, 1u << 22, &v) || !v)
			return bad(d, o, value, "a process id");
		*(uint32_t *)o->target = (uint32_t)v;
		return 0;
	case OPTION_FD:
		if (!whole_number(value, 1u << 20, &v))
			return bad(d, o, value, "a descriptor number");
		*(int *)o->target = (int)v;
		return 0;
	case OPTION_BYTES:
		if (!byte_count(value, &v))
			return bad(d, o, value, "a number of bytes such as 16M");
		*(uint64_t *)o->target = v;
		return 0;
	}
	return -EINVAL;
}

static int check_required(const struct option_def *defs, size_t cnt, const bool *seen,
			  struct diag *d)
{
	for (size_t i = 0; i < cnt; i++)
		if (defs[i].required && !seen[i])
			return diag_set(d, -EINVAL, NULL, 0, "see --help", "option --%s is missing",
					defs[i].name);
	return 0;
}

int options_parse(int argc, char **argv, const struct option_def *defs, size_t cnt, struct diag *d)
{
	struct option longs[OPTIONS_MAX + 1] = {0};
	bool seen[OPTIONS_MAX] = {0};
	int i, err;

	if (cnt > OPTIONS_MAX)
		return diag_set(d, -EINVAL, NULL, 0, NULL, "too many options in the table");
	for (size_t k = 0; k < cnt; k++)
		longs[k] = (struct option){defs[k].name, required_argument, NULL, (int)k + 1};
	optind = 0; /* glibc: start afresh, also in a second call */
	for (;;) {
		i = getopt_long(argc, argv, "+:", longs, NULL);
		if (i < 0)
			break;
		if (i == ':' || i == '?')
			return diag_set(d, -EINVAL, NULL, 0, "see --help", "%s: %s",
					argv[optind - 1],
					i == ':' ? "needs a value" : "no such option");
		err = set(&defs[i - 1], optarg, d);
		if (err)
			return err;
		seen[i - 1] = true;
	}
	if (optind < argc)
		return diag_set(d, -EINVAL, NULL, 0, "see --help", "stray word %s", argv[optind]);
	return check_required(defs, cnt, seen, d);
}

void options_print(const struct option_def *defs, size_t cnt, FILE *out)
{
	for (size_t i = 0; i < cnt; i++)
		fprintf(out, "    --%-10s %-8s %s%s\n", defs[i].name, defs[i].value, defs[i].help,
			defs[i].required ? "" : " (optional)");
}
