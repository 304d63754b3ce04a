/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence files, little-endian: struct evidence_file, then records to the end.
 *
 * What a record must be is little: a regime may have cut its arguments, and kinds are appended. So
 * a kind is in the numbers set aside for kinds; a joiner skips what it doesn't know. Times are not
 * checked for order, which is that of the ring buffer.
 */
#include "lib/formats/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"

#define EVIDENCE_MAGIC                                                                             \
	"\x89"                                                                                     \
	"ASEVID\n"
enum { EVIDENCE_VERSION = 1 };

struct evidence_file {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	struct evidence_header header;
	uint8_t pad[8];
};
_Static_assert(sizeof(struct evidence_header) == 104, "part of the file format");
_Static_assert(sizeof(struct evidence_file) == 128, "records stay aligned to their size");

enum {
	EVIDENCE_CAN_ALL = EVIDENCE_IO | EVIDENCE_FUTEX | EVIDENCE_SCHED | EVIDENCE_PROC |
			   EVIDENCE_BLOCK | EVIDENCE_APP | EVIDENCE_STREAM | EVIDENCE_TIMER |
			   EVIDENCE_WORK | EVIDENCE_FAULT,
	EVIDENCE_KINDS = 128, /* kinds are 1 … 127 */
};

#define refuse(line, cure, ...) diag_set(d, -EINVAL, path, line, cure, __VA_ARGS__)

static int check_header(const struct evidence_file *f, size_t bytes, const char *path,
			struct diag *d)
{
	const struct evidence_header *h = &f->header;

	if (memcmp(f->magic, EVIDENCE_MAGIC, sizeof(f->magic)) != 0)
		return refuse(0, "give a file that assay record wrote", "no evidence file");
	if (f->version != EVIDENCE_VERSION || f->record_bytes != sizeof(struct ev_rec))
		return refuse(0, "record it again with this assay",
			      "evidence of version %u, not %u", f->version, EVIDENCE_VERSION);
	if (h->records != (bytes - sizeof(*f)) / sizeof(struct ev_rec) ||
	    (bytes - sizeof(*f)) % sizeof(struct ev_rec))
		return refuse(0, "copy it again, whole",
			      "evidence cut short: the header says %llu records",
			      (unsigned long long)h->records);
	if (h->can & ~(uint32_t)EVIDENCE_CAN_ALL || h->attached > h->drained ||
	    !memchr(h->kernel, 0, sizeof(h->kernel)))
		return refuse(0, "record it again", "an impossible evidence header");
	return 0;
}

static int check_records(const struct ev_rec *v, size_t cnt, const char *path, struct diag *d)
{
	for (size_t i = 0; i < cnt; i++) {
		if (v[i].kind == EV_NONE || v[i].kind >= EVIDENCE_KINDS)
			return refuse(i, "record it again with this assay",
				      "record %zu is of unknown kind %u", i, v[i].kind);
		if (v[i].ago_scale > EV_AGO_SCALES)
			return refuse(i, "record it again with this assay",
				      "record %zu came an impossible time after the one before", i);
	}
	return 0;
}

/* The mapping of a whole file, or negative errno. */
static int map_file(const char *path, const struct evidence_file **ret, size_t *ret_bytes,
		    struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map = NULL;
	int err = 0;

	if (fd < 0)
		return file_error(d, -errno, path, "open");
	if (fstat(fd, &st))
		err = file_error(d, -errno, path, "read");
	else if (S_ISDIR(st.st_mode))
		err = file_error(d, -EISDIR, path, "read");
	else if (st.st_size < (off_t)sizeof(struct evidence_file))
		err = refuse(0, "give a file that assay record wrote",
			     "no evidence file, or one that is cut inside its header");
	if (!err) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			err = file_error(d, -errno, path, "map");
	}
	close(fd);
	if (err)
		return err;
	*ret = map;
	*ret_bytes = (size_t)st.st_size;
	return 0;
}

int evidence_load(const char *path, struct evidence *ret, struct diag *d)
{
	const struct evidence_file *f = NULL;
	const struct ev_rec *v;
	size_t bytes = 0;
	int err;

	err = map_file(path, &f, &bytes, d);
	if (err)
		return err;
	v = (const struct ev_rec *)(f + 1);
	err = check_header(f, bytes, path, d);
	err = err ? err : check_records(v, f->header.records, path, d);
	if (err) {
		munmap((void *)f, bytes);
		return err;
	}
	ret->header = f->header;
	ret->v = v;
	ret->cnt = f->header.records;
	ret->priv = (void *)f;
	return 0;
}

void evidence_free(struct evidence *e)
{
	if (e->priv)
		munmap(e->priv, sizeof(struct evidence_file) + e->cnt * sizeof(struct ev_rec));
	memset(e, 0, sizeof(*e));
}

struct evidence_writer {
	struct file_out out;
	struct evidence_file head;
	int err; /* sticks */
};

struct evidence_writer *evidence_writer_open(const char *path, const struct evidence_header *h,
					     struct diag *d)
{
	struct evidence_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		file_error(d, -ENOMEM, path, "write");
		return NULL;
	}
	memcpy(w->head.magic, EVIDENCE_MAGIC, sizeof(w->head.magic));
	w->head.version = EVIDENCE_VERSION;
	w->head.record_bytes = sizeof(struct ev_rec);
	w->head.header = *h;
	w->head.header.records = 0;
	if (file_out_open(&w->out, path, d)) {
		free(w);
		return NULL;
	}
	if (fwrite(&w->head, sizeof(w->head), 1, w->out.f) != 1)
		w->err = errno ? -errno : -EIO;
	return w;
}

int evidence_writer_put(struct evidence_writer *w, const struct ev_rec *r, size_t cnt)
{
	if (w->err)
		return w->err;
	if (fwrite(r, sizeof(*r), cnt, w->out.f) != cnt)
		w->err = errno ? -errno : -EIO;
	else
		w->head.header.records += cnt;
	return w->err;
}

int evidence_writer_close(struct evidence_writer *w, const struct evidence_header *h,
			  struct diag *d)
{
	struct evidence_header *mine = &w->head.header;
	int err;

	if (h) {
		mine->can = h->can;
		mine->lost = h->lost;
		mine->drained = h->drained;
	}
	if (!w->err &&
	    (fseeko(w->out.f, 0, SEEK_SET) || fwrite(&w->head, sizeof(w->head), 1, w->out.f) != 1))
		w->err = errno ? -errno : -EIO;
	err = w->err;
	if (err) {
		file_out_abort(&w->out);
		file_error(d, err, w->out.path, "write");
	} else {
		err = file_out_commit(&w->out, d);
	}
	free(w);
	return err;
}
