/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as another tool's file, the first byte choosing the format: refused with a reason, or
 * made into claims that the reader of claims takes, as many as were counted.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_import: not so: %s\n", what);
	abort();
}

static int memory_file(char path[32])
{
	int fd = memfd_create("import", MFD_CLOEXEC);

	must(fd >= 0, "a memfd");
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_options o = {.profiler = "tool", .unit_ns = 7};
	struct import_result r;
	struct claims c;
	struct diag d = {0};
	char from[32], to[32];
	int in, out, rc;

	if (!size)
		return 0;
	o.format = data[0] % IMPORT_CNT;
	o.by = data[0] & 4 ? BY_THREAD : BY_FUNCTION;
	o.type = data[0] & 8 ? -1 : HANDOFF_MSG;
	o.offset_ns = data[0] & 16 ? -100 : 0;
	in = memory_file(from);
	out = memory_file(to);
	must(write(in, data + 1, size - 1) == (ssize_t)size - 1, "the memfd takes it");
	rc = import_claims(from, to, data[0] & 32 ? CLAIMS_BINARY : CLAIMS_JSON, &o, &r, &d);
	must(!rc || (d.err == rc && d.reason[0]), "a refusal says why");
	if (!rc) {
		must(!claims_load(to, &c, &d), "what was made are claims");
		must(c.cnt == r.claims && c.cnt, "as many as were counted");
		claims_free(&c);
	}
	close(in);
	close(out);
	return 0;
}
