/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a claims file: refused with a place and a reason, or read as claims that survive the
 * way through the other form and back unchanged.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/formats/claims_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_claims: not so: %s\n", what);
	abort();
}

struct memory_file {
	int fd;
	char path[32];
};

static void memory_file_open(struct memory_file *f)
{
	f->fd = memfd_create("claims", MFD_CLOEXEC);
	must(f->fd >= 0, "a memfd");
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static void write_all(const struct claims *c, const char *path, enum claims_form form)
{
	struct claims_writer *w = claims_writer_open(path, form, &c->header, NULL);

	must(w != NULL, "what was read can be written");
	for (uint32_t id = 1; id < strtab_count(c->strings); id++)
		must(claims_writer_str(w, strtab_get(c->strings, id)) == id, "ids stay");
	for (size_t i = 0; i < c->cnt; i++)
		must(!claims_writer_put(w, &c->v[i]), "a claim that was read is possible");
	must(!claims_writer_close(w, NULL), "the writer ends well");
}

/* The words that no claim uses are not in the JSON form, so that only claims are compared, by what
 * they print. */
static void must_print_alike(const struct claims *a, const struct claims *b)
{
	must(!memcmp(&a->header, &b->header, sizeof(a->header)), "headers are equal");
	must(a->cnt == b->cnt, "counts are equal");
	for (size_t i = 0; i < a->cnt; i++) {
		char *text[2] = {NULL, NULL};
		size_t len[2];

		for (int side = 0; side < 2; side++) {
			const struct claims *c = side ? b : a;
			FILE *f = open_memstream(&text[side], &len[side]);

			must(!claim_print(f, &c->v[i], c->strings), "a claim prints");
			fclose(f);
		}
		must(len[0] == len[1] && !memcmp(text[0], text[1], len[0]), "claims are equal");
		free(text[0]);
		free(text[1]);
	}
}

static void through(const struct claims *c, enum claims_form form)
{
	struct memory_file f;
	struct claims again;
	struct diag d;

	memory_file_open(&f);
	write_all(c, f.path, form);
	must(!claims_load(f.path, &again, &d), "what was written can be read");
	must_print_alike(c, &again);
	claims_free(&again);
	close(f.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file f;
	struct claims c;
	struct diag d = {0};

	memory_file_open(&f);
	must(write(f.fd, data, size) == (ssize_t)size, "the input is written");
	if (!claims_load(f.path, &c, &d)) {
		through(&c, CLAIMS_JSON);
		through(&c, CLAIMS_BINARY);
		claims_free(&c);
	} else {
		must(d.err < 0 && d.file[0] && d.reason[0], "a refusal has file and reason");
		must(d.cure[0], "a refusal has a cure");
	}
	close(f.fd);
	return 0;
}
