/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as plan.tsv: refused with line, reason and cure, or a plan that saves and loads as
 * itself and that the report's own reader takes, too, cell by cell.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/plan.h"
#include "lib/strtab.h"
#include "results/run_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "fuzz_plan: not so: %s\n", what);
	abort();
}

static void must_reload(const struct plan *p)
{
	char path[64];
	struct plan again;
	struct diag d = {0};

	snprintf(path, sizeof(path), "fuzz_plan.%d.tsv", (int)getpid());
	must(!plan_save(p, path, &d), "a plan is saved");
	must(!plan_load(path, &again, &d), "and loaded");
	must(again.cnt == p->cnt && !memcmp(again.v, p->v, p->cnt * sizeof(*p->v)), "as it was");
	plan_free(&again);
	unlink(path);
}

/* run_dir's reader is laxer, never stricter: a run that was made can be reported. */
static void must_report(const struct plan *p, const char *path)
{
	struct run_dir r = {.words = strtab_new()};
	struct diag d = {0};

	must(r.words != NULL, "memory");
	must(!run_read_plan(&r, path, &d), "the report reads it");
	must(r.cell_cnt == p->cnt, "whole");
	for (size_t i = 0; i < p->cnt; i++)
		must(!strcmp(r.cells[i].cell, p->v[i].name) && r.cells[i].seed == p->v[i].seed &&
			     !strcmp(r.cells[i].binding, p->v[i].binding),
		     "and reads the same");
	free(r.cells);
	strtab_free(r.words);
}

static void read_laxly(const char *path)
{
	struct run_dir r = {.words = strtab_new()};
	struct diag d = {0};

	must(r.words != NULL, "memory");
	if (run_read_plan(&r, path, &d))
		must(d.err < 0 && d.file[0] && d.reason[0], "a refusal has file and reason");
	free(r.cells);
	strtab_free(r.words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("plan", MFD_CLOEXEC);
	struct diag d = {0};
	struct plan p;
	char path[32];

	must(fd >= 0, "a memfd");
	must(write(fd, data, size) == (ssize_t)size, "the input is written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!plan_load(path, &p, &d)) {
		must(p.cnt > 0, "a plan has cells");
		must_reload(&p);
		must_report(&p, path);
		plan_free(&p);
	} else {
		must(d.err < 0 && d.file[0] && d.reason[0] && d.cure[0],
		     "a refusal has file, reason and cure");
		read_laxly(path);
	}
	close(fd);
	return 0;
}
