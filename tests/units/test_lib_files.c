/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and lines: whole or not at all, and every error says its path. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/lines.h"

static char dir[] = "/tmp/assay-files-XXXXXX";
static char path[64], part[64];
static struct diag d;

static void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(part, sizeof(part), "%s/f.part", dir);
	memset(&d, 0, sizeof(d));
}

static void teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	cr_assert_eq(system(cmd), 0);
}

TestSuite(files, .init = setup, .fini = teardown);
TestSuite(lines, .init = setup, .fini = teardown);

Test(files, joins_paths)
{
	char buf[16] = "untouched";

	cr_assert_eq(path_join(buf, sizeof(buf), "a", "b"), 0);
	cr_assert_str_eq(buf, "a/b");
	cr_assert_eq(path_join(buf, sizeof(buf), "a/", "b"), 0);
	cr_assert_str_eq(buf, "a/b");
	cr_assert_eq(path_join(buf, sizeof(buf), "a", "/b"), 0);
	cr_assert_str_eq(buf, "/b");
	cr_assert_eq(path_join(buf, sizeof(buf), "a", ""), 0);
	cr_assert_str_eq(buf, "a");
	cr_assert_eq(path_join(buf, sizeof(buf), "", "b"), 0);
	cr_assert_str_eq(buf, "b");
	cr_assert_eq(path_join(buf, sizeof(buf), "1234567", "12345678"), -ENAMETOOLONG);
	cr_assert_str_eq(buf, "b");
	cr_assert_eq(path_join(buf, sizeof(buf), "1234567", "1234567"), 0);
}

Test(files, makes_folders_above_and_again)
{
	char deep[128];
	struct stat st;

	snprintf(deep, sizeof(deep), "%s/a//b/c/", dir);
	cr_assert_eq(dir_make(deep, &d), 0, "%s", d.reason);
	cr_assert_eq(dir_make(deep, &d), 0);
	cr_assert_eq(stat(deep, &st), 0);
	cr_assert(S_ISDIR(st.st_mode));
}

Test(files, says_which_part_of_a_path_is_no_folder)
{
	char below[128];

	cr_assert_eq(file_write(path, "x", 1, &d), 0);
	snprintf(below, sizeof(below), "%s/below", path);
	cr_assert_eq(dir_make(below, &d), -ENOTDIR);
	cr_assert_str_eq(d.file, path);
	cr_assert(d.cure[0]);
}

Test(files, reads_back_what_it_wrote)
{
	char *text;
	size_t len;

	cr_assert_eq(file_write(path, "a\0b", 3, &d), 0);
	cr_assert_eq(access(part, F_OK), -1);
	cr_assert_eq(file_read(path, 3, &text, &len, &d), 0);
	cr_assert_eq(len, 3);
	cr_assert_eq(memcmp(text, "a\0b", 4), 0);
	free(text);
	cr_assert_eq(file_read(path, 2, &text, &len, &d), -EFBIG);
	cr_assert_eq(file_read(path, 3, &text, NULL, &d), -EINVAL);
	cr_assert_eq(file_read("/nonexistent", 3, &text, &len, &d), -ENOENT);
	cr_assert_str_eq(d.file, "/nonexistent");
	cr_assert_eq(file_read(dir, 3, &text, &len, &d), -EISDIR);
}

Test(files, reads_files_that_have_no_size)
{
	char *text;
	size_t len;

	cr_assert_eq(file_read("/proc/self/status", 1 << 20, &text, &len, &d), 0);
	cr_assert_gt(len, 100);
	cr_assert_eq(text[len], 0);
	free(text);
}

Test(files, keeps_the_old_file_until_the_new_one_is_whole)
{
	struct file_out o;
	char *text;

	cr_assert_eq(file_write(path, "old", 3, &d), 0);
	cr_assert_eq(file_out_open(&o, path, &d), 0);
	fputs("new", o.f);
	fflush(o.f);
	cr_assert_eq(file_read(path, 10, &text, NULL, &d), 0);
	cr_assert_str_eq(text, "old");
	free(text);
	file_out_abort(&o);
	file_out_abort(&o);
	cr_assert_eq(access(part, F_OK), -1);
	cr_assert_eq(file_out_open(&o, path, &d), 0);
	fputs("new", o.f);
	cr_assert_eq(file_out_commit(&o, &d), 0);
	cr_assert_eq(file_read(path, 10, &text, NULL, &d), 0);
	cr_assert_str_eq(text, "new");
	free(text);
}

Test(files, leaves_nothing_when_the_disk_is_full)
{
	static char much[100000];
	struct file_out o;

	cr_assert_eq(symlink("/dev/full", part), 0);
	cr_assert_eq(file_write(path, "x", 1, &d), -ENOSPC);
	cr_assert_str_eq(d.file, path);
	cr_assert_not_null(strstr(d.cure, "space"));
	cr_assert_eq(access(path, F_OK), -1);
	cr_assert_neq(readlink(part, much, 1), 1);
	cr_assert_eq(symlink("/dev/full", part), 0);
	cr_assert_eq(file_write(path, much, sizeof(much), &d), -ENOSPC);
	cr_assert_eq(symlink("/dev/full", part), 0);
	cr_assert_eq(file_out_open(&o, path, &d), 0);
	/* the failed flush of the past is not forgotten at commit */
	fwrite(much, 1, sizeof(much), o.f);
	cr_assert_eq(file_out_commit(&o, &d), -ENOSPC);
	cr_assert_eq(access(path, F_OK), -1);
}

Test(files, refuses_to_replace_what_is_no_file)
{
	char fifo[80];
	struct stat st;

	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_eq(file_write(fifo, "x", 1, &d), -EINVAL);
	cr_assert_eq(file_write(dir, "x", 1, &d), -EINVAL);
	cr_assert(d.cure[0]);
	cr_assert_eq(stat(fifo, &st), 0);
	cr_assert(S_ISFIFO(st.st_mode));
	cr_assert_not(file_is_special(path));
}

Test(files, refuses_paths_that_are_too_long)
{
	char longer[PATH_MAX + 10];
	struct file_out o;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	cr_assert_eq(file_out_open(&o, longer, &d), -ENAMETOOLONG);
	cr_assert_eq(dir_make(longer, &d), -ENAMETOOLONG);
}

static struct lines open_lines(const char *text, size_t len)
{
	struct lines l;

	cr_assert_eq(file_write(path, text, len, &d), 0);
	lines_init(&l, open(path, O_RDONLY | O_CLOEXEC));
	return l;
}

static void close_lines(struct lines *l)
{
	close(l->fd);
	lines_free(l);
	lines_free(l);
}

static void next_is(struct lines *l, const char *text, uint64_t line, bool cut)
{
	const char *s;
	size_t len;

	cr_assert_eq(lines_next(l, &s, &len), 1);
	cr_assert_eq(len, strlen(text));
	cr_assert_eq(memcmp(s, text, len), 0);
	cr_assert_eq(l->line, line);
	cr_assert_eq(l->cut, cut);
}

Test(lines, gives_every_line_with_its_number)
{
	struct lines l = open_lines("a\n\nlong one\nend", 15);
	const char *s;
	size_t len;

	next_is(&l, "a", 1, false);
	next_is(&l, "", 2, false);
	next_is(&l, "long one", 3, false);
	next_is(&l, "end", 4, true);
	cr_assert_eq(lines_next(&l, &s, &len), 0);
	cr_assert_eq(lines_next(&l, &s, &len), 0);
	close_lines(&l);
}

Test(lines, gives_nothing_when_the_file_is_empty)
{
	struct lines l = open_lines("", 0);
	const char *s;
	size_t len;

	cr_assert_eq(lines_next(&l, &s, &len), 0);
	close_lines(&l);
}

/* Lines of all lengths around the size of a block, so that each border is crossed. */
Test(lines, joins_what_blocks_cut)
{
	const size_t block = 1 << 20;
	char *text = malloc(8 * block);
	size_t at = 0, want[64], cnt = 0;
	const char *s;
	size_t len;
	struct lines l;

	for (size_t i = 0; i < 10; i++)
		want[cnt++] = block - 5 + i;
	for (size_t i = 0; i < 20; i++)
		want[cnt++] = i;
	want[cnt++] = 2 * block + 3;
	for (size_t i = 0; i < cnt && at + want[i] < 8 * block; i++) {
		memset(text + at, (int)('a' + i % 26), want[i]);
		at += want[i];
		text[at++] = '\n';
		if (at + block + 10 > 7 * block)
			cnt = i + 1;
	}
	l = open_lines(text, at);
	for (size_t i = 0; i < cnt; i++) {
		cr_assert_eq(lines_next(&l, &s, &len), 1);
		cr_assert_eq(len, want[i], "line %zu", i);
		cr_assert(!len || (s[0] == (char)('a' + i % 26) && s[len - 1] == s[0]));
	}
	cr_assert_eq(lines_next(&l, &s, &len), 0);
	close_lines(&l);
	free(text);
}

Test(lines, takes_lines_of_16_mib_and_no_longer)
{
	char *text = malloc(LINES_MAX_BYTES + 2);
	const char *s;
	size_t len;
	struct lines l;

	memset(text, 'x', LINES_MAX_BYTES + 2);
	text[LINES_MAX_BYTES] = '\n';
	l = open_lines(text, LINES_MAX_BYTES + 1);
	cr_assert_eq(lines_next(&l, &s, &len), 1);
	cr_assert_eq(len, LINES_MAX_BYTES);
	close_lines(&l);
	text[LINES_MAX_BYTES] = 'x';
	text[LINES_MAX_BYTES + 1] = '\n';
	l = open_lines(text, LINES_MAX_BYTES + 2);
	cr_assert_eq(lines_next(&l, &s, &len), -EMSGSIZE);
	cr_assert_eq(l.line, 1);
	close_lines(&l);
	free(text);
}

Test(lines, reports_errors_of_reading)
{
	struct lines l;
	const char *s;
	size_t len;

	lines_init(&l, open(dir, O_RDONLY | O_CLOEXEC));
	cr_assert_eq(lines_next(&l, &s, &len), -EISDIR);
	close_lines(&l);
}
