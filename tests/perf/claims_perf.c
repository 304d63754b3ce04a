/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of the claims codec on one core: JSON lines read, packed records checked, both written.
 *
 *   claims_perf [LINES]     (1,000,000; prints a table, asserts nothing)
 *
 * The mix is that of a causal profiler: seven handoffs with keys in eight, then an event. CPU time
 * is that of the calling thread; the files lie in TMPDIR or /tmp.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/formats/claims_file.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct claim handoff(uint64_t i)
{
	struct claim c = {.kind = CLAIM_HANDOFF, .type = (uint8_t)(i % 2 * HANDOFF_WAKE)};

	c.has = HAS_SRC | HAS_DST | HAS_KEY | HAS_SCOPE | HAS_GEN | HAS_CONF;
	c.ns = i % 2 ? KEY_UADDR : KEY_USER_DATA;
	c.how = HOW_OBSERVED;
	c.source = SOURCE_KERNEL;
	c.handoff.src_t = UINT64_C(81234567890123) + i * 977;
	c.handoff.dst_t = c.handoff.src_t + 5000;
	c.handoff.key_v = UINT64_C(0x7f55aa001000) + i % 64 * 64;
	c.handoff.key_scope = 1;
	c.handoff.src_tid = 41001;
	c.handoff.dst_tid = 41002;
	c.handoff.gen = i / 64;
	c.handoff.conf = i % 3 ? 0.98 : 0.5;
	return c;
}

static struct claim event(uint64_t i, uint32_t class_str)
{
	struct claim c = {.kind = CLAIM_EVENT, .type = EVENT_ACQUIRE};

	c.has = HAS_INSTANCE | HAS_GEN | HAS_UNITS | HAS_DESC;
	c.event.t = UINT64_C(81234567890123) + i * 977;
	c.event.instance = UINT64_C(0x55aa00000000) + i % 512 * 128;
	c.event.gen = i / 512;
	c.event.units = 1;
	c.event.tid = 41001;
	c.event.desc = 1;
	c.event.class_str = class_str;
	return c;
}

static int write_claims(const char *path, enum claims_form form, uint64_t lines, struct diag *d)
{
	const struct claims_header h = {"perf", "1", DECLARES_HANDOFFS | DECLARES_EVENT};
	struct claims_writer *w = claims_writer_open(path, form, &h, d);
	int64_t class_str;

	if (!w)
		return d->err;
	class_str = claims_writer_str(w, "pool.frame");
	for (uint64_t i = 0; i < lines; i++) {
		struct claim c = i % 8 ? handoff(i) : event(i, (uint32_t)class_str);

		claims_writer_put(w, &c);
	}
	return claims_writer_close(w, d);
}

static void print_row(const char *what, uint64_t lines, double seconds, const char *path)
{
	struct stat st = {0};

	stat(path, &st);
	printf("%-24s %8.2f million/s %8.0f ns each %8.0f MB/s\n", what,
	       (double)lines / seconds / 1e6, seconds / (double)lines * 1e9,
	       (double)st.st_size / seconds / 1e6);
}

static int measure(const char *path, enum claims_form form, uint64_t lines, struct diag *d)
{
	const char *name = form == CLAIMS_JSON ? "JSON" : "packed";
	double start = cpu_seconds();
	struct claims c;
	char row[32];
	int err;

	err = write_claims(path, form, lines, d);
	if (err)
		return err;
	snprintf(row, sizeof(row), "%s written", name);
	print_row(row, lines, cpu_seconds() - start, path);
	for (int again = 0; again < 3; again++) {
		start = cpu_seconds();
		err = claims_load(path, &c, d);
		if (err)
			return err;
		snprintf(row, sizeof(row), "%s loaded, run %d", name, again + 1);
		print_row(row, lines, cpu_seconds() - start, path);
		claims_free(&c);
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t lines = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	const char *tmp = getenv("TMPDIR");
	char path[512];
	struct diag d;
	int fd, err;

	snprintf(path, sizeof(path), "%s/assay-claims-perf-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || !lines) {
		fprintf(stderr, "claims_perf: %s\n", fd < 0 ? strerror(errno) : "no lines");
		return 2;
	}
	close(fd);
	err = measure(path, CLAIMS_JSON, lines, &d);
	err = err ? err : measure(path, CLAIMS_BINARY, lines, &d);
	unlink(path);
	if (err)
		diag_print(&d, stderr);
	return err ? 1 : 0;
}
