/* SPDX-License-Identifier: BSD-2-Clause */
/* Options, numbers and suggestions: strict, specific, helpful. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "lib/opts.h"
#include "lib/suggest.h"

static const char *const bindings[] = {"stamped", "best-effort", "strict", NULL};

static bool json;
static const char *truth;
static struct opt_list profilers;
static uint64_t seed, ops, budget, limit_ns;
static double rate;
static unsigned binding;

static const struct opt table[] = {
	{"json", 'j', OPT_FLAG, NULL, "print one object", &json, 0, 0, NULL},
	{"truth", 't', OPT_STR, "FILE", "truth of the run", &truth, 0, 0, NULL},
	{"profiler", 'p', OPT_LIST, "FILE", "may be given again", &profilers, 0, 0, NULL},
	{"seed", 's', OPT_U64, "N", "of all chance (1)", &seed, 0, 0, NULL},
	{"ops", 'n', OPT_COUNT, "N", "operations, 1 to 1M", &ops, 1, 1000000, NULL},
	{"budget", 0, OPT_BYTES, "SIZE", "memory", &budget, 0, 0, NULL},
	{"time-limit", 0, OPT_DURATION, "TIME", "a cell's", &limit_ns, 0, 0, NULL},
	{"rate", 0, OPT_F64, "X", "operations a second", &rate, 0, 0, NULL},
	{"binding", 'b', OPT_CHOICE, "B", "of the manifest", &binding, 0, 0, bindings},
	{0},
};
static const struct opts opts = {
	"assay score",
	"RUN [OUT]",
	"compare claims with truth",
	table,
	1,
	2,
	{"assay score results/latest", "assay score run1 --json", "assay score run1 --seed 7"}};

static struct diag d;

static int parse(int *ret_args, int argc, const char *const *words)
{
	static char *argv[32];

	argv[0] = (char *)"score";
	for (int i = 0; i < argc; i++)
		argv[i + 1] = (char *)words[i];
	argv[argc + 1] = NULL;
	memset(&d, 0, sizeof(d));
	return opts_parse(&opts, argc + 1, argv, ret_args, &d);
}

#define PARSE(ret_args, ...)                                                                       \
	parse(ret_args, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),             \
	      (const char *[]){__VA_ARGS__})
#define REFUSED(word, in_cure, ...)                                                                \
	do {                                                                                       \
		int args_ = -7;                                                                    \
		cr_assert_eq(PARSE(&args_, __VA_ARGS__), -EINVAL);                                 \
		cr_assert_eq(args_, -7);                                                           \
		cr_assert_not_null(strstr(d.reason, word), "%s", d.reason);                        \
		cr_assert_not_null(strstr(d.cure, in_cure), "%s", d.cure);                         \
	} while (0)

Test(opts, reads_every_type)
{
	int args;

	cr_assert_eq(PARSE(&args, "--json", "run1", "--truth=t", "-p", "a", "--profiler", "b",
			   "-s0xff", "--ops", "10K", "--budget=64K", "--time-limit", "1.5ms",
			   "--rate", "2.5e3", "-b", "strict", "out"),
		     0, "%s", d.reason);
	cr_assert(json);
	cr_assert_str_eq(truth, "t");
	cr_assert_eq(profilers.cnt, 2);
	cr_assert_str_eq(profilers.v[1], "b");
	cr_assert_eq(seed, 255);
	cr_assert_eq(ops, 10000);
	cr_assert_eq(budget, 65536);
	cr_assert_eq(limit_ns, 1500000);
	cr_assert_eq(rate, 2500.0);
	cr_assert_eq(binding, 2);
	cr_assert_eq(args, 17);
}

Test(opts, starts_anew_at_each_call)
{
	int args;

	cr_assert_eq(PARSE(&args, "-j", "run1"), 0);
	cr_assert_eq(PARSE(&args, "run1", "--ops", "5"), 0);
	cr_assert_eq(ops, 5);
	cr_assert_eq(args, 3);
}

Test(opts, takes_dashes_as_arguments_after_two_dashes)
{
	int args;

	cr_assert_eq(PARSE(&args, "-j", "--", "--seed"), 0);
	cr_assert_eq(args, 3);
}

Test(opts, names_the_nearest_option_when_mistyped)
{
	REFUSED("--sede", "--seed", "run1", "--sede", "1");
	REFUSED("--sed", "--seed", "run1", "--sed=1");
	REFUSED("--bindnig", "--binding", "run1", "--bindnig", "strict");
	REFUSED("--zzz", "assay score --help", "run1", "--zzz");
	REFUSED("-x", "assay score --help", "run1", "-x");
	cr_assert_str_eq(d.file, "score");
}

Test(opts, refuses_abbreviations)
{
	REFUSED("--tru", "--truth", "run1", "--tru", "x");
	REFUSED("--see", "--seed", "run1", "--see", "1");
	REFUSED("--js", "--json", "run1", "--js");
}

Test(opts, says_what_is_wrong_with_a_value)
{
	REFUSED("\"5objects\"", "whole number", "run1", "--ops", "5objects");
	REFUSED("outside 1", "inside", "run1", "--ops", "0");
	REFUSED("outside 1", "inside", "run1", "--ops", "2M");
	REFUSED("no duration", "unit", "run1", "--time-limit", "10");
	REFUSED("too large", "smaller", "run1", "--seed", "18446744073709551616");
	REFUSED("no number", "decimal", "run1", "--rate", "fast");
	REFUSED("\"loose\"", "stamped best-effort strict", "run1", "--binding", "loose");
	REFUSED("needs a value", "", "run1", "--truth");
	REFUSED("needs a value", "", "run1", "-s");
	REFUSED("takes no value", "", "run1", "--json=yes");
}

Test(opts, counts_arguments)
{
	REFUSED("missing", "", "--json");
	REFUSED("\"three\"", "", "one", "two", "three");
}

Test(opts, bounds_lists)
{
	int args;

	profilers.cnt = OPT_LIST_MAX - 1;
	cr_assert_eq(PARSE(&args, "run1", "-p", "x"), 0);
	REFUSED("more than 32", "", "run1", "-p", "x");
}

Test(opts, prints_a_help_of_at_most_80_columns_with_three_examples)
{
	char *text = NULL, *line, *rest;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int args;

	cr_assert_eq(PARSE(&args, "--help"), OPTS_HELP);
	cr_assert_eq(PARSE(&args, "run1", "-h"), OPTS_HELP);
	opts_help(&opts, f);
	fclose(f);
	cr_assert_not_null(strstr(text, "usage: assay score RUN [OUT]"));
	for (size_t i = 0; table[i].name; i++)
		cr_assert_not_null(strstr(text, table[i].name));
	for (size_t i = 0; i < 3; i++)
		cr_assert_not_null(strstr(text, opts.examples[i]));
	rest = text;
	while ((line = strsep(&rest, "\n")))
		cr_assert_leq(strlen(line), 80, "%s", line);
	free(text);
}

Test(opts, prints_and_gives_the_exit_code)
{
	char *good[] = {(char *)"score", (char *)"run1", NULL};
	char *help[] = {(char *)"score", (char *)"--help", NULL};
	char *bad[] = {(char *)"score", (char *)"--sed", NULL};
	int args;

	cr_redirect_stdout();
	cr_redirect_stderr();
	cr_assert_eq(opts_start(&opts, 2, good, &args), -1);
	cr_assert_eq(args, 1);
	cr_assert_eq(opts_start(&opts, 2, help, &args), 0);
	cr_assert_eq(opts_start(&opts, 2, bad, &args), 2);
	fflush(stderr);
	cr_assert_stderr_eq_str("assay: score: there is no option --sed\n       try: --seed\n");
}

Test(opts, suggests_a_command)
{
	static const char *const commands[] = {"run", "record", "report", "score", "bench"};
	static const char *const many[] = {"a-name-of-twenty-six-bytes",
					   "and-another-one-beside-it", "and-a-third-that-is-long"};

	cr_assert_eq(opts_unknown(&d, "command", "recrod", commands, 5), -EINVAL);
	cr_assert_str_eq(d.cure, "record");
	cr_assert_str_eq(d.reason, "there is no command \"recrod\"");
	opts_unknown(&d, "command", "xylophone", commands, 5);
	cr_assert_str_eq(d.cure, "one of run record report score bench");
	opts_unknown(&d, "command", "xylophone", many, 3); /* too long for a line */
	cr_assert_str_eq(d.cure, "assay --help");
}

Test(suggest, counts_edits)
{
	cr_assert_eq(suggest_distance("", ""), 0);
	cr_assert_eq(suggest_distance("abc", ""), 3);
	cr_assert_eq(suggest_distance("", "abc"), 3);
	cr_assert_eq(suggest_distance("abc", "acb"), 1);
	cr_assert_eq(suggest_distance("abcd", "bacd"), 1);
	cr_assert_eq(suggest_distance("kitten", "sitting"), 3);
	cr_assert_eq(suggest_distance("ca", "abc"), 3);
}

Test(suggest, finds_only_what_is_near)
{
	static const char *const words[] = {"run", NULL, "report", "record"};
	char long_word[100];

	cr_assert_str_eq(suggest("rnu", words, 4), "run");
	cr_assert_str_eq(suggest("repotr", words, 4), "report");
	cr_assert_str_eq(suggest("rep", words, 4), "report");
	cr_assert_null(suggest("bench", words, 4));
	cr_assert_null(suggest("", words, 4));
	memset(long_word, 'r', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = 0;
	cr_assert_null(suggest(long_word, words, 4));
}

struct number {
	const char *text;
	int err;
	uint64_t v;
};

static void check(int (*fn)(const char *, uint64_t *), const struct number *n)
{
	uint64_t v = 4711;

	cr_assert_eq(fn(n->text, &v), n->err, "\"%s\"", n->text);
	cr_assert_eq(v, n->err ? 4711 : n->v, "\"%s\"", n->text);
}

Test(numbers, reads_whole_numbers_or_nothing)
{
	static const struct number numbers[] = {
		{"0", 0, 0},
		{"18446744073709551615", 0, UINT64_MAX},
		{"0xfF", 0, 255},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"0x10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"0xg", -EINVAL, 0},
		{"1K", -EINVAL, 0},
		{"5objects", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		check(parse_u64, &numbers[i]);
}

Test(numbers, reads_units)
{
	static const struct number counts[] = {
		{"7", 0, 7},
		{"10K", 0, 10000},
		{"1.5M", 0, 1500000},
		{"2G", 0, 2000000000},
		{"1.50K", 0, 1500},
		{"1.5", -EINVAL, 0},
		{"1.2345K", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"1.K", -EINVAL, 0},
		{".5K", -EINVAL, 0},
		{"1.5.5K", -EINVAL, 0},
		{"1KK", -EINVAL, 0},
		{"18446744073709551615G", -ERANGE, 0},
		{"1.0000K", 0, 1000},
	};
	static const struct number bytes[] = {
		{"1K", 0, 1024},
		{"1KiB", 0, 1024},
		{"1.5M", 0, 1572864},
		{"1.1K", -EINVAL, 0},
		{"2G", 0, 2147483648},
		{"1KB", -EINVAL, 0},
		{"16777216G", 0, UINT64_C(16777216) << 30},
		{"17179869184G", -ERANGE, 0},
	};
	static const struct number times[] = {
		{"0", 0, 0},	       {"1ns", 0, 1},	      {"1.5us", 0, 1500},
		{"20ms", 0, 20000000}, {"3s", 0, 3000000000}, {"3", -EINVAL, 0},
		{"1.5ns", -EINVAL, 0}, {"1m", -EINVAL, 0},    {"1 s", -EINVAL, 0},
		{"s", -EINVAL, 0},     {"-1s", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		check(parse_count, &counts[i]);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		check(parse_bytes, &bytes[i]);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		check(parse_duration, &times[i]);
}

Test(numbers, reads_finite_decimals_only)
{
	static const char *const bad[] = {"",	   "inf", "nan", "-",  "1x",
					  "0x1p3", " 1",  "1e",	 ".5", "1..2"};
	double v = 9;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(parse_f64(bad[i], &v), -EINVAL, "%s", bad[i]);
	cr_assert_eq(parse_f64("1e999", &v), -ERANGE);
	cr_assert_eq(v, 9);
	cr_assert_eq(parse_f64("-2.5e-1", &v), 0);
	cr_assert_eq(v, -0.25);
}
