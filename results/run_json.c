/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json and cells/CELL/status.json. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/run_parts.h"

json_t *run_load_object(const char *path, int *ret_err, struct diag *d)
{
	json_error_t e;
	FILE *f = fopen(path, "re");
	json_t *o;

	if (!f) {
		*ret_err = diag_set(d, -errno, path, 0, "is this the folder of a run?",
				    "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	o = json_loadf(f, JSON_REJECT_DUPLICATES, &e);
	fclose(f);
	if (!o) {
		*ret_err =
			diag_set(d, -EINVAL, path, e.line > 0 ? (uint64_t)e.line : 0,
				 "the file is damaged: run the cell again", "no JSON: %s", e.text);
	} else if (!json_is_object(o)) {
		*ret_err = diag_set(d, -EINVAL, path, 1, NULL, "must be a JSON object");
		json_decref(o);
		o = NULL;
	}
	return o;
}

int run_get_string(struct run_dir *r, const json_t *o, const char *path, const char *name,
		   const char **ret, struct diag *d)
{
	const json_t *v = json_object_get(o, name);
	const char *s;

	if (v && !json_is_null(v) && !json_is_string(v))
		return diag_set(d, -EINVAL, path, 0, NULL, "\"%s\" must be a string", name);
	s = run_keep(r, json_string_value(v));
	if (!s)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	*ret = s;
	return 0;
}

static int read_tools(struct run_dir *r, json_t *tools, const char *path, struct diag *d)
{
	const char *name;
	json_t *v;

	if (tools && !json_is_object(tools))
		return diag_set(d, -EINVAL, path, 0, NULL, "\"tools\" must be an object");
	r->tools = calloc(json_object_size(tools) + 1, sizeof(*r->tools));
	if (!r->tools)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	json_object_foreach(tools, name, v)
	{
		struct run_tool *t = &r->tools[r->tool_cnt];
		int err = run_get_string(r, tools, path, name, &t->version, d);

		if (err)
			return err;
		t->name = run_keep(r, name);
		if (!t->name)
			return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
		r->tool_cnt++;
	}
	return 0;
}

static int read_skips(struct run_dir *r, const json_t *skips, const char *path, struct diag *d)
{
	size_t i;
	json_t *v;

	if (skips && !json_is_array(skips))
		return diag_set(d, -EINVAL, path, 0, NULL, "\"skipped\" must be an array");
	r->skips = calloc(json_array_size(skips) + 1, sizeof(*r->skips));
	if (!r->skips)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	json_array_foreach(skips, i, v)
	{
		struct run_skip *s = &r->skips[i];
		int err = run_get_string(r, v, path, "what", &s->what, d);

		if (!err)
			err = run_get_string(r, v, path, "why", &s->why, d);
		if (!err)
			err = run_get_string(r, v, path, "cure", &s->cure, d);
		if (err)
			return err;
		r->skip_cnt++;
	}
	return 0;
}

/* Where stored runs come from; those of one machine and day once. */
static int read_stored(struct run_dir *r, const json_t *stored, const char *path, struct diag *d)
{
	char text[1024] = "";
	size_t i, len = 0;
	json_t *v;

	if (stored && !json_is_array(stored))
		return diag_set(d, -EINVAL, path, 0, NULL, "\"stored\" must be an array");
	json_array_foreach(stored, i, v)
	{
		const char *kernel = "", *when = "";
		char one[256];
		int err = run_get_string(r, v, path, "kernel", &kernel, d);

		if (!err)
			err = run_get_string(r, v, path, "recorded", &when, d);
		if (err)
			return err;
		snprintf(one, sizeof(one), "%.120s at %.10s",
			 *kernel ? kernel : "an unknown kernel", *when ? when : "no date");
		if (!strstr(text, one) && len + strlen(one) + 3 < sizeof(text))
			len += (size_t)sprintf(text + len, "%s%s", len ? ", " : "", one);
	}
	r->stored = run_keep(r, text);
	return r->stored ? 0 : diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
}

static int read_strings(struct run_dir *r, const json_t *o, const char *path, struct diag *d)
{
	const struct {
		const char *name;
		const char **to;
	} strings[] = {
		{"run", &r->run},	    {"suite", &r->suite}, {"started", &r->started},
		{"finished", &r->finished}, {"host", &r->host},	  {"kernel", &r->kernel},
		{"cpu", &r->cpu},
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		int err = run_get_string(r, o, path, strings[i].name, strings[i].to, d);

		if (err)
			return err;
	}
	return 0;
}

static int read_counts(struct run_dir *r, const json_t *o, const char *path, uint64_t *ret_planned,
		       struct diag *d)
{
	const json_t *cpus = json_object_get(o, "cpus"), *planned = json_object_get(o, "planned");

	if (!json_is_integer(planned) || json_integer_value(planned) < 0)
		return diag_set(d, -EINVAL, path, 0, NULL, "\"planned\" must be a count");
	/* Some writers give the list of CPUs, some their number. */
	r->cpus = json_is_array(cpus) ? json_array_size(cpus) : 0;
	if (json_is_integer(cpus) && json_integer_value(cpus) > 0)
		r->cpus = (uint64_t)json_integer_value(cpus);
	*ret_planned = (uint64_t)json_integer_value(planned);
	return 0;
}

int run_read_json(struct run_dir *r, const char *path, uint64_t *ret_planned, struct diag *d)
{
	int err = -EINVAL;
	json_t *o = run_load_object(path, &err, d);

	if (!o)
		return err;
	r->json = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	err = r->json ? 0 : diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	if (!err)
		err = read_strings(r, o, path, d);
	if (!err)
		err = read_counts(r, o, path, ret_planned, d);
	if (!err)
		err = read_tools(r, json_object_get(o, "tools"), path, d);
	if (!err)
		err = read_stored(r, json_object_get(o, "stored"), path, d);
	if (!err)
		err = read_skips(r, json_object_get(o, "skipped"), path, d);
	json_decref(o);
	return err;
}

static int fill_status(struct run_dir *r, struct run_cell *c, const json_t *o, const char *path,
		       struct diag *d)
{
	const char *cell = json_string_value(json_object_get(o, "cell"));
	const char *word = json_string_value(json_object_get(o, "state"));
	const json_t *seconds = json_object_get(o, "seconds");
	const json_t *idle = json_object_get(o, "idle");
	const json_t *tries = json_object_get(o, "broken_tries");
	int state = word ? cell_state_parse(word) : -1;
	int err;

	if (!cell || strcmp(cell, c->cell))
		return diag_set(d, -EINVAL, path, 0, "run the cell again",
				"\"cell\" must be \"%s\"", c->cell);
	if (state < 0)
		return diag_set(d, -EINVAL, path, 0, "run the cell again",
				"\"state\" must be ok, unsupported, invalid, broken, timeout or "
				"crashed");
	c->state = (enum cell_state)state;
	c->seconds = json_is_number(seconds) ? json_number_value(seconds) : 0;
	c->idle = json_is_number(idle) ? json_number_value(idle) : -1;
	c->broken_tries = (unsigned)json_integer_value(tries);
	c->redated = json_is_true(json_object_get(o, "redated"));
	c->undated = json_is_true(json_object_get(o, "undated"));
	c->beside_builds = json_is_true(json_object_get(o, "beside_builds"));
	err = run_get_string(r, o, path, "reason", &c->reason, d);
	if (!err)
		err = run_get_string(r, o, path, "cure", &c->cure, d);
	if (!err)
		err = run_get_string(r, o, path, "log", &c->log, d);
	return err;
}

int run_read_status(struct run_dir *r, struct run_cell *c, struct diag *d)
{
	char path[4096];
	int err = -EINVAL;
	struct diag tmp;
	json_t *o;

	snprintf(path, sizeof(path), "%s/cells/%s/status.json", r->path, c->cell);
	o = run_load_object(path, &err, &tmp);
	if (!o) {
		if (err == -ENOENT)
			return 0;
		if (d)
			*d = tmp;
		return err;
	}
	err = fill_status(r, c, o, path, d);
	json_decref(o);
	return err ? err : 1;
}
