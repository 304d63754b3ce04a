/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes and reads what became of each mutant. */
#include "tests/mutants/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/hash.h"

enum { EXE_BYTES_MAX = 1 << 28, LINE_MAX_BYTES = 1024 };

struct ledger {
	FILE *f;
	bool again;
	uint8_t known[MUTANTS_MAX]; /* 1 + verdict, | HUNG */
};
enum { HUNG = 1 << 7 };

const char *const verdict_names[VERDICT_CNT] = {
	[VERDICT_CAUGHT] = "caught",	     [VERDICT_SURVIVED] = "survived",
	[VERDICT_EQUIVALENT] = "equivalent", [VERDICT_STILLBORN] = "stillborn",
	[VERDICT_BROKEN] = "broken",
};

static int hash_of(const char *exe, uint64_t *ret, struct diag *d)
{
	char *bytes;
	size_t len;
	int err = file_read(exe, EXE_BYTES_MAX, &bytes, &len, d);

	if (err)
		return err;
	*ret = hash_bytes(bytes, len, 0);
	free(bytes);
	return 0;
}

/* One line of before. What could not be tried is tried again; a torn last line is no line. */
static void take_line(struct ledger *l, const char *line)
{
	const char *tab = strchr(line, '\t'), *number = strrchr(line, '\t');
	unsigned long id = number ? strtoul(number, NULL, 10) : 0;

	if (!tab || !id || id >= MUTANTS_MAX || !strchr(line, '\n'))
		return;
	for (unsigned v = 0; v < VERDICT_BROKEN; v++)
		if (!strncmp(line, verdict_names[v], (size_t)(tab - line)))
			l->known[id] = (uint8_t)((1 + v) | (strstr(line, " (clock)\t") ? HUNG : 0));
}

/* False if the file speaks of another program. */
static bool take_file(struct ledger *l, FILE *f, uint64_t hash)
{
	char line[LINE_MAX_BYTES];
	uint64_t other = 0;

	if (!fgets(line, sizeof(line), f) || sscanf(line, "program\t%" SCNx64, &other) != 1 ||
	    other != hash)
		return false;
	while (fgets(line, sizeof(line), f))
		take_line(l, line);
	return true;
}

static int open_file(struct ledger *l, const char *path, const char *exe, struct diag *d)
{
	uint64_t hash;
	int err = hash_of(exe, &hash, d);
	bool same = false;

	if (err)
		return err;
	l->f = fopen(path, "r");
	if (l->f) {
		same = take_file(l, l->f, hash);
		fclose(l->f);
	}
	l->f = fopen(path, same ? "a" : "w");
	if (!l->f)
		return file_error(d, -errno, path, "write");
	if (!same)
		fprintf(l->f, "program\t%016" PRIx64 "\n", hash);
	return 0;
}

struct ledger *ledger_open(const char *path, const char *exe, bool again, struct diag *d)
{
	struct ledger *l = calloc(1, sizeof(*l));
	int err = l ? 0 : diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");

	if (!err)
		l->again = again;
	if (!err && path)
		err = open_file(l, path, exe, d);
	if (!err)
		return l;
	free(l);
	errno = -err;
	return NULL;
}

int ledger_close(struct ledger *l)
{
	int bad = l && l->f ? ferror(l->f) : 0;

	if (l && l->f && fclose(l->f))
		bad = 1;
	free(l);
	return bad ? -EIO : 0;
}

bool ledger_has(const struct ledger *l, uint32_t id, struct finding *ret)
{
	if (!l->known[id])
		return false;
	if (l->again && (l->known[id] & ~HUNG) - 1 == VERDICT_SURVIVED)
		return false;
	*ret = (struct finding){.verdict = (enum verdict)((l->known[id] & ~HUNG) - 1),
				.hung = l->known[id] & HUNG};
	return true;
}

void ledger_add(struct ledger *l, const struct sites *s, const struct site *x,
		const struct finding *f, const char *test)
{
	if (!l->f)
		return;
	fprintf(l->f, "%s\t%s\t%u\t%u\t%s\t%s\t%s%s\t%" PRIu64 "\t%u\n", verdict_names[f->verdict],
		s->files[x->file].path, x->line, x->column, x->new, x->old, test ? test : "-",
		f->hung ? " (clock)" : "", f->cpu_us / 1000, x->id);
	fflush(l->f);
}
