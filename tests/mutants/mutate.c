/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutation testing of the scorer: does any test notice when an operator or a bound is wrong?
 *
 *   mutate --folder DIR --compile CMD --link CMD [--sanitize FLAG] [--sample N --seed TEXT] [--jobs
 * N]
 *          [--at-least PERCENT] [--list] FILE…
 *
 * Tries every mutant of the files, or a sample that the seed decides. Prints survivors and a count;
 * exit 0 if the caught share of those that are no declared equivalents is high enough, 1 if not, 2
 * for a wrong call, 4 if the tests fail without any mutation. Writes below DIR only.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <getopt.h>

#include "tests/mutants/trial.h"

struct options {
	struct commands commands;
	const char *folder, *seed;
	size_t sample; /* 0: all */
	unsigned jobs, at_least;
	bool list;
};

struct session {
	struct options o;
	struct sites sites;
	uint32_t *order; /* of the sites that are tried */
	size_t cnt;
	_Atomic size_t next;
	uint8_t *verdict; /* of each place in `order` */
	pthread_mutex_t lock;
};

struct worker {
	struct session *s;
	unsigned number;
	pthread_t thread;
};

/* FNV-1a (Fowler, Noll, Vo): only has to spread the sample. */
static uint64_t hash(uint64_t h, const void *data, size_t len)
{
	for (const unsigned char *p = data; len--; p++)
		h = (h ^ *p) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t site_hash(const struct site *x, const char *seed)
{
	uint64_t h = hash(UINT64_C(0xcbf29ce484222325), seed, strlen(seed));

	h = hash(h, x->file, strlen(x->file));
	h = hash(h, &x->line, sizeof(x->line));
	h = hash(h, &x->column, sizeof(x->column));
	h = hash(h, x->to, strlen(x->to));
	return h ^ h >> 29;
}

struct draw {
	uint64_t hash;
	uint32_t i;
};

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

	s->cnt = s->o.sample && s->o.sample < s->sites.cnt ? s->o.sample : s->sites.cnt;
	s->order = calloc(s->cnt + 1, sizeof(*s->order));
	s->verdict = calloc(s->cnt + 1, 1);
	if (!d || !s->order || !s->verdict) {
		free(d);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->sites.cnt; i++)
		d[i] = (struct draw){s->o.sample ? site_hash(&s->sites.v[i], s->o.seed) : 0,
				     (uint32_t)i};
	qsort(d, s->sites.cnt, sizeof(*d), draw_cmp);
	for (size_t i = 0; i < s->cnt; i++)
		s->order[i] = d[i].i;
	free(d);
	return 0;
}

static void print_site(const struct site *x, const char *what)
{
	printf("  %s %s:%u:%u: '%s' for '%s'\n", what, x->file, x->line, x->column, x->to, x->from);
	fflush(stdout);
}

static void *work(void *arg)
{
	static const char *const said[VERDICT_CNT] = {
		[VERDICT_SURVIVED] = "survived", [VERDICT_BROKEN] = "could not try"};
	struct worker *w = arg;
	struct session *s = w->s;
	char folder[256];
	size_t i;

	snprintf(folder, sizeof(folder), "%s/%u", s->o.folder, w->number);
	while ((i = atomic_fetch_add(&s->next, 1)) < s->cnt) {
		const struct site *x = &s->sites.v[s->order[i]];
		enum verdict v = trial(x, &s->o.commands, folder);

		pthread_mutex_lock(&s->lock);
		s->verdict[i] = (uint8_t)v;
		if (said[v])
			print_site(x, said[v]);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

static int make_folders(const struct options *o)
{
	char path[256];

	if (mkdir(o->folder, 0777) && errno != EEXIST)
		return -errno;
	for (unsigned i = 0; i < o->jobs; i++) {
		snprintf(path, sizeof(path), "%s/%u", o->folder, i);
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int run_all(struct session *s)
{
	struct worker w[64];
	unsigned started = 0;

	for (; started < s->o.jobs; started++) {
		w[started] = (struct worker){.s = s, .number = started};
		if (pthread_create(&w[started].thread, NULL, work, &w[started]))
			break;
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(w[i].thread, NULL);
	return started ? 0 : -EAGAIN;
}

static int report(const struct session *s, time_t began)
{
	size_t n[VERDICT_CNT] = {0}, judged;
	double share;

	for (size_t i = 0; i < s->cnt; i++)
		n[s->verdict[i]]++;
	judged = n[VERDICT_CAUGHT] + n[VERDICT_SURVIVED];
	share = judged ? 100.0 * (double)n[VERDICT_CAUGHT] / (double)judged : 0;
	printf("%zu of %zu mutants tried in %ld s: %.1f %% caught; %zu equivalent as explained in "
	       "place, %zu that do not compile, %zu that could not be tried\n",
	       s->cnt, s->sites.cnt, (long)(time(NULL) - began), share, n[VERDICT_EQUIVALENT],
	       n[VERDICT_STILLBORN], n[VERDICT_BROKEN]);
	printf("%zu caught, %zu survived\n", n[VERDICT_CAUGHT], n[VERDICT_SURVIVED]);
	return n[VERDICT_BROKEN] || share < s->o.at_least;
}

static int usage(const char *what)
{
	fprintf(stderr,
		"mutate: %s\nmutate --folder DIR --compile CMD --link CMD [--sample N --seed "
		"TEXT] [--jobs N] [--at-least PERCENT] [--list] FILE...\n",
		what);
	return 2;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"folder", required_argument, NULL, 'f'},
		{"compile", required_argument, NULL, 'c'},
		{"link", required_argument, NULL, 'l'},
		{"sanitize", required_argument, NULL, 'z'},
		{"sample", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 's'},
		{"jobs", required_argument, NULL, 'j'},
		{"at-least", required_argument, NULL, 'a'},
		{"list", no_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct options){.commands = {.sanitize = "", .light_s = 60, .heavy_s = 300},
			      .seed = "",
			      .jobs = 2,
			      .at_least = 95};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'f':
			o->folder = optarg;
			break;
		case 'c':
			o->commands.compile = optarg;
			break;
		case 'l':
			o->commands.link = optarg;
			break;
		case 'z':
			o->commands.sanitize = optarg;
			break;
		case 'n':
			o->sample = strtoul(optarg, NULL, 10);
			break;
		case 's':
			o->seed = optarg;
			break;
		case 'j':
			o->jobs = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'a':
			o->at_least = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 't':
			o->list = true;
			break;
		default:
			return usage("unknown option");
		}
	}
	if (optind == argc)
		return usage("no files");
	if (!o->list && (!o->folder || !o->commands.compile || !o->commands.link))
		return usage("--folder, --compile and --link are needed");
	return o->jobs && o->jobs <= 64 ? 0 : usage("--jobs is 1 to 64");
}

static int scan_files(struct session *s, int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		int err = sites_scan(&s->sites, argv[i]);

		if (err) {
			fprintf(stderr, "mutate: %s: %s\n", argv[i], strerror(-err));
			return 2;
		}
	}
	return 0;
}

static int try_all(struct session *s)
{
	time_t began = time(NULL);
	bool heavy = false;
	char folder[256];
	int rc;

	if (make_folders(&s->o)) {
		fprintf(stderr, "mutate: %s cannot be made\n", s->o.folder);
		return 2;
	}
	snprintf(folder, sizeof(folder), "%s/0", s->o.folder);
	for (size_t i = 0; i < s->cnt; i++)
		heavy |= asks_heavy(s->sites.v[s->order[i]].file);
	rc = trial_unmutated(&s->o.commands, folder, heavy);
	if (rc) {
		fprintf(stderr, "mutate: the tests fail without any mutation (exit %d): %s/tests\n",
			rc, folder);
		return 4;
	}
	return run_all(s) ? 2 : report(s, began);
}

int main(int argc, char **argv)
{
	struct session s = {.lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = parse(argc, argv, &s.o);

	if (!rc)
		rc = scan_files(&s, argc, argv);
	if (!rc && choose(&s))
		rc = 2;
	if (!rc && s.o.list)
		for (size_t i = 0; i < s.cnt; i++)
			print_site(&s.sites.v[s.order[i]], "site");
	else if (!rc)
		rc = try_all(&s);
	sites_free(&s.sites);
	free(s.order);
	free(s.verdict);
	return rc;
}
