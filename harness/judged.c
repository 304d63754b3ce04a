/* SPDX-License-Identifier: BSD-2-Clause */
/* Onset and contradiction of descriptors, from the truth of their run. */
#include "harness/judged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return p < q ? -1 : p > q;
}

/*
 * No later than the first act after the onset. An operation counts just before its begin is
 * recorded, so with n threads the beginnings of all but n of those before it are earlier.
 */
static int find_onset(const struct truth *t, uint64_t onset, uint64_t *ret, struct diag *d)
{
	uint64_t at = onset - 1, *begun = malloc((t->ops_cnt + 1) * sizeof(*begun));

	if (!begun)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < t->ops_cnt; i++)
		begun[i] = t->ops[i].begin.t0;
	qsort(begun, t->ops_cnt, sizeof(*begun), by_number);
	at = at > t->threads_cnt ? at - t->threads_cnt : 0;
	*ret = at < t->ops_cnt ? begun[at] : t->scored.t1;
	free(begun);
	return 0;
}

static bool shows(const struct truth *t, const struct truth_event *e,
		  const struct trial_descriptor *v)
{
	if (!v->shown_class)
		return e->has & TE_DESC && e->desc == v->id;
	return e->kind == v->shown_event &&
	       !strcmp(strtab_get(t->strings, e->class_str), v->shown_class);
}

static void find_contradiction(const struct truth *t, const struct trial_descriptor *v,
			       struct collect_descriptor *ret)
{
	for (size_t i = 0; i < t->events_cnt; i++) {
		const struct truth_event *e = &t->events[i];

		if (e->t.t0 < ret->since || !shows(t, e, v))
			continue;
		if (!ret->has_contradicted || e->t.t1 < ret->contradicted)
			ret->contradicted = e->t.t1;
		ret->has_contradicted = true;
	}
}

static int judge(const struct trial_spec *s, const struct truth *t, struct collect_descriptor *v,
		 struct diag *d)
{
	uint64_t since = t->scored.t0;
	int rc = s->onset ? find_onset(t, s->onset, &since, d) : 0;

	for (size_t i = 0; !rc && i < s->descriptors_cnt; i++) {
		if (v[i].valid)
			continue;
		v[i].has_since = true;
		v[i].since = since;
		find_contradiction(t, &s->descriptors[i], &v[i]);
	}
	return rc;
}

static bool has_invalid(const struct trial_spec *s)
{
	for (size_t i = 0; i < s->descriptors_cnt; i++)
		if (!s->descriptors[i].valid)
			return true;
	return false;
}

int collect_judged(const struct channel *c, const struct trial_spec *s,
		   const struct collect_info *info, struct truth *ret, struct diag *d)
{
	struct collect_descriptor *v = calloc(s->descriptors_cnt + 1, sizeof(*v));
	struct collect_info with = *info;
	struct truth t;
	int rc = v ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (size_t i = 0; !rc && i < s->descriptors_cnt; i++)
		v[i] = (struct collect_descriptor){.id = s->descriptors[i].id,
						   .resource = s->descriptors[i].resource,
						   .valid = s->descriptors[i].valid};
	if (!rc && has_invalid(s)) {
		rc = channel_collect(c, info, &t, d);
		if (!rc) {
			rc = judge(s, &t, v, d);
			truth_free(&t);
		}
	}
	with.descriptors = v;
	with.descriptors_cnt = s->descriptors_cnt;
	if (!rc)
		rc = channel_collect(c, &with, ret, d);
	free(v);
	return rc;
}
