/* SPDX-License-Identifier: BSD-2-Clause */
/* status.json: how a cell ended, written last; and the sum over a run. */
#include "harness/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/claims.h"
#include "lib/formats/json.h"
#include "lib/json_out.h"
#include "lib/files.h"

enum { STATUS_LEN = 8192 };

static void put_declares(struct json_out *o, uint32_t declares)
{
	json_out_array(o, "declares");
	for (unsigned bit = 0; bit < DECLARES_CNT; bit++)
		if (declares & 1u << bit)
			json_out_str(o, NULL, declares_name(bit));
	json_out_end(o);
}

int status_write(const char *run, const char *cell, const struct cell_status *s, struct diag *d)
{
	char path[PATH_LEN];
	struct file_out f;
	struct json_out o;
	int rc = path_format(path, d, "%s/cells/%s/status.json", run, cell);

	if (!rc)
		rc = file_out_open(&f, path, d);
	if (rc)
		return rc;
	json_out_init(&o, f.f);
	json_out_object(&o, NULL);
	json_out_str(&o, "cell", cell);
	json_out_str(&o, "state", cell_state_name(s->state));
	json_out_str(&o, "reason", s->reason);
	json_out_str(&o, "cure", s->cure);
	json_out_f64(&o, "seconds", s->seconds);
	if (s->idle >= 0)
		json_out_f64(&o, "idle", s->idle);
	if (s->beside_builds)
		json_out_bool(&o, "beside_builds", true);
	if (s->broken_tries)
		json_out_u64(&o, "broken_tries", s->broken_tries);
	if (s->redated)
		json_out_bool(&o, "redated", true);
	if (s->undated)
		json_out_bool(&o, "undated", true);
	if (s->has_declares)
		put_declares(&o, s->declares);
	json_out_str(&o, "log", "log");
	json_out_end(&o);
	json_out_newline(&o);
	return file_out_commit(&f, d);
}

static void get_text(const struct json_value *o, const char *name, char *ret, size_t len)
{
	struct json_value v;

	if (json_get(o, name, &v) && v.kind == JSON_STRING)
		snprintf(ret, len, "%.*s", (int)v.str.len, v.str.s);
}

static void get_declares(const struct json_value *o, struct cell_status *s)
{
	struct json_value list, v;
	struct json_iter it;

	s->has_declares = json_get(o, "declares", &list) && list.kind == JSON_ARRAY;
	if (!s->has_declares)
		return;
	json_iter_init(&it, &list);
	while (json_iter_next(&it, NULL, &v)) {
		int bit = v.kind == JSON_STRING ? declares_parse(v.str.s, v.str.len) : -1;

		s->declares |= bit < 0 ? 0 : 1u << bit;
	}
}

static int parse_status(const struct json_value *o, const char *path, struct cell_status *ret,
			struct diag *d)
{
	struct cell_status s = {.idle = -1};
	char word[16] = "";
	struct json_value v;
	uint64_t tries;
	int state;

	get_text(o, "state", word, sizeof(word));
	state = cell_state_parse(word);
	if (state < 0)
		return diag_set(d, -EINVAL, path, 1, "remove it and run again with --resume",
				"\"state\" is none of the six");
	s.state = (enum cell_state)state;
	get_text(o, "reason", s.reason, sizeof(s.reason));
	get_text(o, "cure", s.cure, sizeof(s.cure));
	if (json_get(o, "seconds", &v))
		json_f64(&v, &s.seconds);
	if (json_get(o, "idle", &v))
		json_f64(&v, &s.idle);
	if (json_get(o, "broken_tries", &v) && !json_u64(&v, &tries) && tries <= UINT_MAX)
		s.broken_tries = (unsigned)tries;
	s.redated = json_get(o, "redated", &v) && v.kind == JSON_BOOL && v.b;
	s.undated = json_get(o, "undated", &v) && v.kind == JSON_BOOL && v.b;
	s.beside_builds = json_get(o, "beside_builds", &v) && v.kind == JSON_BOOL && v.b;
	get_declares(o, &s);
	*ret = s;
	return 0;
}

int status_read(const char *run, const char *cell, struct cell_status *ret, struct diag *d)
{
	char path[PATH_LEN], text[STATUS_LEN];
	struct json_parser *parser;
	struct json_value o;
	const char *why;
	size_t len;
	FILE *in;
	int rc = path_format(path, d, "%s/cells/%s/status.json", run, cell);

	if (rc)
		return rc;
	in = fopen(path, "re");
	if (!in)
		return errno == ENOENT ? -ENOENT
				       : diag_set(d, -errno, path, 0, NULL, "cannot be read: %s",
						  strerror(errno));
	len = fread(text, 1, sizeof(text), in);
	fclose(in);
	parser = json_parser_new();
	if (!parser)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	if (json_parse(parser, text, len, &o, &why))
		rc = diag_set(d, -EINVAL, path, 1, "remove it and run again with --resume", "%s",
			      why);
	else
		rc = parse_status(&o, path, ret, d);
	json_parser_free(parser);
	return rc;
}

int tally_run(const char *run, const struct plan *p, struct tally *ret, struct diag *d)
{
	struct tally t = {.planned = p->cnt};

	for (size_t i = 0; i < p->cnt; i++) {
		struct cell_status s;
		int rc = status_read(run, p->v[i].name, &s, d);

		if (rc == -ENOENT)
			t.open++;
		else if (rc)
			return rc;
		else
			t.counts[s.state]++;
	}
	*ret = t;
	return 0;
}

int tally_exit_code(const struct tally *t)
{
	size_t failed = t->counts[CELL_INVALID] + t->counts[CELL_TIMEOUT] + t->counts[CELL_CRASHED];

	if (t->open)
		return 3;
	if (t->counts[CELL_BROKEN])
		return 4;
	if (failed)
		return 1;
	if (t->counts[CELL_OK])
		return 0;
	return t->counts[CELL_UNSUPPORTED] ? 77 : 4;
}

const char *status_cure(const char *run, const char *cell, const struct cell_status *s,
			char ret[PATH_LEN])
{
	if (!strstr(s->cure, "the cell's log") ||
	    path_format(ret, NULL, "less %s/cells/%s/log", run, cell))
		return s->cure;
	return ret;
}
