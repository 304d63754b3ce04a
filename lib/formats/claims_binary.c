/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapping a packed claims file, and trusting nothing in it. */
#include "lib/formats/claims_binary.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/files.h"
#include "lib/formats/claims_fields.h"
#include "lib/formats/claims_variety.h"
#include "lib/utf8.h"

#define refuse(cure, ...) diag_set(d, -EINVAL, path, 0, cure, __VA_ARGS__)

static const char written_cure[] = "write the file with a claims writer, and close it";

static int check_size(const struct claims_binary *h, size_t bytes, const char *path, struct diag *d)
{
	size_t rest = bytes - sizeof(*h);

	if (h->version != CLAIMS_BINARY_VERSION)
		return refuse("convert it with the assay that wrote it",
			      "packed claims of version %u, not %u", h->version,
			      CLAIMS_BINARY_VERSION);
	if (h->complete != 1)
		return refuse("let the profiler end by itself, or write JSON Lines",
			      "unfinished packed claims: the writer ended before it closed them");
	if (h->records_cnt > rest / sizeof(struct claim) ||
	    rest - h->records_cnt * sizeof(struct claim) != h->strings_bytes || !h->strings_cnt)
		return refuse("copy it again, whole",
			      "packed claims whose parts do not add up to the size of the file");
	return 0;
}

static int check_name(const char *name, size_t cap, const char *what, const char *path,
		      struct diag *d)
{
	size_t len = strnlen(name, cap);

	if (!len || len == cap || !utf8_valid(name, len))
		return refuse(written_cure, "the %s in the header is no name", what);
	return 0;
}

static int check_header(const struct claims_binary *h, const char *path, struct diag *d)
{
	int err;

	if (h->declares >= DECLARES_DIAGNOSIS << 1)
		return refuse(written_cure, "the header declares what does not exist");
	err = check_name(h->profiler, sizeof(h->profiler), "profiler", path, d);
	return err ? err
		   : check_name(h->profiler_version, sizeof(h->profiler_version), "version", path,
				d);
}

/* Each word must get the id at which it stands: so none is there twice, and none is empty. */
static int load_words(const char *s, size_t bytes, uint32_t cnt, struct strtab *strings,
		      const char *path, struct diag *d)
{
	for (uint32_t id = 1; id < cnt; id++) {
		size_t len = strnlen(s, bytes);
		int64_t got;

		if (len == bytes || !utf8_valid(s, len))
			return refuse(written_cure, "the table of words is damaged at word %u", id);
		got = strtab_intern(strings, s, len);
		if (got < 0)
			return file_error(d, (int)got, path, "load");
		if (got != id)
			return refuse(written_cure, "word %u is empty or there twice", id);
		s += len + 1;
		bytes -= len + 1;
	}
	return bytes ? refuse(written_cure, "bytes after the last word") : 0;
}

static int check_records(const struct claim *v, size_t cnt, uint32_t strings_cnt, const char *path,
			 struct diag *d)
{
	struct claims_variety variety = {};

	for (size_t i = 0; i < cnt; i++) {
		const struct claim_fault *f = claim_fault(&v[i], strings_cnt);

		f = f ? f : claims_variety_take(&variety, &v[i]);
		if (f)
			return diag_set(d, -EINVAL, path, i + 2, f->cure, "%s", f->reason);
	}
	return 0;
}

static int check_map(const struct claims_binary *h, size_t bytes, struct strtab *strings,
		     const char *path, struct diag *d)
{
	const struct claim *v = (const struct claim *)(h + 1);
	int err;

	err = check_size(h, bytes, path, d);
	err = err ? err : check_header(h, path, d);
	err = err ? err
		  : load_words((const char *)(v + h->records_cnt), h->strings_bytes, h->strings_cnt,
			       strings, path, d);
	return err ? err : check_records(v, h->records_cnt, h->strings_cnt, path, d);
}

static void fill_result(const struct claims_binary *h, struct claims *ret)
{
	memset(&ret->header, 0, sizeof(ret->header));
	strcpy(ret->header.profiler, h->profiler);
	strcpy(ret->header.version, h->profiler_version);
	ret->header.declares = h->declares;
	ret->v = (const struct claim *)(h + 1);
	ret->cnt = h->records_cnt;
}

int claims_binary_load(int fd, const char *path, struct claims_storage *s, struct claims *ret,
		       struct diag *d)
{
	const struct claims_binary *h;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return file_error(d, -errno, path, "read");
	if (st.st_size < (off_t)sizeof(*h))
		return refuse("copy it again, whole", "packed claims cut inside their header");
	h = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (h == MAP_FAILED)
		return file_error(d, -errno, path, "map");
	s->map = (void *)h;
	s->map_bytes = (size_t)st.st_size;
	if (memcmp(h->magic, CLAIMS_MAGIC, sizeof(h->magic)) != 0)
		return refuse("give a claims file", "neither JSON Lines nor packed claims");
	err = check_map(h, s->map_bytes, s->strings, path, d);
	if (err)
		return err;
	fill_result(h, ret);
	return 0;
}
