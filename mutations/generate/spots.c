/* SPDX-License-Identifier: BSD-2-Clause */
/* Spots found in manifests and sources. */
#include "mutations/generate/spots.h"

#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "mutations/generate/mend.h"

/*
 * Structures that only the caller of an operator touches during its call: its own, or guarded by a
 * lock that it holds. The first that an operator is given is taken.
 */
static const struct owned {
	const char *workload, *tags[3];
} owned[] = {
	{"cache", {"cache", "entry"}},
	{"calls", {"ledger", "handle"}},
	{"conns", {"pool", "conn"}},
	{"credits", {"bucket", "account"}},
	{"pipeline", {"token"}},
	{"pool", {"ledger"}},
	{"queue", {"job"}},
	{"tasks", {"strand", "permit"}},
};

/* Where a service passes one in, it may lie on the stack or be written over as a whole. */
static const char *const passing[] = {"request", "waiter", "sent", "victims", NULL};

const char *const shelf_workloads[] = {"cache", "calls", "conns", "credits", "pipeline",
				       "pool",	"queue", "tasks", NULL};

static bool is_in(const char *word, const char *const *list, size_t cnt)
{
	for (size_t i = 0; i < cnt && list[i]; i++)
		if (!strcmp(list[i], word))
			return true;
	return false;
}

static const struct owned *owned_of(const char *workload)
{
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		if (!strcmp(owned[i].workload, workload))
			return &owned[i];
	return NULL;
}

/* ---- what is what ---- */

static bool has_truth(const struct manifest *m, const struct manifest_descriptor *d)
{
	const struct manifest_resource *r = manifest_resource_of(m, d);
	const char *event = event_kind_name(d->event);

	if (r->lifetime_cnt && d->event == EVENT_WAIT)
		return true;
	for (uint32_t i = 0; i < r->lifetime_cnt; i++)
		if (!strncmp(r->lifetime[i], event, strlen(event)))
			return true;
	return false;
}

static int argument(const struct desc_expr *e, const struct operator_text *o)
{
	return e->kind == EXPR_ARG && !e->loads && e->reg < o->params_cnt ? e->reg : -1;
}

static int find_place(const struct spot *s)
{
	unsigned file;
	size_t end;

	for (unsigned i = 0; i < s->op.params_cnt; i++) {
		const char *tag = s->op.params[i].tag;

		if (tag[0] && !is_in(tag, passing, sizeof(passing)) &&
		    struct_find(s->texts, tag, &file, &end))
			return (int)i;
	}
	return -1;
}

static int find_own(const struct spot *s)
{
	const struct owned *o = owned_of(s->workload);

	for (unsigned k = 0; o && k < 3 && o->tags[k]; k++)
		for (unsigned i = 0; i < s->op.params_cnt; i++)
			if (!strcmp(s->op.params[i].tag, o->tags[k]))
				return (int)i;
	return -1;
}

static void fill(const struct shelf *h, struct spot *s)
{
	const struct manifest_descriptor *d = s->d;

	s->at_return = d->site.kind == SITE_RETURN;
	s->instance = argument(&d->instance_key, &s->op);
	s->unit = argument(&d->unit_key, &s->op);
	if (s->unit >= 0 && !s->op.params[s->unit].number)
		s->unit = -1;
	s->instance_result = d->instance_key.kind == EXPR_RETVAL && !d->instance_key.loads;
	s->unit_result = d->unit_key.kind == EXPR_RETVAL && !d->unit_key.loads;
	if (d->unit_key.loads == 1 && !mend_member(h->manifest_text, d->id, s->tag, s->member))
		s->member[0] = '\0';
	s->place = find_place(s);
	s->own = find_own(s);
}

static void find_spots(struct shelf *h)
{
	for (uint32_t i = 0; i < h->manifest.descriptors_cnt && h->cnt < SPOTS_MAX; i++) {
		const struct manifest_descriptor *d = &h->manifest.descriptors[i];
		struct spot *s = &h->spots[h->cnt];

		*s = (struct spot){.texts = &h->texts, .manifest = &h->manifest, .d = d};
		strcpy(s->workload, h->workload);
		if (d->site.kind == SITE_USDT || d->site.offset || !has_truth(&h->manifest, d) ||
		    !operator_find(&h->texts, d->site.symbol, &s->op))
			continue;
		fill(h, s);
		h->cnt++;
	}
}

/* ---- shelves ---- */

int shelf_open(const struct house *h, const char *workload, struct shelf *ret, struct diag *d)
{
	char path[RECORD_PATH];
	int rc = house_path(path, d, "%s/workloads/%s/manifest.yaml", h->source, workload);

	memset(ret, 0, sizeof(*ret));
	strcpy(ret->workload, workload);
	if (!rc)
		rc = file_read(path, MANIFEST_BYTES_MAX, &ret->manifest_text, NULL, d);
	if (!rc)
		rc = manifest_load(path, &ret->manifest, d);
	if (!rc)
		rc = texts_load(h, workload, &ret->texts, d);
	if (rc)
		shelf_close(ret);
	else
		find_spots(ret);
	return rc;
}

void shelf_close(struct shelf *s)
{
	free(s->manifest_text);
	texts_free(&s->texts);
	manifest_free(&s->manifest);
	memset(s, 0, sizeof(*s));
}

/* ---- what becomes wrong ---- */

static bool same_source(const struct desc_expr *a, const struct desc_expr *b)
{
	return a->kind == b->kind && a->kind != EXPR_CONST && a->kind != EXPR_NONE &&
	       (a->kind == EXPR_RETVAL || a->reg == b->reg);
}

/* One that reads the drawn member, or one behind it in the same structure. */
static bool reads_behind(const struct shelf *h, const struct spot *s,
			 const struct manifest_descriptor *d)
{
	char tag[OPERATOR_WORD], member[OPERATOR_WORD];

	return d->unit_key.loads == 1 && d->unit_key.off[0] >= s->d->unit_key.off[0] &&
	       mend_member(h->manifest_text, d->id, tag, member) && !strcmp(tag, s->tag);
}

static bool is_wrong(const struct shelf *h, const struct spot *s, enum wrong w,
		     const struct manifest_descriptor *d)
{
	bool here = d->site.kind != SITE_USDT && !strcmp(d->site.symbol, s->op.name);

	switch (w) {
	case WRONG_INSTANCE:
		return here && (same_source(&s->d->instance_key, &d->instance_key) ||
				same_source(&s->d->instance_key, &d->unit_key));
	case WRONG_UNIT:
		return here && same_source(&s->d->unit_key, &d->unit_key);
	case WRONG_PLACE:
		return reads_behind(h, s, d);
	default:
		return here;
	}
}

unsigned spot_wrong(const struct shelf *h, const struct spot *s, enum wrong w,
		    uint32_t ret[RECORD_INVALID_MAX])
{
	unsigned cnt = 0;

	for (uint32_t i = 0; i < h->manifest.descriptors_cnt && cnt < RECORD_INVALID_MAX; i++)
		if (is_wrong(h, s, w, &h->manifest.descriptors[i]))
			ret[cnt++] = h->manifest.descriptors[i].id;
	return cnt;
}
