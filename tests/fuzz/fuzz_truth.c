/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth from bytes that nobody vouches for, in either form: no crash, and what is accepted is
 * stable: exported text reads back and exports the same, packed truth reads back as the same text.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groundtruth/truth.h"
#include "groundtruth/truth_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory, named by its descriptor. */
static int memory_file(const void *data, size_t size, char *path, size_t len)
{
	int fd = memfd_create("", 0);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, len, "/proc/self/fd/%d", fd);
	return fd;
}

static char *text_of(const struct truth *t, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f || truth_export(t, f) || fclose(f))
		abort();
	return text;
}

/* Loads these bytes, which must be good, and gives their text. */
static char *text_again(const void *data, size_t size, size_t *ret_len)
{
	char path[64], *text;
	int fd = memory_file(data, size, path, sizeof(path));
	struct truth t;
	struct diag d;

	if (truth_load(path, &t, &d))
		abort();
	text = text_of(&t, ret_len);
	truth_free(&t);
	close(fd);
	return text;
}

static void packed_agrees(const struct truth *t, const char *text, size_t len)
{
	char path[64], *again;
	struct truth packed;
	struct diag d;
	size_t n;

	snprintf(path, sizeof(path), "/dev/shm/assay-fuzz-%d.bin", (int)getpid());
	if (truth_save(t, path, &d) || truth_load(path, &packed, &d))
		abort();
	again = text_of(&packed, &n);
	if (n != len || memcmp(again, text, n) != 0)
		abort();
	truth_free(&packed);
	unlink(path);
	free(again);
}

static void accepted(const struct truth *t)
{
	size_t len, n;
	char *text = text_of(t, &len), *again = text_again(text, len, &n);
	FILE *null = fopen("/dev/null", "w");
	struct diag d;

	if (n != len || memcmp(again, text, n) != 0)
		abort();
	packed_agrees(t, text, len);
	truth_check(t, "", &d);
	if (!null || truth_canon(t, null))
		abort();
	fclose(null);
	free(text);
	free(again);
}

static void load(const void *data, size_t size)
{
	char path[64];
	int fd = memory_file(data, size, path, sizeof(path));
	struct truth t;
	struct diag d;

	if (!truth_load(path, &t, &d)) {
		accepted(&t);
		truth_free(&t);
	}
	close(fd);
}

/* Chance finds no checksum: what looks packed is tried once more under one that fits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t magic = TRUTH_MAGIC;
	void *sealed;

	load(data, size);
	if (size < sizeof(magic) || memcmp(data, &magic, sizeof(magic)) != 0)
		return 0;
	sealed = malloc(size);
	if (!sealed)
		abort();
	memcpy(sealed, data, size);
	pack_seal(sealed, size);
	load(sealed, size);
	free(sealed);
	return 0;
}
