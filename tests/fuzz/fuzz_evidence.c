/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an evidence file: refused with a reason, or every record can be read and printed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/formats/evidence_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_evidence: not so: %s\n", what);
	abort();
}

static void check(const struct evidence *e, size_t size)
{
	const struct ev_rec *last = e->v + e->cnt;
	uint64_t sum = 0;

	must(e->cnt == e->header.records, "the header counts the records");
	must(e->cnt * sizeof(*e->v) < size, "no more records than bytes");
	must(strnlen(e->header.kernel, sizeof(e->header.kernel)) < sizeof(e->header.kernel),
	     "the kernel's name ends");
	for (const struct ev_rec *r = e->v; r < last; r++) {
		must(r->kind != EV_NONE, "a record has a kind");
		sum += r->t + r->e;
	}
	must(sum || !sum, "all bytes are there");
}

static void print(const struct evidence *e)
{
	char *text = NULL;
	size_t len = 0, lines = 0;
	FILE *f = open_memstream(&text, &len);

	must(f != NULL, "a stream");
	must(!evidence_export(e, f), "it can be printed");
	fclose(f);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	must(lines == e->cnt + 1, "a record a line");
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("evidence", MFD_CLOEXEC);
	struct evidence e;
	struct diag d = {0};
	char path[32];

	must(fd >= 0, "a memfd");
	must(write(fd, data, size) == (ssize_t)size, "the input is written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!evidence_load(path, &e, &d)) {
		check(&e, size);
		print(&e);
		evidence_free(&e);
	} else {
		must(d.err < 0 && d.file[0] && d.reason[0] && d.cure[0],
		     "a refusal has file, reason and cure");
	}
	close(fd);
	return 0;
}
