/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by how it begins. */
#include "harness/file_kind.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BEGIN = 4096 };

/* Of the packed forms and of the first line of the others. */
static const struct {
	const char *begin, *kind;
} kinds[] = {
	{"\x7ftruth", "truth"},
	{"{\"truth\":", "truth"},
	{"\x89"
	 "ASCLMS",
	 "claims"},
	{"{\"claims\":", "claims"},
	{"\x89"
	 "ASEVID",
	 "evidence"},
	{"{\"evidence\":", "evidence"},
	{"manifest:", "a manifest"},
	{"\x7f"
	 "ELF",
	 "a program"},
	{"\x28\xb5\x2f\xfd", "packed by zstd"},
};

/* Manifests begin with comments. */
static const char *skip_comments(const char *at)
{
	const char *end;

	while (*at == '#' && (end = strchr(at, '\n')))
		at = end + 1;
	return at;
}

const char *file_kind(const char *path)
{
	char text[BEGIN + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, BEGIN, 0);
	const char *at = text;

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return NULL;
	text[n] = '\0';
	at = skip_comments(text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(at, kinds[i].begin, strlen(kinds[i].begin)))
			return kinds[i].kind;
	return NULL;
}

void file_kind_note(const char *path, const char *wanted)
{
	const char *kind = file_kind(path);

	if (kind && strcmp(kind, wanted) != 0)
		fprintf(stderr, "       %s is %s, and should be %s\n", path, kind, wanted);
}
