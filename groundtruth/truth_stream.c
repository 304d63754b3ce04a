/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed truth as a stream: one array in place, the others spooled. */
#include "groundtruth/truth_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/truth_pack.h"
#include "lib/files.h"
#include "lib/hash.h"

enum { COPY_BYTES = 1 << 16 };

struct truth_stream {
	struct file_out out;
	struct strtab *strings;
	FILE *spool[ARRAY_CNT]; /* all but handoffs; NULL until used */
	uint64_t cnt[ARRAY_CNT];
	XXH3_state_t *hash; /* of the bytes behind the header */
	uint64_t at;	    /* bytes in out */
	int err;	    /* sticks */
};

static const enum truth_array array_of[REC_CNT] = {
	[REC_SEGMENT] = ARRAY_SEGMENTS, [REC_HANDOFF] = ARRAY_HANDOFFS,
	[REC_EVENT] = ARRAY_EVENTS,	[REC_EFFECT] = ARRAY_EFFECTS,
	[REC_COST] = ARRAY_COSTS,	[REC_LOSS] = ARRAY_LOSSES,
	[REC_LIVE] = ARRAY_LIVES,	[REC_DIAGNOSIS] = ARRAY_DIAGNOSES,
	[REC_DECOY] = ARRAY_DECOYS,
};

static int fail(struct truth_stream *s, int err)
{
	if (!s->err)
		s->err = err;
	return s->err;
}

static int disk_error(void)
{
	return errno ? -errno : -EIO;
}

static void put(struct truth_stream *s, const void *v, size_t bytes)
{
	if (bytes && fwrite_unlocked(v, 1, bytes, s->out.f) != bytes)
		fail(s, disk_error());
	if (bytes)
		XXH3_64bits_update(s->hash, v, bytes);
	s->at += bytes;
}

/* Elements of the packed form begin on 64 bytes. */
static void pad(struct truth_stream *s)
{
	static const char zeros[64];

	put(s, zeros, -s->at & 63);
}

static FILE *spool_open(const char *path)
{
	char name[PATH_MAX + 16];
	FILE *f;
	int fd, err;

	snprintf(name, sizeof(name), "%s.XXXXXX", path);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return NULL;
	unlink(name);
	f = fdopen(fd, "w+");
	if (f)
		return f;
	err = errno;
	close(fd);
	errno = err;
	return NULL;
}

static int spool(struct truth_stream *s, enum truth_array a, const void *element)
{
	if (!s->spool[a])
		s->spool[a] = spool_open(s->out.part);
	if (!s->spool[a] || fwrite_unlocked(element, truth_array_size(a), 1, s->spool[a]) != 1)
		return fail(s, disk_error());
	s->cnt[a]++;
	return 0;
}

static void spool_all(struct truth_stream *s, enum truth_array a, const void *v, size_t cnt)
{
	for (size_t i = 0; i < cnt && !s->err; i++)
		spool(s, a, (const char *)v + i * truth_array_size(a));
}

static int note(struct truth_stream *s, enum truth_record r, uint64_t index)
{
	uint32_t order = (uint32_t)r << TRUTH_INDEX_BITS | (uint32_t)index;

	if (s->err)
		return s->err;
	if (index >> TRUTH_INDEX_BITS)
		return fail(s, -E2BIG);
	return spool(s, ARRAY_ORDER, &order);
}

struct truth_stream *truth_stream_open(const char *path, struct diag *d)
{
	struct truth_stream *s = calloc(1, sizeof(*s));
	const struct pack_header room = {0};
	int err;

	if (!s || !(s->strings = strtab_new()) || !(s->hash = XXH3_createState())) {
		file_error(d, -ENOMEM, path, "write");
		truth_stream_abort(s);
		errno = ENOMEM;
		return NULL;
	}
	err = file_out_open(&s->out, path, d);
	if (err) {
		truth_stream_abort(s);
		errno = -err;
		return NULL;
	}
	XXH3_64bits_reset(s->hash);
	put(s, &room, sizeof(room));
	XXH3_64bits_reset(s->hash);
	pad(s);
	return s;
}

int64_t truth_stream_word(struct truth_stream *s, const char *word)
{
	int64_t id = strtab_intern(s->strings, word, strlen(word));

	return id < 0 ? fail(s, (int)id) : id;
}

int truth_stream_put(struct truth_stream *s, enum truth_record r, const void *element)
{
	enum truth_array a = array_of[r];
	int err = note(s, r, s->cnt[a]);

	if (err)
		return err;
	if (a != ARRAY_HANDOFFS)
		return spool(s, a, element);
	put(s, element, truth_array_size(a));
	s->cnt[a]++;
	return s->err;
}

int truth_stream_begin(struct truth_stream *s, const struct truth_op *op, uint32_t *ret_index)
{
	uint64_t index = s->cnt[ARRAY_OPS];
	int err = note(s, REC_BEGIN, index);

	if (!err)
		err = spool(s, ARRAY_OPS, op);
	if (!err)
		*ret_index = (uint32_t)index;
	return err;
}

int truth_stream_end(struct truth_stream *s, uint32_t index)
{
	return note(s, REC_END, index);
}

static void append_spool(struct truth_stream *s, enum truth_array a)
{
	char buf[COPY_BYTES];
	size_t n;

	if (!s->spool[a] || s->err)
		return;
	if (fflush(s->spool[a]) || fseek(s->spool[a], 0, SEEK_SET)) {
		fail(s, disk_error());
		return;
	}
	while (!s->err && (n = fread_unlocked(buf, 1, sizeof(buf), s->spool[a])) > 0)
		put(s, buf, n);
	if (ferror(s->spool[a]))
		fail(s, disk_error());
}

static void append_words(struct truth_stream *s, struct pack_header *h)
{
	h->words_off = s->at;
	h->words_cnt = strtab_count(s->strings);
	for (uint32_t i = 0; i < h->words_cnt; i++) {
		const char *word = strtab_get(s->strings, i);

		put(s, word, strlen(word) + 1);
	}
	h->words_bytes = s->at - h->words_off;
	pad(s);
}

/* Handoffs stand right behind the header; what was spooled follows, then the words. */
static void append_arrays(struct truth_stream *s, struct pack_header *h)
{
	uint64_t first = (sizeof(*h) + 63) & ~UINT64_C(63);

	pad(s);
	for (unsigned a = 0; a < ARRAY_CNT; a++) {
		uint64_t off = a == ARRAY_HANDOFFS ? first : s->at;

		h->arrays[a] = (struct pack_array){
			.off = off, .cnt = s->cnt[a], .size = truth_array_size(a)};
		append_spool(s, a);
		pad(s);
	}
	append_words(s, h);
	h->bytes = s->at;
}

static void write_header(struct truth_stream *s, struct pack_header *h)
{
	h->checksum = pack_checksum(h, XXH3_64bits_digest(s->hash));
	if (!s->err && (fseek(s->out.f, 0, SEEK_SET) || fwrite(h, sizeof(*h), 1, s->out.f) != 1))
		fail(s, disk_error());
}

int truth_stream_close(struct truth_stream *s, const struct truth *header, struct diag *d)
{
	struct pack_header h = {.magic = TRUTH_MAGIC,
				.version = PACK_VERSION,
				.workload_str = header->workload_str,
				.variant_str = header->variant_str,
				.seed = header->seed,
				.scored = header->scored,
				.keys = header->keys,
				.closed = true,
				.full = header->full,
				.counts = header->counts};
	int err;

	spool_all(s, ARRAY_THREADS, header->threads, header->threads_cnt);
	spool_all(s, ARRAY_KEYS, header->key_strs, header->key_strs_cnt);
	spool_all(s, ARRAY_DESCRIPTORS, header->descriptors, header->descriptors_cnt);
	note(s, REC_CLOSE, 0);
	append_arrays(s, &h);
	write_header(s, &h);
	err = s->err ? file_error(d, s->err, s->out.path, "write") : file_out_commit(&s->out, d);
	truth_stream_abort(s);
	return err;
}

void truth_stream_abort(struct truth_stream *s)
{
	if (!s)
		return;
	file_out_abort(&s->out);
	for (unsigned a = 0; a < ARRAY_CNT; a++)
		if (s->spool[a])
			fclose(s->spool[a]);
	strtab_free(s->strings);
	XXH3_freeState(s->hash);
	free(s);
}
