/* SPDX-License-Identifier: BSD-2-Clause */
/* Evidence files: round trip, and refusal of whatever is not whole. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/evidence.h"

enum { HEAD_BYTES = 128, RECORDS = 1000 };

static char dir[] = "/tmp/assay-evidence-XXXXXX";
static char path[64], part[64];

static void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/e", dir);
	snprintf(part, sizeof(part), "%s/e.part", dir);
}

static void teardown(void)
{
	unlink(path);
	unlink(part);
	rmdir(dir);
}

TestSuite(evidence_file, .init = setup, .fini = teardown);

static const struct evidence_header header = {
	.pid = 7, .can = EVIDENCE_IO, .attached = 10, .drained = 20, .kernel = "6.18.0"};

static struct ev_rec record(unsigned i)
{
	return (struct ev_rec){.t = UINT64_C(1) << 60 | i,
			       .tid = i,
			       .tgid = 7,
			       .kind = EV_IO_SUBMIT,
			       .a = ~(__u64)i};
}

static void write_file(unsigned records)
{
	struct evidence_writer *w;
	struct diag d = {0};

	w = evidence_writer_open(path, &header, &d);
	cr_assert_not_null(w, "%s", d.reason);
	for (unsigned i = 0; i < records; i++) {
		struct ev_rec r = record(i);

		cr_assert_eq(evidence_writer_put(w, &r, 1), 0);
	}
	cr_assert_eq(evidence_writer_close(w, NULL, &d), 0, "%s", d.reason);
}

static void patch(off_t at, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	cr_assert_eq(pwrite(fd, bytes, len, at), (ssize_t)len);
	close(fd);
}

static void refused(uint64_t line, const char *word)
{
	struct evidence e;
	struct diag d = {0};

	memset(&e, 0x5a, sizeof(e));
	cr_assert_eq(evidence_load(path, &e, &d), -EINVAL);
	cr_assert_eq(*(unsigned char *)&e, 0x5a, "output touched on failure");
	cr_assert_eq(d.line, line);
	cr_assert_str_eq(d.file, path);
	cr_assert_not_null(strstr(d.reason, word), "%s", d.reason);
	cr_assert(d.cure[0]);
}

Test(evidence_file, gives_back_what_was_written)
{
	struct evidence e;
	struct diag d;

	write_file(RECORDS);
	cr_assert_eq(evidence_load(path, &e, &d), 0);
	cr_assert_eq(e.cnt, RECORDS);
	cr_assert_eq(e.header.records, RECORDS);
	cr_assert_eq(e.header.pid, 7);
	cr_assert_str_eq(e.header.kernel, "6.18.0");
	for (unsigned i = 0; i < RECORDS; i++) {
		struct ev_rec r = record(i);

		cr_assert_eq(memcmp(&e.v[i], &r, sizeof(r)), 0);
	}
	evidence_free(&e);
	evidence_free(&e);
}

Test(evidence_file, takes_what_is_known_only_at_the_end)
{
	struct evidence_header end = header;
	struct evidence_writer *w;
	struct evidence e;
	struct diag d;

	end.can = EVIDENCE_SCHED;
	end.drained = 99;
	end.lost = 5;
	w = evidence_writer_open(path, &header, &d);
	cr_assert_eq(evidence_writer_close(w, &end, &d), 0);
	cr_assert_eq(evidence_load(path, &e, &d), 0);
	cr_assert_eq(e.header.can, EVIDENCE_SCHED);
	cr_assert_eq(e.header.drained, 99);
	cr_assert_eq(e.header.lost, 5);
	cr_assert_eq(e.header.records, 0);
	cr_assert_eq(e.header.attached, 10);
	evidence_free(&e);
}

Test(evidence_file, appears_only_when_closed)
{
	struct evidence_writer *w;
	struct diag d;

	w = evidence_writer_open(path, &header, &d);
	cr_assert_eq(access(path, F_OK), -1);
	cr_assert_eq(access(part, F_OK), 0);
	cr_assert_eq(evidence_writer_close(w, NULL, &d), 0);
	cr_assert_eq(access(path, F_OK), 0);
	cr_assert_eq(access(part, F_OK), -1);
}

Test(evidence_file, refuses_a_file_cut_at_any_record)
{
	write_file(3);
	for (off_t bytes = HEAD_BYTES + 3 * 64 - 1; bytes >= 0; bytes -= 31) {
		cr_assert_eq(truncate(path, bytes), 0);
		refused(0, "cut");
	}
}

Test(evidence_file, refuses_more_bytes_than_the_header_says)
{
	write_file(2);
	cr_assert_eq(truncate(path, HEAD_BYTES + 3 * 64), 0);
	refused(0, "2 records");
	cr_assert_eq(truncate(path, HEAD_BYTES + 2 * 64 + 1), 0);
	refused(0, "2 records");
}

Test(evidence_file, names_the_record_that_is_impossible)
{
	const unsigned char no_kind = 0, far_kind = 128, far_ago = EV_AGO_SCALES + 1;
	const off_t kind_at = offsetof(struct ev_rec, kind),
		    ago_at = offsetof(struct ev_rec, ago_scale);

	write_file(5);
	patch(HEAD_BYTES + 3 * 64 + kind_at, &no_kind, 1);
	refused(3, "record 3");
	patch(HEAD_BYTES + 2 * 64 + kind_at, &far_kind, 1);
	refused(2, "kind 128");
	patch(HEAD_BYTES + 1 * 64 + ago_at, &far_ago, 1);
	refused(1, "impossible time");
}

Test(evidence_file, refuses_other_files_and_versions)
{
	const uint32_t version = 2, can = 1u << 4;
	const uint64_t late = 21;

	write_file(1);
	patch(offsetof(struct evidence_header, can) + 16, &can, sizeof(can));
	refused(0, "header");
	write_file(1);
	patch(offsetof(struct evidence_header, attached) + 16, &late, sizeof(late));
	refused(0, "header");
	write_file(1);
	patch(8, &version, sizeof(version));
	refused(0, "version 2");
	patch(0, "{\"claims\"", 9);
	refused(0, "no evidence");
	cr_assert_eq(file_write(path, "", 0, NULL), 0);
	refused(0, "no evidence");
}

Test(evidence_file, says_which_path_when_it_cannot_be_used)
{
	struct evidence e;
	struct diag d;

	cr_assert_eq(evidence_load("/nonexistent/e", &e, &d), -ENOENT);
	cr_assert_str_eq(d.file, "/nonexistent/e");
	cr_assert_eq(evidence_load(dir, &e, &d), -EISDIR);
	cr_assert_null(evidence_writer_open("/nonexistent/e", &header, &d));
	cr_assert_eq(d.err, -ENOENT);
}

Test(evidence_file, leaves_nothing_when_the_disk_is_full)
{
	struct evidence_writer *w;
	struct diag d;
	struct ev_rec r = record(1);
	int err = 0;

	/* /dev/full takes no byte; the part's name is a link to it */
	cr_assert_eq(symlink("/dev/full", part), 0);
	w = evidence_writer_open(path, &header, &d);
	cr_assert_not_null(w);
	for (unsigned i = 0; i < 100000 && !err; i++)
		err = evidence_writer_put(w, &r, 1);
	cr_assert_eq(err, -ENOSPC);
	cr_assert_eq(evidence_writer_put(w, &r, 1), -ENOSPC);
	cr_assert_eq(evidence_writer_close(w, NULL, &d), -ENOSPC);
	cr_assert_str_eq(d.file, path);
	cr_assert(d.cure[0]);
	cr_assert_eq(access(path, F_OK), -1);
	cr_assert_eq(access(part, F_OK), -1);
}
