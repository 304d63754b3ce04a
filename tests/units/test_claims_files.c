/* SPDX-License-Identifier: BSD-2-Clause */
/* Both forms of claims: nothing is lost between them, and half a file is none. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/claims_file.h"

#define SAMPLES	   "tests/units/data/scoring/*/claims.jsonl"
#define BAD_SAMPLE "tests/units/data/scoring/26-malformed-unknown-claim/claims.jsonl"

enum { HEAD_BYTES = 192 };

static char dir[] = "/tmp/assay-claims-XXXXXX";
static char a[64], b[64], c[64];

static void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	snprintf(a, sizeof(a), "%s/a", dir);
	snprintf(b, sizeof(b), "%s/b", dir);
	snprintf(c, sizeof(c), "%s/c", dir);
}

static void teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	cr_assert_eq(system(cmd), 0);
}

TestSuite(claims_files, .init = setup, .fini = teardown);

static const char every_kind[] =
	"{\"claims\":1,\"profiler\":\"causal\",\"version\":\"1.0\",\"clock\":\"monotonic\","
	"\"declares\":[\"handoff:io\",\"handoff:wake\",\"event\",\"health\",\"effect\",\"cost\","
	"\"profile\",\"gap\",\"diagnosis\"]}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":101,\"t\":215},\"dst\":{\"tid\":102,"
	"\"t\":640},\"key\":{\"ns\":\"user_data\",\"scope\":1,\"v\":\"0xffffffffffffffff\"},"
	"\"gen\":3,\"conf\":0.98,\"how\":\"observed\",\"source\":\"kernel\"}\n"
	"{\"c\":\"handoff\",\"type\":\"wake\",\"src\":null,\"dst\":{\"tid\":102,\"t\":"
	"9007199254740993},\"conf\":0}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":0,\"t\":0},\"dst\":null,\"key\":{"
	"\"ns\":\"uaddr\",\"v\":\"0x0\"}}\n"
	"{\"c\":\"handoff\",\"type\":\"io\",\"src\":{\"tid\":1,\"t\":2},\"dst\":{\"tid\":77,\"t\":"
	"300,\"kernel\":true},\"conf\":0.1,\"how\":\"unknown\",\"source\":\"inferred\"}\n"
	"{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"pool.frame\",\"instance\":\"0x55\","
	"\"gen\":4,\"units\":1,\"tid\":101,\"t\":301,\"desc\":1,\"conf\":0.99}\n"
	"{\"c\":\"health\",\"desc\":2,\"state\":\"stale\",\"t\":2500,\"why\":\"a \\\"b\\\" "
	"\\\\\\u0001\\n\xc3\xa9\",\"evidence\":41,\"p_stale\":0.97}\n"
	"{\"c\":\"effect\",\"cause\":{\"tid\":101,\"t\":215},\"kind\":\"block-io\",\"tid\":102,"
	"\"t\":450,\"v\":4096,\"conf\":0.5}\n"
	"{\"c\":\"cost\",\"root\":{\"tid\":101,\"t\":105},\"kind\":\"cpu\",\"v\":240,\"ip\":1}\n"
	"{\"c\":\"cost\",\"root\":null,\"kind\":\"wait:io\",\"v\":18446744073709551615}\n"
	"{\"c\":\"profile\",\"by\":\"pair\",\"key\":\"102\",\"kind\":\"cpu\",\"v\":990,\"ip\":"
	"0.30000000000000004}\n"
	"{\"c\":\"gap\",\"from\":495,\"to\":610,\"lost\":12,\"scope\":\"ring\"}\n"
	"{\"c\":\"diagnosis\",\"label\":\"pool-thrash\",\"subject\":\"pool.frame\",\"t\":5000,"
	"\"conf\":5e-324}\n";

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

static void convert(const char *from, const char *to, enum claims_form form)
{
	struct diag d = {0};

	cr_assert_eq(claims_convert_file(from, to, form, &d), 0, "%s: %s", d.file, d.reason);
}

static void same_claims(const char *one, const char *other)
{
	struct claims x, y;
	struct diag d;

	cr_assert_eq(claims_load(one, &x, &d), 0);
	cr_assert_eq(claims_load(other, &y, &d), 0);
	cr_assert_eq(memcmp(&x.header, &y.header, sizeof(x.header)), 0);
	cr_assert_eq(x.cnt, y.cnt);
	for (size_t i = 0; i < x.cnt; i++) {
		char *xs = NULL, *ys = NULL;
		size_t xlen, ylen;
		FILE *f;

		f = open_memstream(&xs, &xlen);
		cr_assert_eq(claim_print(f, &x.v[i], x.strings), 0);
		fclose(f);
		f = open_memstream(&ys, &ylen);
		cr_assert_eq(claim_print(f, &y.v[i], y.strings), 0);
		fclose(f);
		cr_assert_str_eq(xs, ys);
		free(xs);
		free(ys);
	}
	claims_free(&x);
	claims_free(&y);
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

static void make_binary(void)
{
	cr_assert_eq(file_write(b, every_kind, strlen(every_kind), NULL), 0);
	convert(b, a, CLAIMS_BINARY);
}

static void binary_refused(uint64_t line, const char *word)
{
	struct claims x;
	struct diag d = {0};

	memset(&x, 0x5a, sizeof(x));
	cr_assert_eq(claims_load(a, &x, &d), -EINVAL, "accepted where \"%s\"", word);
	cr_assert_eq(*(unsigned char *)&x, 0x5a);
	cr_assert_eq(d.line, line, "%lu: %s", d.line, d.reason);
	cr_assert_str_eq(d.file, a);
	cr_assert_not_null(strstr(d.reason, word), "%s", d.reason);
	cr_assert(d.cure[0]);
}

static void patch(off_t at, const void *bytes, size_t len)
{
	int fd = open(a, O_WRONLY | O_CLOEXEC);

	cr_assert_eq(pwrite(fd, bytes, len, at), (ssize_t)len);
	close(fd);
}

Test(claims_files, refuses_binary_cut_anywhere)
{
	struct stat st;

	make_binary();
	cr_assert_eq(stat(a, &st), 0);
	for (off_t bytes = st.st_size - 1; bytes >= 1; bytes--) {
		cr_assert_eq(truncate(a, bytes), 0);
		binary_refused(0, bytes < HEAD_BYTES ? "cut" : "add up");
	}
	make_binary();
	cr_assert_eq(truncate(a, st.st_size + 1), 0);
	binary_refused(0, "add up");
}

Test(claims_files, refuses_binary_whose_writer_died)
{
	struct claims_header h = {"p", "1", 1};
	struct claim gap = {.kind = CLAIM_GAP};
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct claims_writer *w = claims_writer_open(a, CLAIMS_BINARY, &h, NULL);

		for (int i = 0; w && i < 100000; i++)
			claims_writer_put(w, &gap);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	binary_refused(0, "unfinished");
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

Test(claims_files, refuses_damaged_headers)
{
	const uint32_t two = 2, zero = 0, many = 1u << 17;
	char name[64];

	memset(name, 'n', sizeof(name));
	make_binary();
	patch(8, &two, 4);
	binary_refused(0, "version 2");
	make_binary();
	patch(12, &two, 4);
	binary_refused(0, "unfinished");
	make_binary();
	patch(32, &zero, 4);
	binary_refused(0, "add up");
	make_binary();
	patch(36, &many, 4);
	binary_refused(0, "declares");
	make_binary();
	patch(40, name, sizeof(name));
	binary_refused(0, "profiler");
	make_binary();
	patch(104, "\xff", 1);
	binary_refused(0, "version");
	make_binary();
	patch(1, "X", 1);
	binary_refused(0, "neither");
}

Test(claims_files, names_the_record_that_is_impossible)
{
	const double two = 2;
	const uint32_t word = 1000;
	const uint16_t bits = 0xffff;
	struct stat st;

	make_binary();
	patch(HEAD_BYTES + 1 * 64 + offsetof(struct claim, handoff.conf), &two, 8);
	binary_refused(3, "conf");
	make_binary();
	patch(HEAD_BYTES + 4 * 64 + offsetof(struct claim, event.class_str), &word, 4);
	binary_refused(6, "word");
	make_binary();
	patch(HEAD_BYTES + 0 * 64 + offsetof(struct claim, kind), "\x08", 1);
	binary_refused(2, "kind");
	make_binary();
	patch(HEAD_BYTES + 0 * 64 + offsetof(struct claim, type), "\x0a", 1);
	binary_refused(2, "vocabulary");
	make_binary();
	patch(HEAD_BYTES + 10 * 64 + offsetof(struct claim, has), &bits, 2);
	binary_refused(12, "bit");
	make_binary();
	patch(HEAD_BYTES + 10 * 64 + 63, "\x01", 1);
	binary_refused(12, "zero");
	make_binary();
	cr_assert_eq(stat(a, &st), 0);
	patch(st.st_size - 1, "x", 1);
	binary_refused(0, "word");
	make_binary();
	patch(HEAD_BYTES + 12 * 64, "\0", 1);
	binary_refused(0, "twice");
}

/* Every single bit of every record: refused, or read as the claim that it says. */
Test(claims_files, prints_whatever_it_accepts_when_bits_flip)
{
	char *bytes;
	size_t len, accepted = 0;

	make_binary();
	cr_assert_eq(file_read(a, 1 << 20, &bytes, &len, NULL), 0);
	for (size_t bit = HEAD_BYTES * 8; bit < (HEAD_BYTES + 12 * 64) * 8; bit++) {
		struct claims x;

		bytes[bit / 8] ^= (char)(1 << bit % 8);
		cr_assert_eq(file_write(a, bytes, len, NULL), 0);
		if (!claims_load(a, &x, NULL)) {
			accepted++;
			claims_free(&x);
			convert(a, b, CLAIMS_JSON);
			same_claims(a, b);
		}
		bytes[bit / 8] ^= (char)(1 << bit % 8);
	}
	cr_assert_gt(accepted, 1000);
	free(bytes);
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

Test(claims_files, sets_the_bits_that_have_one_right_value)
{
	struct claims_header h = {"p", "1", 1};
	struct claims_writer *w = claims_writer_open(a, CLAIMS_BINARY, &h, NULL);
	uint32_t word = (uint32_t)claims_writer_str(w, "cpu");
	const struct claim put[] = {
		{.kind = CLAIM_EFFECT, .effect = {.cause_t = 1, .cause_tid = 1, .t = 2, .tid = 3}},
		{.kind = CLAIM_COST, .has = HAS_V, .cost = {.v = 1, .kind_str = word}},
		{.kind = CLAIM_HEALTH, .has = HAS_DESC, .health = {.desc = 1}},
		{.kind = CLAIM_GAP, .gap = {.scope_str = word}},
	};
	struct claims x;

	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(claims_writer_put(w, &put[i]), 0, "claim %zu", i);
	cr_assert_eq(claims_writer_close(w, NULL), 0);
	cr_assert_eq(claims_load(a, &x, NULL), 0);
	cr_assert_eq(x.v[0].has, HAS_SRC);
	cr_assert_eq(x.v[1].has, 0);
	cr_assert_eq(x.v[2].has, 0);
	cr_assert_eq(x.v[3].has, HAS_SCOPE);
	claims_free(&x);
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
