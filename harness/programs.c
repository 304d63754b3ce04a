/* SPDX-License-Identifier: BSD-2-Clause */
/* Scanning the build folder for programs and asking each what it is. */
#include "harness/programs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/process.h"
#include "lib/suggest.h"

enum { DESCRIBE_LEN = 65536 };

static const uint64_t DESCRIBE_LIMIT_NS = UINT64_C(5000000000);

/* Runs PATH describe; the text is in ret. Negative errno with *d filled. */
static int ask(const char *path, char *ret, struct diag *d)
{
	char *argv[] = {(char *)path, (char *)"describe", NULL};
	int rc = process_capture(argv, DESCRIBE_LIMIT_NS, ret, DESCRIBE_LEN, d);

	if (rc > 0)
		return diag_set(d, -EINVAL, path, 0, "run it by hand with the word describe",
				"describe ended with exit code %d", rc);
	if (rc == -ETIMEDOUT)
		return diag_set(d, rc, path, 0, "let describe print its object and exit",
				"describe did not end within %llu seconds",
				(unsigned long long)(DESCRIBE_LIMIT_NS / 1000000000));
	return rc;
}

static void ask_workload(struct workload *w)
{
	char *text = malloc(DESCRIBE_LEN);
	struct workload told = {0};
	struct diag d = {0};

	if (!text)
		diag_set(&d, -ENOMEM, w->path, 0, NULL, "out of memory");
	else if (!ask(w->path, text, &d))
		describe_workload(text, strlen(text), &told, &d);
	free(text);
	if (!d.err && strcmp(told.name, w->name))
		diag_set(&d, -EINVAL, w->path, 0, NULL, "describe says that it is %s", told.name);
	memcpy(told.name, w->name, sizeof(told.name));
	memcpy(told.path, w->path, sizeof(told.path));
	told.trouble = d;
	*w = told;
}

static void ask_profiler(struct profiler *p)
{
	char *text = malloc(DESCRIBE_LEN);
	struct profiler told = {0};
	struct diag d = {0};

	if (!text)
		diag_set(&d, -ENOMEM, p->path, 0, NULL, "out of memory");
	else if (!ask(p->path, text, &d))
		describe_profiler(text, strlen(text), &told, &d);
	free(text);
	memcpy(told.called, told.name, sizeof(told.called));
	if (d.err) {
		memcpy(told.name, p->name, sizeof(told.name));
		snprintf(told.division, sizeof(told.division), "none");
	} else if (!strchr(p->name, '/')) { /* the folder's name rules, as plans use it */
		memcpy(told.name, p->name, sizeof(told.name));
	}
	memcpy(told.path, p->path, sizeof(told.path));
	told.trouble = d;
	*p = told;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls add(name, path) for every KIND/NAME/NAME that can be executed. */
static int each_program(const char *folder, const char *kind,
			int (*add)(void *, const char *name, const char *path), void *arg)
{
	struct dirent **list;
	char path[PATH_LEN];
	int cnt, rc = 0;

	if (snprintf(path, sizeof(path), "%s/%s", folder, kind) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	cnt = scandir(path, &list, NULL, by_name);
	if (cnt < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < cnt; i++) {
		const char *name = list[i]->d_name;
		int n = snprintf(path, sizeof(path), "%s/%s/%s/%s", folder, kind, name, name);

		if (!rc && name[0] != '.' && strlen(name) < NAME_LEN && n < (int)sizeof(path) &&
		    !access(path, X_OK))
			rc = add(arg, name, path);
		free(list[i]);
	}
	free(list);
	return rc;
}

static int add_workload(void *arg, const char *name, const char *path)
{
	struct programs *t = arg;
	struct workload *v = realloc(t->workloads, (t->workloads_cnt + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	t->workloads = v;
	v += t->workloads_cnt++;
	*v = (struct workload){0};
	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->path, sizeof(v->path), "%s", path);
	ask_workload(v);
	return 0;
}

static int add_profiler(void *arg, const char *name, const char *path)
{
	struct programs *t = arg;
	struct profiler *v;

	if (!strcmp(name, "collector")) { /* records evidence; no profiler under test */
		snprintf(t->collector, sizeof(t->collector), "%s", path);
		return 0;
	}
	v = realloc(t->profilers, (t->profilers_cnt + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->profilers = v;
	v += t->profilers_cnt++;
	*v = (struct profiler){0};
	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->path, sizeof(v->path), "%s", path);
	ask_profiler(v);
	return 0;
}

static int own_folder(char *ret, size_t len)
{
	ssize_t n = readlink("/proc/self/exe", ret, len - 1);
	char *slash;

	if (n < 0)
		return -errno;
	ret[n] = '\0';
	slash = strrchr(ret, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

int programs_scan(struct programs *ret, struct diag *d)
{
	struct programs t = {0};
	int rc = own_folder(t.folder, sizeof(t.folder));

	if (!rc)
		rc = each_program(t.folder, "workloads", add_workload, &t);
	if (!rc)
		rc = each_program(t.folder, "profilers", add_profiler, &t);
	if (rc) {
		programs_free(&t);
		return diag_set(d, rc, t.folder, 0, NULL, "cannot look for programs: %s",
				strerror(-rc));
	}
	*ret = t;
	return 0;
}

void programs_free(struct programs *t)
{
	free(t->workloads);
	free(t->profilers);
	t->workloads = NULL;
	t->profilers = NULL;
	t->workloads_cnt = t->profilers_cnt = 0;
}

int programs_workload(const struct programs *t, const char *name, const struct workload **ret,
		      struct diag *d)
{
	const char **names = calloc(t->workloads_cnt + 1, sizeof(*names));
	char cure[256] = "assay list workloads";
	const char *near = NULL;

	for (size_t i = 0; i < t->workloads_cnt; i++) {
		if (!strcmp(t->workloads[i].name, name)) {
			free(names);
			*ret = &t->workloads[i];
			return 0;
		}
		if (names)
			names[i] = t->workloads[i].name;
	}
	if (names)
		near = suggest(name, names, t->workloads_cnt);
	if (near)
		snprintf(cure, sizeof(cure), "did you mean %s? (assay list workloads)", near);
	free(names);
	return diag_set(d, -ENOENT, NULL, 0, cure, "no workload is called %.64s", name);
}

static const struct profiler *find_profiler(const struct programs *t, const char *name)
{
	bool by_path = strchr(name, '/');

	for (size_t i = 0; i < t->profilers_cnt; i++)
		if (!strcmp(by_path ? t->profilers[i].path : t->profilers[i].name, name))
			return &t->profilers[i];
	return NULL;
}

/* A program of somebody else's, given by its path. */
static int add_stranger(struct programs *t, const char *path, struct diag *d)
{
	struct profiler *v = realloc(t->profilers, (t->profilers_cnt + 1) * sizeof(*v));
	const char *base = strrchr(path, '/') + 1;

	if (!v)
		return diag_set(d, -ENOMEM, path, 0, NULL, "out of memory");
	t->profilers = v;
	v += t->profilers_cnt;
	*v = (struct profiler){0};
	snprintf(v->name, sizeof(v->name), "%.*s", NAME_LEN - 1, base);
	snprintf(v->path, sizeof(v->path), "%s", path);
	t->profilers_cnt++;
	ask_profiler(v);
	return 0;
}

int programs_profiler(struct programs *t, const char *name, const struct profiler **ret,
		      struct diag *d)
{
	const char *words[64], *near;
	char cure[256] = "assay list profilers, or a path such as ./mine";
	char real[PATH_MAX];
	const struct profiler *p;
	size_t cnt = 0;

	/* Children run in folders of their own: a stranger's path is made absolute. */
	if (strchr(name, '/') && realpath(name, real) && strlen(real) < PATH_LEN)
		name = real;
	p = find_profiler(t, name);
	if (!p && strchr(name, '/')) {
		int rc = add_stranger(t, name, d);

		if (rc)
			return rc;
		p = find_profiler(t, name);
	}
	if (p) {
		*ret = p;
		return 0;
	}
	for (; cnt < t->profilers_cnt && cnt < 64; cnt++)
		words[cnt] = t->profilers[cnt].name;
	near = suggest(name, words, cnt);
	if (near)
		snprintf(cure, sizeof(cure), "did you mean %s? (assay list profilers)", near);
	return diag_set(d, -ENOENT, NULL, 0, cure, "no profiler is called %.64s", name);
}
