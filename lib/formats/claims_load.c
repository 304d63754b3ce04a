/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a claims file of either form. */
#include "lib/formats/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/claims_binary.h"
#include "lib/formats/claims_fields.h"
#include "lib/formats/claims_variety.h"
#include "lib/lines.h"

/* The state of reading JSON Lines. */
struct reading {
	const char *path;
	struct diag *d;
	struct lines lines;
	struct json_parser *parser;
	struct strtab *strings;
	struct claims_header header;
	struct claims_variety variety;
	struct claim *v;
	size_t cnt, cap;
};

#define refuse(r, cure, ...)                                                                       \
	diag_set((r)->d, -EINVAL, (r)->path, (r)->lines.line, cure, __VA_ARGS__)

static int failed(const struct reading *r, int err)
{
	if (err == -EMSGSIZE)
		return refuse(r, "write one claim a line", "a line of more than %d bytes",
			      LINES_MAX_BYTES);
	return file_error(r->d, err, r->path, "read");
}

static bool is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return true;
}

static int parse_line(struct reading *r, const char *s, size_t len, struct json_value *ret)
{
	const char *why = "";
	int err;

	if (is_blank(s, len))
		return refuse(r, "write one claim a line and nothing else", "a blank line");
	err = json_parse(r->parser, s, len, ret, &why);
	if (err == -EINVAL && r->lines.cut)
		return refuse(r, "let the profiler end by itself: its last line is cut", "%s", why);
	if (err == -EINVAL)
		return refuse(r, "write one JSON object a line", "%s", why);
	return err ? failed(r, err) : 0;
}

static int grow(struct reading *r)
{
	size_t cap = r->cap ? r->cap * 2 : 1024;
	struct claim *v = realloc(r->v, cap * sizeof(*v));

	if (!v)
		return failed(r, -ENOMEM);
	r->v = v;
	r->cap = cap;
	return 0;
}

static int take_claim(struct reading *r)
{
	const struct claim_fault *f = claims_variety_take(&r->variety, &r->v[r->cnt]);

	if (f)
		return refuse(r, f->cure, "%s", f->reason);
	r->cnt++;
	return 0;
}

static int read_line(struct reading *r, const char *s, size_t len)
{
	struct json_value v;
	int err = parse_line(r, s, len, &v);

	if (err)
		return err;
	if (r->lines.line == 1)
		return claims_header_from_json(&v, &r->header, r->path, r->d);
	if (r->cnt == r->cap) {
		err = grow(r);
		if (err)
			return err;
	}
	err = claim_from_json(&v, r->strings, &r->v[r->cnt], r->path, r->lines.line, r->d);
	return err ? err : take_claim(r);
}

static int read_lines(struct reading *r)
{
	const char *s;
	size_t len;
	int more, err = 0;

	while (!err && (more = lines_next(&r->lines, &s, &len)) != 0)
		err = more < 0 ? failed(r, more) : read_line(r, s, len);
	if (!err && r->lines.line == 1)
		return diag_set(r->d, -EINVAL, r->path, 0,
				"a profiler that ran writes its header, even if it claims nothing",
				"a claims file of zero bytes");
	return err;
}

static int json_load(int fd, const char *path, struct claims_storage *s, struct claims *ret,
		     struct diag *d)
{
	struct reading r = {.path = path, .d = d, .strings = s->strings};
	int err;

	lines_init(&r.lines, fd);
	r.parser = json_parser_new();
	err = r.parser ? read_lines(&r) : failed(&r, -ENOMEM);
	json_parser_free(r.parser);
	lines_free(&r.lines);
	s->records = r.v;
	if (err)
		return err;
	ret->header = r.header;
	ret->v = r.v;
	ret->cnt = r.cnt;
	return 0;
}

static void storage_free(struct claims_storage *s)
{
	if (!s)
		return;
	if (s->map)
		munmap(s->map, s->map_bytes);
	free(s->records);
	strtab_free(s->strings);
	free(s);
}

/* A pipe cannot be looked at beforehand: it is read as JSON Lines. */
static bool starts_binary(int fd)
{
	char first;

	return pread(fd, &first, 1, 0) == 1 && first == CLAIMS_MAGIC[0];
}

static int load_fd(int fd, const char *path, struct claims *ret, struct diag *d)
{
	struct claims_storage *s = calloc(1, sizeof(*s));
	struct claims c = {0};
	int err = -ENOMEM;

	if (s)
		s->strings = strtab_new();
	if (!s || !s->strings)
		file_error(d, err, path, "read");
	else if (starts_binary(fd))
		err = claims_binary_load(fd, path, s, &c, d);
	else
		err = json_load(fd, path, s, &c, d);
	if (err) {
		storage_free(s);
		return err;
	}
	c.strings = s->strings;
	c.priv = s;
	*ret = c;
	return 0;
}

int claims_load(const char *path, struct claims *ret, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return file_error(d, -errno, path, "open");
	err = load_fd(fd, path, ret, d);
	close(fd);
	return err;
}

void claims_free(struct claims *c)
{
	storage_free(c->priv);
	memset(c, 0, sizeof(*c));
}
