/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading /proc as a profiler would. */
#include "mutations/view.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"

enum { TEXT = 1 << 20, LINE = 8192 };

struct view {
	pid_t pid;
	const struct view_word *words;
	struct name_list *l;
	char text[TEXT];
};

/* ---- lines ---- */

/* Numbers of inodes and processes are chance: the digits behind a bracket, a dash, "pid". */
static void drop_numbers(char *s)
{
	char *to = s;

	for (char *from = s; *from; from++) {
		*to++ = *from;
		if (*from == '[' || *from == '-')
			while (isdigit((unsigned char)from[1]))
				from++;
	}
	*to = '\0';
}

/* The place of the first of the words' paths in s; *ret is the word. */
static const char *next_path(const char *s, const struct view_word *words,
			     const struct view_word **ret)
{
	const char *first = NULL;

	for (; words->path; words++) {
		const char *at = words->path[0] ? strstr(s, words->path) : NULL;

		if (at && (!first || at < first)) {
			first = at;
			*ret = words;
		}
	}
	return first;
}

static int add(struct name_list *l, const struct view_word *words, const char *kind, const char *s)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	const struct view_word *w = NULL;
	const char *at;
	int rc;

	if (!out)
		return -ENOMEM;
	fprintf(out, "%s ", kind);
	while ((at = next_path(s, words, &w))) {
		fwrite(s, 1, (size_t)(at - s), out);
		fputs(w->word, out);
		s = at + strlen(w->path);
	}
	fputs(s, out);
	rc = fclose(out) ? -ENOMEM : 0;
	if (!rc) {
		drop_numbers(text);
		rc = names_add(l, text, strlen(text));
	}
	free(text);
	return rc;
}

static int add_to(struct view *v, const char *kind, const char *s)
{
	return add(v->l, v->words, kind, s);
}

/* ---- files of /proc/PID ---- */

/* Into v->text with a NUL behind; the length, 0 where it cannot be read (it has ended). */
static size_t read_proc(struct view *v, const char *name)
{
	char path[300];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", v->pid, name);
	f = fopen(path, "re");
	n = f ? fread(v->text, 1, sizeof(v->text) - 1, f) : 0;
	if (f)
		fclose(f);
	v->text[n] = '\0';
	return n;
}

/* Words with NUL behind each. */
static int add_words(struct view *v, const char *name, const char *kind)
{
	size_t n = read_proc(v, name);
	int rc = 0;

	for (const char *s = v->text; !rc && s < v->text + n; s += strlen(s) + 1)
		rc = add_to(v, kind, s);
	return rc;
}

static int add_lines(struct view *v, const char *name, const char *kind)
{
	char *save = NULL;
	int rc = 0;

	read_proc(v, name);
	for (char *s = strtok_r(v->text, "\n", &save); !rc && s; s = strtok_r(NULL, "\n", &save))
		rc = add_to(v, kind, s);
	return rc;
}

static int add_link(struct view *v, const char *name, const char *kind)
{
	char path[300], to[4096], line[4400];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", v->pid, name);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return 0;
	to[n] = '\0';
	snprintf(line, sizeof(line), "%s %s", name, to);
	return add_to(v, kind, line);
}

/* "7f…-7f… r-xp 00001000 08:01 123  /path", in smaps among lines of another shape. */
static int add_mappings(struct view *v, const char *name, const char *kind)
{
	char *save = NULL, rights[8], line[LINE];
	int rc = 0, at;

	read_proc(v, name);
	for (char *s = strtok_r(v->text, "\n", &save); !rc && s; s = strtok_r(NULL, "\n", &save)) {
		at = 0;
		if (sscanf(s, "%*x-%*x %7s %*x %*x:%*x %*u %n", rights, &at) != 1 || !s[at])
			continue;
		snprintf(line, sizeof(line), "%s %s", rights, s + at);
		rc = add_to(v, kind, line);
	}
	return rc;
}

/* Each entry of a folder of /proc/PID but the dots. */
static int each_entry(struct view *v, const char *folder,
		      int (*each)(struct view *v, const char *name))
{
	char path[64], name[300];
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", v->pid, folder);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!rc && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
		rc = each(v, name);
	}
	closedir(dir);
	return rc;
}

static int add_descriptor(struct view *v, const char *name)
{
	return add_link(v, name, "open");
}

/* io_uring's workers come and go with the load. */
static int add_thread(struct view *v, const char *name)
{
	char file[320];

	snprintf(file, sizeof(file), "%s/comm", name);
	if (!read_proc(v, file) || !strncmp(v->text, "iou-", 4))
		return 0;
	v->text[strcspn(v->text, "\n")] = '\0';
	return add_to(v, "thread", v->text);
}

static int add_all(struct view *v)
{
	static const char *const links[] = {"exe", "cwd", "root"};
	int rc = each_entry(v, "task", add_thread);

	if (!rc)
		rc = add_words(v, "cmdline", "argument");
	if (!rc)
		rc = add_words(v, "environ", "environment");
	for (size_t i = 0; !rc && i < sizeof(links) / sizeof(links[0]); i++)
		rc = add_link(v, links[i], "link");
	if (!rc)
		rc = each_entry(v, "fd", add_descriptor);
	if (!rc)
		rc = add_mappings(v, "maps", "mapping");
	if (!rc)
		rc = add_mappings(v, "smaps", "mapping");
	if (!rc)
		rc = add_lines(v, "limits", "limit");
	return rc ? rc : add_lines(v, "cgroup", "cgroup");
}

int view_process(pid_t pid, const struct view_word *words, struct name_list *l, struct diag *d)
{
	struct view *v = malloc(sizeof(*v));
	int rc = v ? 0 : -ENOMEM;

	if (!rc) {
		v->pid = pid;
		v->words = words;
		v->l = l;
		rc = add_all(v);
	}
	free(v);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "process %d cannot be looked at: %s", pid,
			     strerror(-rc))
		  : 0;
}

int view_folder(const char *folder, const struct view_word *words, struct name_list *l,
		struct diag *d)
{
	char *const paths[] = {(char *)folder, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;
	int rc = fts ? 0 : -errno;

	while (!rc && (e = fts_read(fts)))
		if (e->fts_info == FTS_F || e->fts_info == FTS_SL)
			rc = add(l, words, "file", e->fts_path);
	if (fts)
		fts_close(fts);
	return rc ? file_error(d, rc, folder, "read") : 0;
}

int view_text(const char *path, const char *skip, const struct view_word *words,
	      struct name_list *l, struct diag *d)
{
	char *text, *save = NULL;
	int rc = file_read(path, TEXT, &text, NULL, d);

	if (rc)
		return rc;
	for (char *s = strtok_r(text, "\n", &save); !rc && s; s = strtok_r(NULL, "\n", &save))
		if (strncmp(s, skip, strlen(skip)))
			rc = add(l, words, "text", s);
	free(text);
	return rc ? diag_set(d, rc, path, 0, NULL, "out of memory") : 0;
}
