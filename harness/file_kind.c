/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by how it begins. */
#include "harness/file_kind.h"

#include <fcntl.h>
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

/* NULL: none of them, or it cannot be read. */
static const char *file_kind(const char *path)
{
	char text[BEGIN + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, BEGIN, 0);
	const char *at;

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

static bool tell_other(const char *begin, const char *path, const char *wanted)
{
	const char *kind = path ? file_kind(path) : NULL;

	if (!kind || !strcmp(kind, wanted))
		return false;
	fprintf(stderr, "%s%s is %s, and should be %s\n", begin, path, kind, wanted);
	return true;
}

bool file_kind_wrong(const char *path, const char *wanted)
{
	return tell_other("assay: ", path, wanted);
}

void file_kind_note(const char *path, const char *wanted)
{
	tell_other("       ", path, wanted);
}
