/* SPDX-License-Identifier: BSD-2-Clause */
/* Another build_id in the text of a manifest, every other byte as it was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "lib/formats/manifest_tree.h"
#include "lib/utf8.h"

/* The bytes [from, to) are replaced by before, the build-id and after. */
struct edit {
	size_t from, to;
	const char *before, *after;
};

/* Byte of a place; lines are numbered and columns counted as the tree does. */
static size_t byte_of(const char *bytes, size_t len, uint32_t line, uint32_t column)
{
	size_t at = 0;

	while (line-- > 1) {
		const char *end = memchr(bytes + at, '\n', len - at);

		if (!end)
			return len;
		at = (size_t)(end - bytes) + 1;
	}
	while (column-- > 1 && at < len)
		at += utf8_step(bytes + at, len - at);
	return at;
}

static int place_edit(const char *bytes, size_t len, const struct tree *t, const char *path,
		      struct edit *ret, struct diag *d)
{
	const struct node *root = tree_root(t), *id = tree_get(t, root, "build_id");
	const struct node *app = tree_get(t, root, "application");

	if (id && id->line == id->end_line) {
		*ret = (struct edit){byte_of(bytes, len, id->line, id->column),
				     byte_of(bytes, len, id->end_line, id->end_column),
				     id->len || !id->plain ? "" : " ", ""};
		return 0;
	}
	if (id || !app || bytes[byte_of(bytes, len, root->line, root->column)] == '{')
		return place_fault(d, path, root->line, root->column,
				   "build_id: on a line of its own, behind application",
				   "there is no line for the build_id");
	ret->from = ret->to = byte_of(bytes, len, app->end_line + 1, 1);
	ret->before = ret->from && bytes[ret->from - 1] == '\n' ? "build_id: " : "\nbuild_id: ";
	ret->after = "\n";
	return 0;
}

static int apply(const char *bytes, size_t len, const struct edit *e, const char *id, char **ret,
		 size_t *ret_len)
{
	size_t cap = len + strlen(id) + 64, n;
	char *out = malloc(cap);

	if (!out)
		return -ENOMEM;
	memcpy(out, bytes, e->from);
	n = e->from + (size_t)sprintf(out + e->from, "%s%s%s", e->before, id, e->after);
	memcpy(out + n, bytes + e->to, len - e->to);
	n += len - e->to;
	out[n] = 0;
	*ret = out;
	*ret_len = n;
	return 0;
}

/* An edit that broke the text would be noticed only when a profiler reads it. */
static int verify(const char *bytes, size_t len, const char *path, const char *id, struct diag *d)
{
	struct manifest m;
	int rc = manifest_parse(bytes, len, path, &m, d);

	if (rc)
		return rc;
	if (strcmp(m.build_id, id))
		rc = diag_set(d, -EINVAL, path, m.build_id_place.line,
			      "build_id: on a line of its own, behind application",
			      "the build_id cannot be edited where it stands");
	manifest_free(&m);
	return rc;
}

int manifest_stamp(const char *bytes, size_t len, const char *path, const char *build_id,
		   char **ret, size_t *ret_len, struct diag *d)
{
	struct manifest m;
	struct tree t;
	struct edit e = {0, 0, "", ""};
	char *out = NULL;
	size_t out_len = 0;
	int rc = manifest_parse(bytes, len, path, &m, d);

	if (rc)
		return rc;
	manifest_free(&m);
	rc = tree_read(bytes, len, path, &t, d);
	if (rc)
		return rc;
	rc = place_edit(bytes, len, &t, path, &e, d);
	tree_free(&t);
	if (!rc && apply(bytes, len, &e, build_id, &out, &out_len))
		rc = diag_set(d, -ENOMEM, path, 0, "free memory", "memory is full");
	if (!rc)
		rc = verify(out, out_len, path, build_id, d);
	if (rc) {
		free(out);
		return rc;
	}
	*ret = out;
	*ret_len = out_len;
	return 0;
}

int manifest_stamp_file(const char *from, const char *build_id, const char *to, struct diag *d)
{
	char *text, *stamped;
	size_t len, stamped_len;
	int rc = file_read(from, MANIFEST_BYTES_MAX, &text, &len, d);

	if (rc)
		return rc;
	rc = manifest_stamp(text, len, from, build_id, &stamped, &stamped_len, d);
	free(text);
	if (rc)
		return rc;
	rc = file_write(to, stamped, stamped_len, d);
	free(stamped);
	return rc;
}
