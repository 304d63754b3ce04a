/* SPDX-License-Identifier: BSD-2-Clause */
/* The binary form of claims: whatever is damaged in it is found, named and refused. */
#include "tests/units/claims_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAD_BYTES = 192 };

TestSuite(claims_binary, .init = setup, .fini = teardown);

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

Test(claims_binary, refuses_binary_cut_anywhere)
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

Test(claims_binary, refuses_binary_whose_writer_died)
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

Test(claims_binary, refuses_damaged_headers)
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

Test(claims_binary, names_the_record_that_is_impossible)
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
Test(claims_binary, prints_whatever_it_accepts_when_bits_flip)
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

Test(claims_binary, sets_the_bits_that_have_one_right_value)
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
