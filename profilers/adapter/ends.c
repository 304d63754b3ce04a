/* SPDX-License-Identifier: BSD-2-Clause */
/* Hits of runtime adapters become observations. */
#include "profilers/adapter/ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "profilers/adapter/events.h"

struct sent_key {
	uint64_t instance, target;
	uint32_t tgid, resource;
};

struct sent { /* what was sent last */
	struct sent_key key;
	uint8_t type;
	UT_hash_handle hh;
};

struct ends {
	struct events events;
	uint32_t *acts; /* one a resource */
	struct sent *sent;
};

/* What an event sends; HANDOFF_TYPE_CNT: nothing. */
static unsigned sends(uint8_t event, uint32_t acts)
{
	switch (event) {
	case EVENT_PUSH:
		return HANDOFF_QUEUE;
	case EVENT_SUBMIT:
		return HANDOFF_GRANT;
	case EVENT_SPAWN:
		return HANDOFF_SPAWN;
	case EVENT_PARK:
		return HANDOFF_RESUME;
	case EVENT_BEGIN:
		return events_begin_calls(acts) ? HANDOFF_CALL : HANDOFF_TYPE_CNT;
	default:
		return HANDOFF_TYPE_CNT;
	}
}

struct ends *ends_new(const struct manifest *m, struct outlet *out)
{
	struct ends *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->acts = events_acts(m);
	if (e->acts && !events_open(&e->events, m, out))
		return e;
	ends_free(e);
	return NULL;
}

static void forget(struct ends *e, struct sent *s)
{
	HASH_DEL(e->sent, s);
	free(s);
}

void ends_free(struct ends *e)
{
	if (!e)
		return;
	while (e->sent)
		forget(e, e->sent);
	events_close(&e->events);
	free(e->acts);
	free(e);
}

uint32_t ends_types(const struct manifest *m)
{
	uint32_t *acts = events_acts(m), types = 0;

	for (uint32_t i = 0; acts && i < m->resources_cnt; i++)
		for (uint8_t event = 0; event < EVENT_KIND_CNT; event++)
			if (acts[i] & 1u << event)
				types |= 1u << sends(event, acts[i]);
	free(acts);
	return types & ((1u << HANDOFF_TYPE_CNT) - 1);
}

static struct sent *find(struct ends *e, const struct sent_key *key)
{
	struct sent *s;

	HASH_FIND(hh, e->sent, key, sizeof(*key), s);
	return s;
}

static int remember(struct ends *e, const struct sent_key *key, uint8_t type)
{
	struct sent *s = find(e, key);

	if (!s) {
		if (HASH_COUNT(e->sent) >= ENDS_INSTANCES_MAX)
			forget(e, e->sent); /* uthash keeps order: the first made */
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->key = *key;
		HASH_ADD(hh, e->sent, key, sizeof(s->key), s);
	}
	s->type = type;
	return 0;
}

static unsigned receives(struct ends *e, uint8_t event, const struct sent_key *key)
{
	const struct sent *s;

	switch (event) {
	case EVENT_POP:
		return HANDOFF_QUEUE;
	case EVENT_HANDLE:
		return HANDOFF_GRANT;
	case EVENT_RUN:
		s = find(e, key);
		return s ? s->type : HANDOFF_TYPE_CNT;
	default:
		return HANDOFF_TYPE_CNT;
	}
}

static struct observation observed(const struct ev_rec *r, unsigned type)
{
	bool keyed = type != HANDOFF_GRANT && type != HANDOFF_CALL;

	return (struct observation){.type = (uint8_t)type,
				    .ns = keyed ? KEY_TASK : KEY_NONE,
				    .tid = r->tid,
				    .tgid = r->tgid,
				    .t = r->t,
				    .v = r->a,
				    .object = r->a};
}

int ends_record(struct ends *e, const struct ev_rec *r, struct observation *ret)
{
	uint32_t i = r->kind == EV_APP && !(r->flags & EV_F_CUT) ? events_of(&e->events, r)
								 : EVENTS_NONE;
	const struct manifest_descriptor *d;
	struct sent_key key;
	unsigned type;
	int err;

	if (i == EVENTS_NONE || r->e >> 48 & EV_APP_FAULT_INSTANCE)
		return END_NONE;
	d = &e->events.m->descriptors[i];
	memset(&key, 0, sizeof(key));
	key.instance = r->a;
	key.target = d->target_id.kind != EXPR_NONE ? r->c : 0;
	key.tgid = r->tgid;
	key.resource = d->resource;
	type = sends(d->event, e->acts[d->resource]);
	if (type < HANDOFF_TYPE_CNT) {
		err = remember(e, &key, (uint8_t)type);
		*ret = observed(r, type);
		return err ? err : END_SRC;
	}
	type = receives(e, d->event, &key);
	*ret = observed(r, type);
	return type < HANDOFF_TYPE_CNT ? END_DST : END_NONE;
}
