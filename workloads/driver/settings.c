/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads `name=number` lines. */
#include "workloads/driver/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workloads/driver/workload.h"

struct settings settings;

static const char form[] = "write name=number, one a line";

static bool is_name(const char *s, size_t len)
{
	if (len == 0 || len >= SETTINGS_NAME)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!(s[i] >= 'a' && s[i] <= 'z') && s[i] != '_')
			return false;
	}
	return true;
}

/* Decimal digits up to the end; false for anything else and for overflow. */
static bool is_number(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

static int find(const char *name)
{
	for (unsigned i = 0; i < settings.cnt; i++) {
		if (strcmp(settings.names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

/* One line, without comment and blanks around it. */
static int take_line(char *line, const char *path, unsigned at, struct diag *d)
{
	char *value = strchr(line, '=');
	uint64_t v;

	if (!value)
		return diag_set(d, -EINVAL, path, at, form, "'%s' has no '='", line);
	*value++ = '\0';
	if (!is_name(line, strlen(line)))
		return diag_set(d, -EINVAL, path, at, "use up to 31 letters a-z and '_'",
				"'%s' is no name of a setting", line);
	if (!is_number(value, &v))
		return diag_set(d, -EINVAL, path, at, "give a whole number below 2^64",
				"%s takes a number, not '%s'", line, value);
	if (find(line) >= 0)
		return diag_set(d, -EINVAL, path, at, "keep one of them", "%s stands twice", line);
	if (settings.cnt == SETTINGS_MAX)
		return diag_set(d, -EINVAL, path, at, "leave some out", "more than %d settings",
				SETTINGS_MAX);
	memcpy(settings.names[settings.cnt], line, strlen(line) + 1);
	settings.values[settings.cnt++] = v;
	return 0;
}

/* Cuts off the comment and the blanks at both ends. */
static char *trim(char *line)
{
	static const char blanks[] = " \t\r\n";
	char *end;

	line[strcspn(line, "#")] = '\0';
	line += strspn(line, blanks);
	end = line + strlen(line);
	while (end > line && strchr(blanks, end[-1]))
		*--end = '\0';
	return line;
}

static int take_file(FILE *f, const char *path, struct diag *d)
{
	char text[256];
	unsigned at = 0;
	int err = 0;

	while (!err && fgets(text, sizeof(text), f)) {
		char *line;

		at++;
		if (!strchr(text, '\n') && !feof(f))
			return diag_set(d, -EINVAL, path, at, form, "a line is too long");
		line = trim(text);
		if (*line)
			err = take_line(line, path, at, d);
	}
	if (!err && ferror(f))
		err = diag_set(d, -EIO, path, 0, NULL, "cannot be read");
	return err;
}

int settings_read(const char *path, struct diag *d)
{
	FILE *f = fopen(path, "re");
	int err;

	memset(&settings, 0, sizeof(settings));
	if (!f)
		return diag_set(d, -errno, path, 0, "name a file of settings",
				"cannot be opened: %s", strerror(errno));
	err = take_file(f, path, d);
	fclose(f);
	settings.turn = setting("turn", 0);
	settings.mode = setting("mode", 0);
	settings.ail = setting("ail", 0);
	return err;
}

bool settings_known(const char *const *known, const char **ret)
{
	for (unsigned i = 0; i < settings.cnt; i++) {
		const char *name = settings.names[i];
		bool found = strcmp(name, "turn") == 0 || strcmp(name, "mode") == 0 ||
			     strcmp(name, "ail") == 0;

		for (unsigned k = 0; known && known[k]; k++)
			found |= strcmp(name, known[k]) == 0;
		if (found)
			continue;
		*ret = name;
		return false;
	}
	return true;
}

uint64_t setting(const char *name, uint64_t otherwise)
{
	int i = find(name);

	return i < 0 ? otherwise : settings.values[i];
}

unsigned setting_within(const char *name, unsigned otherwise, unsigned least, unsigned most)
{
	uint64_t n = setting(name, otherwise);

	if (n < least || n > most)
		run_refuse("%s %llu is not %u to %u", name, (unsigned long long)n, least, most);
	return (unsigned)n;
}
