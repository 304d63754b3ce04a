/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what was drawn. */
#include "harness/generated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/house.h"

enum { BYTES_MAX = 16 << 20 };

static int add_line(struct generated *g, char *line, const char *path, uint64_t number,
		    struct diag *d)
{
	struct generated_line *grown = realloc(g->v, (g->cnt + 1) * sizeof(*grown));
	char *at = line, *id = strsep(&at, "\t"), *step;

	if (!grown)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	g->v = grown;
	strsep(&at, "\t");
	step = strsep(&at, "\t");
	if (!step || strlen(id) >= RECORD_WORD)
		return diag_set(d, -EINVAL, path, number, "remove the folder",
				"a line is: id, template, step, reason; tabs between");
	grown[g->cnt].certified = !strcmp(step, "certified");
	strcpy(grown[g->cnt++].id, id);
	return 0;
}

/* The last line may have been cut short: it is not counted, and its quad is made again. */
static int read_lines(struct generated *g, char *text, uint64_t seed, const char *path,
		      struct diag *d)
{
	char head[48], *at = text, *end;
	int rc = 0;

	snprintf(head, sizeof(head), "# seed %llu\n", (unsigned long long)seed);
	if (strncmp(text, head, strlen(head)) != 0)
		return diag_set(d, -EINVAL, path, 1, "another folder, with --out",
				"it is of another seed");
	at += strlen(head);
	for (uint64_t n = 2; !rc && (end = strchr(at, '\n')); n++) {
		*end = '\0';
		rc = add_line(g, at, path, n, d);
		at = end + 1;
	}
	return rc;
}

int generated_open(const char *folder, uint64_t seed, struct generated *ret, struct diag *d)
{
	struct generated g = {.f = NULL};
	char path[RECORD_PATH], *text;
	int rc = house_path(path, d, "%s/drawn.tsv", folder);
	bool there = !rc && !access(path, F_OK);

	if (there) {
		rc = file_read(path, BYTES_MAX, &text, NULL, d);
		if (!rc) {
			rc = read_lines(&g, text, seed, path, d);
			free(text);
		}
	}
	if (!rc)
		g.f = fopen(path, "ae");
	if (!rc && !g.f)
		rc = file_error(d, -errno, path, "write");
	if (rc) {
		free(g.v);
		return rc;
	}
	if (!there)
		fprintf(g.f, "# seed %llu\n", (unsigned long long)seed);
	*ret = g;
	return 0;
}

int generated_close(struct generated *g, struct diag *d)
{
	int rc = 0;

	if (g->f && (ferror(g->f) | fclose(g->f)))
		rc = diag_set(d, -EIO, "drawn.tsv", 0, NULL, "it could not be written");
	free(g->v);
	*g = (struct generated){.f = NULL};
	return rc;
}

const struct generated_line *generated_find(const struct generated *g, const char *id)
{
	for (size_t i = 0; i < g->cnt; i++)
		if (!strcmp(g->v[i].id, id))
			return &g->v[i];
	return NULL;
}

void generated_add(struct generated *g, const char *id, const char *template, const char *step,
		   const char *reason)
{
	fprintf(g->f, "%s\t%s\t%s\t%s\n", id, template, step, reason);
	fflush(g->f);
}
