/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms, changes, acts, witnesses and readings of a mutation record. */
#include <errno.h>
#include <string.h>

#include "mutations/record_parts.h"

static read_fn read_flags, read_of, read_event, read_handoff, read_sum, read_bound, read_shown,
	read_reading_bound;

static int way_parse(const char *s, size_t len)
{
	static const char *const words[WAY_CNT] = {"fewer", "more"};

	for (int i = 0; i < WAY_CNT; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return i;
	return -1;
}

static const struct field form_fields[] = {
	{"patch", "patch: a file beside the record, NAME.patch or NAME.cocci", false,
	 FIELD(struct form_spec, patch), read_word, NULL, 0, 0},
	{"flags", "flags: [-O1, -fno-inline]", false, 0, 0, read_flags, NULL, 0, 0},
	{"config", "config: a file beside the record", false, FIELD(struct form_spec, config),
	 read_word, NULL, 0, 0},
};
static const struct shape form_shape = SHAPE("a form", form_fields);

static const struct field invalid_fields[] = {
	{"descriptor", "descriptor: an id of the workload's manifest", true,
	 FIELD(struct invalid_spec, descriptor), read_u32, NULL, 1, UINT32_MAX},
	{"why", "why: one sentence", true, FIELD(struct invalid_spec, why), read_line, NULL, 0, 0},
	{"shown", "shown: {event: RELEASE, class: pool.frame}, what contradicts it", false, 0, 0,
	 read_shown, NULL, 0, 0},
};
static const struct shape invalid_shape = SHAPE("an invalid descriptor", invalid_fields);

static const struct field change_fields[] = {
	{"event", "event: RELEASE", false, 0, 0, read_event, NULL, 0, 0},
	{"class", "class: a resource, as in pool.frame", false, FIELD(struct change_spec, class),
	 read_word, NULL, 0, 0},
	{"handoff", "handoff: io", false, 0, 0, read_handoff, NULL, 0, 0},
	{"sum", "sum: units", false, 0, 0, read_sum, NULL, 0, 0},
	{"way", "way: fewer or more", true, FIELD(struct change_spec, way), read_choice, way_parse,
	 0, 0},
};
static const struct shape change_shape = SHAPE("a change", change_fields);

static const struct field act_fields[] = {
	{"event", "event: RELEASE", false, 0, 0, read_event, NULL, 0, 0},
	{"class", "class: a resource, as in pool.frame", false, FIELD(struct change_spec, class),
	 read_word, NULL, 0, 0},
	{"handoff", "handoff: io", false, 0, 0, read_handoff, NULL, 0, 0},
};
static const struct shape act_shape = SHAPE("an act", act_fields);

static const struct field witness_fields[] = {
	{"measure",
	 "measure: count ratio units outstanding unpaired overlap moved delay mean max stray peak "
	 "miscount unequal or unused",
	 true, FIELD(struct witness_spec, measure), read_choice, measure_parse, 0, 0},
	{"of", "of: [1, 3], ids of descriptors, or io, wake or capacity", true, 0, 0, read_of, NULL,
	 0, 0},
	{"above", "above: a number from 0 on", false, 0, 0, read_bound, NULL, 0, 0},
	{"below", "below: a number from 0 on", false, 0, 0, read_bound, NULL, 0, 0},
};
static const struct shape witness_shape = SHAPE("a witness", witness_fields);

static const struct field reading_fields[] = {
	{"figure", "figure: a figure of assay score, as in event.precision", true,
	 FIELD(struct reading_spec, figure), read_word, NULL, 0, 0},
	{"of", "of: what it is of, as in all", false, FIELD(struct reading_spec, of), read_word,
	 NULL, 0, 0},
	{"above", "above: a number from 0 on", false, 0, 0, read_reading_bound, NULL, 0, 0},
	{"below", "below: a number from 0 on", false, 0, 0, read_reading_bound, NULL, 0, 0},
};
static const struct shape reading_shape = SHAPE("a reading", reading_fields);

/* ---- lists ---- */

int read_list(struct reading *r, const struct field *f, const struct node *n,
	      const struct items *to)
{
	struct field one = *f;
	const struct node *c = read_items(r, f, n, to->max);
	int rc = c ? 0 : -EINVAL;

	one.size = (uint32_t)to->size;
	for (*to->cnt = 0; c && !rc; c = tree_next(&r->tree, c))
		rc = to->read(r, &one, c, (char *)to->v + (*to->cnt)++ * to->size);
	return rc;
}

/* What a flag may be: the optimiser's and the linker's business, nothing with a path or a name. */
static int read_flag(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	const char *s = read_text(r, f, n);

	if (!s)
		return -EINVAL;
	if (strncmp(s, "-O", 2) && strncmp(s, "-f", 2) && strncmp(s, "-m", 2) &&
	    strncmp(s, "-Wl,", 4))
		return node_fault(r, n, "flags that begin with -O -f -m or -Wl,",
				  "\"%s\" is no flag of code generation", shown(s).s);
	return read_line(r, f, n, slot);
}

static int read_flags(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct form_spec *s = slot;
	struct items w = {s->flags[0], RECORD_WORD, RECORD_FLAGS_MAX, &s->flags_cnt, read_flag};

	return read_list(r, f, n, &w);
}

int read_form(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_mapping(r, &form_shape, n, slot);
}

/* ---- parts ---- */

static int read_event(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct change_spec *c = slot;
	struct field choice = {f->key, f->help, false, 0, 0, NULL, event_kind_parse, 0, 0};

	c->is_event = true;
	return read_choice(r, &choice, n, &c->event);
}

static int read_handoff(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct change_spec *c = slot;
	struct field choice = {f->key, f->help, false, 0, 0, NULL, handoff_type_parse, 0, 0};

	c->is_handoff = true;
	return read_choice(r, &choice, n, &c->handoff);
}

static int read_sum(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	if (strcmp(tree_text(&r->tree, n), "units"))
		return node_fault(r, n, f->help, "only units can be summed");
	((struct change_spec *)slot)->units = true;
	return 0;
}

static int check_subject(struct reading *r, const struct node *n, const struct change_spec *c)
{
	if (c->is_event == c->is_handoff)
		return node_fault(r, n, "event: and class:, or handoff:",
				  "it names neither or both of event and handoff");
	if (c->is_event != !!c->class[0])
		return node_fault(r, n, "event: RELEASE, class: pool.frame",
				  "event and class belong together");
	return 0;
}

int read_changes(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	const struct node *c = read_items(r, f, n, RECORD_CHANGES_MAX);
	int rc = c ? 0 : -EINVAL;

	for (; c && !rc; c = tree_next(&r->tree, c)) {
		struct change_spec *v = &m->changes[m->changes_cnt++];

		rc = read_mapping(r, &change_shape, c, v);
		if (!rc)
			rc = check_subject(r, c, v);
	}
	return rc;
}

static int read_act(struct reading *r, const struct node *n, struct act_spec *ret)
{
	struct change_spec c = {.units = false};
	int rc = read_mapping(r, &act_shape, n, &c);

	if (!rc)
		rc = check_subject(r, n, &c);
	if (rc)
		return rc;
	*ret = (struct act_spec){.is_event = c.is_event,
				 .is_handoff = c.is_handoff,
				 .event = c.event,
				 .handoff = c.handoff};
	memcpy(ret->class, c.class, sizeof(ret->class));
	return 0;
}

int read_reached(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_act(r, n, slot);
}

static int read_shown(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	return read_act(r, n, &((struct invalid_spec *)slot)->shown);
}

static int read_reading_bound(struct reading *r, const struct field *f, const struct node *n,
			      void *slot)
{
	struct reading_spec *s = slot;
	bool above = !strcmp(f->key, "above");

	*(above ? &s->has_above : &s->has_below) = true;
	return read_f64(r, f, n, above ? &s->above : &s->below);
}

int read_reading(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct reading_spec *s = slot;
	int rc = read_mapping(r, &reading_shape, n, s);

	if (!rc && !s->has_above && !s->has_below)
		rc = node_fault(r, n, "above: or below:", "it has no bound, so it is never wrong");
	return rc;
}

int read_invalid(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct mutation *m = slot;
	const struct node *c = read_items(r, f, n, RECORD_INVALID_MAX);
	int rc = c ? 0 : -EINVAL;

	for (; c && !rc; c = tree_next(&r->tree, c))
		rc = read_mapping(r, &invalid_shape, c, &m->invalid[m->invalid_cnt++]);
	return rc;
}

static int read_seen(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct seen_name *s = slot;
	const char *word = read_text(r, f, n);

	if (!word)
		return -EINVAL;
	if (!strcmp(word, "io"))
		s->kind = SEEN_IO;
	else if (!strcmp(word, "wake"))
		s->kind = SEEN_WAKE;
	else if (!strcmp(word, "capacity"))
		s->kind = SEEN_CAPACITY;
	else
		return read_u32(r, f, n, &s->descriptor);
	return 0;
}

static int read_of(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct witness_spec *s = slot;
	struct field one = *f;
	struct items w = {s->of, sizeof(s->of[0]), WITNESS_OF_MAX, &s->of_cnt, read_seen};

	one.min = 1;
	one.max = UINT32_MAX;
	return read_list(r, &one, n, &w);
}

static int read_bound(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	struct witness_spec *s = slot;
	bool above = !strcmp(f->key, "above");

	*(above ? &s->has_above : &s->has_below) = true;
	return read_f64(r, f, n, above ? &s->above : &s->below);
}

int read_witness(struct reading *r, const struct field *f, const struct node *n, void *slot)
{
	static const uint8_t takes[MEASURE_CNT] = {
		[MEASURE_COUNT] = 1,	   [MEASURE_RATIO] = 2,	   [MEASURE_UNITS] = 2,
		[MEASURE_OUTSTANDING] = 2, [MEASURE_UNPAIRED] = 2, [MEASURE_OVERLAP] = 2,
		[MEASURE_MOVED] = 2,	   [MEASURE_DELAY] = 2,	   [MEASURE_MEAN] = 1,
		[MEASURE_MAX] = 1,	   [MEASURE_STRAY] = 3,	   [MEASURE_PEAK] = 3,
		[MEASURE_MISCOUNT] = 3,	   [MEASURE_UNEQUAL] = 2,  [MEASURE_UNUSED] = 2,
	};
	struct witness_spec *s = slot;
	int rc;

	if (n->kind == NODE_SCALAR && !strcmp(tree_text(&r->tree, n), "none"))
		return 0;
	rc = read_mapping(r, &witness_shape, n, s);
	if (!rc && s->of_cnt != takes[s->measure])
		rc = node_fault(r, n, f->help, "%s takes %u names, not %u",
				measure_name(s->measure), takes[s->measure], s->of_cnt);
	if (!rc && !s->has_above && !s->has_below)
		rc = node_fault(r, n, "above: or below:", "it has no bound, so it never fires");
	return rc;
}
