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

int reference_unpack(const char *reference, const char *workload, const char *to, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < NAMES; i++)
		rc = unpack_one(reference, workload, names[i], to, d);
	return rc;
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
