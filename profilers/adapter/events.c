/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events. */
#include "profilers/adapter/events.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>

static int by_id(const void *pa, const void *pb, void *arg)
{
	const struct manifest *m = arg;
	uint32_t a = m->descriptors[*(const uint32_t *)pa].id;
	uint32_t b = m->descriptors[*(const uint32_t *)pb].id;

	return (a > b) - (a < b);
}

static int intern_classes(struct events *e, struct outlet *out)
{
	for (uint32_t i = 0; i < e->m->resources_cnt; i++) {
		int64_t id = out->str(out->arg, e->m->resources[i].name);

		if (id < 0)
			return (int)id;
		e->class_str[i] = (uint32_t)id;
	}
	return 0;
}

int events_open(struct events *e, const struct manifest *m, struct outlet *out)
{
	e->m = m;
	e->by_id = calloc(m->descriptors_cnt + 1, sizeof(*e->by_id));
	e->class_str = calloc(m->resources_cnt + 1, sizeof(*e->class_str));
	if (!e->by_id || !e->class_str)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		e->by_id[i] = i;
	qsort_r(e->by_id, m->descriptors_cnt, sizeof(*e->by_id), by_id, (void *)m);
	return intern_classes(e, out);
}

void events_close(struct events *e)
{
	free(e->by_id);
	free(e->class_str);
	*e = (struct events){0};
}

uint32_t events_find(const struct events *e, uint32_t id)
{
	uint32_t low = 0, high = e->m->descriptors_cnt;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		uint32_t at = e->m->descriptors[e->by_id[middle]].id;

		if (at == id)
			return e->by_id[middle];
		if (at < id)
			low = middle + 1;
		else
			high = middle;
	}
	return EVENTS_NONE;
}

uint32_t events_of(const struct events *e, const struct ev_rec *r)
{
	uint32_t i = events_find(e, (uint32_t)r->e);

	if (i == EVENTS_NONE || e->m->descriptors[i].event != (r->e >> 32 & 0xff))
		return EVENTS_NONE;
	return i;
}

bool events_of_a_life(const struct events *e, uint32_t desc)
{
	const struct manifest_descriptor *d = &e->m->descriptors[desc];

	return d->event == EVENT_WAIT || d->event == EVENT_ACQUIRE || d->event == EVENT_USE ||
	       d->event == EVENT_RELEASE || e->m->resources[d->resource].lifetime_cnt > 0;
}

struct claim events_claim(const struct events *e, uint32_t desc, const struct ev_rec *r)
{
	const struct manifest_descriptor *d = &e->m->descriptors[desc];
	uint64_t faults = r->e >> 48;
	struct claim c = {.kind = CLAIM_EVENT, .type = d->event, .has = HAS_DESC};

	c.event.t = r->t;
	c.event.tid = r->tid;
	c.event.desc = d->id;
	c.event.class_str = e->class_str[d->resource];
	if (d->instance_key.kind != EXPR_NONE && !(faults & EV_APP_FAULT_INSTANCE)) {
		c.has |= HAS_INSTANCE;
		c.event.instance = r->a;
	}
	if (d->unit_key.kind != EXPR_NONE && !(faults & EV_APP_FAULT_UNITS)) {
		c.has |= HAS_UNITS;
		c.event.units = r->b;
	}
	return c;
}

bool events_moves_data(const struct ev_rec *r)
{
	if (r->e & EV_SUBMIT_REFUSED)
		return false;
	switch (r->d) {
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_READ:
	case IORING_OP_WRITE:
		return true;
	default:
		return false;
	}
}

uint32_t *events_acts(const struct manifest *m)
{
	uint32_t *acts = calloc(m->resources_cnt + 1, sizeof(*acts));

	for (uint32_t i = 0; acts && i < m->descriptors_cnt; i++)
		if (m->descriptors[i].instance_key.kind != EXPR_NONE)
			acts[m->descriptors[i].resource] |= 1u << m->descriptors[i].event;
	return acts;
}

bool events_begin_calls(uint32_t acts)
{
	const uint32_t strands = 1u << EVENT_SPAWN | 1u << EVENT_PARK;

	return acts & 1u << EVENT_RUN && !(acts & strands);
}
