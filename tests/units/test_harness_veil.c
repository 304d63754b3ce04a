/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program of a cell sees of the run that it is a part of. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/folder.h"
#include "harness/veil.h"
#include "lib/files.h"

static char top[PATH_LEN], run[PATH_LEN];

static const char *below(const char *folder, const char *name)
{
	static char path[4][PATH_LEN];
	static unsigned at;
	char *ret = path[at++ % 4];

	cr_assert(zero(int, path_format(ret, NULL, "%s/%s", folder, name)));
	return ret;
}

/* A run with a plan, one cell and one working folder, in a collection of the given name. */
static void make_run(const char *collection)
{
	snprintf(top, sizeof(top), "/tmp/assay-veil-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(top), NULL));
	cr_assert(zero(int, path_format(run, NULL, "%s/%s/one", top, collection)));
	cr_assert(zero(int, dir_make(below(run, "cells/c"), NULL)));
	cr_assert(zero(int, dir_make(below(run, "work/w"), NULL)));
	cr_assert(zero(int, file_write(below(run, "plan.tsv"), "plan", 4, NULL)));
	cr_assert(zero(int, file_write(below(run, "mine"), "mine", 4, NULL)));
	cr_assert(zero(int, file_write(below(run, "work/program"), "prog", 4, NULL)));
}

static long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : S_ISREG(st.st_mode) ? (long)st.st_size : 0;
}

/* In a child with mounts of its own; -1: there cannot be any here. */
static int veiled(int (*look)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct veil v;

		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
			_exit(255);
		if (veil_open(run, NULL, &v, NULL))
			_exit(100);
		veil_show(&v, below(run, "work/w"));
		veil_show(&v, below(run, "work/absent"));
		veil_show(&v, "");
		_exit(veil_draw(&v, below(run, "work/program")) ? 101 : look());
	}
	cr_assert(eq(int, waitpid(pid, &status, 0), pid));
	cr_assert(eq(int, !!WIFEXITED(status), 1));
	return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static int sees_own_only(void)
{
	if (size_of(below(run, "plan.tsv")) > 0 || size_of(below(run, "cells/c")) >= 0)
		return 1;
	if (size_of(below(run, "work/program")) != 4 || size_of(below(run, "work/absent")) >= 0)
		return 2;
	return file_write(below(run, "work/w/claims"), "x", 1, NULL) ? 3 : 0;
}

static int sees_mine(void)
{
	return size_of(below(run, "mine")) == 4 ? sees_own_only() : 4;
}

static int sees_no_mine(void)
{
	return size_of(below(run, "mine")) < 0 ? sees_own_only() : 4;
}

static void check(const char *collection, int (*look)(void))
{
	int rc;

	make_run(collection);
	rc = veiled(look);
	if (rc < 0) {
		folder_remove(top, NULL);
		cr_skip("no rights to mount anything");
	}
	cr_expect(zero(int, rc));
	/* Outside all is as it was, and what was written in the hole is there. */
	cr_expect(eq(long, size_of(below(run, "plan.tsv")), 4));
	cr_expect(zero(long, size_of(below(run, "cells/c"))));
	cr_expect(eq(long, size_of(below(run, "work/w/claims")), 1));
	folder_remove(top, NULL);
}

Test(harness_veil, covers_the_parts_of_a_run_that_lies_beside_other_files)
{
	check("elsewhere", sees_mine);
}

Test(harness_veil, covers_all_runs_of_a_collection)
{
	check("runs", sees_no_mine);
}
