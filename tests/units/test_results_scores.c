/* SPDX-License-Identifier: BSD-2-Clause */
/* scores.csv: what is written is read back, and nothing else is. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "results/scores_csv.h"

#define HEADER                                                                                     \
	"run,cell,workload,variant,profiler,division,regime,binding,seed,metric,scope,value,lo,"   \
	"hi,"                                                                                      \
	"n,status\n"
#define GOOD "r,c,w,base,p,attach,clean,-,1,m,all,0.5,,,4,ok\n"

static char path[64];

static void make_path(void)
{
	int fd;

	strcpy(path, "/tmp/assay-scores-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
}

static void remove_path(void)
{
	unlink(path);
}

static const struct figure_row plain = {
	.run = "r",
	.cell = "c",
	.workload = "w",
	.variant = "base",
	.profiler = "p",
	.division = "attach",
	.regime = "clean",
	.binding = "-",
	.seed = 1,
	.metric = "m",
	.scope = "all",
	.has_value = true,
	.value = 0.5,
	.n = 4,
	.status = "ok",
};

static int collect(const struct figure_row *row, void *arg)
{
	static char run[64], profiler[64];
	struct figure_row *out = arg;

	*out = *row;
	snprintf(run, sizeof(run), "%s", row->run);
	snprintf(profiler, sizeof(profiler), "%s", row->profiler);
	out->run = run;
	out->profiler = profiler;
	return 0;
}

static void write_one(const struct figure_row *row)
{
	struct scores_csv *w;
	struct diag d;

	cr_assert_eq(scores_csv_create(path, &w, &d), 0, "%s", d.reason);
	cr_assert_eq(scores_csv_put(w, row, &d), 0, "%s", d.reason);
	cr_assert_eq(scores_csv_close(w, &d), 0, "%s", d.reason);
}

static char *content(void)
{
	static char text[4096];
	FILE *f = fopen(path, "r");

	cr_assert(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void put_text(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	cr_assert(f);
	cr_assert_eq(fwrite(text, 1, len, f), len);
	cr_assert_eq(fclose(f), 0);
}

Test(scores_csv, writes_a_plain_line_without_quotes, .init = make_path, .fini = remove_path)
{
	write_one(&plain);
	cr_expect_str_eq(content(), HEADER GOOD);
}

Test(scores_csv, reads_back_words_with_commas_quotes_and_newlines, .init = make_path,
     .fini = remove_path)
{
	struct figure_row row = plain, got;
	struct diag d = {0};

	row.run = "a,\"b\"\nc\r\nd";
	row.profiler = "\"";
	write_one(&row);
	cr_assert_eq(scores_csv_read(path, collect, &got, &d), 0, "%s", d.reason);
	cr_expect_str_eq(got.run, row.run);
	cr_expect_str_eq(got.profiler, row.profiler);
}

Test(scores_csv, reads_back_every_double_exactly, .init = make_path, .fini = remove_path)
{
	static const double values[] = {
		0.1,   1.0 / 3, 1e-300, 123456789.123,	    1e300,
		-0.25, 1e6,	5e-324, 0.9999999999999999, 9007199254740993.0};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct figure_row row = plain, got;
		struct diag d = {0};

		row.value = values[i];
		row.has_interval = true;
		row.lo = values[i];
		row.hi = values[i];
		write_one(&row);
		cr_assert_eq(scores_csv_read(path, collect, &got, &d), 0, "%s", d.reason);
		cr_expect_eq(got.value, values[i], "%.17g became %.17g", values[i], got.value);
		cr_expect(got.has_interval && got.lo == values[i] && got.hi == values[i]);
	}
}

Test(scores_csv, writes_counts_as_integers_and_ratios_shortest, .init = make_path,
     .fini = remove_path)
{
	struct figure_row row = plain;

	row.value = 1000000;
	write_one(&row);
	cr_expect(strstr(content(), ",all,1000000,,,4,"), "%s", content());
	row.value = 0.1;
	write_one(&row);
	cr_expect(strstr(content(), ",all,0.1,,,4,"), "%s", content());
}

Test(scores_csv, leaves_the_value_empty_when_there_is_nothing_to_divide_by, .init = make_path,
     .fini = remove_path)
{
	struct figure_row row = plain, got;
	struct diag d = {0};

	row.has_value = false;
	row.n = 0;
	write_one(&row);
	cr_expect(strstr(content(), ",all,,,,0,ok\n"), "%s", content());
	cr_assert_eq(scores_csv_read(path, collect, &got, &d), 0, "%s", d.reason);
	cr_expect_not(got.has_value);
}

Test(scores_csv, refuses_figures_that_the_format_cannot_say, .init = make_path, .fini = remove_path)
{
	struct figure_row bad[4] = {plain, plain, plain, plain};
	struct scores_csv *w;
	struct diag d;

	bad[0].value = 0.0 / 0.0;
	bad[1].value = 1e308 * 10;
	bad[2].has_value = false;
	bad[3].has_interval = true;
	bad[3].lo = 2;
	bad[3].hi = 1;
	cr_assert_eq(scores_csv_create(path, &w, &d), 0);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(scores_csv_put(w, &bad[i], &d), -EINVAL, "figure %zu", i);
	scores_csv_abort(w);
}

Test(scores_csv, leaves_no_file_when_aborted_and_the_old_one_untouched, .init = make_path,
     .fini = remove_path)
{
	struct scores_csv *w;
	struct diag d;
	char part[80];

	put_text("old", 3);
	cr_assert_eq(scores_csv_create(path, &w, &d), 0);
	cr_assert_eq(scores_csv_put(w, &plain, &d), 0);
	scores_csv_abort(w);
	cr_expect_str_eq(content(), "old");
	snprintf(part, sizeof(part), "%s.part", path);
	cr_expect_neq(access(part, F_OK), 0);
}

Test(scores_csv, is_an_error_and_leaves_nothing_when_the_disk_takes_no_more, .init = make_path,
     .fini = remove_path)
{
	struct rlimit limit = {.rlim_cur = 8192, .rlim_max = RLIM_INFINITY};
	struct scores_csv *w;
	struct diag d = {0};
	char part[80];

	put_text("old", 3);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_eq(scores_csv_create(path, &w, &d), 0);
	for (int i = 0; i < 1000; i++)
		scores_csv_put(w, &plain, &d);
	cr_expect_lt(scores_csv_close(w, &d), 0);
	cr_expect_str_eq(d.file, path);
	snprintf(part, sizeof(part), "%s.part", path);
	cr_expect_neq(access(part, F_OK), 0, "a half-written file is left");
	cr_expect_str_eq(content(), "old");
}

struct bad_text {
	char text[256];
	char why[64];
	size_t len; /* 0: strlen */
	uint64_t line;
};

static const struct bad_text bad_texts[] = {
	{"", "header line is missing", 0, 1},
	{"run,cell\n", "2 fields where 16", 0, 1},
	{"run,cell,workload,variant,profiler,division,regime,binding,seed,metric,scope,value,lo,hi,"
	 "n,"
	 "state\n",
	 "column 16 must be \"status\"", 0, 1},
	{HEADER "r,c\n", "2 fields where 16", 0, 2},
	{HEADER "\n", "1 fields where 16", 0, 2},
	{HEADER GOOD "r,c,w,base,p,attach,clean,-,1,m,all,0.5,,,4,ok,more\n", "more than 16", 0, 3},
	{HEADER "r,c,w,base,p,attach,clean,-,x,m,all,0.5,,,4,ok\n", "seed must be a count", 0, 2},
	{HEADER "r,c,w,base,p,attach,clean,-,0x1,m,all,0.5,,,4,ok\n", "seed must be a count", 0, 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,half,,,4,ok\n", "value must be a decimal", 0,
	 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,nan,,,4,ok\n", "value must be a decimal", 0,
	 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,,,,4,ok\n", "n must be 0", 0, 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,1,2,,4,ok\n", "lo must be given together", 0,
	 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,1,2,1,4,ok\n", "lo must be given together", 0,
	 2},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,1,,,-4,ok\n", "n must be a count", 0, 2},
	{HEADER "r,,w,base,p,attach,clean,-,1,m,all,1,,,4,ok\n", "cell must be given", 0, 2},
	{HEADER "r,c\"d,w,base,p,attach,clean,-,1,m,all,1,,,4,ok\n", "quote inside a field", 0, 2},
	{HEADER "r,\"c\"d,w,base,p,attach,clean,-,1,m,all,1,,,4,ok\n", "after the closing quote", 0,
	 2},
	{HEADER "r,\"c,w\n", "ends inside a quoted field", 0, 3},
	{HEADER "r,c,w,base,p,attach,clean,-,1,m,all,1,,,4,ok", "last line is not complete", 0, 2},
	{HEADER "r\rx,c,w,base,p,attach,clean,-,1,m,all,1,,,4,ok\n", "carriage return", 0, 2},
	{HEADER "r\0x\n", "NUL byte", sizeof(HEADER) + 3, 2},
};

static int ignore(const struct figure_row *row, void *arg)
{
	(*(int *)arg)++;
	return 0;
}

Test(scores_csv, refuses_malformed_files_with_line_reason_and_cure, .init = make_path,
     .fini = remove_path)
{
	for (size_t i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++) {
		const struct bad_text *b = &bad_texts[i];
		struct diag d = {0};
		int rows = 0;

		put_text(b->text, b->len ? b->len : strlen(b->text));
		cr_expect_eq(scores_csv_read(path, ignore, &rows, &d), -EINVAL, "case %zu", i);
		cr_expect(strstr(d.reason, b->why), "case %zu: \"%s\" does not say \"%s\"", i,
			  d.reason, b->why);
		cr_expect_eq(d.line, b->line, "case %zu: line %zu", i, (size_t)d.line);
		cr_expect_str_eq(d.file, path);
		cr_expect(d.cure[0], "case %zu has no cure", i);
	}
}

Test(scores_csv, takes_lines_that_end_as_rfc_4180_has_it, .init = make_path, .fini = remove_path)
{
	static const char text[] =
		"run,cell,workload,variant,profiler,division,regime,binding,seed,metric,scope,"
		"value,"
		"lo,hi,n,status\r\nr,\"c\",w,base,p,attach,clean,-,1,m,all,0.5,,,4,ok\r\n";
	struct diag d = {0};
	int rows = 0;

	put_text(text, sizeof(text) - 1);
	cr_expect_eq(scores_csv_read(path, ignore, &rows, &d), 0, "%s", d.reason);
	cr_expect_eq(rows, 1);
}

static int stop(const struct figure_row *row, void *arg)
{
	(*(int *)arg)++;
	return -ECANCELED;
}

Test(scores_csv, ends_reading_and_returns_it_when_the_caller_says_no, .init = make_path,
     .fini = remove_path)
{
	struct diag d = {0};
	int rows = 0;

	put_text(HEADER GOOD GOOD, strlen(HEADER GOOD GOOD));
	cr_expect_eq(scores_csv_read(path, stop, &rows, &d), -ECANCELED);
	cr_expect_eq(rows, 1);
}
