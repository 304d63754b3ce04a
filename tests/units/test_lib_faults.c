/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at the Nth allocation, for every N: no crash, no leak, no half result.
 *
 * The program is linked with --wrap for malloc, calloc, realloc and free (lib/module.mk), and
 * replaces the C++ operators, so that simdjson's allocations are counted as well.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/claims_file.h"
#include "lib/formats/evidence.h"
#include "lib/formats/json.h"
#include "lib/strtab.h"

#define WRAP(type, fn, ...)                                                                        \
	type __real_##fn(__VA_ARGS__);                                                             \
	type __wrap_##fn(__VA_ARGS__)

static bool counting, from_then_on;
static long until_failure, live;

/* Whether this allocation is the one that fails (or one after it). */
static bool fails(void)
{
	if (!counting)
		return false;
	if (until_failure > 0) {
		until_failure--;
		return false;
	}
	if (until_failure == 0 && !from_then_on) {
		until_failure = -1;
		return true;
	}
	return until_failure == 0;
}

static void *counted(void *p)
{
	live += p != NULL;
	return p;
}

WRAP(void *, malloc, size_t bytes);
WRAP(void *, calloc, size_t cnt, size_t bytes);
WRAP(void *, realloc, void *p, size_t bytes);
WRAP(void, free, void *p);

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t cnt, size_t bytes)
{
	return fails() ? NULL : counted(__real_calloc(cnt, bytes));
}

void *__wrap_realloc(void *p, size_t bytes)
{
	if (fails())
		return NULL;
	return p ? __real_realloc(p, bytes) : counted(__real_realloc(p, bytes));
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

/* The C++ operators by their names in the Itanium ABI. */
void *new_nothrow(size_t bytes, const void *tag) __asm__("_ZnwmRKSt9nothrow_t");
void *new_array_nothrow(size_t bytes, const void *tag) __asm__("_ZnamRKSt9nothrow_t");
void *new_throwing(size_t bytes) __asm__("_Znwm");
void *new_array_throwing(size_t bytes) __asm__("_Znam");
void delete_one(void *p) __asm__("_ZdlPv");
void delete_sized(void *p, size_t bytes) __asm__("_ZdlPvm");
void delete_array(void *p) __asm__("_ZdaPv");
void delete_array_sized(void *p, size_t bytes) __asm__("_ZdaPvm");

void *new_nothrow(size_t bytes, const void *tag)
{
	return __wrap_malloc(bytes);
}

void *new_array_nothrow(size_t bytes, const void *tag)
{
	return __wrap_malloc(bytes);
}

/* Nothing under test may use these: a failure could only be thrown through C. */
void *new_throwing(size_t bytes)
{
	if (counting)
		abort();
	return __wrap_malloc(bytes);
}

void *new_array_throwing(size_t bytes)
{
	return new_throwing(bytes);
}

void delete_one(void *p)
{
	__wrap_free(p);
}

void delete_sized(void *p, size_t bytes)
{
	__wrap_free(p);
}

void delete_array(void *p)
{
	__wrap_free(p);
}

void delete_array_sized(void *p, size_t bytes)
{
	__wrap_free(p);
}

static char dir[] = "/tmp/assay-faults-XXXXXX";
static char json_path[64], packed_path[64], out_path[64];
static const char header_line[] =
	"{\"claims\":1,\"profiler\":\"p\",\"version\":\"1\",\"clock\":\"monotonic\",\"declares\":["
	"\"handoff:io\"]}\n";
enum { LINES = 3000 }; /* more than the first sizes of arrays and tables hold */

/* Claims with many words, and lines that grow, so that every buffer is enlarged more than once. */
static void write_samples(void)
{
	FILE *f = fopen(json_path, "we");

	fputs(header_line, f);
	for (int i = 0; i < LINES; i++)
		fprintf(f,
			"{\"c\":\"profile\",\"by\":\"function\",\"key\":\"f%d\",\"kind\":\"cpu\","
			"\"v\":%d,\"unknown\":\"%0*d\"}\n",
			i, i, i, 0);
	fclose(f);
	cr_assert_eq(claims_convert_file(json_path, packed_path, CLAIMS_BINARY, NULL), 0);
}

static void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	snprintf(json_path, sizeof(json_path), "%s/json", dir);
	snprintf(packed_path, sizeof(packed_path), "%s/packed", dir);
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	write_samples();
}

static void teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	cr_assert_eq(system(cmd), 0);
}

TestSuite(faults, .init = setup, .fini = teardown, .timeout = 300);

static int open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* One act under test: 0 or a negative errno, and everything that it made is freed again. */
typedef int act_fn(void);

/* Runs the act with its Nth allocation failing, for N from 0 until it succeeds; returns N. */
static long sweep_mode(act_fn *act, bool persistent)
{
	for (long n = 0;; n++) {
		long live_before = live;
		int fds_before = open_fds(), err;

		from_then_on = persistent;
		until_failure = n;
		counting = true;
		err = act();
		counting = false;
		cr_assert_eq(live, live_before, "allocation %ld: %ld blocks leaked", n,
			     live - live_before);
		cr_assert_eq(open_fds(), fds_before, "allocation %ld: descriptors leaked", n);
		if (!err)
			return n;
		cr_assert_eq(err, -ENOMEM, "allocation %ld: %d", n, err);
	}
}

static void sweep(act_fn *act, long at_least)
{
	cr_assert_geq(sweep_mode(act, false), at_least);
	cr_assert_geq(sweep_mode(act, true), at_least);
}

static int load(const char *path)
{
	struct claims untouched, c;
	struct diag d;
	int err;

	memset(&untouched, 0x5a, sizeof(untouched));
	c = untouched;
	err = claims_load(path, &c, &d);
	if (!err) {
		cr_assert_eq(c.cnt, LINES);
		claims_free(&c);
		return 0;
	}
	cr_assert_eq(memcmp(&c, &untouched, sizeof(c)), 0);
	cr_assert_eq(d.err, err);
	cr_assert(d.reason[0]);
	return err;
}

static int load_json(void)
{
	return load(json_path);
}

static int load_packed(void)
{
	return load(packed_path);
}

/* Loading thousands of words takes thousands of allocations: a prime step keeps this short. */
static void sweep_steps(act_fn *act, long step)
{
	int err = -ENOMEM;
	long n;

	for (n = 0; err; n += n < 200 ? 1 : step) {
		long live_before = live;
		int fds_before = open_fds();

		from_then_on = n % 2;
		until_failure = n;
		counting = true;
		err = act();
		counting = false;
		cr_assert_eq(live, live_before, "allocation %ld", n);
		cr_assert_eq(open_fds(), fds_before, "allocation %ld", n);
		cr_assert(!err || err == -ENOMEM, "allocation %ld: %d", n, err);
	}
	cr_assert_gt(n, LINES);
}

Test(faults, leave_no_half_claims_when_json_is_loaded)
{
	sweep_steps(load_json, 97);
}

Test(faults, leave_no_half_claims_when_packed_claims_are_loaded)
{
	sweep_steps(load_packed, 53);
}

static int write_one(enum claims_form form)
{
	const struct claims_header h = {"p", "1", 1};
	struct claim c = {.kind = CLAIM_DIAGNOSIS};
	struct claims_writer *w;
	struct diag d = {0};
	int64_t id;
	int err;

	w = claims_writer_open(out_path, form, &h, &d);
	if (!w)
		return d.err;
	id = claims_writer_str(w, "label");
	if (id >= 0) {
		c.diagnosis.label_str = (uint32_t)id;
		err = claims_writer_put(w, &c);
		cr_assert(!err || err == -ENOMEM);
	}
	err = claims_writer_close(w, &d);
	cr_assert(!err || d.err == err);
	return err;
}

static int write_json(void)
{
	return write_one(CLAIMS_JSON);
}

static int write_packed(void)
{
	return write_one(CLAIMS_BINARY);
}

Test(faults, are_reported_when_claims_are_written)
{
	sweep(write_json, 4);
	sweep(write_packed, 4);
}

static int convert(void)
{
	int err = claims_convert_file(json_path, out_path, CLAIMS_BINARY, NULL);

	cr_assert_eq(access(out_path, F_OK), err ? -1 : 0);
	unlink(out_path);
	return err;
}

Test(faults, leave_no_file_when_claims_are_converted)
{
	sweep_steps(convert, 197);
}

static int write_evidence(void)
{
	const struct evidence_header h = {.kernel = "x"};
	const struct ev_rec r = {.kind = EV_IO_SUBMIT};
	struct evidence_writer *w;
	struct diag d = {0};

	w = evidence_writer_open(out_path, &h, &d);
	if (!w)
		return d.err;
	cr_assert_eq(evidence_writer_put(w, &r, 1), 0);
	return evidence_writer_close(w, NULL, &d);
}

Test(faults, are_reported_when_evidence_is_written)
{
	sweep(write_evidence, 1);
}

static int read_file(void)
{
	char *text;
	int err = file_read(json_path, 64 << 20, &text, NULL, NULL);

	if (!err)
		free(text);
	return err;
}

Test(faults, are_reported_when_a_file_is_read)
{
	sweep(read_file, 5);
}

/* A table that failed to take a word is as it was, and takes it later. */
Test(faults, leave_a_word_table_usable)
{
	struct strtab *t = strtab_new();
	long live_before = live;
	char word[16];

	for (int i = 1; i < 5000; i++) {
		int n = snprintf(word, sizeof(word), "%d", i);

		from_then_on = false;
		until_failure = i % 3;
		counting = true;
		for (int try = 0; try < 2; try++) {
			int64_t id = strtab_intern(t, word, (size_t)n);

			cr_assert(id == i || id == -ENOMEM, "word %d has id %ld", i, id);
			cr_assert(id == i || strtab_find(t, word, (size_t)n) == -ENOENT);
		}
		counting = false;
		cr_assert_eq(strtab_intern(t, word, (size_t)n), i);
		cr_assert_str_eq(strtab_get(t, (uint32_t)i), word);
	}
	strtab_free(t);
	cr_assert_lt(live, live_before);
}

static int parse_json(void)
{
	struct json_parser *p = json_parser_new();
	struct json_value v;
	const char *why = NULL;
	int err;

	if (!p)
		return -errno;
	err = json_parse(p, "{\"a\":[1,2,3]}", 13, &v, &why);
	json_parser_free(p);
	return err;
}

Test(faults, are_told_from_bad_json)
{
	sweep(parse_json, 4);
}
