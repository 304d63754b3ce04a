/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a claims file: its JSON line, read and written. */
#include "lib/formats/claims_fields.h"

#include <errno.h>
#include <string.h>

#include "lib/json_out.h"

static const char example[] = "first line: {\"claims\":1,\"profiler\":NAME,\"version\":V,"
			      "\"clock\":\"monotonic\",\"declares\":[\"handoff:io\",…]}";

#define refuse(cure, ...) diag_set(d, -EINVAL, path, 1, cure, __VA_ARGS__)

static int read_name(const struct json_value *v, const char *field, char *ret, size_t cap,
		     const char *path, struct diag *d)
{
	struct json_value s;

	if (!json_get(v, field, &s))
		return refuse(example, "the header has no \"%s\"", field);
	if (s.kind != JSON_STRING || !s.str.len || memchr(s.str.s, 0, s.str.len))
		return refuse("write a name in quotes", "\"%s\" of the header is no name", field);
	if (s.str.len >= cap)
		return refuse("write a shorter one", "\"%s\" of the header has more than %zu bytes",
			      field, cap - 1);
	memcpy(ret, s.str.s, s.str.len);
	return 0;
}

static int read_declares(const struct json_value *v, uint32_t *ret, const char *path,
			 struct diag *d)
{
	struct json_value list, word;
	struct json_iter it;
	uint32_t declares = 0;

	if (!json_get(v, "declares", &list))
		return refuse(example, "the header has no \"declares\"");
	if (list.kind != JSON_ARRAY)
		return refuse(example, "\"declares\" is no array");
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &word)) {
		int bit;

		if (word.kind != JSON_STRING)
			return refuse("write each as a word in quotes",
				      "\"declares\" holds something that is no string");
		bit = declares_parse(word.str.s, word.str.len);
		if (bit == -EINVAL)
			return refuse("declare handoff:TYPE with one of io work wake timer msg "
				      "queue spawn resume grant call",
				      "\"declares\" has \"%.*s\", which names no handoff type",
				      (int)(word.str.len < 64 ? word.str.len : 64), word.str.s);
		if (bit >= 0)
			declares |= 1u << bit;
	}
	*ret = declares;
	return 0;
}

/* A known field of the header that is there twice leaves open which one counts. */
static int check_twice(const struct json_value *v, const char *path, struct diag *d)
{
	static const char *const known[] = {"claims", "profiler", "version", "clock", "declares"};
	struct json_value name, value;
	struct json_iter it;
	unsigned seen = 0;

	json_iter_init(&it, v);
	while (json_iter_next(&it, &name, &value))
		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (!json_str_is(&name, known[i]))
				continue;
			if (seen & 1u << i)
				return refuse("write each field once", "\"%s\" is there twice",
					      known[i]);
			seen |= 1u << i;
		}
	return 0;
}

int claims_header_from_json(const struct json_value *v, struct claims_header *ret, const char *path,
			    struct diag *d)
{
	struct claims_header h = {0};
	struct json_value field;
	int err;

	if (v->kind != JSON_OBJECT || !json_get(v, "claims", &field))
		return refuse(example, "the first line is no claims header");
	if (field.kind != JSON_UINT || field.u != 1)
		return refuse("write \"claims\":1", "a version of the claims format other than 1");
	if (!json_get(v, "clock", &field) || !json_str_is(&field, "monotonic"))
		return refuse("give times of CLOCK_MONOTONIC and say \"clock\":\"monotonic\"",
			      "the header's clock is not \"monotonic\"");
	err = check_twice(v, path, d);
	err = err ? err : read_name(v, "profiler", h.profiler, sizeof(h.profiler), path, d);
	err = err ? err : read_name(v, "version", h.version, sizeof(h.version), path, d);
	err = err ? err : read_declares(v, &h.declares, path, d);
	if (err)
		return err;
	*ret = h;
	return 0;
}

int claims_header_print(FILE *out, const struct claims_header *h)
{
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_u64(&o, "claims", 1);
	json_out_strn(&o, "profiler", h->profiler, strnlen(h->profiler, sizeof(h->profiler)));
	json_out_strn(&o, "version", h->version, strnlen(h->version, sizeof(h->version)));
	json_out_str(&o, "clock", "monotonic");
	json_out_array(&o, "declares");
	for (unsigned i = 0; i < DECLARES_CNT; i++)
		if (h->declares & 1u << i)
			json_out_str(&o, NULL, declares_name(i));
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
	return json_out_error(&o);
}
