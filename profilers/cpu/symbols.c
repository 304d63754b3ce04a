/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of a running program. */
#include "profilers/cpu/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/elf_file.h"

enum { LINE_LEN = PATH_MAX + 256 };

struct symbols {
	struct elf_file *file;
	uint64_t begin, end; /* of its code in memory */
	uint64_t bias;	     /* address in memory - address as linked */
};

/* The running program's path as its maps spell it. */
static int running(pid_t pid, char *ret, size_t len)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, ret, len - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return 0;
}

/* "55d0c0a00000-55d0c0a21000 r-xp 00001000 08:01 131 /path" */
static bool is_code(const char *line, const char *path, struct symbols *s, uint64_t *ret_offset)
{
	char perms[8];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &s->begin, &s->end,
		   perms, ret_offset, &at) != 4 ||
	    perms[2] != 'x')
		return false;
	return strncmp(line + at, path, strlen(path)) == 0 && line[at + (int)strlen(path)] == '\n';
}

/* Any function of a stretch tells how far all are moved. */
static int learn_bias(struct symbols *s, uint64_t offset)
{
	const struct elf_symbol *v;
	uint64_t at;
	size_t cnt;

	v = elf_file_symbols(s->file, &cnt);
	for (size_t i = 0; i < cnt; i++) {
		if (elf_file_offset(s->file, v[i].addr, &at) || at < offset ||
		    at - offset >= s->end - s->begin)
			continue;
		s->bias = s->begin + (at - offset) - v[i].addr;
		return 0;
	}
	return -ENOENT;
}

static int find_code(struct symbols *s, pid_t pid)
{
	char path[PATH_MAX], maps[64], line[LINE_LEN];
	uint64_t offset;
	int err = running(pid, path, sizeof(path));
	FILE *f;

	if (err)
		return err;
	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	f = fopen(maps, "re");
	if (!f)
		return -errno;
	err = -ENOENT;
	while (err == -ENOENT && fgets(line, sizeof(line), f))
		if (is_code(line, path, s, &offset))
			err = learn_bias(s, offset);
	fclose(f);
	if (err)
		s->begin = s->end = 0; /* stripped: nothing has a name */
	return err == -ENOENT ? 0 : err;
}

int symbols_open(pid_t pid, const char *exe, struct symbols **ret, struct diag *d)
{
	struct symbols *s = calloc(1, sizeof(*s));
	char own[64];
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "no memory");
	snprintf(own, sizeof(own), "/proc/%d/exe", (int)pid);
	err = elf_file_open(exe ? exe : own, &s->file, d);
	if (!err) {
		err = find_code(s, pid);
		if (err)
			diag_set(d, err, own, 0, "be root, or the process's own user",
				 "cannot see where the program lies in memory: %s", strerror(-err));
	}
	if (!err)
		*ret = s;
	else
		symbols_free(s);
	return err;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	elf_file_close(s->file);
	free(s);
}

const char *symbols_at(const struct symbols *s, uint64_t ip)
{
	const struct elf_symbol *found = NULL;

	if (ip >= s->begin && ip < s->end)
		found = elf_file_at(s->file, ip - s->bias);
	return found ? found->name : NULL;
}
