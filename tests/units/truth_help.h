/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth from text in a test: written to a file of its own, loaded, and printed again.
 *
 * Header only, for the programs tests/units/test_truth_*.c. Everything asserts; paths are those of
 * a process, so that Criterion's children do not clash.
 */
#ifndef ASSAY_TESTS_TRUTH_HELP_H
#define ASSAY_TESTS_TRUTH_HELP_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/truth.h"

#define TRUTH_HELP static inline __attribute__((unused))

#define HEADER                                                                                     \
	"{\"truth\":1,\"workload\":\"w\",\"variant\":\"base\",\"seed\":1,\"clock\":\"monotonic\"," \
	"\"scored\":[0,10000],\"threads\":[101,102],\"keys\":[\"user_data\"],\"descriptors\":[]}"  \
	"\n"
#define CLOSE(b, e, s, h, v)                                                                       \
	"{\"r\":\"close\",\"counts\":{\"begin\":" #b ",\"end\":" #e ",\"segment\":" #s             \
	",\"handoff\":" #h ",\"event\":" #v "},\"full\":false}\n"

TRUTH_HELP const char *scratch(const char *suffix)
{
	static char path[8][128];
	static unsigned turn;

	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof(path[turn]), "/tmp/assay-test-%d.%s", (int)getpid(), suffix);
	return path[turn];
}

TRUTH_HELP void write_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	cr_assert(f != NULL);
	cr_assert(len == 0 || fwrite(bytes, len, 1, f) == 1);
	cr_assert(fclose(f) == 0);
}

TRUTH_HELP char *read_bytes(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "r");
	char *v = malloc(1 << 20);

	cr_assert(f != NULL, "no %s: run the tests from the top of the tree", path);
	*ret_len = fread(v, 1, (1 << 20) - 1, f);
	v[*ret_len] = 0;
	fclose(f);
	return v;
}

/* Loads text; the error that truth_load returned. */
TRUTH_HELP int load_text(const char *text, struct truth *t, struct diag *d)
{
	const char *path = scratch("jsonl");
	int err;

	write_bytes(path, text, strlen(text));
	err = truth_load(path, t, d);
	unlink(path);
	return err;
}

/* Loads text that must be well-formed and says what the self-checks find. */
TRUTH_HELP int check_text(const char *text, struct diag *d)
{
	struct truth t;
	int err;

	memset(d, 0, sizeof(*d));
	err = load_text(text, &t, d);
	cr_assert(err == 0, "%s", d->reason);
	err = truth_check(&t, "t.jsonl", d);
	truth_free(&t);
	return err;
}

/* The text form; to be freed. */
TRUTH_HELP char *export_text(const struct truth *t)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert(truth_export(t, f) == 0);
	cr_assert(fclose(f) == 0);
	return text;
}

#endif
