/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading what a workload or profiler says of itself (contracts §3). */
#include "harness/programs.h"

#include <errno.h>
#include <string.h>

#include "lib/formats/claims.h"
#include "lib/formats/json.h"

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

static unsigned launch_bit(const struct json_value *v)
{
	static const char *const words[] = {"attach", "join", "wrap", "env", "build"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (json_str_is(v, words[i]))
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

static uint32_t declares_bit(const struct json_value *v)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} others[] = {{"event", DECLARES_EVENT},	{"health", DECLARES_HEALTH},
		      {"effect", DECLARES_EFFECT},	{"cost", DECLARES_COST},
		      {"profile", DECLARES_PROFILE},	{"gap", DECLARES_GAP},
		      {"diagnosis", DECLARES_DIAGNOSIS}};
	static const char prefix[] = "handoff:";
	const size_t len = sizeof(prefix) - 1;

	if (v->kind == JSON_STRING && v->str.len > len && !memcmp(v->str.s, prefix, len)) {
		int type = handoff_type_parse(v->str.s + len, v->str.len - len);

		return type < 0 ? 0 : 1u << type;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (json_str_is(v, others[i].word))
			return others[i].bit;
	return 0;
}

static uint32_t get_declares(const struct json_value *o)
{
	struct json_value list, v;
	struct json_iter it;
	uint32_t bits = 0;

	if (!json_get(o, "declares", &list) || list.kind != JSON_ARRAY)
		return 0;
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &v))
		bits |= declares_bit(&v);
	return bits;
}

static int fill_profiler(const struct json_value *o, struct profiler *p, struct diag *d)
{
	static const char *const divisions[] = {"attach", "binary", "source", "rebuild", "none"};
	bool known = false;

	if (get_word(o, "name", p->name, sizeof(p->name)))
		return describe_error(d, "\"name\" is missing");
	if (get_word(o, "version", p->version, sizeof(p->version)))
		return describe_error(d, "\"version\" is missing or longer than 31 bytes");
	if (get_word(o, "division", p->division, sizeof(p->division)))
		return describe_error(d, "\"division\" is missing");
	for (size_t i = 0; i < sizeof(divisions) / sizeof(divisions[0]); i++)
		known |= !strcmp(divisions[i], p->division);
	if (!known)
		return describe_error(d,
				      "\"division\" is none of attach binary source rebuild none");
	if (get_launch(o, &p->launch))
		return describe_error(d, "\"launch\" is none of attach wrap env build join");
	if (get_needs(o, p->needs, &p->needs_cnt))
		return describe_error(d, "\"needs\" is no short list of words");
	p->declares = get_declares(o);
	return 0;
}

/* Parses the text and hands the object to one of the two readers. */
static int with_object(const char *json, size_t len,
		       int (*fill)(const struct json_value *, void *, struct diag *), void *ret,
		       struct diag *d)
{
	struct json_parser *parser = json_parser_new();
	struct json_value o;
	const char *why;
	int rc;

	if (!parser)
		return diag_set(d, -errno, NULL, 0, NULL, "out of memory");
	if (json_parse(parser, json, len, &o, &why))
		rc = describe_error(d, why);
	else if (o.kind != JSON_OBJECT)
		rc = describe_error(d, "it printed no JSON object");
	else
		rc = fill(&o, ret, d);
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
