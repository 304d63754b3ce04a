/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as scores.csv: refused with line, reason and cure, or lines that are written again and
 * then read as the same lines.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "results/scores_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_scores: not so: %s\n", what);
	abort();
}

/* Every line in one piece of memory, the numbers bit by bit, but that -0 is 0 (number_exact). */
struct text {
	FILE *f;
	char *s;
	size_t len;
	struct scores_csv *copy; /* NULL: none is made */
};

static int each(const struct figure_row *r, void *arg)
{
	const char *words[] = {r->run,	    r->cell,	 r->workload, r->variant,
			       r->profiler, r->division, r->regime,   r->binding,
			       r->metric,   r->scope,	 r->status};
	struct text *t = arg;
	struct diag d = {0};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fwrite(words[i], 1, strlen(words[i]) + 1, t->f);
	fprintf(t->f, "%llu %llu %d %a %d %a %a\n", (unsigned long long)r->seed,
		(unsigned long long)r->n, r->has_value, r->has_value ? r->value + 0.0 : 0,
		r->has_interval, r->has_interval ? r->lo + 0.0 : 0,
		r->has_interval ? r->hi + 0.0 : 0);
	if (t->copy)
		must(!scores_csv_put(t->copy, r, &d), "what was read can be written");
	return 0;
}

static void text_open(struct text *t)
{
	*t = (struct text){.copy = NULL};
	t->f = open_memstream(&t->s, &t->len);
	must(t->f != NULL, "memory");
}

static void must_reread(const char *path)
{
	char copy[64];
	struct text first, second;
	struct diag d = {0};

	snprintf(copy, sizeof(copy), "fuzz_scores.%d.csv", (int)getpid());
	text_open(&first);
	text_open(&second);
	must(!scores_csv_create(copy, &first.copy, &d), "a copy is made");
	must(!scores_csv_read(path, each, &first, &d), "what was read once is read again");
	must(!scores_csv_close(first.copy, &d), "and written");
	must(!scores_csv_read(copy, each, &second, &d), "the copy is read");
	fclose(first.f);
	fclose(second.f);
	must(first.len == second.len && !memcmp(first.s, second.s, first.len), "as the same");
	free(first.s);
	free(second.s);
	unlink(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("scores", MFD_CLOEXEC);
	struct diag d = {0};
	struct text t;
	char path[32];

	must(fd >= 0, "a memfd");
	must(write(fd, data, size) == (ssize_t)size, "the input is written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	text_open(&t);
	if (scores_csv_read(path, each, &t, &d))
		must(d.err == -EINVAL && d.file[0] && d.reason[0] && d.cure[0] && d.line,
		     "a refusal has file, line, reason and cure");
	else
		must_reread(path);
	fclose(t.f);
	free(t.s);
	close(fd);
	return 0;
}
