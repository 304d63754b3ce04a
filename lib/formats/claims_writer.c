/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a claims file of either form. */
#include "lib/formats/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/claims_binary.h"
#include "lib/formats/claims_fields.h"
#include "lib/utf8.h"

/* The buffer is flushed between lines once half full, so that stdio never cuts a line in two and
 * a profiler that is killed leaves whole lines. */
enum { WRITER_BUFFER = 256 << 10, WRITER_FLUSH = WRITER_BUFFER / 2 };

struct claims_writer {
	FILE *out;
	enum claims_form form;
	struct claims_header header;
	struct strtab *strings;
	uint64_t cnt;
	int disk_err;	   /* sticks */
	struct diag first; /* first error of any kind */
	char path[512];
	char buffer[WRITER_BUFFER];
};

static int disk_failed(struct claims_writer *w, int err)
{
	w->disk_err = err;
	if (!w->first.err)
		file_error(&w->first, err, w->path, "write");
	return err;
}

static int refuse(struct claims_writer *w, const struct claim_fault *f)
{
	if (!w->first.err)
		diag_set(&w->first, -EINVAL, w->path, w->cnt + 2, f->cure, "%s", f->reason);
	return -EINVAL;
}

static int flush(struct claims_writer *w)
{
	if (!fflush(w->out))
		return 0;
	return disk_failed(w, errno ? -errno : -EIO);
}

static void binary_header(const struct claims_writer *w, struct claims_binary *ret)
{
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->magic, CLAIMS_MAGIC, sizeof(ret->magic));
	ret->version = CLAIMS_BINARY_VERSION;
	ret->declares = w->header.declares;
	strcpy(ret->profiler, w->header.profiler);
	strcpy(ret->profiler_version, w->header.version);
}

static int write_header(struct claims_writer *w)
{
	struct claims_binary h;

	if (w->form == CLAIMS_JSON) {
		claims_header_print(w->out, &w->header);
	} else {
		binary_header(w, &h);
		fwrite(&h, sizeof(h), 1, w->out);
	}
	return flush(w);
}

static bool is_name(const char *s, size_t cap)
{
	size_t len = strnlen(s, cap);

	return len && len < cap && utf8_valid(s, len);
}

static bool is_header(const struct claims_header *h)
{
	return is_name(h->profiler, sizeof(h->profiler)) &&
	       is_name(h->version, sizeof(h->version)) && h->declares < DECLARES_DIAGNOSIS << 1;
}

static int open_file(struct claims_writer *w, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err;

	if (fd < 0)
		return -errno;
	if (w->form == CLAIMS_BINARY && lseek(fd, 0, SEEK_SET) < 0)
		goto fail;
	w->out = fdopen(fd, "w");
	if (!w->out)
		goto fail;
	setvbuf(w->out, w->buffer, _IOFBF, sizeof(w->buffer));
	return 0;
fail:
	err = -errno;
	close(fd);
	return err;
}

static void writer_free(struct claims_writer *w)
{
	if (w->out)
		fclose(w->out);
	strtab_free(w->strings);
	free(w);
}

enum claims_form claims_form_of(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && !strcmp(path + len - 4, ".bin") ? CLAIMS_BINARY : CLAIMS_JSON;
}

struct claims_writer *claims_writer_open(const char *path, enum claims_form form,
					 const struct claims_header *h, struct diag *d)
{
	struct claims_writer *w;
	int err;

	if (!is_header(h)) {
		diag_set(d, -EINVAL, path, 1, "give the profiler's name and version",
			 "a claims header without a name, a version, or with unknown declarations");
		return NULL;
	}
	w = calloc(1, sizeof(*w));
	if (!w) {
		file_error(d, -ENOMEM, path, "write");
		return NULL;
	}
	w->form = form;
	w->header = *h;
	snprintf(w->path, sizeof(w->path), "%s", path);
	w->strings = strtab_new();
	err = w->strings ? open_file(w, path) : -ENOMEM;
	err = err ? err : write_header(w);
	if (!err)
		return w;
	file_error(d, err, path, "write");
	writer_free(w);
	return NULL;
}

int64_t claims_writer_str(struct claims_writer *w, const char *s)
{
	static const struct claim_fault no_utf8 = {"a word that is not UTF-8",
						   "replace what is no UTF-8 in it"};
	size_t len = strlen(s);
	int64_t id;

	if (!utf8_valid(s, len))
		return refuse(w, &no_utf8);
	id = strtab_intern(w->strings, s, len);
	return id < 0 ? disk_failed(w, (int)id) : id;
}

void claims_writer_forget(struct claims_writer *w, uint32_t id)
{
	if (w->form == CLAIMS_JSON)
		strtab_forget_last(w->strings, id);
}

int claims_writer_put(struct claims_writer *w, const struct claim *c)
{
	struct claim sound = *c;
	const struct claim_fault *f;
	int err = 0;

	if (w->disk_err)
		return w->disk_err;
	claim_normalise(&sound);
	f = claim_fault(&sound, strtab_count(w->strings));
	if (f)
		return refuse(w, f);
	if (w->form == CLAIMS_JSON)
		err = claim_print(w->out, &sound, w->strings);
	else if (fwrite(&sound, sizeof(sound), 1, w->out) != 1)
		err = errno ? -errno : -EIO;
	if (err)
		return disk_failed(w, err);
	w->cnt++;
	return __fpending(w->out) > WRITER_FLUSH ? flush(w) : 0;
}

/* The words, then, once they are out, the word that says so. */
static int finish_binary(struct claims_writer *w)
{
	struct claims_binary h;
	ssize_t n;
	int err;

	binary_header(w, &h);
	h.records_cnt = w->cnt;
	h.strings_cnt = strtab_count(w->strings);
	for (uint32_t id = 1; id < h.strings_cnt; id++) {
		const char *word = strtab_get(w->strings, id);
		size_t bytes = strlen(word) + 1;

		h.strings_bytes += bytes;
		if (fwrite(word, 1, bytes, w->out) != bytes)
			return disk_failed(w, errno ? -errno : -EIO);
	}
	err = flush(w);
	if (err)
		return err;
	h.complete = 1;
	n = pwrite(fileno(w->out), &h, sizeof(h), 0);
	if (n != (ssize_t)sizeof(h))
		return disk_failed(w, n < 0 ? -errno : -ENOSPC);
	return 0;
}

int claims_writer_close(struct claims_writer *w, struct diag *d)
{
	int err;

	if (!w->disk_err && w->form == CLAIMS_BINARY)
		finish_binary(w);
	else if (!w->disk_err)
		flush(w);
	if (fclose(w->out) && !w->disk_err)
		disk_failed(w, errno ? -errno : -EIO);
	w->out = NULL;
	err = w->first.err;
	if (err && d)
		*d = w->first;
	writer_free(w);
	return err;
}
