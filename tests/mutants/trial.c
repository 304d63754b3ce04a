/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the tests about one mutant. */
#include "tests/mutants/trial.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	COMMAND_MAX = 1 << 16,
	FORK_US = 1000,		  /* what a test costs at least */
	LEARN_CPU_US = 600000000, /* without mutation: against what hangs */
	SPARE_CPU_US = 500000,
	SPARE_TIMES = 5, /* a loaded machine takes more CPU for the same, but not so much more */
	EXCUSED_CPU_US = 100000, /* tests that take longer are not asked about the excused */
	LAST_COUNTS = 8, /* as many as this, when the question is who catches the next one */
};

/* What is known of a test. */
struct test {
	unsigned char *met; /* MUTANTS_MAX: by mutant */
	uint64_t cpu_us;
};

/* How a test has fared with the mutants of one file. */
struct record {
	uint32_t asked, caught;
};

struct lab {
	const struct commands *c;
	char **names;
	struct test *v;
	size_t cnt;
	struct record *records;	    /* by file, then by test */
	uint32_t last[SITES_FILES]; /* the test that caught the last one */
	pthread_mutex_t lock;
};

struct lab *lab_new(const struct commands *c)
{
	struct lab *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return NULL;
	l->c = c;
	pthread_mutex_init(&l->lock, NULL);
	err = suite_list(c->exe, &l->names, &l->cnt);
	if (!err) {
		l->v = calloc(l->cnt + 1, sizeof(*l->v));
		l->records = calloc((l->cnt + 1) * SITES_FILES, sizeof(*l->records));
		err = l->v && l->records ? 0 : -ENOMEM;
	}
	if (err) {
		lab_free(l);
		errno = -err;
		return NULL;
	}
	return l;
}

void lab_free(struct lab *l)
{
	if (!l)
		return;
	for (size_t i = 0; l->v && i < l->cnt; i++)
		free(l->v[i].met);
	free(l->v);
	free(l->records);
	suite_list_free(l->names, l->cnt);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

size_t lab_tests(const struct lab *l)
{
	return l->cnt;
}

const char *lab_test_name(const struct lab *l, uint32_t test)
{
	return l->names[test];
}

uint64_t lab_cpu_us(const struct lab *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->cnt; i++)
		sum += l->v[i].cpu_us;
	return sum;
}

int bench_open(struct bench *ret, const struct lab *l, const char *folder)
{
	struct bench b = {0};
	int err;

	snprintf(b.folder, sizeof(b.folder), "%s", folder);
	if (mkdir(folder, 0777) && errno != EEXIST)
		return -errno;
	err = suite_start(&b.suite, l->c->exe);
	if (!err)
		*ret = b;
	return err;
}

void bench_close(struct bench *b)
{
	suite_end(&b->suite);
}

int lab_learn(struct lab *l, struct bench *b, uint32_t test)
{
	struct wire_ask ask = {.test = test, .cpu_us = LEARN_CPU_US};
	unsigned char *met = malloc(MUTANTS_MAX);
	struct wire_answer a;
	int err = met ? suite_run(&b->suite, &ask, &a) : -ENOMEM;

	if (err || a.failed) {
		free(met);
		return err ? err : 1;
	}
	memcpy(met, b->suite.met, MUTANTS_MAX);
	l->v[test] = (struct test){.met = met, .cpu_us = a.cpu_us};
	return 0;
}

/* A test that comes by the mutant, and what it may cost until one like it is caught. */
struct candidate {
	double cost;
	uint32_t test;
};

static int cheaper(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->test < b->test ? -1 : a->test > b->test;
}

/* A mutant that the compiler fixes leaves no trace: whoever comes by its file comes by it. */
static bool comes_by(const struct test *t, const struct sites *s, const struct site *x)
{
	const struct source *f = &s->files[x->file];

	if (!x->fixed)
		return t->met[x->id];
	for (size_t i = f->first; i < f->first + f->cnt; i++)
		if (t->met[s->v[i].id])
			return true;
	return false;
}

static size_t candidates(struct lab *l, const struct sites *s, const struct site *x,
			 struct candidate *ret)
{
	const struct record *r = &l->records[x->file * l->cnt];
	size_t cnt = 0;

	pthread_mutex_lock(&l->lock);
	for (uint32_t i = 0; i < l->cnt; i++) {
		double caught = r[i].caught + 1 + (l->last[x->file] == i ? LAST_COUNTS : 0);

		if (l->v[i].cpu_us > (x->excused ? EXCUSED_CPU_US : l->c->longest_us))
			continue;
		if (comes_by(&l->v[i], s, x))
			ret[cnt++] = (struct candidate){.test = i,
							.cost = (double)(l->v[i].cpu_us + FORK_US) *
								(r[i].asked + 2) / caught};
	}
	pthread_mutex_unlock(&l->lock);
	qsort(ret, cnt, sizeof(*ret), cheaper);
	return cnt;
}

static void remember(struct lab *l, const struct site *x, uint32_t test, bool caught)
{
	struct record *r = &l->records[x->file * l->cnt + test];

	pthread_mutex_lock(&l->lock);
	r->asked++;
	r->caught += caught;
	if (caught)
		l->last[x->file] = test;
	pthread_mutex_unlock(&l->lock);
}

/* Until one fails. Verdict BROKEN if the server does not answer, SURVIVED if none fails. */
static struct finding ask_all(struct lab *l, struct suite *suite, const struct site *x,
			      const struct candidate *c, size_t cnt)
{
	struct finding f = {.verdict = VERDICT_SURVIVED};

	for (size_t i = 0; i < cnt && f.verdict == VERDICT_SURVIVED; i++) {
		struct wire_ask ask = {.mutant = x->fixed ? 0 : x->id,
				       .test = c[i].test,
				       .cpu_us =
					       SPARE_TIMES * l->v[c[i].test].cpu_us + SPARE_CPU_US};
		struct wire_answer a;

		if (suite_run(suite, &ask, &a)) {
			f.verdict = VERDICT_BROKEN;
			break;
		}
		remember(l, x, ask.test, a.failed);
		f.cpu_us += a.cpu_us;
		f.test = ask.test;
		f.hung = a.hung;
		f.asked++;
		if (a.failed)
			f.verdict = VERDICT_CAUGHT;
	}
	return f;
}

/* Replaces @WORD@ by its value. */
static void expand(char out[static COMMAND_MAX], const char *text, const char *word,
		   const char *value)
{
	size_t len = 0;

	for (const char *hit; (hit = strstr(text, word)); text = hit + strlen(word))
		len += (size_t)snprintf(out + len, COMMAND_MAX - len, "%.*s%s", (int)(hit - text),
					text, value);
	snprintf(out + len, COMMAND_MAX - len, "%s", text);
}

static int run(const char *command)
{
	char quiet[COMMAND_MAX + 64];

	snprintf(quiet, sizeof(quiet), "%s >/dev/null 2>&1 </dev/null", command);
	return system(quiet);
}

/* Exit of the compiler, as system() says it. */
static int compile(const struct commands *c, const char *folder, const char *src, uint32_t id)
{
	char a[COMMAND_MAX], b[COMMAND_MAX], path[512], number[16];

	snprintf(number, sizeof(number), "%u", id);
	expand(a, c->compile, "@ID@", number);
	snprintf(path, sizeof(path), "%s/%s", c->schema, src);
	expand(b, a, "@SRC@", path);
	snprintf(path, sizeof(path), "%s/mutant.o", folder);
	expand(a, b, "@OBJ@", path);
	return run(a);
}

static int link_it(const struct commands *c, const char *folder)
{
	char a[COMMAND_MAX], b[COMMAND_MAX], path[512];

	snprintf(path, sizeof(path), "%s/mutant.o", folder);
	expand(a, c->link, "@OBJ@", path);
	snprintf(path, sizeof(path), "%s/tests", folder);
	expand(b, a, "@EXE@", path);
	return run(b);
}

/* In a program of its own. */
static struct finding ask_fixed(struct lab *l, struct bench *b, const struct sites *s,
				const struct site *x, const struct candidate *c, size_t cnt)
{
	struct finding f = {.verdict = VERDICT_BROKEN};
	struct suite own;
	char exe[512];

	if (compile(l->c, b->folder, s->files[x->file].path, x->id)) {
		f.verdict = VERDICT_STILLBORN;
		return f;
	}
	snprintf(exe, sizeof(exe), "%s/tests", b->folder);
	if (link_it(l->c, b->folder) || suite_start(&own, exe))
		return f;
	f = ask_all(l, &own, x, c, cnt);
	suite_end(&own);
	return f;
}

static bool stillborn(const struct lab *l, const struct site *x)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (l->v[i].met[x->id] == MUTANT_STILLBORN)
			return true;
	return false;
}

struct finding trial(struct lab *l, struct bench *b, const struct sites *s, const struct site *x)
{
	struct candidate *c = calloc(l->cnt + 1, sizeof(*c));
	struct finding f = {.verdict = VERDICT_BROKEN};
	size_t cnt;

	if (!c)
		return f;
	cnt = candidates(l, s, x, c);
	if (stillborn(l, x))
		f.verdict = VERDICT_STILLBORN;
	else if (x->fixed)
		f = ask_fixed(l, b, s, x, c, cnt);
	else
		f = ask_all(l, &b->suite, x, c, cnt);
	if (f.verdict == VERDICT_SURVIVED && x->excused)
		f.verdict = VERDICT_EQUIVALENT;
	free(c);
	return f;
}
