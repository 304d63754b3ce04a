/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading what a workload or profiler says of itself (contracts §3). */
#include "harness/programs.h"

#include <errno.h>
#include <string.h>

#include "lib/formats/claims.h"
#include "lib/formats/json.h"
#include "lib/json_out.h"

static int describe_error(struct diag *d, const char *what)
{
	return diag_set(d, -EINVAL, NULL, 0,
			"let describe print the object of the adapter contract", "describe: %s",
			what);
}

/* A string that fits; -EINVAL where it is missing, of another kind, empty or too long. */
static int get_word(const struct json_value *o, const char *name, char *ret, size_t len)
{
	struct json_value v;

	if (!json_get(o, name, &v) || v.kind != JSON_STRING || !v.str.len || v.str.len >= len)
		return -EINVAL;
	memcpy(ret, v.str.s, v.str.len);
	ret[v.str.len] = '\0';
	return 0;
}

static void get_number(const struct json_value *o, const char *name, uint64_t *ret)
{
	struct json_value v;

	if (json_get(o, name, &v))
		json_u64(&v, ret);
}

/* What get_word found wrong: "version" is missing, no string, empty or too long. */
static int word_error(struct diag *d, const struct json_value *o, const char *name, size_t len)
{
	struct json_value v;
	char what[160];

	if (!json_get(o, name, &v))
		snprintf(what, sizeof(what), "\"%s\" is missing", name);
	else if (v.kind != JSON_STRING)
		snprintf(what, sizeof(what), "\"%s\" is no string, such as \"1\"", name);
	else
		snprintf(what, sizeof(what), "\"%s\" has %zu bytes, not 1 to %zu", name, v.str.len,
			 len - 1);
	return describe_error(d, what);
}

/* A list of at most max words; none where it is missing. */
static int get_words(const struct json_value *o, const char *name, char (*words)[NAME_LEN],
		     unsigned max, unsigned *ret_cnt)
{
	struct json_value list, v;
	struct json_iter it;
	unsigned cnt = 0;

	if (!json_get(o, name, &list)) {
		*ret_cnt = 0;
		return 0;
	}
	if (list.kind != JSON_ARRAY)
		return -EINVAL;
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &v)) {
		if (v.kind != JSON_STRING || v.str.len >= NAME_LEN || cnt == max)
			return -EINVAL;
		memcpy(words[cnt], v.str.s, v.str.len);
		words[cnt++][v.str.len] = '\0';
	}
	*ret_cnt = cnt;
	return 0;
}

static int get_needs(const struct json_value *o, char (*needs)[NAME_LEN], unsigned *ret_cnt)
{
	return get_words(o, "needs", needs, NEEDS_MAX, ret_cnt);
}

/* Bits of the words of a vocabulary; 0 where the list is missing. */
static int get_bits(const struct json_value *o, const char *name,
		    int (*parse)(const char *, size_t), uint32_t *ret)
{
	struct json_value list = {.kind = JSON_NULL}, v;
	struct json_iter it;
	uint32_t bits = 0;

	if (json_get(o, name, &list) && list.kind != JSON_ARRAY)
		return -EINVAL;
	json_iter_init(&it, &list);
	while (list.kind == JSON_ARRAY && json_iter_next(&it, NULL, &v)) {
		int bit = v.kind == JSON_STRING ? parse(v.str.s, v.str.len) : -1;

		if (bit < 0)
			return -EINVAL;
		bits |= 1u << bit;
	}
	*ret = bits;
	return 0;
}

static int fill_workload(const struct json_value *o, struct workload *w, struct diag *d)
{
	struct json_value defaults;

	if (get_word(o, "name", w->name, sizeof(w->name)))
		return describe_error(d, "\"name\" is missing");
	if (get_word(o, "models", w->models, sizeof(w->models)))
		return describe_error(d, "\"models\" is missing or longer than 255 bytes");
	if (get_needs(o, w->needs, &w->needs_cnt))
		return describe_error(d, "\"needs\" is no short list of words");
	if (get_bits(o, "keys", key_ns_parse, &w->keys) ||
	    get_bits(o, "handoffs", handoff_type_parse, &w->handoffs) ||
	    get_bits(o, "marks", mark_parse, &w->marks) ||
	    get_bits(o, "ailments", diagnosis_parse, &w->ailments))
		return describe_error(d, "\"keys\", \"handoffs\", \"marks\" or \"ailments\" is "
					 "no list of known words");
	w->ailments |= 1u << DIAGNOSIS_CPU_CONTENTION; /* comes from outside, to any of them */
	if (get_words(o, "outcomes", w->outcomes, OUTCOMES_MAX, &w->outcomes_cnt))
		return describe_error(d, "\"outcomes\" is no short list of words");
	get_number(o, "records", &w->records);
	if (!json_get(o, "defaults", &defaults) || defaults.kind != JSON_OBJECT)
		return describe_error(d, "\"defaults\" is missing");
	get_number(&defaults, "ops", &w->ops);
	get_number(&defaults, "rate", &w->rate);
	get_number(&defaults, "depth", &w->depth);
	get_number(&defaults, "workers", &w->workers);
	get_number(&defaults, "queue_depth", &w->queue_depth);
	get_number(&defaults, "fanout", &w->fanout);
	if (!w->ops || !w->rate)
		return describe_error(d, "defaults without \"ops\" or \"rate\"");
	return 0;
}

/* In the order of enum launch. */
static const char *const launch_words[] = {"attach", "join", "wrap", "env", "build", NULL};
static const char *const division_words[] = {"attach", "binary", "source", "rebuild", "none", NULL};

static const char *const accepts_words[] = {"control", "budget", "packed", NULL};

static int accepts_parse(const char *word, size_t len)
{
	for (int i = 0; accepts_words[i]; i++)
		if (strlen(accepts_words[i]) == len && !memcmp(word, accepts_words[i], len))
			return i;
	return -EINVAL;
}

const char *launch_name(enum launch l)
{
	for (unsigned i = 0; launch_words[i]; i++)
		if (l == 1u << i)
			return launch_words[i];
	return "none";
}

bool profiler_needs(const struct profiler *p, const char *word)
{
	for (unsigned i = 0; i < p->needs_cnt; i++)
		if (!strcmp(p->needs[i], word))
			return true;
	return false;
}

enum launch profiler_launch(const struct profiler *p)
{
	static const enum launch order[] = {LAUNCH_ATTACH, LAUNCH_ENV, LAUNCH_WRAP, LAUNCH_BUILD};

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (p->launch & order[i])
			return order[i];
	return 0;
}

static unsigned launch_bit(const struct json_value *v)
{
	for (unsigned i = 0; launch_words[i]; i++)
		if (json_str_is(v, launch_words[i]))
			return 1u << i;
	return 0;
}

/* "launch" may be one word or a list of words. */
static int get_launch(const struct json_value *o, unsigned *ret)
{
	struct json_value list, v;
	struct json_iter it;
	unsigned bits = 0;

	if (!json_get(o, "launch", &list))
		return -EINVAL;
	if (list.kind == JSON_STRING) {
		*ret = launch_bit(&list);
		return *ret ? 0 : -EINVAL;
	}
	if (list.kind != JSON_ARRAY)
		return -EINVAL;
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &v)) {
		if (!launch_bit(&v))
			return -EINVAL;
		bits |= launch_bit(&v);
	}
	*ret = bits;
	return bits ? 0 : -EINVAL;
}

/* "handoff:wakes" of a list, for a message. */
static void keep_word(char ret[NAME_LEN], const struct json_value *v)
{
	if (v->kind == JSON_STRING)
		snprintf(ret, NAME_LEN, "%.*s", (int)(v->str.len < 40 ? v->str.len : 40), v->str.s);
	else
		strcpy(ret, "what is no string");
}

/* As in the header of claims: a handoff of no type is a mistake, other unknown words are not; the
 * first of these is kept. */
static int get_declares(const struct json_value *o, struct profiler *p, struct diag *d)
{
	struct json_value list, v;
	struct json_iter it;
	char word[NAME_LEN], what[200];
	int bit;

	if (!json_get(o, "declares", &list))
		return 0;
	if (list.kind != JSON_ARRAY)
		return describe_error(d, "\"declares\" is no list of words");
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &v)) {
		bit = v.kind == JSON_STRING ? declares_parse(v.str.s, v.str.len) : -EINVAL;
		if (bit >= 0)
			p->declares |= 1u << bit;
		if (bit >= 0 || (bit != -EINVAL && p->unknown[0]))
			continue;
		keep_word(word, &v);
		if (bit != -EINVAL) {
			strcpy(p->unknown, word);
			continue;
		}
		snprintf(what, sizeof(what),
			 "\"declares\" has %s; a handoff is handoff: and one of io work wake timer "
			 "msg queue spawn resume grant call",
			 word);
		return describe_error(d, what);
	}
	return 0;
}

static int fill_profiler(const struct json_value *o, struct profiler *p, struct diag *d)
{
	bool known = false;

	if (get_word(o, "name", p->name, sizeof(p->name)))
		return word_error(d, o, "name", sizeof(p->name));
	if (get_word(o, "version", p->version, sizeof(p->version)))
		return word_error(d, o, "version", sizeof(p->version));
	if (get_word(o, "division", p->division, sizeof(p->division)))
		return word_error(d, o, "division", sizeof(p->division));
	for (size_t i = 0; division_words[i]; i++)
		known |= !strcmp(division_words[i], p->division);
	if (!known)
		return describe_error(d,
				      "\"division\" is none of attach binary source rebuild none");
	if (get_launch(o, &p->launch))
		return describe_error(d, "\"launch\" is none of attach wrap env build join");
	if (get_needs(o, p->needs, &p->needs_cnt))
		return describe_error(d, "\"needs\" is no short list of words");
	if (get_bits(o, "accepts", accepts_parse, &p->accepts))
		return describe_error(d, "\"accepts\" is no list of control, budget and packed");
	return get_declares(o, p, d);
}

/* Why, and how the text begins. */
static void printed_text(char *to, size_t cap, const char *why, const char *json, size_t len)
{
	enum { SHOWN = 60 };
	size_t n = len < SHOWN ? len : SHOWN, line = len ? strcspn(json, "\r\n") : 0;
	int at = snprintf(to, cap, "%s%s%.*s", why, len ? "; it printed: " : "",
			  (int)(line < n ? line : n), len ? json : "");

	for (char *c = to; at > 0 && *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
}

/* Parses the text and hands the object to one of the two readers. */
static int with_object(const char *json, size_t len,
		       int (*fill)(const struct json_value *, void *, struct diag *), void *ret,
		       struct diag *d)
{
	struct json_parser *parser = json_parser_new();
	struct json_value o;
	const char *why;
	char what[300];
	int rc;

	if (!parser)
		return diag_set(d, -errno, NULL, 0, NULL, "out of memory");
	if (json_parse(parser, json, len, &o, &why)) {
		printed_text(what, sizeof(what), why, json, len);
		rc = describe_error(d, what);
	} else if (o.kind != JSON_OBJECT) {
		rc = describe_error(d, "it printed no JSON object");
	} else {
		rc = fill(&o, ret, d);
	}
	json_parser_free(parser);
	return rc;
}

static int any_workload(const struct json_value *o, void *ret, struct diag *d)
{
	return fill_workload(o, ret, d);
}

static int any_profiler(const struct json_value *o, void *ret, struct diag *d)
{
	return fill_profiler(o, ret, d);
}

int describe_workload(const char *json, size_t len, struct workload *ret, struct diag *d)
{
	struct workload w = {0};
	int rc = with_object(json, len, any_workload, &w, d);

	if (!rc)
		*ret = w;
	return rc;
}

int describe_profiler(const char *json, size_t len, struct profiler *ret, struct diag *d)
{
	struct profiler p = {0};
	int rc = with_object(json, len, any_profiler, &p, d);

	if (!rc)
		*ret = p;
	return rc;
}

/* ---- the schema ---- */

static void put_text(struct json_out *o, const char *name, uint64_t most)
{
	json_out_object(o, name);
	json_out_str(o, "type", "string");
	json_out_u64(o, "minLength", 1);
	json_out_u64(o, "maxLength", most);
	json_out_end(o);
}

static void put_words(struct json_out *o, const char *name, const char *const *words)
{
	json_out_array(o, name);
	for (; *words; words++)
		json_out_str(o, NULL, *words);
	json_out_end(o);
}

static void put_list(struct json_out *o, const char *name, const char *const *words)
{
	json_out_object(o, name);
	json_out_str(o, "type", "array");
	if (!words)
		json_out_u64(o, "maxItems", NEEDS_MAX);
	else if (words == launch_words)
		json_out_u64(o, "minItems", 1);
	json_out_object(o, "items");
	json_out_str(o, "type", "string");
	if (words)
		put_words(o, "enum", words);
	json_out_end(o);
	json_out_end(o);
}

void describe_schema(FILE *out)
{
	static const char *const needed[] = {"name", "version", "division", "launch", NULL};
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_str(&o, "$schema", "http://json-schema.org/draft-07/schema#");
	json_out_str(&o, "title", "what a profiler's describe prints");
	json_out_str(&o, "type", "object");
	json_out_object(&o, "properties");
	put_text(&o, "name", NAME_LEN - 1);
	put_text(&o, "version", sizeof(((struct profiler *)0)->version) - 1);
	json_out_object(&o, "division");
	put_words(&o, "enum", division_words);
	json_out_end(&o);
	put_list(&o, "launch", launch_words);
	declares_schema(&o, "declares");
	put_list(&o, "needs", NULL);
	put_list(&o, "accepts", accepts_words);
	json_out_end(&o);
	put_words(&o, "required", needed);
	json_out_end(&o);
	json_out_newline(&o);
}
