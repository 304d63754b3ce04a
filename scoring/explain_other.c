/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims of other kinds than handoffs: which record of truth they meet, or by how much not. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/events.h"
#include "scoring/explain_parts.h"
#include "scoring/ops.h"
#include "scoring/attribution.h"

static void print_event(const struct explain *x, const struct truth_event *e, FILE *out)
{
	fprintf(out, "%s of %s 0x%" PRIx64 ", life 0x%" PRIx64 ", %" PRIu64 " units, thread %u ",
		event_kind_name(e->kind), strtab_get(x->t.strings, e->class_str), e->instance,
		e->life, e->units, e->tid);
	print_window(out, &e->t);
}

/* Nearest truth event of the claim's event, class and thread. */
static void print_nearest(const struct explain *x, const struct claim *c, uint32_t class, FILE *out)
{
	const struct truth_event *best = NULL;
	uint64_t best_off = UINT64_MAX;

	for (size_t i = 0; i < x->t.events_cnt; i++) {
		const struct truth_event *e = &x->t.events[i];
		uint64_t t = c->event.t;
		/* mutant <= >=: equivalent because on a border the distance is 0 either way */
		uint64_t off = t < e->t.t0 ? e->t.t0 - t : t > e->t.t1 ? t - e->t.t1 : 0;

		if (e->kind != c->type || e->class_str != class || e->tid != c->event.tid ||
		    off >= best_off)
			continue;
		best = e;
		best_off = off;
	}
	if (!best) {
		fputs("  truth has no such event of that class on that thread\n", out);
		return;
	}
	fputs("  the nearest in truth is ", out);
	print_event(x, best, out);
	if (best_off)
		fprintf(out, ", %" PRIu64 " ns away\n", best_off);
	else
		fputs(": its window holds the time, but it is paired with another claim\n", out);
}

static void print_pair(const struct explain *x, const struct claim *c, const struct event_claim *p,
		       FILE *out)
{
	const struct truth_event *e;

	if (p->event == SCOPE_NONE) {
		fputs("  unpaired: no window of truth that holds its time is left for it\n", out);
		print_nearest(x, c, p->class, out);
		return;
	}
	e = &x->t.events[p->event];
	fputs("  paired with ", out);
	print_event(x, e, out);
	fputc('\n', out);
	if (!(c->has & HAS_UNITS) || c->event.units != e->units)
		fputs("  its units are not equal\n", out);
	if ((c->has & HAS_DESC) && (e->has & TE_DESC) && c->event.desc != e->desc)
		fprintf(out, "  it names descriptor %u, truth descriptor %u\n", c->event.desc,
			e->desc);
}

static int explain_event(const struct explain *x, const struct claim *c, FILE *out)
{
	struct event_pairs p = {};
	struct words w;
	int err = words_map(&x->t, &x->c, &w);

	if (err)
		return err;
	err = event_pairs_make(&x->t, &x->c, &w, &p);
	for (size_t i = 0; !err && i < p.claims_cnt; i++)
		if (&x->c.v[p.claims[i].claim] == c)
			print_pair(x, c, &p.claims[i], out);
	event_pairs_free(&p);
	free(w.of);
	return err ? err : print_timeline(x, c->event.tid, c->event.t, out);
}

static int explain_cost(const struct explain *x, const struct claim *c, FILE *out)
{
	uint32_t *roots = array_new(x->c.cnt, sizeof(*roots));
	int err = roots ? cost_roots(&x->t, &x->c, roots) : -ENOMEM;
	uint32_t op = err ? SCOPE_NONE : roots[c - x->c.v];

	free(roots);
	if (err)
		return err;
	if (op == SCOPE_NONE)
		fputs("  unattributed: no root, or no operation began there\n", out);
	else
		fprintf(out, "  charged to operation 0x%" PRIx64 "%s\n", x->t.ops[op].id,
			op_scored(&x->t, &x->t.ops[op]) ? "" : ", which is not scored");
	return 0;
}

static void explain_health(const struct explain *x, const struct claim *c, FILE *out)
{
	for (size_t i = 0; i < x->t.descriptors_cnt; i++) {
		const struct truth_descriptor *d = &x->t.descriptors[i];

		if (d->id != c->health.desc)
			continue;
		fprintf(out, "  descriptor %u of %s is %s", d->id,
			strtab_get(x->t.strings, d->resource_str), d->valid ? "valid" : "invalid");
		if (!d->valid)
			fprintf(out, " since %" PRIu64, d->since);
		if (d->has_contradicted)
			fprintf(out, ", contradicted at %" PRIu64, d->contradicted);
		fputc('\n', out);
		return;
	}
	fputs("  truth lists no such descriptor: the claim counts nowhere\n", out);
}

int explain_other(const struct explain *x, const struct claim *c, FILE *out)
{
	switch (c->kind) {
	case CLAIM_EVENT:
		return explain_event(x, c, out);
	case CLAIM_COST:
		return explain_cost(x, c, out);
	case CLAIM_HEALTH:
		explain_health(x, c, out);
		return 0;
	case CLAIM_EFFECT:
		return print_timeline(x, c->effect.cause_tid, c->effect.cause_t, out);
	default:
		fputs("  claims of this kind are scored in sum: see `assay score`\n", out);
		return 0;
	}
}
