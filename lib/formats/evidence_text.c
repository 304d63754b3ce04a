/* SPDX-License-Identifier: BSD-2-Clause */
/* Evidence as JSON Lines, and the schema of a line: both from one table. */
#include "lib/formats/evidence_text.h"

#include <stdbool.h>

#include "lib/json_out.h"

enum { ARGS = 5, NAME_LEN = 24 };

/* What a … e are called. '@' before a name: hex; '-': it may be below 0. */
static const struct kind {
	uint8_t kind;
	const char *name;
	const char *args[ARGS];
} kinds[] = {
	{EV_LOST, "lost", {"lost", "first"}},
	{EV_IO_CREATE, "io-create", {"@ctx", "fd", "sq_entries", "cq_entries", "@setup"}},
	{EV_IO_SUBMIT, "io-submit", {"@ctx", "@req", "@user_data", "opcode", "@sqe"}},
	{EV_IO_COMPLETE, "io-complete", {"@ctx", "@req", "@user_data", "-res", "@cqe"}},
	{EV_IO_PUNT, "io-punt", {"@ctx", "@req", "@user_data", "opcode", "hashed"}},
	{EV_IO_MSG, "io-msg", {"@ctx", "@req", "@user_data", "@target", "@target_ctx"}},
	{EV_IO_ENTER, "io-enter", {"fd", "to_submit", "min_complete", "@call", "@ctx"}},
	{EV_IO_EXIT, "io-exit", {"fd", "-result", NULL, "@call"}},
	{EV_IO_OVERFLOW, "io-overflow", {"@ctx", NULL, "@user_data", "-res", "@cqe"}},
	{EV_FUTEX_ENTER, "futex-enter", {"@uaddr", "@op", "val", "@bitset", "@uaddr2"}},
	{EV_FUTEX_EXIT, "futex-exit", {"@uaddr", "@op", "-result", "@bitset", "@uaddr2"}},
	{EV_FUTEX_PAGE, "futex-page", {"@page", "inode", "offset"}},
	{EV_SCHED_WAKING, "sched-waking", {"wakee", "wakee_tgid", "call", "wait", "@word"}},
	{EV_SCHED_SWITCH, "sched-switch", {"next", "@state", "next_tgid"}},
	{EV_BLOCK_ISSUE, "block-issue", {"@request", "sector", "bytes", "operation", "device"}},
	{EV_BLOCK_DONE, "block-done", {"@request", "sector", "bytes", "operation", "device"}},
	{EV_PROC_FORK, "proc-fork", {"child", "child_tgid", "threads", "rings"}},
	{EV_PROC_EXEC, "proc-exec", {"before"}},
	{EV_PROC_EXIT, "proc-exit", {"last", "ran"}},
	{EV_PROC_CPU, "proc-cpu", {"ran", "at_end"}},
	{EV_APP, "app", {"@instance", "-units", "@target", "@where", "@event"}},
	{EV_APP_HITS, "app-hits", {"desc", "hits", "passed", "unread"}},
	{EV_APP_SITE, "app-site", {"desc", "error", "sites", "@offset", "how"}},
	{EV_APP_CAPACITY, "app-capacity", {"value", NULL, NULL, "@where", "@resource"}},
	{EV_STREAM_WRITE, "stream-write", {"@stream", "position", "units", "@file", "@about"}},
	{EV_STREAM_READ, "stream-read", {"@stream", "position", "units", "@file", "@about"}},
	{EV_TIMER_SET, "timer-set", {"@timer", "id", "armed", "asked", "@about"}},
	{EV_TIMER_TAKE, "timer-take", {"@timer", "id", "armed", "expired", "@about"}},
	{EV_TIMER_EXPIRE, "timer-expire", {"@timer", "id", "armed", NULL, "@about"}},
	{EV_WORK_QUEUE, "work-queue", {"@work", "@function"}},
	{EV_WORK_ACTIVATE, "work-activate", {"@work", "@function"}},
	{EV_WORK_START, "work-start", {"@work", "@function"}},
	{EV_WORK_END, "work-end", {"@work", "@function"}},
	{EV_FAULT_USER, "fault-user", {"@address", "@instruction", "@code"}},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* One that was appended since. */
static const struct kind unknown = {0, NULL, {"@a", "@b", "@c", "@d", "@e"}};

static const struct {
	uint32_t bit;
	const char *name;
} cans[] = {
	{EVIDENCE_IO, "io"},	     {EVIDENCE_FUTEX, "futex"}, {EVIDENCE_SCHED, "sched"},
	{EVIDENCE_PROC, "proc"},     {EVIDENCE_BLOCK, "block"}, {EVIDENCE_APP, "app"},
	{EVIDENCE_STREAM, "stream"}, {EVIDENCE_TIMER, "timer"}, {EVIDENCE_WORK, "work"},
	{EVIDENCE_FAULT, "fault"},
};
enum { CANS = sizeof(cans) / sizeof(cans[0]) };

/* By bit of enum ev_flag. */
static const char *const flags[] = {"kernel", "irq", "sqpoll", "other", "cut", "fault"};
enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };

static const char *bare(const char *arg)
{
	return arg + (*arg == '@' || *arg == '-');
}

/* ---- lines ---- */

static void put_header(struct json_out *o, const struct evidence_header *h)
{
	json_out_object(o, NULL);
	json_out_u64(o, "evidence", 1);
	json_out_u64(o, "pid", h->pid);
	json_out_array(o, "can");
	for (unsigned i = 0; i < CANS; i++)
		if (h->can & cans[i].bit)
			json_out_str(o, NULL, cans[i].name);
	json_out_end(o);
	json_out_u64(o, "attached", h->attached);
	json_out_u64(o, "drained", h->drained);
	json_out_u64(o, "records", h->records);
	json_out_u64(o, "lost", h->lost);
	json_out_str(o, "kernel", h->kernel);
	json_out_end(o);
	json_out_newline(o);
}

static const struct kind *kind_of(const struct ev_rec *r)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (kinds[i].kind == r->kind)
			return &kinds[i];
	return &unknown;
}

static void put_kind(struct json_out *o, const struct kind *k, unsigned number)
{
	char name[NAME_LEN];

	snprintf(name, sizeof(name), "kind-%u", number);
	json_out_str(o, "kind", k->name ? k->name : name);
}

/* struct ev_rec tells how it is packed. */
static void put_ago(struct json_out *o, const struct ev_rec *r)
{
	if (r->ago_scale == 1)
		json_out_u64(o, "ago", r->ago);
	else if (r->ago_scale)
		json_out_u64(o, "ago", (UINT64_C(256) + r->ago) << (r->ago_scale - 2));
}

static void put_args(struct json_out *o, const struct kind *k, const struct ev_rec *r)
{
	const uint64_t v[ARGS] = {r->a, r->b, r->c, r->d, r->e};

	for (unsigned i = 0; i < ARGS; i++) {
		const char *arg = k->args[i];

		if (!arg)
			continue;
		if (*arg == '@')
			json_out_hex(o, bare(arg), v[i]);
		else if (*arg == '-')
			json_out_i64(o, bare(arg), (int64_t)v[i]);
		else
			json_out_u64(o, arg, v[i]);
	}
}

static void put_record(struct json_out *o, size_t n, const struct ev_rec *r)
{
	const struct kind *k = kind_of(r);

	json_out_object(o, NULL);
	json_out_u64(o, "n", n);
	put_kind(o, k, r->kind);
	json_out_u64(o, "t", r->t);
	json_out_u64(o, "tid", r->tid);
	json_out_u64(o, "tgid", r->tgid);
	json_out_u64(o, "cpu", r->cpu);
	json_out_u64(o, "seq", r->seq);
	put_ago(o, r);
	json_out_array(o, "flags");
	for (unsigned i = 0; i < FLAGS; i++)
		if (r->flags & 1u << i)
			json_out_str(o, NULL, flags[i]);
	json_out_end(o);
	put_args(o, k, r);
	json_out_end(o);
	json_out_newline(o);
}

int evidence_export(const struct evidence *e, FILE *out)
{
	struct json_out o;

	json_out_init(&o, out);
	put_header(&o, &e->header);
	for (size_t i = 0; i < e->cnt && !json_out_error(&o); i++)
		put_record(&o, i, &e->v[i]);
	return json_out_error(&o);
}

/* ---- the schema ---- */

static void put_whole(struct json_out *o, const char *name, uint64_t most)
{
	json_out_object(o, name);
	json_out_str(o, "type", "integer");
	json_out_u64(o, "minimum", 0);
	json_out_u64(o, "maximum", most);
	json_out_end(o);
}

static void put_words(struct json_out *o, const char *name, const char *(*word)(unsigned),
		      unsigned cnt)
{
	json_out_object(o, name);
	json_out_str(o, "type", "array");
	json_out_object(o, "items");
	json_out_array(o, "enum");
	for (unsigned i = 0; i < cnt; i++)
		json_out_str(o, NULL, word(i));
	json_out_end(o);
	json_out_end(o);
	json_out_end(o);
}

static const char *can_name(unsigned i)
{
	return cans[i].name;
}

static const char *flag_name(unsigned i)
{
	return flags[i];
}

/* Of a record that is all fields that are numbers of any size. */
static const struct {
	const char *name;
	uint64_t most;
} numbers[] = {{"n", UINT64_MAX},    {"t", UINT64_MAX},	  {"tid", UINT32_MAX},
	       {"tgid", UINT32_MAX}, {"cpu", UINT16_MAX}, {"seq", UINT16_MAX}};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static void close_shape(struct json_out *o)
{
	json_out_end(o);
	json_out_bool(o, "additionalProperties", false);
	json_out_end(o);
}

static void begin_shape(struct json_out *o)
{
	json_out_object(o, NULL);
	json_out_str(o, "type", "object");
	json_out_object(o, "properties");
}

static void begin_required(struct json_out *o)
{
	json_out_end(o);
	json_out_array(o, "required");
}

static void put_header_shape(struct json_out *o)
{
	static const char *const all[] = {"evidence", "pid",	 "can",	 "attached",
					  "drained",  "records", "lost", "kernel"};

	begin_shape(o);
	json_out_object(o, "evidence");
	json_out_u64(o, "const", 1);
	json_out_end(o);
	put_whole(o, "pid", UINT32_MAX);
	put_words(o, "can", can_name, CANS);
	for (unsigned i = 3; i < 7; i++)
		put_whole(o, all[i], UINT64_MAX);
	json_out_object(o, "kernel");
	json_out_str(o, "type", "string");
	json_out_end(o);
	begin_required(o);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_out_str(o, NULL, all[i]);
	close_shape(o);
}

static void put_arg_shape(struct json_out *o, const char *arg)
{
	json_out_object(o, bare(arg));
	json_out_str(o, "type", *arg == '@' ? "string" : "integer");
	if (*arg == '@')
		json_out_str(o, "pattern", "^0x[0-9a-f]{1,16}$");
	else
		json_out_i64(o, "minimum", *arg == '-' ? INT64_MIN : 0);
	json_out_end(o);
}

static void put_shape(struct json_out *o, const struct kind *k)
{
	begin_shape(o);
	json_out_object(o, "kind");
	if (!k->name)
		json_out_str(o, "type", "string");
	json_out_str(o, k->name ? "const" : "pattern", k->name ? k->name : "^kind-[0-9]+$");
	json_out_end(o);
	for (unsigned i = 0; i < NUMBERS; i++)
		put_whole(o, numbers[i].name, numbers[i].most);
	put_whole(o, "ago", UINT64_MAX);
	put_words(o, "flags", flag_name, FLAGS);
	for (unsigned i = 0; i < ARGS; i++)
		if (k->args[i])
			put_arg_shape(o, k->args[i]);
	begin_required(o);
	json_out_str(o, NULL, "kind");
	for (unsigned i = 0; i < NUMBERS; i++)
		json_out_str(o, NULL, numbers[i].name);
	json_out_str(o, NULL, "flags");
	for (unsigned i = 0; i < ARGS; i++)
		if (k->args[i])
			json_out_str(o, NULL, bare(k->args[i]));
	close_shape(o);
}

void evidence_schema(FILE *out)
{
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_str(&o, "$schema", "http://json-schema.org/draft-07/schema#");
	json_out_str(&o, "title", "a line of evidence: the header first, then a record a line");
	json_out_array(&o, "oneOf");
	put_header_shape(&o);
	for (unsigned i = 0; i < KINDS; i++)
		put_shape(&o, &kinds[i]);
	put_shape(&o, &unknown);
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
}
