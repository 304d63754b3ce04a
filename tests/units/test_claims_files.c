/* SPDX-License-Identifier: BSD-2-Clause */
/* Both forms of claims: nothing is lost between them, and half a file is none. */
#include "tests/units/claims_help.h"

#include <errno.h>
#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES	   "tests/units/data/scoring/*/claims.jsonl"
#define BAD_SAMPLE "tests/units/data/scoring/26-malformed-unknown-claim/claims.jsonl"

TestSuite(claims_files, .init = setup, .fini = teardown);

static void same_bytes(const char *one, const char *other)
{
	char *x, *y;
	size_t xlen, ylen;

	cr_assert_eq(file_read(one, 1 << 20, &x, &xlen, NULL), 0);
	cr_assert_eq(file_read(other, 1 << 20, &y, &ylen, NULL), 0);
	cr_assert(xlen == ylen && !memcmp(x, y, xlen), "%s and %s differ", one, other);
	free(x);
	free(y);
}

Test(claims_files, gives_the_same_json_back_from_binary)
{
	cr_assert_eq(file_write(a, every_kind, strlen(every_kind), NULL), 0);
	convert(a, b, CLAIMS_BINARY);
	convert(b, c, CLAIMS_JSON);
	same_bytes(a, c);
}

Test(claims_files, gives_the_same_binary_back_from_json)
{
	cr_assert_eq(file_write(c, every_kind, strlen(every_kind), NULL), 0);
	convert(c, a, CLAIMS_BINARY);
	convert(a, b, CLAIMS_JSON);
	convert(b, c, CLAIMS_BINARY);
	same_bytes(a, c);
	convert(a, b, CLAIMS_BINARY);
	same_bytes(a, b);
}

Test(claims_files, keeps_every_sample_of_the_contract)
{
	glob_t g;
	size_t sound = 0;

	cr_assert_eq(glob(SAMPLES, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (!strcmp(g.gl_pathv[i], BAD_SAMPLE))
			continue;
		convert(g.gl_pathv[i], a, CLAIMS_BINARY);
		convert(a, b, CLAIMS_JSON);
		same_claims(g.gl_pathv[i], a);
		same_claims(g.gl_pathv[i], b);
		sound++;
	}
	cr_assert_geq(sound, 26);
	globfree(&g);
}

Test(claims_files, names_line_3_of_the_malformed_sample)
{
	struct claims_counts n;
	struct diag d;

	cr_assert_eq(claims_check_file(BAD_SAMPLE, &n, NULL, &d), -EINVAL);
	cr_assert_eq(d.line, 3);
	cr_assert_not_null(strstr(d.reason, "rumour"));
	cr_assert_eq(claims_convert_file(BAD_SAMPLE, a, CLAIMS_BINARY, &d), -EINVAL);
	cr_assert_eq(access(a, F_OK), -1);
}

Test(claims_files, counts_by_kind_and_type)
{
	struct claims_counts n;
	struct claims_header h;
	struct diag d;

	cr_assert_eq(file_write(a, every_kind, strlen(every_kind), NULL), 0);
	cr_assert_eq(claims_check_file(a, &n, &h, &d), 0);
	cr_assert_eq(n.all, 12);
	cr_assert_eq(n.kind[CLAIM_HANDOFF], 4);
	cr_assert_eq(n.kind[CLAIM_COST], 2);
	cr_assert_eq(n.kind[CLAIM_GAP], 1);
	cr_assert_eq(n.handoff[HANDOFF_IO], 3);
	cr_assert_eq(n.handoff[HANDOFF_WAKE], 1);
	cr_assert_eq(n.orphans, 2);
	cr_assert_eq(n.undeclared, 0);
	cr_assert_str_eq(h.profiler, "causal");
	cr_assert_str_eq(claim_kind_name(CLAIM_DIAGNOSIS), "diagnosis");
}

Test(claims_files, counts_claims_that_were_not_declared)
{
	static const char text[] =
		"{\"claims\":1,\"profiler\":\"p\",\"version\":\"1\",\"clock\":\"monotonic\","
		"\"declares\":[\"handoff:io\",\"gap\"]}\n"
		"{\"c\":\"handoff\",\"type\":\"call\",\"src\":{\"tid\":1,\"t\":2},\"dst\":null}\n"
		"{\"c\":\"gap\",\"from\":1,\"to\":2}\n"
		"{\"c\":\"diagnosis\",\"label\":\"x\",\"t\":2}\n";
	struct claims_counts n;

	cr_assert_eq(file_write(a, text, strlen(text), NULL), 0);
	cr_assert_eq(claims_check_file(a, &n, NULL, NULL), 0);
	cr_assert_eq(n.undeclared, 2);
}

Test(claims_files, leaves_whole_lines_when_a_json_writer_dies)
{
	struct claims_header h = {"p", "1", 1};
	struct claim gap = {.kind = CLAIM_GAP, .gap.to = 123456789};
	struct claims x;
	struct diag d = {0};
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct claims_writer *w = claims_writer_open(a, CLAIMS_JSON, &h, NULL);

		for (int i = 0; w && i < 100000; i++)
			claims_writer_put(w, &gap);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(claims_load(a, &x, &d), 0, "%lu: %s", d.line, d.reason);
	cr_assert_gt(x.cnt, 90000);
	claims_free(&x);
}

Test(claims_files, refuses_to_write_what_it_would_not_read)
{
	struct claims_header h = {"p", "1", 1}, nameless = {"", "1", 1};
	struct claim bad = {.kind = CLAIM_GAP, .gap = {.from = 2, .to = 1}};
	struct claim good = {.kind = CLAIM_GAP};
	struct claims_writer *w;
	struct claims x;
	struct diag d = {0};

	cr_assert_null(claims_writer_open(a, CLAIMS_JSON, &nameless, &d));
	cr_assert_eq(d.err, -EINVAL);
	for (int form = 0; form < 2; form++) {
		w = claims_writer_open(a, (enum claims_form)form, &h, &d);
		cr_assert_eq(claims_writer_put(w, &good), 0);
		cr_assert_eq(claims_writer_put(w, &bad), -EINVAL);
		cr_assert_eq(claims_writer_put(w, &good), 0);
		cr_assert_eq(claims_writer_close(w, &d), -EINVAL);
		cr_assert_eq(d.line, 3);
		cr_assert_eq(claims_load(a, &x, &d), 0);
		cr_assert_eq(x.cnt, 2);
		claims_free(&x);
	}
}

Test(claims_files, reports_a_full_disk_at_put_or_close)
{
	struct claims_header h = {"p", "1", 1};
	struct claim gap = {.kind = CLAIM_GAP};
	struct rlimit small = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
	struct diag d = {0};
	int err = 0;

	cr_assert_null(claims_writer_open("/dev/full", CLAIMS_JSON, &h, &d));
	cr_assert_eq(d.err, -ENOSPC);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int form = 0; form < 2; form++) {
		struct claims_writer *w = claims_writer_open(a, (enum claims_form)form, &h, &d);

		for (int i = 0; i < 100000 && !err; i++)
			err = claims_writer_put(w, &gap);
		cr_assert_eq(err, -EFBIG);
		cr_assert_eq(claims_writer_put(w, &gap), -EFBIG);
		cr_assert_eq(claims_writer_close(w, &d), -EFBIG);
		cr_assert_str_eq(d.file, a);
		err = 0;
	}
}

Test(claims_files, leaves_nothing_when_a_conversion_fails)
{
	struct rlimit small = {.rlim_cur = 200, .rlim_max = RLIM_INFINITY};
	struct diag d = {0};
	char part[80];

	cr_assert_eq(file_write(a, every_kind, strlen(every_kind), NULL), 0);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	cr_assert_eq(claims_convert_file(a, b, CLAIMS_BINARY, &d), -EFBIG);
	snprintf(part, sizeof(part), "%s.part", b);
	cr_assert_eq(access(b, F_OK), -1);
	cr_assert_eq(access(part, F_OK), -1);
}

Test(claims_files, says_which_path_when_the_file_is_no_file)
{
	struct claims x;
	struct diag d;

	cr_assert_eq(claims_load("/nonexistent/claims", &x, &d), -ENOENT);
	cr_assert_str_eq(d.file, "/nonexistent/claims");
	cr_assert_eq(claims_load("/tmp", &x, &d), -EISDIR);
	cr_assert(d.cure[0]);
	cr_assert_eq(claims_load("/tmp", &x, NULL), -EISDIR);
}

Test(claims_files, reads_json_lines_from_a_pipe)
{
	char cmd[256], fifo[80];
	struct claims x;
	FILE *p;

	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_eq(file_write(a, every_kind, strlen(every_kind), NULL), 0);
	snprintf(cmd, sizeof(cmd), "cat %s > %s", a, fifo);
	p = popen(cmd, "w");
	cr_assert_eq(claims_load(fifo, &x, NULL), 0);
	cr_assert_eq(x.cnt, 12);
	claims_free(&x);
	pclose(p);
}

Test(claims_files, converts_to_a_pipe_and_leaves_it_one)
{
	char cmd[256], fifo[80];
	struct stat st;
	FILE *p;

	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_eq(file_write(a, every_kind, strlen(every_kind), NULL), 0);
	snprintf(cmd, sizeof(cmd), "cat %s > %s", fifo, b);
	p = popen(cmd, "w");
	convert(a, fifo, CLAIMS_JSON);
	cr_assert_eq(pclose(p), 0);
	same_bytes(a, b);
	cr_assert_eq(stat(fifo, &st), 0);
	cr_assert(S_ISFIFO(st.st_mode));
}
