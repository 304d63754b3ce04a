/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed form: a header, the words one after another with their NULs, and the arrays of a truth
 * as they are in memory, each on a 64-byte boundary. Little-endian, mapped on load. The header
 * carries the size of every element, so that a file of another build is refused and not misread,
 * and a checksum of the whole.
 */
#include "groundtruth/truth_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/hash.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the packed form is little-endian");

static uint64_t align_up(uint64_t v)
{
	return (v + 63) & ~UINT64_C(63);
}

/* ---- write ---- */

static uint64_t words_bytes(const struct strtab *s)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < strtab_count(s); i++)
		bytes += strlen(strtab_get(s, i)) + 1;
	return bytes;
}

static void plan_file(const struct truth *t, struct pack_header *h)
{
	uint64_t at = align_up(sizeof(*h));

	h->words_off = at;
	h->words_cnt = strtab_count(t->strings);
	h->words_bytes = words_bytes(t->strings);
	at = align_up(at + h->words_bytes);
	for (unsigned a = 0; a < ARRAY_CNT; a++) {
		size_t cnt;

		truth_array_get(t, a, &cnt);
		h->arrays[a] =
			(struct pack_array){.off = at, .cnt = cnt, .size = truth_array_size(a)};
		at = align_up(at + cnt * truth_array_size(a));
	}
	h->bytes = at;
}

/* Where the bytes behind the header go: into the checksum, then into the file. */
struct sink {
	FILE *f; /* NULL: only hash */
	XXH3_state_t *hash;
	uint64_t at;
};

static void put(struct sink *s, const void *v, uint64_t bytes)
{
	if (!bytes)
		return; /* an empty array has no address */
	if (s->f)
		fwrite_unlocked(v, 1, bytes, s->f);
	else
		XXH3_64bits_update(s->hash, v, bytes);
	s->at += bytes;
}

/* At most to the next boundary. */
static void pad_to(struct sink *s, uint64_t to)
{
	static const char zeros[64];

	put(s, zeros, to - s->at);
}

static void put_rest(const struct truth *t, const struct pack_header *h, struct sink *s)
{
	s->at = sizeof(*h);
	pad_to(s, h->words_off);
	for (uint32_t i = 0; i < strtab_count(t->strings); i++)
		put(s, strtab_get(t->strings, i), strlen(strtab_get(t->strings, i)) + 1);
	for (unsigned a = 0; a < ARRAY_CNT; a++) {
		size_t cnt;
		const void *v = truth_array_get(t, a, &cnt);

		pad_to(s, h->arrays[a].off);
		put(s, v, cnt * truth_array_size(a));
	}
	pad_to(s, h->bytes);
}

static int checksum(const struct truth *t, struct pack_header *h)
{
	struct sink s = {.hash = XXH3_createState()};

	if (!s.hash)
		return -ENOMEM;
	XXH3_64bits_reset(s.hash);
	put_rest(t, h, &s);
	h->checksum = pack_checksum(h, XXH3_64bits_digest(s.hash));
	XXH3_freeState(s.hash);
	return 0;
}

int truth_save(const struct truth *t, const char *path, struct diag *d)
{
	struct pack_header h = {.magic = TRUTH_MAGIC,
				.version = PACK_VERSION,
				.workload_str = t->workload_str,
				.variant_str = t->variant_str,
				.seed = t->seed,
				.scored = t->scored,
				.keys = t->keys,
				.closed = t->closed,
				.full = t->full,
				.counts = t->counts};
	struct sink s = {.f = NULL};
	struct file_out out;
	int err;

	plan_file(t, &h);
	if (checksum(t, &h))
		return file_error(d, -ENOMEM, path, "write");
	err = file_out_open(&out, path, d);
	if (err)
		return err;
	fwrite_unlocked(&h, sizeof(h), 1, out.f);
	s.f = out.f;
	put_rest(t, &h, &s);
	return file_out_commit(&out, d); /* reports what went wrong with the stream, too */
}

/* ---- read ---- */

static const char bad_cure[] = "the file is damaged: record the run again, or import its text form";

static int check_header(const char *path, const struct pack_header *h, uint64_t len, struct diag *d)
{
	if (h->version != PACK_VERSION)
		return diag_set(d, -EINVAL, path, 0, "export it with the assay that wrote it",
				"packed truth of version %u; this assay reads %u", h->version,
				PACK_VERSION);
	if (h->bytes != len)
		return diag_set(d, -EINVAL, path, 0, bad_cure,
				"the file has %llu bytes and should have %llu: it is cut short or "
				"was added to",
				(unsigned long long)len, (unsigned long long)h->bytes);
	if (h->words_off > len || h->words_bytes > len - h->words_off || !h->words_cnt ||
	    h->words_cnt > h->words_bytes || h->closed > 1 || h->full > 1)
		return diag_set(d, -EINVAL, path, 0, bad_cure, "the header is impossible");
	for (unsigned a = 0; a < ARRAY_CNT; a++) {
		const struct pack_array *s = &h->arrays[a];

		if (s->size != truth_array_size(a))
			return diag_set(d, -EINVAL, path, 0,
					"export it with the assay that wrote it",
					"array %u has elements of another size", a);
		if (s->off % 64 || s->off > len || s->cnt > (len - s->off) / s->size ||
		    (a != ARRAY_ORDER && s->cnt >> TRUTH_INDEX_BITS))
			return diag_set(d, -EINVAL, path, 0, bad_cure,
					"array %u lies outside the file", a);
	}
	return 0;
}

static int check_content(const char *path, const struct pack_header *h, uint64_t len,
			 struct diag *d)
{
	uint64_t rest = hash_bytes(h + 1, len - sizeof(*h), 0);

	if (pack_checksum(h, rest) == h->checksum)
		return 0;
	return diag_set(d, -EINVAL, path, 0, bad_cure,
			"the checksum is wrong: a byte of the file has changed");
}

/* Ids are dealt again in the same order, so a word that stands twice shows at once. */
static int read_words(const char *path, const struct pack_header *h, struct strtab *to,
		      struct diag *d)
{
	const char *s = (const char *)h + h->words_off, *end = s + h->words_bytes;

	for (uint32_t i = 0; i < h->words_cnt; i++) {
		const char *nul = memchr(s, 0, (size_t)(end - s));
		int64_t id = nul ? strtab_intern(to, s, (size_t)(nul - s)) : -EINVAL;

		if (id == -ENOMEM)
			return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
		if (id != i)
			return diag_set(d, -EINVAL, path, 0, bad_cure,
					"the table of words is impossible at word %u", i);
		s = nul + 1;
	}
	return 0;
}

static void adopt(const struct pack_header *h, struct truth *t)
{
	t->workload_str = h->workload_str;
	t->variant_str = h->variant_str;
	t->seed = h->seed;
	t->scored = h->scored;
	t->keys = h->keys;
	t->closed = h->closed;
	t->full = h->full;
	t->counts = h->counts;
	for (unsigned a = 0; a < ARRAY_CNT; a++)
		truth_array_set(t, a, (const char *)h + h->arrays[a].off, h->arrays[a].cnt);
}

static int unpack(const char *path, struct truth_store *s, struct truth *ret, struct diag *d)
{
	const struct pack_header *h = s->map;
	struct truth t = {.strings = s->strings, .priv = s};
	int err = check_header(path, h, s->map_len, d);

	if (!err)
		err = check_content(path, h, s->map_len, d);
	if (!err)
		err = read_words(path, h, s->strings, d);
	if (err)
		return err;
	adopt(h, &t);
	err = pack_validate(&t, path, d);
	if (!err)
		*ret = t;
	return err;
}

static int map_file(const char *path, int fd, struct truth_store *s, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st))
		return file_error(d, -errno, path, "read");
	if ((uint64_t)st.st_size < sizeof(struct pack_header))
		return diag_set(d, -EINVAL, path, 0, bad_cure,
				"a packed truth that ends inside its header");
	s->map_len = (size_t)st.st_size;
	s->map = mmap(NULL, s->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (s->map != MAP_FAILED)
		return 0;
	s->map = NULL;
	return file_error(d, -errno, path, "map");
}

int truth_unpack(const char *path, int fd, struct truth *ret, struct diag *d)
{
	struct truth_build b;
	int err = truth_build_init(&b);

	if (err)
		return diag_set(d, err, path, 0, NULL, "out of memory");
	err = map_file(path, fd, b.store, d);
	if (!err)
		err = unpack(path, b.store, ret, d);
	if (!err)
		b.store = NULL; /* it is the truth's now */
	truth_build_discard(&b);
	return err;
}

/* ---- either form ---- */

int truth_load(const char *path, struct truth *ret, struct diag *d)
{
	uint64_t magic = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return file_error(d, -errno, path, "open");
	/* A pipe cannot be read at a place: it holds text. */
	if (pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) && magic == TRUTH_MAGIC)
		err = truth_unpack(path, fd, ret, d);
	else
		err = truth_import(path, fd, ret, d);
	close(fd);
	return err;
}
