/* SPDX-License-Identifier: BSD-2-Clause */
/* Falls, detections, false alarms and localisation, resource by resource. */
#include "scoring/stale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/arrays.h"

/* A claim that took its descriptor to a worse state than was in force. */
struct fall {
	uint64_t t;
	uint32_t desc; /* position in truth's header */
	uint32_t resource;
	uint8_t to;	 /* enum severity */
	bool first;	 /* of its descriptor */
	const char *why; /* "" if it names no invariant */
};

struct stale {
	const struct truth *t;
	const struct claims *c;
	const struct stale_rules *rules;
	uint8_t start;
	const char **names; /* resources, sorted */
	size_t names_cnt;
	uint32_t *resource_of;		/* of each descriptor */
	uint64_t *since, *contradicted; /* of each resource; UINT64_MAX: never */
	struct fall *falls;		/* by resource, then time */
	size_t falls_cnt;
	struct resource_score *score;
};

static const char *desc_resource(const struct stale *s, size_t i)
{
	return strtab_get(s->t->strings, s->t->descriptors[i].resource_str);
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_resources(struct stale *s)
{
	size_t cnt = s->t->descriptors_cnt, kept = 0;

	for (size_t i = 0; i < cnt; i++)
		s->names[i] = desc_resource(s, i);
	qsort(s->names, cnt, sizeof(*s->names), name_cmp);
	for (size_t i = 0; i < cnt; i++)
		if (!kept || strcmp(s->names[kept - 1], s->names[i]))
			s->names[kept++] = s->names[i];
	s->names_cnt = kept;
	for (size_t i = 0; i < cnt; i++) {
		const char *name = desc_resource(s, i);
		const char **hit = bsearch(&name, s->names, kept, sizeof(name), name_cmp);

		s->resource_of[i] = (uint32_t)(hit - s->names);
	}
}

static void date_resources(struct stale *s)
{
	for (size_t r = 0; r < s->names_cnt; r++) {
		s->since[r] = s->contradicted[r] = UINT64_MAX;
		s->score[r].name = s->names[r];
		s->score[r].valid = true;
	}
	for (size_t i = 0; i < s->t->descriptors_cnt; i++) {
		const struct truth_descriptor *d = &s->t->descriptors[i];
		uint32_t r = s->resource_of[i];

		if (d->valid)
			continue;
		s->score[r].valid = false;
		s->since[r] = MIN(s->since[r], d->since);
		if (d->has_contradicted)
			s->contradicted[r] = MIN(s->contradicted[r], d->contradicted);
	}
	for (size_t r = 0; r < s->names_cnt; r++)
		s->score[r].was_valid = s->since[r] > s->t->scored.t0;
}

/* One claim in the run, of a descriptor whose state in force is *now, and which has fallen before
 * or not. */
static void take_claim(struct stale *s, const struct health *h, enum severity *now, bool *fallen)
{
	uint32_t r = s->resource_of[h->desc];
	enum severity to = severity_of(h->claim->type);

	if (to < *now) {
		s->score[r].raised++;
		return;
	}
	s->score[r].worst = MAX(s->score[r].worst, (uint8_t)to);
	if (to == *now)
		return;
	*now = to;
	s->falls[s->falls_cnt++] = (struct fall){
		.t = h->claim->health.t,
		.desc = h->desc,
		.resource = r,
		.to = to,
		.first = !*fallen,
		.why = strtab_get(s->c->strings, h->claim->health.why_str),
	};
	*fallen = true;
}

/* The state at attach shows as well, so that a refusal does. */
static void put_at_attach(struct stale *s, uint32_t desc, enum severity state)
{
	struct resource_score *r = &s->score[s->resource_of[desc]];

	r->worst = MAX(r->worst, (uint8_t)state);
}

/*
 * The cnt health claims of one descriptor, in order. Within a moment the best come first, so the
 * loop looks ahead: only the worst of a moment counts, and two of one moment are no raise.
 */
static void take_desc(struct stale *s, const struct health *v, size_t cnt)
{
	enum severity now = severity_of(s->start);
	bool fallen = false;

	for (size_t i = 0; i < cnt; i++) {
		const struct claim *x = v[i].claim;

		if (i + 1 < cnt && v[i + 1].claim->health.t == x->health.t &&
		    severity_of(v[i + 1].claim->type) > severity_of(x->type))
			continue;
		if (x->health.t > s->t->scored.t0) {
			take_claim(s, &v[i], &now, &fallen);
			continue;
		}
		now = severity_of(x->type);
		if (i + 1 == cnt || v[i + 1].claim->health.t > s->t->scored.t0)
			put_at_attach(s, v[i].desc, now);
	}
}

static int fall_cmp(const void *pa, const void *pb)
{
	const struct fall *a = pa, *b = pb;

	if (a->resource != b->resource)
		return CMP3(a->resource, b->resource);
	if (a->t != b->t)
		return CMP3(a->t, b->t);
	return CMP3(a->desc, b->desc);
}

static int list_falls(struct stale *s)
{
	struct health *v;
	size_t cnt, begin = 0;
	int err = health_list(s->t, s->c, &v, &cnt);

	if (err)
		return err;
	s->falls = array_new(cnt, sizeof(*s->falls));
	/* mutant 0: equivalent because a run of no claims changes nothing */
	for (size_t i = 1; s->falls && i <= cnt; i++) {
		if (i < cnt && v[i].desc == v[begin].desc)
			continue;
		take_desc(s, &v[begin], i - begin);
		begin = i;
	}
	free(v);
	if (!s->falls)
		return -ENOMEM;
	qsort(s->falls, s->falls_cnt, sizeof(*s->falls), fall_cmp);
	return 0;
}

/* Truth events of the class with after < t0 ≤ until. */
static uint64_t events_between(const struct stale *s, const char *class, uint64_t after,
			       uint64_t until)
{
	int64_t id = strtab_find(s->t->strings, class, strlen(class));
	uint64_t cnt = 0;

	for (size_t i = 0; i < s->t->events_cnt; i++) {
		const struct truth_event *e = &s->t->events[i];

		cnt += e->class_str == id && after < e->t.t0 && e->t.t0 <= until;
	}
	return cnt;
}

static void date_detection(const struct stale *s, uint32_t r, uint64_t until)
{
	struct resource_score *score = &s->score[r];
	uint64_t from = s->contradicted[r];

	score->early = score->detected && until <= from;
	score->censored = !score->detected;
	if (score->early) {
		score->has_latency = true;
	} else if (from != UINT64_MAX) {
		score->has_latency = true;
		score->latency_ns = MAX(until, from) - from; /* 0: onset after `scored` */
		score->latency_events = events_between(s, score->name, from, until);
	}
}

/* A descriptor that turns invalid later is still valid at the moment of the fall. */
static bool valid_then(const struct stale *s, const struct fall *f)
{
	const struct truth_descriptor *d = &s->t->descriptors[f->desc];

	return d->valid || f->t < d->since;
}

static bool shares_with_invalid(const struct stale *s, const struct fall *f)
{
	for (uint32_t i = 0; i < s->t->descriptors_cnt; i++) {
		const struct truth_descriptor *d = &s->t->descriptors[i];

		if (d->valid || s->resource_of[i] != f->resource)
			continue;
		if (i == f->desc || !s->rules || !s->rules->shares ||
		    s->rules->shares(s->rules->arg, f->why, s->t->descriptors[f->desc].id, d->id))
			return true;
	}
	return false;
}

/* The falls of one stale resource, in order of time. */
static void judge_stale(const struct stale *s, uint32_t r, const struct fall *f, size_t cnt)
{
	struct resource_score *score = &s->score[r];
	uint8_t alarmed = KEPT;
	bool named = false, astray = false;
	uint64_t at = s->t->scored.t1;

	for (size_t i = 0; i < cnt; i++) {
		bool names = f[i].why[0], valid = valid_then(s, &f[i]);

		score->doubted += f[i].first;
		score->doubted_invalid += f[i].first && !s->t->descriptors[f[i].desc].valid;
		astray |= valid && (f[i].to == STALE || !shares_with_invalid(s, &f[i]));
		if (f[i].t < s->since[r]) {
			score->false_alarm = true;
			alarmed = MAX(alarmed, f[i].to);
			continue;
		}
		named |= names && !valid;
		if (!score->detected && names && f[i].to > alarmed) {
			score->detected = true;
			at = f[i].t;
		}
	}
	score->localised = score->detected && named && !astray;
	date_detection(s, r, at);
}

static void judge(const struct stale *s)
{
	size_t begin = 0;

	for (uint32_t r = 0; r < s->names_cnt; r++) {
		size_t end = begin;

		while (end < s->falls_cnt && s->falls[end].resource == r)
			end++;
		if (s->score[r].valid)
			s->score[r].false_alarm = end > begin;
		else
			judge_stale(s, r, &s->falls[begin], end - begin);
		begin = end;
	}
}

static void total(const struct stale *s, struct stale_score *ret)
{
	for (size_t i = 0; i < s->names_cnt; i++) {
		const struct resource_score *r = &s->score[i];

		ret->matrix[!r->valid][r->worst]++;
		ret->stale += !r->valid;
		ret->detected += r->detected;
		ret->false_alarms += r->false_alarm;
		ret->was_valid += r->was_valid;
		ret->localised += r->localised;
		ret->doubted += r->detected ? r->doubted : 0;
		ret->doubted_invalid += r->detected ? r->doubted_invalid : 0;
	}
}

static int stale_alloc(struct stale *s)
{
	size_t room = s->t->descriptors_cnt;

	s->names = array_new(room, sizeof(*s->names));
	s->resource_of = array_new(room, sizeof(*s->resource_of));
	s->since = array_new(room, sizeof(*s->since));
	s->contradicted = array_new(room, sizeof(*s->contradicted));
	s->score = array_new(room, sizeof(*s->score));
	return s->names && s->resource_of && s->since && s->contradicted && s->score ? 0 : -ENOMEM;
}

int score_stale(const struct truth *t, const struct claims *c, uint8_t start,
		const struct stale_rules *rules, struct stale_score *ret)
{
	struct stale s = {.t = t, .c = c, .rules = rules, .start = start};
	struct stale_score total_score = {};
	int err = stale_alloc(&s);

	if (!err) {
		list_resources(&s);
		date_resources(&s);
		err = list_falls(&s);
	}
	if (!err) {
		judge(&s);
		total(&s, &total_score);
		total_score.resource = s.score;
		total_score.resource_cnt = s.names_cnt;
		s.score = NULL;
		*ret = total_score;
	}
	free(s.names);
	free(s.resource_of);
	free(s.since);
	free(s.contradicted);
	free(s.falls);
	free(s.score);
	return err;
}

void stale_score_free(struct stale_score *s)
{
	free(s->resource);
}
