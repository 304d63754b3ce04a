/* SPDX-License-Identifier: BSD-2-Clause */
/* Site precision, recall and unit accuracy, over all and per descriptor. */
#include "scoring/events.h"

#include <errno.h>
#include <stdlib.h>

#include "scoring/arrays.h"

static int desc_cmp(const void *a, const void *b)
{
	const struct event_desc *x = a, *y = b;

	return CMP3(x->id, y->id);
}

static struct event_desc *desc_find(struct event_score *s, uint32_t id)
{
	struct event_desc key = {.id = id};

	return bsearch(&key, s->desc, s->desc_cnt, sizeof(key), desc_cmp);
}

static void desc_sort_unique(struct event_score *s)
{
	size_t kept = 0;

	qsort(s->desc, s->desc_cnt, sizeof(*s->desc), desc_cmp);
	for (size_t i = 0; i < s->desc_cnt; i++)
		if (!kept || s->desc[kept - 1].id != s->desc[i].id)
			s->desc[kept++] = s->desc[i];
	s->desc_cnt = kept;
}

static int desc_list(const struct truth *t, const struct claims *c, const struct event_pairs *p,
		     struct event_score *s)
{
	s->desc = array_new(t->descriptors_cnt + p->truth_cnt + p->claims_cnt, sizeof(*s->desc));
	if (!s->desc)
		return -ENOMEM;
	for (size_t i = 0; i < t->descriptors_cnt; i++)
		s->desc[s->desc_cnt++].id = t->descriptors[i].id;
	for (size_t i = 0; i < p->truth_cnt; i++)
		if (t->events[p->truth[i].event].has & TE_DESC)
			s->desc[s->desc_cnt++].id = t->events[p->truth[i].event].desc;
	for (size_t i = 0; i < p->claims_cnt; i++)
		if (c->v[p->claims[i].claim].has & HAS_DESC)
			s->desc[s->desc_cnt++].id = c->v[p->claims[i].claim].event.desc;
	desc_sort_unique(s);
	return 0;
}

static void count_truth(const struct truth *t, const struct event_pairs *p, struct event_score *s)
{
	for (size_t i = 0; i < p->truth_cnt; i++) {
		const struct truth_event *e = &t->events[p->truth[i].event];

		s->all.truth++;
		if (e->has & TE_DESC)
			desc_find(s, e->desc)->c.truth++;
	}
}

static void count_pair(const struct truth_event *e, const struct claim *x, struct event_counts *n)
{
	n->matched++;
	n->units_equal += x->has & HAS_UNITS && e->has & TE_UNITS && x->event.units == e->units;
}

static void count_claim(const struct truth *t, const struct claim *x, uint32_t event,
			struct event_score *s)
{
	struct event_desc *d = x->has & HAS_DESC ? desc_find(s, x->event.desc) : NULL;
	const struct truth_event *e = event == SCOPE_NONE ? NULL : &t->events[event];

	s->all.claims++;
	if (e)
		count_pair(e, x, &s->all);
	if (!d)
		return;
	d->c.claims++;
	if (e && e->has & TE_DESC && e->desc == d->id)
		count_pair(e, x, &d->c);
}

int score_events(const struct truth *t, const struct claims *c, const struct words *w,
		 struct event_score *ret)
{
	struct event_score s = {};
	struct event_pairs p = {};
	int err = event_pairs_make(t, c, w, &p);

	if (!err)
		err = desc_list(t, c, &p, &s);
	if (!err) {
		count_truth(t, &p, &s);
		for (size_t i = 0; i < p.claims_cnt; i++)
			count_claim(t, &c->v[p.claims[i].claim], p.claims[i].event, &s);
		err = score_identity(t, c, &p, &s.identity);
	}
	event_pairs_free(&p);
	if (err)
		event_score_free(&s);
	else
		*ret = s;
	return err;
}

void event_score_free(struct event_score *s)
{
	free(s->desc);
}
