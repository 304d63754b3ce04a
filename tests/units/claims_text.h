/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims as text, loaded from a file of the test's own: accepted, or refused at a line for a
 * reason.
 *
 * Header only, for the programs tests/units/test_claims_*.c: `.init = setup, .fini = teardown`.
 */
#ifndef ASSAY_TESTS_CLAIMS_TEXT_H
#define ASSAY_TESTS_CLAIMS_TEXT_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/formats/claims.h"

#define CLAIMS_TEXT static inline __attribute__((unused))

#define HEADER                                                                                     \
	"{\"claims\":1,\"profiler\":\"p\",\"version\":\"1\",\"clock\":\"monotonic\","              \
	"\"declares\":[\"handoff:io\"]}\n"
#define GOOD "{\"c\":\"gap\",\"from\":1,\"to\":1}\n"

static char path[] = "/tmp/assay-claims-rules-XXXXXX";

CLAIMS_TEXT void setup(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
}

CLAIMS_TEXT void teardown(void)
{
	unlink(path);
}

CLAIMS_TEXT int load_bytes(const char *bytes, size_t len, struct claims *ret, struct diag *d)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	close(fd);
	return claims_load(path, ret, d);
}

CLAIMS_TEXT int load(const char *text, struct claims *ret, struct diag *d)
{
	return load_bytes(text, strlen(text), ret, d);
}

/* The text is refused at that line, and the reason says the word. */
CLAIMS_TEXT void refused_at(const char *text, uint64_t line, const char *word)
{
	struct claims untouched, c;
	struct diag d = {0};

	memset(&untouched, 0x5a, sizeof(untouched));
	memset(&c, 0x5a, sizeof(c));
	cr_assert_eq(load(text, &c, &d), -EINVAL, "accepted: %s", text);
	cr_assert_eq(memcmp(&c, &untouched, sizeof(c)), 0, "output touched on failure");
	cr_assert_eq(d.err, -EINVAL);
	cr_assert_eq(d.line, line, "line %lu, not %lu: %s (%s)", d.line, line, text, d.reason);
	cr_assert_str_eq(d.file, path);
	cr_assert_not_null(strstr(d.reason, word), "\"%s\" is not in \"%s\"", word, d.reason);
	cr_assert(d.cure[0], "no cure for %s", d.reason);
}

/* ret = text with its first `old` replaced. */
CLAIMS_TEXT void swap(char *ret, size_t cap, const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);

	cr_assert_not_null(at, "no %s in %s", old, text);
	snprintf(ret, cap, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

#endif
