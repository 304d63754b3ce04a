/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutation testing of the scorer: does any test notice when an operator or a bound is wrong?
 *
 *   mutate --schema DIR FILE…                 writes the sources of the program of all mutants
 *   mutate --schema DIR --exe TESTS … FILE…   tries them
 *
 * Tries every mutant, those of files that match, or a sample that the seed decides. Prints
 * survivors, what is caught though the source excuses it, and a count. Exit code 0 if the caught
 * share of those that are no declared equivalents is high enough, 1 if not, 2 for a wrong call, 4
 * if the tests fail without any mutation.
 */
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/files.h"
#include "lib/hash.h"
#include "lib/opts.h"
#include "lib/progress.h"
#include "tests/mutants/ledger.h"
#include "tests/mutants/schema.h"

enum { JOBS_MAX = 64 };

static struct {
	struct commands commands;
	const char *folder, *results, *seed;
	struct opt_list only, but;
	uint64_t sample, jobs, longest_ns;
	double at_least;
	bool list, again;
} args = {.folder = ".", .seed = "", .jobs = 2, .at_least = 95, .longest_ns = UINT64_MAX};

static const struct opt table[] = {
	{"schema", 0, OPT_STR, "DIR", "where the sources with all mutants are, or go",
	 &args.commands.schema, 0, 0, NULL},
	{"exe", 0, OPT_STR, "FILE",
	 "the program of all mutants and the tests (none: write sources)", &args.commands.exe, 0, 0,
	 NULL},
	{"compile", 0, OPT_STR, "CMD", "compiles @SRC@ as mutant @ID@ to @OBJ@",
	 &args.commands.compile, 0, 0, NULL},
	{"link", 0, OPT_STR, "CMD", "links @OBJ@ before all others to @EXE@", &args.commands.link,
	 0, 0, NULL},
	{"folder", 0, OPT_STR, "DIR", "for what must be compiled", &args.folder, 0, 0, NULL},
	{"results", 0, OPT_STR, "FILE", "what became of each; goes on where that ends",
	 &args.results, 0, 0, NULL},
	{"only", 0, OPT_LIST, "PATTERN", "mutants of files that match", &args.only, 0, 0, NULL},
	{"but", 0, OPT_LIST, "PATTERN", "no mutants of files that match", &args.but, 0, 0, NULL},
	{"sample", 0, OPT_COUNT, "N", "as many, drawn by the seed (all)", &args.sample, 0, 0, NULL},
	{"seed", 0, OPT_STR, "TEXT", "draws the sample", &args.seed, 0, 0, NULL},
	{"jobs", 0, OPT_COUNT, "N", "at a time (2)", &args.jobs, 1, JOBS_MAX, NULL},
	{"at-least", 0, OPT_F64, "PERCENT", "caught share that is asked for (95)", &args.at_least,
	 0, 0, NULL},
	{"longest", 0, OPT_DURATION, "TIME", "ask no test that takes more CPU (any)",
	 &args.longest_ns, 0, 0, NULL},
	{"again", 0, OPT_FLAG, NULL, "try again what survived as --results says, and what changed",
	 &args.again, 0, 0, NULL},
	{"list", 0, OPT_FLAG, NULL, "print the sites alone, and which are excused", &args.list, 0,
	 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "mutate",
	.usage = "--schema DIR [--exe TESTS --compile CMD --link CMD] FILE...",
	.purpose = "Changes one operator or bound at a time and asks the tests whether they notice",
	.table = table,
	.args_min = 1,
	.args_max = SITES_FILES,
	.examples = {"make mutate-scorer", "make mutate-scorer MUTATE='--sample 60 --seed x'",
		     "make mutate-scorer MUTATE='--only scoring/stale.c'"},
};

struct session {
	struct sites sites;
	uint32_t *order; /* of the sites that are tried */
	size_t cnt;
	struct lab *lab;
	struct ledger *ledger;
	struct finding *findings;     /* of each place in `order` */
	_Atomic size_t next, failing; /* place; 1 + test that fails without mutation */
	_Atomic bool broken;
	pthread_mutex_t lock;
	struct progress progress;
	size_t done;
};

struct worker {
	struct session *s;
	struct bench bench;
	pthread_t thread;
};

static bool matches(const struct opt_list *patterns, const char *path)
{
	for (size_t i = 0; i < patterns->cnt; i++)
		if (!fnmatch(patterns->v[i], path, 0))
			return true;
	return false;
}

static bool wanted(const char *path)
{
	return (!args.only.cnt || matches(&args.only, path)) && !matches(&args.but, path);
}

struct draw {
	uint64_t hash;
	uint32_t i;
};

/* By what the mutant is, so that a change elsewhere does not move it in or out of the sample. */
static struct draw draw_of(const struct session *s, uint32_t i)
{
	const struct site *x = &s->sites.v[i];
	char text[SITE_PATH + 64];

	if (!args.sample)
		return (struct draw){0, i};
	snprintf(text, sizeof(text), "%s:%u:%u:%s", s->sites.files[x->file].path, x->line,
		 x->column, x->new);
	return (struct draw){
		hash_bytes(text, strlen(text), hash_bytes(args.seed, strlen(args.seed), 0)), i};
}

static int draw_cmp(const void *pa, const void *pb)
{
	const struct draw *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* The whole in the order of the source, or the sample that the seed draws. */
static int choose(struct session *s)
{
	struct draw *d = calloc(s->sites.cnt + 1, sizeof(*d));
	size_t cnt = 0;

	s->order = calloc(s->sites.cnt + 1, sizeof(*s->order));
	s->findings = calloc(s->sites.cnt + 1, sizeof(*s->findings));
	if (!d || !s->order || !s->findings) {
		free(d);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->sites.cnt; i++)
		if (wanted(s->sites.files[s->sites.v[i].file].path))
			d[cnt++] = draw_of(s, i);
	qsort(d, cnt, sizeof(*d), draw_cmp);
	s->cnt = args.sample && args.sample < cnt ? args.sample : cnt;
	for (size_t i = 0; i < s->cnt; i++)
		s->order[i] = d[i].i;
	free(d);
	return 0;
}

static void print_site(const struct session *s, const struct site *x, const char *what)
{
	printf("  %s %s:%u:%u: '%s' for '%s'", what, s->sites.files[x->file].path, x->line,
	       x->column, x->new, x->old);
}

static void *learn(void *arg)
{
	struct worker *w = arg;
	struct session *s = w->s;
	size_t i;

	while (!s->failing && (i = atomic_fetch_add(&s->next, 1)) < lab_tests(s->lab))
		if (lab_learn(s->lab, &w->bench, (uint32_t)i))
			s->failing = i + 1;
	return NULL;
}

/* A test notices what the source says that nobody can. */
static bool wrongly_excused(const struct site *x, const struct finding *f)
{
	return x->excused && f->verdict == VERDICT_CAUGHT;
}

/* Under the lock. */
static void conclude(struct session *s, size_t i, const struct finding *f)
{
	const struct site *x = &s->sites.v[s->order[i]];

	s->findings[i] = *f;
	if (f->verdict == VERDICT_SURVIVED || f->verdict == VERDICT_BROKEN) {
		progress_end(&s->progress);
		print_site(s, x, verdict_names[f->verdict]);
		printf(f->asked ? " (%u tests)\n" : "\n", f->asked);
		fflush(stdout);
	}
	if (wrongly_excused(x, f)) {
		progress_end(&s->progress);
		print_site(s, x, "caught, though excused,");
		putchar('\n');
	}
	progress_update(&s->progress, ++s->done, s->sites.files[x->file].path);
}

static void *try_mutants(void *arg)
{
	struct worker *w = arg;
	struct session *s = w->s;
	size_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->cnt) {
		const struct site *x = &s->sites.v[s->order[i]];
		struct finding f;
		bool known = ledger_has(s->ledger, x, &f);

		if (!known)
			f = trial(s->lab, &w->bench, &s->sites, x);
		pthread_mutex_lock(&s->lock);
		if (!known)
			ledger_add(s->ledger, &s->sites, x, &f,
				   f.verdict == VERDICT_CAUGHT ? lab_test_name(s->lab, f.test)
							       : NULL);
		conclude(s, i, &f);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* A step, by all workers, until nothing is left of it. */
static int by_all(struct session *s, struct worker *w, void *(*step)(void *))
{
	size_t started = 0;

	s->next = 0;
	for (; started < args.jobs; started++)
		if (pthread_create(&w[started].thread, NULL, step, &w[started]))
			break;
	for (size_t i = 0; i < started; i++)
		pthread_join(w[i].thread, NULL);
	return started ? 0 : -EAGAIN;
}

static double cpu_seconds(void)
{
	struct rusage own, of_children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &of_children);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + of_children.ru_utime.tv_sec +
			of_children.ru_stime.tv_sec);
}

static int report(const struct session *s, time_t began)
{
	size_t n[VERDICT_CNT] = {0}, hung = 0, unmet = 0, wrong = 0, judged;
	double share;

	for (size_t i = 0; i < s->cnt; i++) {
		const struct finding *f = &s->findings[i];

		n[f->verdict]++;
		hung += f->verdict == VERDICT_CAUGHT && f->hung;
		unmet += f->verdict == VERDICT_SURVIVED && !f->asked;
		wrong += wrongly_excused(&s->sites.v[s->order[i]], f);
	}
	judged = n[VERDICT_CAUGHT] + n[VERDICT_SURVIVED];
	share = judged ? 100.0 * (double)n[VERDICT_CAUGHT] / (double)judged : 0;
	printf("%zu of %zu mutants tried in %ld s (%.0f s of CPU): %.1f %% caught (%zu by the "
	       "clock); %zu equivalent as explained in place, %zu that do not compile, %zu that "
	       "could not be tried\n",
	       s->cnt, s->sites.cnt, (long)(time(NULL) - began), cpu_seconds(), share, hung,
	       n[VERDICT_EQUIVALENT], n[VERDICT_STILLBORN], n[VERDICT_BROKEN]);
	if (unmet)
		printf("%zu of the survivors are in code that no test comes by\n", unmet);
	if (wrong)
		printf("%zu of the caught are excused in place: the words there say too much\n",
		       wrong);
	printf("%zu caught, %zu survived\n", n[VERDICT_CAUGHT], n[VERDICT_SURVIVED]);
	return n[VERDICT_BROKEN] || share < args.at_least;
}

static int close_benches(struct worker *w, size_t cnt)
{
	while (cnt)
		bench_close(&w[--cnt].bench);
	return 0;
}

static int open_benches(struct session *s, struct worker *w)
{
	char folder[256];

	for (size_t i = 0; i < args.jobs; i++) {
		int err;

		snprintf(folder, sizeof(folder), "%s/%zu", args.folder, i);
		w[i].s = s;
		err = bench_open(&w[i].bench, s->lab, folder);
		if (err) {
			close_benches(w, i);
			return err;
		}
	}
	return 0;
}

static int try_all(struct session *s, struct worker *w)
{
	time_t began = time(NULL);

	if (by_all(s, w, learn))
		return 2;
	if (s->failing) {
		fprintf(stderr, "mutate: %s fails without any mutation: %s\n",
			lab_test_name(s->lab, (uint32_t)s->failing - 1), args.commands.exe);
		return 4;
	}
	printf("%zu tests take %.1f s of CPU\n", lab_tests(s->lab),
	       (double)lab_cpu_us(s->lab) / 1e6);
	progress_start(&s->progress, "mutants", s->cnt);
	if (by_all(s, w, try_mutants))
		return 2;
	progress_end(&s->progress);
	close_benches(w, args.jobs);
	return report(s, began);
}

static int try_session(struct session *s, struct diag *d)
{
	struct worker w[JOBS_MAX] = {0};
	int rc = 2, err;

	signal(SIGPIPE, SIG_IGN);
	args.commands.longest_us = args.longest_ns / 1000;
	s->lab = lab_new(&args.commands);
	if (!s->lab)
		return diag_set(d, -errno, args.commands.exe, 0, NULL,
				"its tests cannot be listed");
	s->ledger = ledger_open(args.results, args.commands.exe, &s->sites, args.again, d);
	err = s->ledger ? open_benches(s, w) : -errno;
	if (err) {
		if (s->ledger)
			diag_set(d, err, args.commands.exe, 0, NULL, "it cannot be served");
	} else {
		rc = try_all(s, w);
		close_benches(w, args.jobs);
	}
	if (ledger_close(s->ledger))
		rc = 2;
	lab_free(s->lab);
	return err ? err : rc;
}

static int run(struct session *s, char **files, size_t cnt, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < cnt && !err; i++)
		err = sites_scan(&s->sites, files[i], d);
	if (!err)
		err = choose(s);
	if (err)
		return err;
	if (args.list) {
		for (size_t i = 0; i < s->cnt; i++) {
			const struct site *x = &s->sites.v[s->order[i]];

			print_site(s, x, x->excused ? "excused" : "site");
			putchar('\n');
		}
		return 0;
	}
	return args.commands.exe ? try_session(s, d)
				 : schema_write(&s->sites, args.commands.schema, d);
}

int main(int argc, char **argv)
{
	struct session s = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (!args.list && !args.commands.schema)
		rc = diag_set(&d, -EINVAL, "mutate", 0, "mutate --help", "--schema is missing");
	else
		rc = run(&s, argv + first, (size_t)(argc - first), &d);
	if (rc < 0) {
		if (!d.err)
			diag_set(&d, rc, "mutate", 0, NULL, "%s", strerror(-rc));
		diag_print(&d, stderr);
		rc = 2;
	}
	sites_free(&s.sites);
	free(s.order);
	free(s.findings);
	return rc;
}
