/* SPDX-License-Identifier: BSD-2-Clause */
/* Recorded runs, joined once for their checks. */
#include "profilers/causal/train/corpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "profilers/causal/resources.h"
#include "profilers/causal/trace.h"

enum { INDEX_BYTES = 64 << 20, MOMENTS = 10 };

static int no_memory(struct diag *d)
{
	return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
}

/* Room for one more of an array that doubles; false: no memory. */
static bool grow(void *array, size_t cnt, size_t size)
{
	void **v = array, *more;

	if (cnt & (cnt - 1) || (!cnt && *v))
		return true;
	more = realloc(*v, (cnt ? 2 * cnt : 1) * size);
	if (more)
		*v = more;
	return more != NULL;
}

/* ---- index ---- */

static bool read_number(const char *word, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno;
}

static bool read_word(const char *word, char *ret, size_t cap)
{
	return (size_t)snprintf(ret, cap, "%s", word) < cap && *word;
}

static bool read_ids(char *word, struct corpus_run *r)
{
	uint64_t id;

	if (!strcmp(word, "-"))
		return true;
	for (char *save, *one = strtok_r(word, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		if (r->invalid_cnt == CORPUS_INVALID || !read_number(one, &id) || id > UINT32_MAX)
			return false;
		r->invalid[r->invalid_cnt++] = (uint32_t)id;
	}
	return r->invalid_cnt > 0;
}

static bool read_run(char *line, struct corpus_run *ret)
{
	enum { COLUMNS = 10 };
	struct corpus_run r = {.invalid_cnt = 0};
	uint64_t frozen;
	char *column[COLUMNS], *rest = line;

	for (unsigned i = 0; i < COLUMNS; i++)
		if (!(column[i] = strsep(&rest, "\t")))
			return false;
	if (rest || !read_word(column[0], r.id, sizeof(r.id)) ||
	    !read_word(column[1], r.class, sizeof(r.class)) ||
	    !read_word(column[2], r.form, sizeof(r.form)) ||
	    !read_word(column[3], r.evidence, sizeof(r.evidence)) ||
	    !read_word(column[4], r.manifest, sizeof(r.manifest)) ||
	    !read_number(column[5], &r.from) || !read_number(column[6], &r.to) ||
	    !read_number(column[7], &r.since) || !read_ids(column[8], &r) ||
	    !read_number(column[9], &frozen) || frozen > 1)
		return false;
	r.frozen = frozen;
	*ret = r;
	return true;
}

static int read_index(const char *path, struct corpus *c, struct diag *d)
{
	char *text, *rest, *line;
	unsigned long n = 0;
	int rc = file_read(path, INDEX_BYTES, &text, NULL, d);

	if (rc)
		return rc;
	rest = text;
	while (!rc && (line = strsep(&rest, "\n"))) {
		n++;
		if (!*line || (n == 1 && !strcmp(line, INDEX_HEADER)))
			continue;
		if (!grow(&c->runs, c->runs_cnt, sizeof(*c->runs)))
			rc = no_memory(d);
		else if (n == 1 || !read_run(line, &c->runs[c->runs_cnt++]))
			rc = diag_set(d, -EINVAL, path, n, "assay mutate train writes it",
				      "no line of an index of runs");
	}
	free(text);
	return rc;
}

static bool is_alike(const struct corpus_run *a, const struct corpus_run *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->form, b->form);
}

static void weigh(struct corpus *c)
{
	for (size_t i = 0; i < c->runs_cnt; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < c->runs_cnt; k++)
			alike += is_alike(&c->runs[i], &c->runs[k]);
		c->runs[i].weight = 1 / (double)alike;
	}
}

/* ---- joins ---- */

/* One run while it is joined. */
struct joining {
	const struct corpus_run *run;
	const struct manifest *m;
	const struct corpus_join *with;
	struct corpus *corpus;	   /* NULL: beliefs only */
	const struct rule **rules; /* of the series, from `first` on */
	size_t first;
	int64_t words;
	bool failed;
	/* beliefs */
	struct believed *add;
	uint8_t *belief; /* one a descriptor */
	unsigned moment; /* the next */
};

bool corpus_is_invalid(const struct corpus_run *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->invalid_cnt; i++)
		if (r->invalid[i] == id)
			return true;
	return false;
}

static bool is_whole(const struct joining *j, uint32_t resource)
{
	for (uint32_t i = 0; i < j->m->descriptors_cnt; i++)
		if (j->m->descriptors[i].resource == resource &&
		    corpus_is_invalid(j->run, j->m->descriptors[i].id))
			return false;
	return true;
}

/* A rule of several resources is broken by whichever is invalid. */
static bool is_untouched(const struct joining *j, const struct rule *r)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (!is_whole(j, j->m->descriptors[r->of[i]].resource))
			return false;
	return true;
}

static bool names_invalid(const struct joining *j, const struct rule *r)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (corpus_is_invalid(j->run, r->inv->of[i]))
			return true;
	return false;
}

static struct series *series_of(struct joining *j, const struct rule *r, enum test test)
{
	struct corpus *c = j->corpus;
	size_t own = c->series_cnt - j->first;

	for (size_t i = 0; i < own; i++)
		if (j->rules[i] == r && c->series[j->first + i].test == test)
			return &c->series[j->first + i];
	if (!grow(&c->series, c->series_cnt, sizeof(*c->series)) ||
	    !grow(&j->rules, own, sizeof(*j->rules)))
		return NULL;
	j->rules[own] = r;
	c->series[c->series_cnt] = (struct series){.run = (size_t)(j->run - c->runs),
						   .resource = r->resource,
						   .test = (uint8_t)test,
						   .names = names_invalid(j, r),
						   .untouched = is_untouched(j, r)};
	return &c->series[c->series_cnt++];
}

static void on_checks(void *arg, const struct rule *r, enum test test, const struct suspicion *s,
		      double loss)
{
	struct joining *j = arg;
	struct series *x = s->runs ? series_of(j, r, test) : NULL;

	j->failed |= s->runs && !x;
	for (uint32_t i = 0; x && i < s->runs; i++) {
		if (!grow(&x->v, x->cnt, sizeof(*x->v))) {
			j->failed = true;
			return;
		}
		x->v[x->cnt++] = (struct step){loss, s->run[i]};
		x->held += s->run[i].held;
		x->bad += s->run[i].bad;
	}
}

static void no_checks(void *arg, const struct rule *r, enum test test, const struct suspicion *s,
		      double loss)
{
	(void)arg, (void)r, (void)test, (void)s, (void)loss;
}

static void no_belief(void *arg, uint32_t id, enum belief belief, uint64_t t)
{
	(void)arg, (void)id, (void)belief, (void)t;
}

/* Counts what is believed at the moments before t. */
static void pass_moments(struct joining *j, uint64_t t)
{
	const struct corpus_run *r = j->run;

	for (; j->moment <= MOMENTS; j->moment++) {
		uint64_t at = r->from + (r->to - r->from) / MOMENTS * j->moment;

		if (at >= t)
			return;
		for (uint32_t i = 0; i < j->m->descriptors_cnt; i++) {
			bool bad = corpus_is_invalid(r, j->m->descriptors[i].id) && r->since <= at;

			j->add->all[j->belief[i]] += r->weight / MOMENTS;
			j->add->invalid[j->belief[i]] += bad ? r->weight / MOMENTS : 0;
		}
	}
}

static void on_belief(void *arg, uint32_t id, enum belief belief, uint64_t t)
{
	struct joining *j = arg;
	const struct manifest_descriptor *x = manifest_descriptor_by_id(j->m, id);

	pass_moments(j, t);
	j->belief[x - j->m->descriptors] = (uint8_t)belief;
}

static int put(void *arg, const struct claim *c)
{
	(void)c;
	return ((struct joining *)arg)->failed ? -ENOMEM : 0;
}

static int64_t str(void *arg, const char *word)
{
	(void)word;
	return ++((struct joining *)arg)->words;
}

int corpus_join_open(const struct corpus_run *r, struct corpus_join *ret, struct diag *d)
{
	struct corpus_join j = {.run = r};
	int rc = manifest_load(r->manifest, &j.m, d);

	if (rc)
		return rc;
	rc = evidence_load(r->evidence, &j.e, d);
	if (rc) {
		manifest_free(&j.m);
		return rc;
	}
	*ret = j;
	return 0;
}

void corpus_join_close(struct corpus_join *j)
{
	evidence_free(&j->e);
	manifest_free(&j->m);
}

int corpus_join(const struct corpus_join *j, const struct causal_tuning *tuning, struct outlet *out,
		struct diag *d)
{
	struct join_setup setup = {.manifest = &j->m, .start = HEALTH_VALIDATED};
	struct resources *x = resources_new(&setup, out, tuning);
	int rc = x ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < j->e.cnt; i++)
		rc = resources_record(x, &j->e.v[i]);
	if (!rc)
		rc = resources_finish(x);
	resources_free(x);
	return rc ? diag_set(d, rc, j->run->evidence, 0, NULL, "cannot be joined: %s",
			     strerror(-rc))
		  : 0;
}

static int replay(struct joining *j, const struct causal_tuning *tuning, struct diag *d)
{
	struct outlet out = {.put = put, .str = str, .arg = j};
	int rc = corpus_join(j->with, tuning, &out, d);

	return j->failed ? no_memory(d) : rc;
}

static int load_run(struct corpus *c, const struct corpus_run *r, struct diag *d)
{
	struct corpus_join with;
	struct joining j = {
		.run = r, .m = &with.m, .with = &with, .corpus = c, .first = c->series_cnt};
	struct causal_trace trace = {&j, on_checks, no_belief};
	struct causal_tuning tuning = {.trace = &trace};
	int rc = corpus_join_open(r, &with, d);

	if (rc)
		return rc;
	rc = replay(&j, &tuning, d);
	free(j.rules);
	corpus_join_close(&with);
	return rc;
}

int corpus_beliefs(const struct corpus_run *r, const struct thresholds *t, struct believed *add,
		   struct diag *d)
{
	struct corpus_join with;
	struct joining j = {.run = r, .m = &with.m, .with = &with, .add = add, .moment = 1};
	struct causal_trace trace = {&j, no_checks, on_belief};
	struct causal_tuning tuning = {t, &trace};
	int rc = corpus_join_open(r, &with, d);

	if (rc)
		return rc;
	j.belief = calloc(with.m.descriptors_cnt + 1, sizeof(*j.belief));
	rc = j.belief ? replay(&j, &tuning, d) : no_memory(d);
	if (!rc)
		pass_moments(&j, UINT64_MAX);
	free(j.belief);
	corpus_join_close(&with);
	return rc;
}

int corpus_read(const char *index, struct corpus *ret, struct diag *d)
{
	struct corpus c = {0};
	int rc = read_index(index, &c, d);

	if (rc) {
		corpus_free(&c);
		return rc;
	}
	weigh(&c);
	*ret = c;
	return 0;
}

int corpus_load(const char *index, struct corpus *ret, struct diag *d)
{
	struct corpus c;
	int rc = corpus_read(index, &c, d);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < c.runs_cnt; i++)
		rc = load_run(&c, &c.runs[i], d);
	if (rc) {
		corpus_free(&c);
		return rc;
	}
	*ret = c;
	return 0;
}

void corpus_free(struct corpus *c)
{
	for (size_t i = 0; i < c->series_cnt; i++)
		free(c->series[i].v);
	free(c->series);
	free(c->runs);
	*c = (struct corpus){0};
}
