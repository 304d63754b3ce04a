/* SPDX-License-Identifier: BSD-2-Clause */
/* Claimed diagnoses against those of truth. */
#include "scoring/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/attribution.h"

struct named {
	const char *label, *subject;
};

static struct named truth_name(const struct truth *t, const struct truth_diagnosis *d)
{
	return (struct named){strtab_get(t->strings, d->label_str),
			      strtab_get(t->strings, d->subject_str)};
}

static struct named claim_name(const struct claims *c, const struct claim *x)
{
	return (struct named){strtab_get(c->strings, x->diagnosis.label_str),
			      strtab_get(c->strings, x->diagnosis.subject_str)};
}

static int named_cmp(struct named a, struct named b)
{
	int label = strcmp(a.label, b.label);

	return label ? label : strcmp(a.subject, b.subject);
}

static int confusion_cmp(const void *pa, const void *pb)
{
	const struct confusion *a = pa, *b = pb;
	int truth = named_cmp((struct named){a->true_label, a->true_subject},
			      (struct named){b->true_label, b->true_subject});

	return truth ? truth
		     : named_cmp((struct named){a->label, a->subject},
				 (struct named){b->label, b->subject});
}

struct search {
	const struct truth *t;
	const struct claims *c;
	uint64_t *found_at; /* of each true diagnosis; UINT64_MAX: not found */
	struct diagnosis_score score;
};

static int sureness_cmp(const void *pa, const void *pb)
{
	const struct sureness *a = pa, *b = pb;

	return CMP3(b->conf, a->conf);
}

/* Claims one by one become one a confidence. */
static void merge_sureness(struct diagnosis_score *s)
{
	size_t kept = 0;

	qsort(s->sureness, s->sureness_cnt, sizeof(*s->sureness), sureness_cmp);
	for (size_t i = 0; i < s->sureness_cnt; i++) {
		struct sureness x = s->sureness[i];

		if (kept && s->sureness[kept - 1].conf == x.conf) {
			s->sureness[kept - 1].claims += x.claims;
			s->sureness[kept - 1].right += x.right;
		} else {
			s->sureness[kept++] = x;
		}
	}
	s->sureness_cnt = kept;
}

/* One claim: what held at its time, and whether it says so. */
static void take_claim(struct search *s, const struct claim *x)
{
	struct named claimed = claim_name(s->c, x), held = {"", ""};
	bool right = false, any = false;

	for (size_t i = 0; i < s->t->diagnoses_cnt; i++) {
		const struct truth_diagnosis *d = &s->t->diagnoses[i];
		struct named name = truth_name(s->t, d);

		if (!window_scored(s->t, &d->t) || !window_holds(&d->t, x->diagnosis.t))
			continue;
		if (!any)
			held = name;
		any = true;
		if (named_cmp(name, claimed))
			continue;
		right = true;
		/* mutant <=: equivalent because equal times are written over */
		if (x->diagnosis.t < s->found_at[i])
			s->found_at[i] = x->diagnosis.t;
	}
	s->score.claims++;
	s->score.right += right;
	s->score.sureness[s->score.sureness_cnt++] = (struct sureness){
		.conf = x->has & HAS_CONF ? x->diagnosis.conf : 1, .claims = 1, .right = right};
	if (right)
		held = claimed;
	s->score.confusion[s->score.confusion_cnt++] =
		(struct confusion){held.label, held.subject, claimed.label, claimed.subject, 1};
}

static void merge_confusion(struct diagnosis_score *s)
{
	size_t kept = 0;

	qsort(s->confusion, s->confusion_cnt, sizeof(*s->confusion), confusion_cmp);
	for (size_t i = 0; i < s->confusion_cnt; i++) {
		if (kept && !confusion_cmp(&s->confusion[kept - 1], &s->confusion[i]))
			s->confusion[kept - 1].claims += s->confusion[i].claims;
		else
			s->confusion[kept++] = s->confusion[i];
	}
	s->confusion_cnt = kept;
}

static int number_cmp(const void *pa, const void *pb)
{
	const long double *a = pa, *b = pb;

	return CMP3(*a, *b);
}

static int label_cmp(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;

	return strcmp(a->label, b->label);
}

/* wait: UINT64_MAX, not found. */
static void count_label(struct diagnosis_score *s, const char *label, uint64_t wait)
{
	size_t i = 0;

	while (i < s->label_cnt && strcmp(s->labels[i].label, label) != 0)
		i++;
	if (i == s->label_cnt)
		s->labels[s->label_cnt++] = (struct labelled){.label = label};
	s->labels[i].truth++;
	if (wait == UINT64_MAX)
		return;
	s->labels[i].found++;
	/* mutant <=: equivalent because equal waits are written over */
	if (!s->labels[i].time_to_label.has || s->labels[i].time_to_label.v < (double)wait)
		s->labels[i].time_to_label = (struct ratio){.has = true, .v = (double)wait};
}

static int count_truth(struct search *s)
{
	long double *wait = array_new(s->t->diagnoses_cnt, sizeof(*wait));

	if (!wait)
		return -ENOMEM;
	for (size_t i = 0; i < s->t->diagnoses_cnt; i++) {
		const struct truth_diagnosis *g = &s->t->diagnoses[i];
		bool found = s->found_at[i] != UINT64_MAX;

		if (!window_scored(s->t, &g->t))
			continue;
		s->score.truth++;
		count_label(&s->score, truth_name(s->t, g).label,
			    found ? s->found_at[i] - g->t.t0 : UINT64_MAX);
		if (found)
			wait[s->score.found++] = s->found_at[i] - g->t.t0;
	}
	qsort(s->score.labels, s->score.label_cnt, sizeof(*s->score.labels), label_cmp);
	qsort(wait, s->score.found, sizeof(*wait), number_cmp);
	s->score.time_to_label = nearest_rank(wait, s->score.found, 50);
	free(wait);
	return 0;
}

int score_diagnoses(const struct truth *t, const struct claims *c, struct diagnosis_score *ret)
{
	struct search s = {.t = t, .c = c};
	int err = -ENOMEM;

	s.found_at = array_new(t->diagnoses_cnt, sizeof(*s.found_at));
	s.score.confusion = array_new(claims_count(c, CLAIM_DIAGNOSIS), sizeof(*s.score.confusion));
	s.score.labels = array_new(t->diagnoses_cnt, sizeof(*s.score.labels));
	s.score.sureness = array_new(claims_count(c, CLAIM_DIAGNOSIS), sizeof(*s.score.sureness));
	if (s.found_at && s.score.confusion && s.score.labels && s.score.sureness) {
		for (size_t i = 0; i < t->diagnoses_cnt; i++)
			s.found_at[i] = UINT64_MAX;
		for (size_t i = 0; i < c->cnt; i++)
			if (c->v[i].kind == CLAIM_DIAGNOSIS && time_scored(t, c->v[i].diagnosis.t))
				take_claim(&s, &c->v[i]);
		merge_confusion(&s.score);
		merge_sureness(&s.score);
		err = count_truth(&s);
	}
	free(s.found_at);
	if (err)
		diagnosis_score_free(&s.score);
	else
		*ret = s.score;
	return err;
}

void diagnosis_score_free(struct diagnosis_score *s)
{
	free(s->confusion);
	free(s->labels);
	free(s->sureness);
}
