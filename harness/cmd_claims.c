/* SPDX-License-Identifier: BSD-2-Clause */
/* assay claims: convert, check, and make from what other tools write. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/command.h"
#include "harness/convert.h"
#include "harness/file_kind.h"
#include "harness/import.h"
#include "lib/opts.h"

static const char *const forms[] = {"json", "binary", NULL};

static const char *const formats[] = {"chrome", "folded", "otlp", "ndjson", NULL};
static const char *const clocks[] = {"default", "monotonic", "realtime", "boottime", NULL};
static const char *const groups[] = {"function", "thread", NULL};

static struct {
	unsigned form, clock, by;
	const char *type, *offset, *profiler;
	uint64_t unit_ns;
	struct opt_list fields;
	bool schema;
} args = {.profiler = "import", .unit_ns = 1};

static const struct opt convert_table[] = {
	{"to", 0, OPT_CHOICE, "FORM", "json or binary (json)", &args.form, 0, 0, forms},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts convert_opts = {
	.command = "assay claims convert",
	.usage = "FROM INTO [--to json|binary]",
	.purpose = "Turns one form of claims into the other",
	.table = convert_table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay claims convert claims.bin claims.jsonl",
		     "assay claims convert claims.jsonl claims.bin --to binary",
		     "assay claims convert claims.bin /dev/stdout | head"},
};

static const struct opt check_table[] = {
	{"schema", 0, OPT_FLAG, NULL, "print the JSON Schema of a line instead", &args.schema, 0, 0,
	 NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts check_opts = {
	.command = "assay claims check",
	.usage = "FILE | --schema",
	.purpose = "Says whether claims are well-formed, or what is wrong where",
	.table = check_table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay claims check claims.jsonl", "assay claims check claims.bin",
		     "assay claims check --schema > claims.schema.json"},
};

static const struct opt from_table[] = {
	{"type", 0, OPT_STR, "TYPE", "of handoffs where the file does not say: io, wake …",
	 &args.type, 0, 0, NULL},
	{"clock", 0, OPT_CHOICE, "CLOCK", "monotonic (otlp: realtime), realtime, boottime",
	 &args.clock, 0, 0, clocks},
	{"offset", 0, OPT_STR, "NS", "added to every time, in place of --clock", &args.offset, 0, 0,
	 NULL},
	{"by", 0, OPT_CHOICE, "WHAT", "folded: by function or thread (function)", &args.by, 0, 0,
	 groups},
	{"unit", 0, OPT_DURATION, "TIME", "folded: what a count stands for (1ns)", &args.unit_ns, 1,
	 UINT64_MAX, NULL},
	{"field", 0, OPT_LIST, "F=PATH", "ndjson: where src.tid src.t dst.tid dst.t … stand",
	 &args.fields, 0, 0, NULL},
	{"profiler", 0, OPT_STR, "NAME", "whose claims they are (import)", &args.profiler, 0, 0,
	 NULL},
	{"to", 0, OPT_CHOICE, "FORM", "json or binary (json)", &args.form, 0, 0, forms},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts from_opts = {
	.command = "assay claims from",
	.usage = "chrome|folded|otlp|ndjson FROM INTO",
	.purpose = "Makes claims from what a tool wrote that assay cannot start",
	.table = from_table,
	.args_min = 3,
	.args_max = 3,
	.examples = {"assay claims from folded out.folded claims.jsonl --unit 1ms",
		     "assay claims from chrome trace.json claims.jsonl --type wake",
		     "assay claims from ndjson log c.jsonl --field dst.t=ts --type io"},
};

/* Malformed claims are a failed check; a file that cannot be read or written is another thing.
 * path: what should be claims; NULL: nothing that was given. */
static int claims_error(const struct diag *d, const char *path)
{
	if (d->err != -EINVAL)
		return command_error(d);
	diag_print(d, stderr);
	file_kind_note(path, "claims");
	return EXIT_FAILED;
}

static int convert(int argc, char **argv)
{
	struct diag d = {0};
	int first, rc = opts_start(&convert_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (args.form && output_check(argv[first + 1], &d))
		return command_error(&d);
	rc = convert_claims(argv[first], argv[first + 1], args.form ? CLAIMS_BINARY : CLAIMS_JSON,
			    &d);
	return rc ? claims_error(&d, argv[first]) : EXIT_GOOD;
}

/* Allowed, and mostly a slip: a key of a space that nobody knows is no key. */
static void say_foreign(const char *path, const struct claims *c)
{
	size_t cnt = 0, first = 0;

	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HANDOFF && (c->v[i].has & HAS_KEY) &&
		    c->v[i].ns == KEY_OTHER && !cnt++)
			first = i + 2;
	if (cnt)
		printf("%s:%zu: %zu keys from here on are ignored: \"ns\" is none of user_data "
		       "uaddr task work fd timerfd\n",
		       path, first, cnt);
}

static int check(int argc, char **argv)
{
	struct claims c;
	struct diag d = {0};
	int first, rc = opts_start(&check_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (args.schema) {
		claims_schema(stdout);
		return EXIT_GOOD;
	}
	if (first == argc) {
		diag_set(&d, -EINVAL, "assay claims check", 0, check_opts.examples[0],
			 "there is no file");
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (claims_load(argv[first], &c, &d))
		return claims_error(&d, argv[first]);
	printf("%s: %zu claims of %s %s are well-formed\n", argv[first], c.cnt, c.header.profiler,
	       c.header.version);
	say_foreign(argv[first], &c);
	claims_free(&c);
	return EXIT_GOOD;
}

/* ---- from other tools ---- */

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What makes the clock's times those of CLOCK_MONOTONIC, now and on this machine. */
static int64_t clock_offset_ns(unsigned clock, enum import_format format)
{
	enum { DEFAULT, MONOTONIC, REALTIME, BOOTTIME };

	if (clock == DEFAULT)
		clock = format == IMPORT_OTLP ? REALTIME : MONOTONIC;
	if (clock == MONOTONIC)
		return 0;
	return read_clock(CLOCK_MONOTONIC) -
	       read_clock(clock == REALTIME ? CLOCK_REALTIME : CLOCK_BOOTTIME);
}

static int set_offset(struct import_options *o, struct diag *d)
{
	char *end;

	o->offset_ns = clock_offset_ns(args.clock, o->format);
	if (!args.offset)
		return 0;
	errno = 0;
	o->offset_ns = strtoll(args.offset, &end, 10);
	if (errno || *end || end == args.offset)
		return diag_set(d, -EINVAL, "--offset", 0, "such as --offset -1700000000000000000",
				"\"%.64s\" is no number of ns", args.offset);
	return 0;
}

static int set_field(struct import_options *o, const char *word, struct diag *d)
{
	size_t n = strcspn(word, "=");

	for (unsigned f = 0; f < FIELD_CNT; f++)
		if (word[n] && word[n + 1] && strlen(import_fields[f]) == n &&
		    !memcmp(import_fields[f], word, n)) {
			o->path[f] = word + n + 1;
			return 0;
		}
	return diag_set(d, -EINVAL, "--field", 0,
			"src.tid src.t dst.tid dst.t type conf key.ns key.v key.scope",
			"\"%.64s\" is no FIELD=PATH", word);
}

static int set_options(struct import_options *o, const char *format, struct diag *d)
{
	unsigned f = 0;
	int rc;

	while (formats[f] && strcmp(formats[f], format))
		f++;
	if (!formats[f])
		return opts_unknown(d, "format", format, formats, IMPORT_CNT);
	*o = (struct import_options){.format = f,
				     .profiler = args.profiler,
				     .type = -1,
				     .unit_ns = args.unit_ns,
				     .by = args.by ? BY_THREAD : BY_FUNCTION};
	if (args.type)
		o->type = handoff_type_parse(args.type, strlen(args.type));
	if (args.type && o->type < 0)
		return diag_set(d, -EINVAL, "--type", 0,
				"io work wake timer msg queue spawn resume grant call",
				"\"%.64s\" is no type of handoff", args.type);
	rc = set_offset(o, d);
	for (size_t i = 0; !rc && i < args.fields.cnt; i++)
		rc = set_field(o, args.fields.v[i], d);
	return rc;
}

enum { FEW_TIMES = 20 }; /* fewer may be whole by chance or by hand */

static void say_result(const char *into, const struct import_result *r)
{
	enum import_left most;
	uint64_t left = import_left_cnt(r, &most);

	fprintf(stderr, "%s: %llu claims, %llu of them orphans; %llu entries say nothing to claim",
		into, (unsigned long long)r->claims, (unsigned long long)r->orphans,
		(unsigned long long)left);
	if (left)
		fprintf(stderr, ", %llu of them %s", (unsigned long long)r->left[most],
			import_left_words[most]);
	fputc('\n', stderr);
	if (r->keys_ignored)
		fprintf(stderr,
			"%s: %llu keys are ignored: key.ns is none of user_data uaddr task work fd "
			"timerfd;\n  without it the type decides, --field key.ns=PATH says where "
			"it stands\n",
			into, (unsigned long long)r->keys_ignored);
	if (r->times >= FEW_TIMES && r->whole_us == r->times)
		fprintf(stderr,
			"%s: all times are whole microseconds: windows of truth are often "
			"narrower, so that\n  right claims meet nothing; write fractions\n",
			into);
}

static int from(int argc, char **argv)
{
	struct import_options o;
	struct import_result r;
	struct diag d = {0};
	int first, rc = opts_start(&from_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (set_options(&o, argv[first], &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (args.form && output_check(argv[first + 2], &d))
		return command_error(&d);
	rc = import_claims(argv[first + 1], argv[first + 2],
			   args.form ? CLAIMS_BINARY : CLAIMS_JSON, &o, &r, &d);
	if (rc)
		return claims_error(&d, NULL);
	say_result(argv[first + 2], &r);
	return EXIT_GOOD;
}

int cmd_claims(int argc, char **argv)
{
	static const struct command parts[] = {
		{"convert", "JSON Lines into the packed form or back", convert},
		{"check", "is this file well-formed?", check},
		{"from", "make claims from a trace or stacks of another tool", from},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay claims", "Claims: what a profiler says that it saw", parts,
				argc, argv);
}
