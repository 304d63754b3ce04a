/* SPDX-License-Identifier: BSD-2-Clause */
/* Options by table, over getopt_long. */
#include "lib/opts.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "lib/suggest.h"

enum { OPTS_MAX = 64, OPTS_CODE = 256, OPTS_HELP_COLUMN = 26 };

static const struct opt help_opt = {"help", 'h', OPT_FLAG, NULL, "this help", NULL, 0, 0, NULL};

static size_t table_len(const struct opts *o)
{
	size_t n = 0;

	while (o->table && o->table[n].name)
		n++;
	return n;
}

/* The table, then --help. */
static const struct opt *opt_at(const struct opts *o, size_t i)
{
	return i < table_len(o) ? &o->table[i] : &help_opt;
}

/* What getopt_long wants: codes from OPTS_CODE on, so that letters and names lead to one place. */
struct getopt_tables {
	struct option names[OPTS_MAX + 2];
	char letters[3 * OPTS_MAX + 4];
};

static void fill_getopt(const struct opts *o, struct getopt_tables *t)
{
	char *p = t->letters;

	memset(t, 0, sizeof(*t));
	*p++ = ':'; /* a missing value is ':', not '?' */
	for (size_t i = 0; i <= table_len(o); i++) {
		const struct opt *opt = opt_at(o, i);

		t->names[i].name = opt->name;
		t->names[i].has_arg = opt->type == OPT_FLAG ? no_argument : required_argument;
		t->names[i].val = OPTS_CODE + (int)i;
		if (!opt->letter)
			continue;
		*p++ = opt->letter;
		if (opt->type != OPT_FLAG)
			*p++ = ':';
	}
}

static const struct opt *opt_of_code(const struct opts *o, int code)
{
	if (code >= OPTS_CODE)
		return opt_at(o, (size_t)(code - OPTS_CODE));
	for (size_t i = 0; i <= table_len(o); i++)
		if (opt_at(o, i)->letter == code)
			return opt_at(o, i);
	return NULL;
}

#define usage_error(d, cure, ...) diag_set(d, -EINVAL, short_command(o), 0, cure, __VA_ARGS__)

/* "run" of "assay run": diag_print says assay already. */
static const char *short_command(const struct opts *o)
{
	const char *blank = strchr(o->command, ' ');

	return blank ? blank + 1 : "";
}

static const char *value_cure(const struct opt *opt)
{
	switch ((enum opt_type)opt->type) {
	case OPT_U64:
		return "a whole number, or 0x and hex digits";
	case OPT_COUNT:
		return "a whole number like 250, 10K, 1.5M (K is 1,000)";
	case OPT_BYTES:
		return "a size like 4096, 64K, 1M, 2G (K is 1,024)";
	case OPT_DURATION:
		return "a duration with its unit, like 500us, 20ms, 3s";
	case OPT_F64:
		return "a decimal number";
	default:
		return NULL;
	}
}

static int read_whole(const struct opt *opt, const char *s, uint64_t *ret)
{
	switch ((enum opt_type)opt->type) {
	case OPT_COUNT:
		return parse_count(s, ret);
	case OPT_BYTES:
		return parse_bytes(s, ret);
	case OPT_DURATION:
		return parse_duration(s, ret);
	default:
		return parse_u64(s, ret);
	}
}

static int set_whole(const struct opts *o, const struct opt *opt, const char *s, struct diag *d)
{
	uint64_t v;
	int err = read_whole(opt, s, &v);

	if (err == -ERANGE)
		return usage_error(d, "a smaller one", "--%s: \"%s\" is too large", opt->name, s);
	if (err)
		return usage_error(d, value_cure(opt), "--%s: \"%s\" is no %s", opt->name, s,
				   opt->type == OPT_DURATION ? "duration" : "whole number");
	if ((opt->min || opt->max) && (v < opt->min || v > opt->max))
		return usage_error(d, "a value inside",
				   "--%s: %s is outside %" PRIu64 " … %" PRIu64, opt->name, s,
				   opt->min, opt->max);
	*(uint64_t *)opt->value = v;
	return 0;
}

static int set_choice(const struct opts *o, const struct opt *opt, const char *s, struct diag *d)
{
	char cure[200] = "one of";
	size_t len = strlen(cure);

	for (unsigned i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], s)) {
			*(unsigned *)opt->value = i;
			return 0;
		}
		if (len + strlen(opt->choices[i]) + 2 < sizeof(cure))
			len += (size_t)sprintf(cure + len, " %s", opt->choices[i]);
	}
	return usage_error(d, cure, "--%s: there is no \"%s\"", opt->name, s);
}

static int set_list(const struct opts *o, const struct opt *opt, const char *s, struct diag *d)
{
	struct opt_list *list = opt->value;

	if (list->cnt == OPT_LIST_MAX)
		return usage_error(d, "fewer of them", "--%s is there more than %d times",
				   opt->name, OPT_LIST_MAX);
	list->v[list->cnt++] = s;
	return 0;
}

static int set_f64(const struct opts *o, const struct opt *opt, const char *s, struct diag *d)
{
	if (!parse_f64(s, opt->value))
		return 0;
	return usage_error(d, value_cure(opt), "--%s: \"%s\" is no number", opt->name, s);
}

static int set_value(const struct opts *o, const struct opt *opt, const char *s, struct diag *d)
{
	switch ((enum opt_type)opt->type) {
	case OPT_FLAG:
		*(bool *)opt->value = true;
		return 0;
	case OPT_STR:
		*(const char **)opt->value = s;
		return 0;
	case OPT_LIST:
		return set_list(o, opt, s, d);
	case OPT_CHOICE:
		return set_choice(o, opt, s, d);
	case OPT_F64:
		return set_f64(o, opt, s, d);
	default:
		return set_whole(o, opt, s, d);
	}
}

/* "--nmae=x" without its dashes and value. */
static void bare_name(char *ret, size_t cap, const char *arg)
{
	arg += strspn(arg, "-");
	snprintf(ret, cap, "%.*s", (int)strcspn(arg, "="), arg);
}

static int unknown_option(const struct opts *o, const char *arg, struct diag *d)
{
	const char *names[OPTS_MAX + 1], *near;
	char name[64], cure[96];
	size_t cnt = table_len(o) + 1;

	for (size_t i = 0; i < cnt; i++)
		names[i] = opt_at(o, i)->name;
	bare_name(name, sizeof(name), arg);
	near = suggest(name, names, cnt);
	if (near)
		snprintf(cure, sizeof(cure), "--%s", near);
	else
		snprintf(cure, sizeof(cure), "%s --help", o->command);
	return usage_error(d, cure, "there is no option --%s", name);
}

static int bad_option(const struct opts *o, int code, char **argv, struct diag *d)
{
	const struct opt *opt = optopt ? opt_of_code(o, optopt) : NULL;
	char cure[96];

	if (opt && code == ':')
		return usage_error(d, value_cure(opt), "--%s needs a value: %s", opt->name,
				   opt->arg ? opt->arg : "VALUE");
	if (opt)
		return usage_error(d, "the option alone", "--%s takes no value", opt->name);
	if (!optopt)
		return unknown_option(o, argv[optind - 1], d);
	snprintf(cure, sizeof(cure), "%s --help", o->command);
	return usage_error(d, cure, "there is no option -%c", optopt);
}

/* The word that getopt_long read last, before its value if that is a word of its own. */
static const char *last_option(char **argv)
{
	return argv[optind - (optarg && argv[optind - 1] == optarg ? 2 : 1)];
}

/* getopt_long takes abbreviations; we don't. index is -1 for a letter. */
static bool is_abbreviated(const struct getopt_tables *t, int index, char **argv)
{
	char name[64];

	if (index < 0)
		return false;
	bare_name(name, sizeof(name), last_option(argv));
	return strcmp(name, t->names[index].name) != 0;
}

static int check_args(const struct opts *o, int cnt, char **args, struct diag *d)
{
	if ((unsigned)cnt < o->args_min)
		return usage_error(d, NULL, "something is missing: %s %s", o->command, o->usage);
	if ((unsigned)cnt > o->args_max)
		return usage_error(d, NULL, "\"%s\" is one too many: %s %s", args[o->args_max],
				   o->command, o->usage);
	return 0;
}

int opts_parse(const struct opts *o, int argc, char **argv, int *ret_args, struct diag *d)
{
	struct getopt_tables t;
	int code, index, err;

	fill_getopt(o, &t);
	optind = 0; /* GNU: starts anew */
	opterr = 0;
	while (index = -1, (code = getopt_long(argc, argv, t.letters, t.names, &index)) != -1) {
		if (code == '?' || code == ':')
			return bad_option(o, code, argv, d);
		if (is_abbreviated(&t, index, argv))
			return unknown_option(o, last_option(argv), d);
		if (opt_of_code(o, code) == &help_opt)
			return OPTS_HELP;
		err = set_value(o, opt_of_code(o, code), optarg, d);
		if (err)
			return err;
	}
	err = check_args(o, argc - optind, argv + optind, d);
	if (!err)
		*ret_args = optind;
	return err;
}

static void help_option(const struct opt *opt, FILE *out)
{
	int n = opt->letter ? fprintf(out, "  -%c, --%s", opt->letter, opt->name)
			    : fprintf(out, "      --%s", opt->name);

	if (opt->arg)
		n += fprintf(out, " %s", opt->arg);
	if (n >= OPTS_HELP_COLUMN)
		n = fprintf(out, "\n") - 1;
	fprintf(out, "%*s%s\n", OPTS_HELP_COLUMN - n, "", opt->help);
}

void opts_help(const struct opts *o, FILE *out)
{
	fprintf(out, "%s: %s\n\nusage: %s %s\n\n", o->command, o->purpose, o->command, o->usage);
	for (size_t i = 0; i <= table_len(o); i++)
		help_option(opt_at(o, i), out);
	fprintf(out, "\nexamples:\n");
	for (size_t i = 0; i < 3 && o->examples[i]; i++)
		fprintf(out, "  %s\n", o->examples[i]);
}

int opts_start(const struct opts *o, int argc, char **argv, int *ret_args)
{
	struct diag d;
	int err = opts_parse(o, argc, argv, ret_args, &d);

	if (!err)
		return -1;
	if (err == OPTS_HELP)
		opts_help(o, stdout);
	else
		diag_print(&d, stderr);
	return err == OPTS_HELP ? 0 : 2;
}

/* All names, where they fit in a line. */
static bool list_names(char *ret, size_t size, const char *const *names, size_t cnt)
{
	size_t used = (size_t)snprintf(ret, size, "one of");

	for (size_t i = 0; i < cnt && used < size; i++)
		used += (size_t)snprintf(ret + used, size - used, " %s", names[i]);
	return cnt && used < size;
}

int opts_unknown(struct diag *d, const char *what, const char *word, const char *const *names,
		 size_t cnt)
{
	const char *cure = suggest(word, names, cnt);
	char all[64];

	if (!cure)
		cure = list_names(all, sizeof(all), names, cnt) ? all : "assay --help";
	return diag_set(d, -EINVAL, NULL, 0, cure, "there is no %s \"%s\"", what, word);
}
