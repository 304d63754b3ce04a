/* SPDX-License-Identifier: BSD-2-Clause */
/* Stored runs, through zstd. */
#include "harness/reference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "harness/folder.h"
#include "lib/files.h"
#include "lib/formats/json.h"
#include "lib/json_out.h"

enum { LEVEL = 19, FILE_MAX_BYTES = 256 << 20 };

static const char *const names[] = {"truth.bin", "evidence.bin"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

bool reference_has(const char *reference, const char *workload)
{
	char path[PATH_LEN];

	for (size_t i = 0; i < NAMES; i++) {
		bool plain, packed;

		if (path_format(path, NULL, "%s/%s/%s.zst", reference, workload, names[i]))
			return false;
		packed = !access(path, R_OK);
		path[strlen(path) - strlen(".zst")] = '\0';
		plain = !access(path, R_OK);
		if (!plain && !packed)
			return false;
	}
	return true;
}

static int unpack_bytes(const char *from, const char *in, size_t len, const char *to,
			struct diag *d)
{
	unsigned long long size = ZSTD_getFrameContentSize(in, len);
	char *out;
	size_t got;
	int rc;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    size > FILE_MAX_BYTES)
		return diag_set(d, -EINVAL, from, 0, "record it again with assay record",
				"this is no stored run: no zstd frame of a known, sane size");
	out = malloc(size ? size : 1);
	if (!out)
		return diag_set(d, -ENOMEM, from, 0, NULL, "out of memory");
	got = ZSTD_decompress(out, size, in, len);
	if (ZSTD_isError(got) || got != size)
		rc = diag_set(d, -EINVAL, from, 0, "record it again with assay record",
			      "it cannot be unpacked: %s",
			      ZSTD_isError(got) ? ZSTD_getErrorName(got) : "cut short");
	else
		rc = file_write(to, out, size, d);
	free(out);
	return rc;
}

static int unpack_one(const char *reference, const char *workload, const char *name,
		      const char *folder, struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN], *in;
	size_t len;
	int rc = path_format(to, d, "%s/%s", folder, name);

	if (!rc)
		rc = path_format(from, d, "%s/%s/%s", reference, workload, name);
	if (rc)
		return rc;
	if (!access(from, R_OK))
		return file_copy(from, to, d);
	rc = path_format(from, d, "%s/%s/%s.zst", reference, workload, name);
	if (!rc)
		rc = file_read(from, FILE_MAX_BYTES, &in, &len, d);
	if (rc)
		return rc;
	rc = unpack_bytes(from, in, len, to, d);
	free(in);
	return rc;
}

static int copy_if_there(const char *reference, const char *workload, const char *name,
			 const char *folder, struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc = path_format(to, d, "%s/%s", folder, name);

	if (!rc)
		rc = path_format(from, d, "%s/%s/%s", reference, workload, name);
	return rc || access(from, R_OK) ? rc : file_copy(from, to, d);
}

int reference_unpack(const char *reference, const char *workload, const char *to, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < NAMES; i++)
		rc = unpack_one(reference, workload, names[i], to, d);
	if (!rc)
		rc = copy_if_there(reference, workload, "manifest.yaml", to, d);
	return rc ? rc : copy_if_there(reference, workload, "provenance.json", to, d);
}

int reference_pack(const char *path, struct diag *d)
{
	char to[PATH_LEN], *in, *out = NULL;
	size_t len, cap, got;
	int rc = path_format(to, d, "%s.zst", path);

	if (!rc)
		rc = file_read(path, FILE_MAX_BYTES, &in, &len, d);
	if (rc)
		return rc;
	cap = ZSTD_compressBound(len);
	out = malloc(cap);
	got = out ? ZSTD_compress(out, cap, in, len, LEVEL) : 0;
	if (!out || ZSTD_isError(got))
		rc = diag_set(d, -ENOMEM, path, 0, NULL, "it cannot be packed");
	else
		rc = file_write(to, out, got, d);
	free(out);
	free(in);
	return rc;
}

/* ---- provenance.json ---- */

enum { ORIGIN_MAX_BYTES = 1 << 16 };

int reference_origin_write(const char *path, const struct reference_origin *r, struct diag *d)
{
	struct file_out f;
	struct json_out o;
	int rc = file_out_open(&f, path, d);

	if (rc)
		return rc;
	json_out_init(&o, f.f);
	json_out_object(&o, NULL);
	json_out_str(&o, "workload", r->workload);
	json_out_str(&o, "recorded", r->recorded);
	json_out_str(&o, "kernel", r->kernel);
	json_out_str(&o, "cpu", r->cpu);
	json_out_str(&o, "assay", r->assay);
	json_out_u64(&o, "seed", r->seed);
	json_out_str(&o, "params", r->params);
	json_out_end(&o);
	json_out_newline(&o);
	return file_out_commit(&f, d);
}

static void word(const struct json_value *o, const char *name, char *ret, size_t len)
{
	struct json_value v;

	if (json_get(o, name, &v) && v.kind == JSON_STRING && v.str.len < len)
		snprintf(ret, len, "%.*s", (int)v.str.len, v.str.s);
}

static int parse_origin(const char *text, size_t len, struct reference_origin *ret)
{
	struct reference_origin r = {.seed = 0};
	struct json_parser *parser = json_parser_new();
	struct json_value o, seed;
	const char *why;
	int rc = parser ? 0 : -ENOMEM;

	if (!rc && (json_parse(parser, text, len, &o, &why) || o.kind != JSON_OBJECT))
		rc = -EINVAL;
	if (!rc) {
		word(&o, "workload", r.workload, sizeof(r.workload));
		word(&o, "recorded", r.recorded, sizeof(r.recorded));
		word(&o, "kernel", r.kernel, sizeof(r.kernel));
		word(&o, "cpu", r.cpu, sizeof(r.cpu));
		word(&o, "assay", r.assay, sizeof(r.assay));
		word(&o, "params", r.params, sizeof(r.params));
		if (json_get(&o, "seed", &seed))
			json_u64(&seed, &r.seed);
		*ret = r;
	}
	json_parser_free(parser);
	return rc;
}

int reference_origin_read(const char *path, struct reference_origin *ret)
{
	size_t len;
	char *text;
	int rc =
		access(path, R_OK) ? -ENOENT : file_read(path, ORIGIN_MAX_BYTES, &text, &len, NULL);

	if (rc)
		return rc;
	rc = parse_origin(text, len, ret);
	free(text);
	return rc;
}
