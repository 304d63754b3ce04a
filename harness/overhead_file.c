/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of an overhead cell as JSON Lines. */
#include "harness/overhead_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/json.h"

enum { FILE_MAX = 1 << 20 };

/* Metrics and scopes are words of our own, without anything that JSON would want escaped. */
void overhead_file_put(const struct overhead_figure *f, FILE *out)
{
	fprintf(out, "{\"metric\":\"%s\",\"scope\":\"%s\",", f->metric, f->scope);
	if (f->has)
		fprintf(out, "\"value\":%.9g,", f->value);
	else
		fputs("\"value\":null,", out);
	if (f->has && f->has_interval)
		fprintf(out, "\"lo\":%.9g,\"hi\":%.9g,", f->lo, f->hi);
	fprintf(out, "\"n\":%llu}\n", (unsigned long long)f->n);
}

static int put(const struct overhead_figure *f, void *arg)
{
	overhead_file_put(f, arg);
	return 0;
}

int overhead_file_write(const struct overhead *o, const char *path, struct diag *d)
{
	struct file_out out;
	int rc = file_out_open(&out, path, d);

	if (rc)
		return rc;
	if (overhead_each(o, put, out.f)) {
		file_out_abort(&out);
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	}
	return file_out_commit(&out, d);
}

static bool number_of(const struct json_value *o, const char *name, double *ret)
{
	struct json_value v;

	return json_get(o, name, &v) && !json_f64(&v, ret);
}

static bool word_of(const struct json_value *o, const char *name, const char **ret)
{
	struct json_value v;

	if (!json_get(o, name, &v) || v.kind != JSON_STRING)
		return false;
	*ret = v.str.s;
	return true;
}

static bool read_figure(const struct json_value *o, struct overhead_figure *ret)
{
	struct json_value n;

	*ret = (struct overhead_figure){.metric = ""};
	if (!word_of(o, "metric", &ret->metric) || !word_of(o, "scope", &ret->scope) ||
	    !json_get(o, "n", &n) || json_u64(&n, &ret->n))
		return false;
	ret->has = number_of(o, "value", &ret->value);
	ret->has_interval = number_of(o, "lo", &ret->lo) && number_of(o, "hi", &ret->hi);
	return ret->has || !ret->n;
}

int overhead_file_read(const char *path, int (*fn)(const struct overhead_figure *f, void *arg),
		       void *arg, struct diag *d)
{
	struct json_parser *p = json_parser_new();
	char *text = NULL, *save = NULL;
	const char *why = "this is no figure";
	uint64_t line = 0;
	int rc = p ? file_read(path, FILE_MAX, &text, NULL, d)
		   : diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");

	for (char *s = rc ? NULL : strtok_r(text, "\n", &save); !rc && s;
	     s = strtok_r(NULL, "\n", &save)) {
		struct overhead_figure f;
		struct json_value o;

		line++;
		if (json_parse(p, s, strlen(s), &o, &why) || !read_figure(&o, &f))
			rc = diag_set(d, -EINVAL, path, line, "make the cell again", "%s", why);
		else
			rc = fn(&f, arg);
	}
	free(text);
	json_parser_free(p);
	return rc;
}
