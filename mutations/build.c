/* SPDX-License-Identifier: BSD-2-Clause */
/* From a tree of sources to a program: compile what is new, link in the salt's order. */
#include "mutations/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/hash.h"
#include "mutations/essence.h"
#include "mutations/files.h"
#include "mutations/once.h"
#include "mutations/padding.h"
#include "mutations/tool.h"

enum { OBJECTS_MAX = 96, ARGS_MAX = OBJECTS_MAX + 64, LDLIBS_MAX = 8 };
enum { PREPROCESSED_BYTES_MAX = 16 << 20 };

/* Part of every hash: raise it where the same inputs would make another program. */
static const uint64_t BUILD_VERSION = 3;

struct object {
	char path[RECORD_PATH];
	uint64_t order; /* by which the linker gets it */
};

struct job {
	const struct house *h;
	const struct build_spec *s;
	const struct form_spec *form;
	const char *tree;
	const char *const *debug_flags; /* end with NULL */
	uint64_t how;			/* compiler and flags */
	uint64_t common;		/* these, and headers */
	uint64_t program;
	struct object objects[OBJECTS_MAX];
	unsigned cnt;
	char ldlibs[LDLIBS_MAX][RECORD_WORD];
	unsigned ldlibs_cnt;
};

const char *compiler_name(unsigned v)
{
	static const char *const names[COMPILER_CNT] = {"gcc", "clang"};

	return names[v];
}

/* ---- hashes ---- */

/* A compiler does not change under a running program: it is asked once. */
static int hash_compiler(unsigned compiler, uint64_t *h, struct diag *d)
{
	static uint64_t known[COMPILER_CNT];
	char *argv[] = {(char *)compiler_name(compiler), (char *)"--version", NULL}, *text;
	int rc = known[compiler] ? 0 : tool_run(argv, NULL, &text, d);

	if (rc < 0)
		return rc;
	if (!known[compiler]) {
		known[compiler] = hash_bytes(text, strlen(text), 1) | 1;
		free(text);
	}
	*h = hash_u64(known[compiler], *h);
	return 0;
}

/* Headers that every workload may use, beside its own. */
static int hash_headers(const struct house *h, uint64_t *ret, struct diag *d)
{
	static const char *const truth[] = {"groundtruth/log.h", "groundtruth/recorder.h",
					    "groundtruth/recorder_channel.h",
					    "groundtruth/recorder_thread.h"};
	int rc = hash_sources(h->source, "lib", "h", ret, d);

	for (unsigned i = 0; !rc && i < sizeof(truth) / sizeof(truth[0]); i++)
		rc = hash_source(h->source, truth[i], ret, d);
	return rc;
}

static int hash_manifest(const struct house *h, const char *workload, uint64_t *sum, struct diag *d)
{
	char name[RECORD_PATH], path[RECORD_PATH];
	int rc = house_path(name, d, "workloads/%s/manifest.yaml", workload);

	if (!rc)
		rc = house_path(path, d, "%s/%s", h->source, name);
	return rc || access(path, F_OK) ? rc : hash_source(h->source, name, sum, d);
}

int build_inputs_hash(const struct house *h, const char *workload, uint64_t *ret, struct diag *d)
{
	char folder[RECORD_PATH];
	uint64_t sum = BUILD_VERSION;
	int rc = house_path(folder, d, "workloads/%s", workload);

	if (!rc)
		rc = hash_sources(h->source, folder, "ch", &sum, d);
	if (!rc)
		rc = hash_manifest(h, workload, &sum, d);
	if (!rc)
		rc = hash_sources(h->source, "workloads/driver", "ch", &sum, d);
	if (!rc)
		rc = hash_headers(h, &sum, d);
	for (unsigned c = 0; !rc && c < COMPILER_CNT; c++)
		rc = hash_compiler(c, &sum, d);
	if (!rc)
		*ret = sum;
	return rc;
}

static int hash_common(struct job *j, struct diag *d)
{
	uint64_t sum = BUILD_VERSION + 8 * j->s->level;
	int rc = hash_compiler(j->s->compiler, &sum, d);

	for (unsigned i = 0; j->debug_flags[i]; i++)
		sum = hash_bytes(j->debug_flags[i], strlen(j->debug_flags[i]), sum);
	for (unsigned i = 0; i < j->form->flags_cnt; i++)
		sum = hash_bytes(j->form->flags[i], strlen(j->form->flags[i]), sum);
	j->how = sum;
	if (!rc)
		rc = hash_headers(j->h, &sum, d);
	if (!rc)
		rc = hash_sources(j->tree, "workloads/driver", "h", &sum, d);
	j->common = sum;
	return rc;
}

/* ---- compiling ---- */

/*
 * What a program with debug information is made from. Where variables are at each moment is not
 * looked at, and takes gcc a fifth of its time; the rest costs it so little that its programs of
 * either kind share their objects.
 */
static const char *const *debug_flags(const struct build_spec *s)
{
	static const char *const gcc[] = {"-g", "-fno-var-tracking",
					  "-fno-var-tracking-assignments", NULL};
	static const char *const clang[] = {"-g", NULL}, *const none[] = {NULL};

	if (s->compiler == COMPILER_GCC)
		return gcc;
	return s->debug ? clang : none;
}

static void add_object(struct job *j, const char *path, uint64_t key)
{
	struct object *o = &j->objects[j->cnt];

	snprintf(o->path, sizeof(o->path), "%s", path);
	o->order = hash_u64(key, j->s->salt) ^ hash_u64(j->cnt, j->s->salt);
	j->cnt++;
}

/* Runs the compiler on a source of the tree; how ends with NULL. */
static int run_compiler(const struct job *j, const char *const *how, const char *source,
			const char *to, struct diag *d)
{
	char level[8], include[RECORD_PATH + 8], map[RECORD_PATH + 32], here[RECORD_PATH + 32];
	char *argv[ARGS_MAX] = {(char *)compiler_name(j->s->compiler),
				(char *)"-std=gnu17",
				level,
				(char *)"-D_GNU_SOURCE",
				(char *)"-I.",
				include,
				map,
				here,
				(char *)"-w",
				(char *)"-mno-red-zone",
				(char *)"-fcf-protection=none",
				(char *)"-fno-plt"};
	unsigned n = 12;

	snprintf(level, sizeof(level), "-O%u", j->s->level);
	snprintf(include, sizeof(include), "-I%s", j->h->source);
	snprintf(map, sizeof(map), "-ffile-prefix-map=%s/=", j->h->source);
	snprintf(here, sizeof(here), "-ffile-prefix-map=%s=/", j->tree);
	for (unsigned i = 0; j->debug_flags[i]; i++)
		argv[n++] = (char *)j->debug_flags[i];
	for (unsigned i = 0; i < j->form->flags_cnt; i++)
		if (strncmp(j->form->flags[i], "-Wl,", 4))
			argv[n++] = (char *)j->form->flags[i];
	while (*how)
		argv[n++] = (char *)*how++;
	argv[n++] = (char *)"-o";
	argv[n++] = (char *)to;
	argv[n++] = (char *)source;
	argv[n] = NULL;
	return tool_must(argv, j->tree, "correct the patch, or the flags, of this form", d);
}

/* Adds what of the source, its headers included, code can be made from. */
static int hash_essence(const struct job *j, const char *source, const char *part, uint64_t *key,
			struct diag *d)
{
	static const char *const how[] = {"-E", "-P", NULL};
	char path[RECORD_PATH], *text;
	size_t len;
	int rc = house_path(path, d, "%s.i", part);

	if (!rc)
		rc = run_compiler(j, how, source, path, d);
	if (rc)
		return rc;
	rc = file_read(path, PREPROCESSED_BYTES_MAX, &text, &len, d);
	unlink(path);
	if (rc)
		return rc;
	rc = essence_hash(text, len, key);
	free(text);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

struct compilation {
	const struct job *j;
	const char *source;
};

/* Makes an object without asking whether there is one of the same essence: there is none. */
static int compile(void *arg, const char *part, struct diag *d)
{
	static const char *const how[] = {"-c", NULL};
	const struct compilation *c = arg;

	return run_compiler(c->j, how, c->source, part, d);
}

/*
 * An object has two names: by all that its source may include, which is quick to know, and by the
 * essence of it, which takes a preprocessor. The first is asked for first; a new one is another
 * link to an object of the same essence, where there is one. Who holds the second name's lock waits
 * for nobody.
 */
static int make_object(void *arg, const char *part, struct diag *d)
{
	struct compilation *c = arg;
	char same[RECORD_PATH];
	uint64_t key = hash_bytes(c->source, strlen(c->source), c->j->how);
	int rc = hash_essence(c->j, c->source, part, &key, d);

	if (!rc)
		rc = house_path(same, d, "%s/o/%016llx.e.o", c->j->h->variants,
				(unsigned long long)key);
	if (!rc)
		rc = make_once(same, compile, c, d);
	if (!rc && link(same, part))
		rc = file_error(d, -errno, part, "write");
	return rc;
}

/* The object of one source, made if it is not there. extra: what else it depends on. */
static int take_object(struct job *j, const char *source, uint64_t extra,
		       int (*maker)(void *, const char *, struct diag *), struct diag *d)
{
	struct compilation c = {j, source};
	char object[RECORD_PATH];
	uint64_t key = hash_u64(extra, j->common);
	int rc = hash_source(j->tree, source, &key, d);

	if (!rc && j->cnt == OBJECTS_MAX)
		rc = diag_set(d, -E2BIG, source, 0, NULL, "more than %d objects", OBJECTS_MAX);
	if (!rc)
		rc = house_path(object, d, "%s/o/%016llx.o", j->h->variants,
				(unsigned long long)key);
	if (!rc)
		rc = make_once(object, maker, &c, d);
	if (!rc)
		add_object(j, object, hash_bytes(source, strlen(source), 0));
	j->program = hash_u64(key, j->program);
	return rc;
}

struct compiling {
	struct job *j;
	uint64_t headers;
};

static int compile_each(const char *name, void *arg, struct diag *d)
{
	struct compiling *c = arg;

	return take_object(c->j, name, c->headers, make_object, d);
}

static int compile_folder(struct job *j, const char *workload, bool own_headers, struct diag *d)
{
	struct compiling c = {.j = j};
	char folder[RECORD_PATH];
	int rc = house_path(folder, d, "workloads/%s", workload);

	if (!rc && own_headers)
		rc = hash_sources(j->tree, folder, "h", &c.headers, d);
	return rc ? rc : each_source(j->tree, folder, "c", compile_each, &c, d);
}

static int compile_padding(struct job *j, struct diag *d)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < padding_files(j->s->salt); i++) {
		char name[RECORD_WORD], path[RECORD_PATH];
		struct file_out o;

		padding_name(j->s->salt, i, name);
		rc = house_path(path, d, "%s/%s", j->tree, name);
		if (!rc)
			rc = file_out_open(&o, path, d);
		if (rc)
			break;
		padding_write(j->s->salt, i, o.f);
		rc = file_out_commit(&o, d);
		if (!rc)
			rc = take_object(j, name, 0, compile, d);
	}
	return rc;
}

/* ---- linking ---- */

/* LDLIBS_workload_NAME := … of the workload's module.mk: the words behind the sign. */
static int read_ldlibs(struct job *j, struct diag *d)
{
	char path[RECORD_PATH], wanted[RECORD_PATH], *text, *at, *save = NULL;
	int rc = house_path(path, d, "%s/workloads/%s/module.mk", j->h->source, j->s->workload);

	if (rc || access(path, R_OK))
		return rc;
	snprintf(wanted, sizeof(wanted), "LDLIBS_workload_%s", j->s->workload);
	rc = file_read(path, SOURCE_BYTES_MAX, &text, NULL, d);
	if (rc)
		return rc;
	at = strstr(text, wanted);
	at = at ? strchr(at, '=') : NULL;
	if (at) {
		*strchrnul(at, '\n') = '\0';
		at = strtok_r(at + 1, " \t", &save);
	}
	for (; at && j->ldlibs_cnt < LDLIBS_MAX; at = strtok_r(NULL, " \t", &save))
		snprintf(j->ldlibs[j->ldlibs_cnt++], RECORD_WORD, "%s", at);
	free(text);
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct object *p = a, *q = b;

	return p->order < q->order ? -1 : p->order > q->order;
}

static int link_program(void *arg, const char *part, struct diag *d)
{
	struct job *j = arg;
	char *argv[ARGS_MAX] = {(char *)compiler_name(j->s->compiler),
				(char *)(j->s->debug ? "-g" : "-Wl,-S"),
				(char *)"-Wl,--build-id=sha1",
				(char *)"-pthread",
				(char *)"-o",
				(char *)part};
	unsigned n = 6;

	qsort(j->objects, j->cnt, sizeof(j->objects[0]), by_order);
	for (unsigned i = 0; i < j->cnt; i++)
		argv[n++] = j->objects[i].path;
	argv[n++] = (char *)j->h->library;
	for (unsigned i = 0; i < j->ldlibs_cnt; i++)
		argv[n++] = j->ldlibs[i];
	for (unsigned i = 0; i < j->form->flags_cnt; i++)
		if (!strncmp(j->form->flags[i], "-Wl,", 4))
			argv[n++] = (char *)j->form->flags[i];
	argv[n++] = (char *)"-lm";
	argv[n] = NULL;
	return tool_must(argv, j->tree, NULL, d);
}

/* The library is made from lib, whose change makes other programs. */
static int hash_library(const struct job *j, uint64_t *h, struct diag *d)
{
	char *bytes;
	size_t len;
	int rc = file_read(j->h->library, 64 << 20, &bytes, &len, d);

	if (rc == -ENOENT)
		snprintf(d->cure, sizeof(d->cure), "make");
	if (!rc) {
		*h = hash_bytes(bytes, len, *h);
		free(bytes);
	}
	return rc;
}

/* A workload that goes on as another build of itself has that beside it; it is the same for all,
 * and no link that says where it comes from. One of an earlier make gives way. */
static int place_next(const struct job *j, const char *folder, struct diag *d)
{
	char from[RECORD_PATH], to[RECORD_PATH];
	struct stat now, was;
	int rc = house_path(from, d, "%s/workloads/%s/next", j->h->build, j->s->workload);

	rc = rc ? rc : house_path(to, d, "%s/next", folder);
	if (rc || access(from, X_OK) || stat(from, &now))
		return rc;
	if (!stat(to, &was) && (was.st_ino != now.st_ino || was.st_dev != now.st_dev))
		unlink(to);
	if (link(from, to) && errno != EEXIST)
		rc = file_error(d, -errno, to, "write");
	return rc;
}

static int take_program(struct job *j, char ret[RECORD_PATH], struct diag *d)
{
	char folder[RECORD_PATH], program[RECORD_PATH];
	uint64_t key = hash_u64(j->s->salt, j->program + j->s->debug);
	int rc = hash_library(j, &key, d);

	for (unsigned i = 0; i < j->ldlibs_cnt; i++)
		key = hash_bytes(j->ldlibs[i], strlen(j->ldlibs[i]), key);
	for (unsigned i = 0; i < j->form->flags_cnt; i++)
		key = hash_bytes(j->form->flags[i], strlen(j->form->flags[i]), key);
	if (!rc)
		rc = house_path(folder, d, "%s/%016llx", j->h->variants, (unsigned long long)key);
	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = house_path(program, d, "%s/%s", folder, j->s->workload);
	if (!rc)
		rc = make_once(program, link_program, j, d);
	if (!rc)
		rc = place_next(j, folder, d);
	if (!rc)
		strcpy(ret, program);
	return rc;
}

static int make(struct job *j, char ret[RECORD_PATH], struct diag *d)
{
	char objects[RECORD_PATH];
	int rc = house_path(objects, d, "%s/o", j->h->variants);

	if (!rc)
		rc = dir_make(objects, d);
	if (!rc)
		rc = hash_common(j, d);
	if (!rc)
		rc = compile_folder(j, j->s->workload, true, d);
	if (!rc)
		rc = compile_folder(j, "driver", false, d);
	if (!rc)
		rc = compile_padding(j, d);
	if (!rc)
		rc = read_ldlibs(j, d);
	return rc ? rc : take_program(j, ret, d);
}

int build_variant(const struct house *h, const struct build_spec *s, char ret[RECORD_PATH],
		  struct diag *d)
{
	static const struct form_spec plain;
	struct job *j = calloc(1, sizeof(*j));
	char tree[RECORD_PATH];
	int rc = j ? build_sources(h, s, tree, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc) {
		j->h = h;
		j->s = s;
		j->tree = tree;
		j->form = s->mutation ? &s->mutation->forms[s->form] : &plain;
		j->debug_flags = debug_flags(s);
		rc = make(j, ret, d);
		house_remove(tree, NULL);
	}
	free(j);
	return rc;
}
