/* SPDX-License-Identifier: BSD-2-Clause */
/* Neutral code by salt. */
#include "mutations/padding.h"

#include <inttypes.h>

#include "lib/hash.h"

static const char *const nouns[] = {"pages",  "table", "index",	 "range", "bytes",  "names",
				    "limits", "clock", "digest", "array", "cursor", "bitmap",
				    "ranks",  "spans", "labels", "grid"};
static const char *const verbs[] = {"scan", "fold", "mix",  "pick", "step", "pack", "trim", "sort",
				    "find", "join", "walk", "clip", "swap", "fill", "seek", "hold"};
enum { NOUNS = 16, VERBS = 16, FUNCTIONS_MAX = 7, KINDS = 8 };

static uint64_t draw(uint64_t salt, unsigned file, unsigned what)
{
	return hash_u64((uint64_t)file << 32 | what, salt);
}

unsigned padding_files(uint64_t salt)
{
	return 2 + (unsigned)(draw(salt, 99, 0) % 4);
}

/* An odd step visits every noun once. */
static unsigned noun_of(uint64_t salt, unsigned i)
{
	uint64_t r = draw(salt, 99, 1);

	return (unsigned)((r + i * (2 * (r >> 32) + 1)) % NOUNS);
}

void padding_name(uint64_t salt, unsigned i, char ret[RECORD_WORD])
{
	snprintf(ret, RECORD_WORD, "%s.c", nouns[noun_of(salt, i)]);
}

/*
 * What is in a file: one of KINDS of each noun, so that few are ever compiled. Which are taken, and
 * where they stand among the others, is the salt's.
 */
static uint64_t kind_of(uint64_t salt, unsigned i)
{
	return hash_u64(noun_of(salt, i) * KINDS + draw(salt, 99, 2 + i) % KINDS, 0);
}

static void write_function(uint64_t kind, const char *noun, unsigned n, FILE *out)
{
	const char *verb = verbs[(draw(kind, 0, 1) + n) % VERBS];
	unsigned at = 16 * (n + 1), size = 8u << (draw(kind, 0, at) % 3);

	fprintf(out, "static const uint64_t %s_%s_of[%u] = {", noun, verb, size);
	for (unsigned i = 0; i < size; i++)
		fprintf(out, "%s0x%" PRIx64 "u", i ? ", " : "", draw(kind, 0, 4096 + at * 8 + i));
	fprintf(out,
		"};\nuint64_t %s_%s(uint64_t x, unsigned n);\n"
		"__attribute__((used, noinline)) uint64_t %s_%s(uint64_t x, unsigned n)\n{\n"
		"\tfor (unsigned i = %u; i < n; i += %u)\n"
		"\t\tx = (x ^ %s_%s_of[x & %u]) * 0x%" PRIx64 "u + (x >> %u);\n"
		"\treturn x;\n}\n",
		noun, verb, noun, verb, (unsigned)(draw(kind, 0, at + 1) % 5),
		(unsigned)(1 + draw(kind, 0, at + 2) % 7), noun, verb, size - 1,
		draw(kind, 0, at + 3) | 1, (unsigned)(1 + draw(kind, 0, at + 4) % 40));
}

void padding_write(uint64_t salt, unsigned i, FILE *out)
{
	uint64_t kind = kind_of(salt, i);
	unsigned cnt = 1 + (unsigned)(draw(kind, 0, 0) % FUNCTIONS_MAX);

	fprintf(out, "#include <stdint.h>\n");
	for (unsigned n = 0; n < cnt; n++)
		write_function(kind, nouns[noun_of(salt, i)], n, out);
}
