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

/* The number that the mutant of a line has now, or 0 if its file is gone or says something else. */
static uint32_t number_now(const struct sites *s, const char *path, uint32_t id, uint64_t hash)
{
	for (uint32_t i = 0; i < s->files_cnt; i++)
		if (!strcmp(s->files[i].path, path) && s->files[i].hash == hash)
			return 1 + i * SITES_A_FILE + (id - 1) % SITES_A_FILE;
	return 0;
}

/* One line of before. What could not be tried is tried again; a torn last line is no line. */
static void take_line(struct ledger *l, const struct sites *s, const char *line)
{
	char verdict[16], path[SITE_PATH], test[256];
	uint64_t hash;
	uint32_t id;

	if (sscanf(line,
		   "%15[^\t]\t%127[^\t]\t%*u\t%*u\t%*[^\t]\t%*[^\t]\t%255[^\t]\t%*u\t%u\t%" SCNx64,
		   verdict, path, test, &id, &hash) != 5 ||
	    !id || !strchr(line, '\n'))
		return;
	id = number_now(s, path, id, hash);
	for (unsigned v = 0; v < VERDICT_BROKEN; v++)
		if (id && !strcmp(verdict, verdict_names[v]))
			l->known[id] = (uint8_t)((1 + v) | (strstr(test, " (clock)") ? HUNG : 0));
}

/* True if the last lines speak of this program, so that more can be added. */
static bool take_file(struct ledger *l, const struct sites *s, FILE *f, uint64_t hash)
{
	char line[LINE_MAX_BYTES];
	uint64_t of = 0;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "program\t%" SCNx64, &of) == 1 && of != hash && !l->again)
			memset(l->known, 0, sizeof(l->known));
		else if (of == hash || l->again)
			take_line(l, s, line);
	}
	return of == hash;
}

static int open_file(struct ledger *l, const struct sites *s, const char *path, const char *exe,
		     struct diag *d)
{
	uint64_t hash;
	int err = hash_of(exe, &hash, d);
	bool same = false;

	if (err)
		return err;
	l->f = fopen(path, "r");
	if (l->f) {
		same = take_file(l, s, l->f, hash);
		fclose(l->f);
	}
	l->f = fopen(path, same || l->again ? "a" : "w");
	if (!l->f)
		return file_error(d, -errno, path, "write");
	if (!same)
		fprintf(l->f, "program\t%016" PRIx64 "\n", hash);
	return 0;
}

struct ledger *ledger_open(const char *path, const char *exe, const struct sites *s, bool again,
			   struct diag *d)
{
	struct ledger *l = calloc(1, sizeof(*l));
	int err = l ? 0 : diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");

	if (!err)
		l->again = again;
	if (!err && path)
		err = open_file(l, s, path, exe, d);
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

/* An excuse may have come or gone since: then it is tried as it is now. */
bool ledger_has(const struct ledger *l, const struct site *x, struct finding *ret)
{
	uint8_t known = l->known[x->id];
	enum verdict v = (enum verdict)((known & ~HUNG) - 1);

	if (!known)
		return false;
	if (v == (x->excused ? VERDICT_SURVIVED : VERDICT_EQUIVALENT) ||
	    (v == VERDICT_SURVIVED && l->again))
		return false;
	*ret = (struct finding){.verdict = v, .hung = known & HUNG};
	return true;
}

void ledger_add(struct ledger *l, const struct sites *s, const struct site *x,
		const struct finding *f, const char *test)
{
	if (!l->f)
		return;
	fprintf(l->f, "%s\t%s\t%u\t%u\t%s\t%s\t%s%s\t%" PRIu64 "\t%u\t%016" PRIx64 "\n",
		verdict_names[f->verdict], s->files[x->file].path, x->line, x->column, x->new,
		x->old, test ? test : "-", f->hung ? " (clock)" : "", f->cpu_us / 1000, x->id,
		s->files[x->file].hash);
	fflush(l->f);
}
