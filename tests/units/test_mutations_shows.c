/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs and processes show: /proc, files near them, types of functions. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/house.h"
#include "mutations/leaks.h"
#include "mutations/signatures.h"
#include "mutations/view.h"

static const struct view_word no_words[] = {{NULL, NULL}};

static bool has_line(const struct name_list *l, const char *line)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->v[i], line))
			return true;
	return false;
}

static struct name_list see(pid_t pid, const struct view_word *words)
{
	struct name_list l = {0};
	struct diag d = {0};

	cr_assert_eq(view_process(pid, words, &l, &d), 0, "%s", d.reason);
	names_sort(&l);
	return l;
}

/* ---- processes ---- */

static void *named_thread(void *arg)
{
	pthread_setname_np(pthread_self(), "telltale-77");
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

Test(mutations_view, sees_names_of_threads_and_of_open_files)
{
	int fd = memfd_create("telltale-file", MFD_CLOEXEC);
	pthread_barrier_t meet;
	struct name_list l;
	pthread_t thread;
	char line[64];

	pthread_barrier_init(&meet, NULL, 2);
	cr_assert_eq(pthread_create(&thread, NULL, named_thread, &meet), 0);
	pthread_barrier_wait(&meet);
	l = see(getpid(), no_words);
	pthread_barrier_wait(&meet);
	pthread_join(thread, NULL);
	cr_assert(has_line(&l, "thread telltale-"), "numbers are chance");
	snprintf(line, sizeof(line), "open fd/%d /memfd:telltale-file (deleted)", fd);
	cr_assert(has_line(&l, line));
	close(fd);
	names_free(&l);
}

Test(mutations_view, sees_arguments_environment_and_mappings)
{
	struct name_list l = see(getpid(), no_words);
	const char *const words[] = {"argument ",     "environment PATH=", "link exe ", "link cwd ",
				     "mapping r-xp ", "limit Max ",	   NULL};

	for (size_t i = 0; words[i]; i++) {
		const char *const one[] = {words[i], NULL};

		cr_assert_not_null(names_hold(&l, one), "%s", words[i]);
	}
	names_free(&l);
}

Test(mutations_view, writes_words_for_folders_and_is_the_same_twice)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct view_word words[] = {{exe, "PROGRAM"}, {NULL, NULL}};
	struct name_list a, b;

	cr_assert_gt(n, 0);
	exe[n] = '\0';
	a = see(getpid(), words);
	b = see(getpid(), words);
	cr_assert(has_line(&a, "link exe PROGRAM"));
	cr_assert(has_line(&a, "mapping r-xp PROGRAM"));
	cr_assert_null(names_differ(&a, &b), "%s", names_differ(&a, &b));
	names_free(&a);
	names_free(&b);
}

Test(mutations_view, says_that_a_process_has_ended)
{
	struct name_list l = {0};
	struct diag d = {0};

	cr_assert_eq(view_process(0x3fffffff, no_words, &l, &d), -ESRCH);
	names_free(&l);
}

Test(mutations_view, sees_files_and_lines_but_the_one_to_skip)
{
	char folder[] = "/tmp/assay-view-XXXXXX", path[64];
	struct view_word words[] = {{folder, "HERE"}, {NULL, NULL}};
	struct name_list l = {0};

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/text", folder);
	cr_assert_eq(file_write(path, "build_id: 1f\nunit: pin\n", 23, NULL), 0);
	cr_assert_eq(view_folder(folder, words, &l, NULL), 0);
	cr_assert_eq(view_text(path, "build_id:", words, &l, NULL), 0);
	names_sort(&l);
	cr_assert_eq(l.cnt, 2);
	cr_assert(has_line(&l, "file HERE/text"));
	cr_assert(has_line(&l, "text unit: pin"));
	names_free(&l);
	house_remove(folder, NULL);
}

static struct name_list one(const char *line)
{
	struct name_list l = {0};

	cr_assert_eq(names_add(&l, line, strlen(line)), 0);
	return l;
}

Test(mutations_leaks, finds_what_one_running_form_shows_alone)
{
	struct house h = {.source = "/src", .variants = "/src/build/variants"};
	struct mutation m = {.id = "own-pool-1"};
	struct name_list views[FORM_CNT] = {one("thread pool"), one("thread pool"),
					    one("thread pool")};
	struct diag d = {0};

	cr_assert_eq(leaks_shown(&h, &m, views, &d), 0, "%s", d.reason);
	names_free(&views[FORM_TWIN]);
	views[FORM_TWIN] = one("thread pond");
	cr_assert_eq(leaks_shown(&h, &m, views, &d), -EPERM);
	cr_assert_str_eq(d.file, "twin");
	for (unsigned f = 0; f < FORM_CNT; f++) {
		names_free(&views[f]);
		views[f] = one("open 3 /tmp/own-pool-1.txt");
	}
	cr_assert_eq(leaks_shown(&h, &m, views, &d), -EPERM, "all show it, and it still tells");
	for (unsigned f = 0; f < FORM_CNT; f++)
		names_free(&views[f]);
}

/* ---- signatures ---- */

struct told {
	int a;
};
typedef uint16_t small_number;
struct told *told_by(const struct told *t, small_number n, double v, ...);
__attribute__((used, noinline)) struct told *told_by(const struct told *t, small_number n, double v,
						     ...)
{
	return n && v > 0 ? (struct told *)(uintptr_t)t : NULL;
}

Test(mutations_signatures, are_read_with_types_and_sizes)
{
	struct name_list l;
	struct diag d = {0};

	cr_assert_eq(signatures_load("/proc/self/exe", &l, &d), 0, "%s", d.reason);
	cr_assert(has_line(&l, "told_by struct told *:8(const struct told *:8, small_number:2, "
			       "double:8, ...)"));
	names_free(&l);
	cr_assert_eq(signatures_load("/bin/true", &l, &d), -EINVAL);
	cr_assert_eq(signatures_load("/nowhere", &l, &d), -ENOENT);
}

Test(mutations_signatures, differ_only_between_functions_of_one_name)
{
	char *a[] = {(char *)"f int:4()", (char *)"g void(int:4)"};
	char *b[] = {(char *)"f int:4()", (char *)"ff int:4()", (char *)"g void(long:8)"};
	struct name_list x = {.v = a, .cnt = 2}, y = {.v = b, .cnt = 3};
	size_t cnt = 9;

	cr_assert_str_eq(signatures_differ(&x, &y, &cnt), "g void(long:8)");
	y.cnt = 2;
	cr_assert_null(signatures_differ(&x, &y, &cnt));
	cr_assert_eq(cnt, 1);
}

Test(mutations_signatures, sites_are_named_by_place_and_cost)
{
	static const char text[] =
		"manifest: 1\napplication: w\nresources:\n"
		"  - {resource: w.a, unit: one, lifetime: [ACQUIRE, RELEASE]}\n"
		"descriptors:\n"
		"  - {id: 4, resource: w.a, event: ACQUIRE, site: told_by, instance_key: arg0}\n"
		"  - {id: 7, resource: w.a, event: RELEASE, site: not_there, instance_key: arg0}\n";
	struct manifest m;
	struct name_list l;
	struct diag d = {0};

	cr_assert_eq(manifest_parse(text, strlen(text), "m", &m, &d), 0, "%s", d.reason);
	cr_assert_eq(attachability_load(&m, "/proc/self/exe", &l, &d), 0, "%s", d.reason);
	cr_assert_eq(l.cnt, 2);
	cr_assert(strstr(l.v[0], "descriptor 4: told_by+0, ") == l.v[0], "%s", l.v[0]);
	cr_assert_str_eq(l.v[1], "descriptor 7: none");
	names_free(&l);
	manifest_free(&m);
}
