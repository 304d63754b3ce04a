/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules between the values of a manifest, and what it may say but probably should not. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/manifest_fields.h"

#define BIT(v) (1u << (v))

/* Events that begin and end a life, for the invariants that compare both. */
#define OPENING                                                                                    \
	(BIT(EVENT_ACQUIRE) | BIT(EVENT_SPAWN) | BIT(EVENT_PUSH) | BIT(EVENT_SUBMIT) |             \
	 BIT(EVENT_BEGIN))
#define CLOSING                                                                                    \
	(BIT(EVENT_RELEASE) | BIT(EVENT_RUN) | BIT(EVENT_POP) | BIT(EVENT_HANDLE) | BIT(EVENT_END))

/* A life may be waited for or handled without that being a part of it. */
#define OF_A_LIFE (BIT(EVENT_ACQUIRE) | BIT(EVENT_USE) | BIT(EVENT_RELEASE))

enum param {
	P_AT_LEAST = 0,
	P_AT_MOST,
	P_MIN,
	P_MAX,
	P_VALUE,
	P_WITHIN,
	P_WITHIN_MS,
	P_MANY,
	P_EFFECT,
	P_CNT,
};
static const char *const param_keys[P_CNT] = {"at_least", "at_most",   "min",  "max",	"value",
					      "within",	  "within_ms", "many", "effect"};

struct rule {
	uint32_t of_min, of_max;
	uint32_t may, must; /* bits of enum param */
	bool pair;	    /* needs an opening and a closing event */
	bool one_resource, instances, units;
	bool proof; /* evidence where the manifest does not say */
};
static const struct rule rules[INV_KIND_CNT] = {
	[INV_PAIRING] =
		{.of_min = 2, .pair = true, .one_resource = true, .instances = true, .proof = true},
	[INV_MEMBERSHIP] = {.of_min = 1, .instances = true, .proof = true},
	[INV_GENERATION] = {.of_min = 1, .instances = true, .proof = true},
	[INV_BALANCE] = {.of_min = 2,
			 .pair = true,
			 .one_resource = true,
			 .may = BIT(P_WITHIN) | BIT(P_WITHIN_MS) | BIT(P_AT_LEAST)},
	[INV_RATIO] = {.of_min = 2, .of_max = 2, .may = BIT(P_AT_LEAST) | BIT(P_AT_MOST)},
	[INV_ORDER] =
		{.of_min = 2, .of_max = 2, .one_resource = true, .instances = true, .proof = true},
	[INV_RANGE] = {.of_min = 1, .may = BIT(P_MIN) | BIT(P_MAX), .units = true},
	[INV_MONOTONE] = {.of_min = 1, .may = BIT(P_MIN) | BIT(P_MAX), .units = true},
	[INV_SILENCE] = {.of_min = 1, .must = BIT(P_EFFECT)},
	[INV_EMIT_RATE] = {.of_min = 1},
	[INV_ACTOR] = {.of_min = 1, .must = BIT(P_MANY)},
	[INV_SYSTEM_EFFECT] = {.of_min = 1, .must = BIT(P_EFFECT) | BIT(P_WITHIN_MS)},
	[INV_KNOWN_VALUE] = {.of_min = 1, .must = BIT(P_VALUE), .units = true, .proof = true},
	[INV_EXCLUSION] = {.of_min = 3, .of_max = 3, .instances = true, .proof = true},
	[INV_COUNT] = {.of_min = 3, .of_max = 3, .instances = true, .proof = true},
};

static int warn(struct reading *r, uint32_t line, uint32_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int warn(struct reading *r, uint32_t line, uint32_t column, const char *fmt, ...)
{
	struct manifest *m = &r->m;
	struct manifest_warning *w;
	va_list ap;

	if (m->warnings_cnt == MANIFEST_WARNINGS_MAX)
		return 0;
	w = reallocarray(m->warnings, m->warnings_cnt + 1, sizeof(*w));
	if (!w)
		return diag_set(r->d, -ENOMEM, m->path, 0, "free memory", "memory is full");
	m->warnings = w;
	w += m->warnings_cnt++;
	*w = (struct manifest_warning){.line = line, .column = column};
	va_start(ap, fmt);
	vsnprintf(w->text, sizeof(w->text), fmt, ap);
	va_end(ap);
	return 0;
}

int rules_resource(struct reading *r, const struct node *n, const struct manifest_resource *v)
{
	for (uint32_t i = 0; i < r->m.resources_cnt; i++)
		if (!strcmp(r->m.resources[i].name, v->name))
			return node_fault(r, tree_get(&r->tree, n, "resource"), "another name",
					  "there is a resource %s already, in line %u", v->name,
					  r->m.resources[i].line);
	if (v->has_capacity && v->capacity_site.kind == SITE_SYMBOL && v->capacity_site.offset)
		return warn(r, v->capacity_site.line, v->capacity_site.column,
			    "inside a function arg%u is a register, not the argument",
			    v->capacity_arg);
	return 0;
}

/* ---- descriptors ---- */

static bool at_entry(const struct manifest_site *s)
{
	return s->kind == SITE_SYMBOL && !s->offset;
}

/* The return value is there when the function returns; inside it, a register is. */
static int check_expr(struct reading *r, const struct node *n, const char *key,
		      const struct manifest_site *site, const struct desc_expr *e)
{
	const struct node *at = tree_get(&r->tree, n, key);

	if (e->kind == EXPR_RETVAL && site->kind == SITE_USDT)
		return node_fault(r, at, "arg0 … arg5", "a USDT site has no retval");
	if (e->kind == EXPR_RETVAL && at_entry(site)) {
		char cure[160];

		snprintf(cure, sizeof(cure), "site: %s:return, or arg0 … arg5", site->symbol);
		return node_fault(r, at, cure, "there is no retval at the entry of a function");
	}
	if (site->kind == SITE_SYMBOL && site->offset && e->kind >= EXPR_ARG)
		return warn(r, at->line, at->column,
			    "%s inside a function is a register as it stands there",
			    e->kind == EXPR_ARG ? "an argument" : "retval");
	return 0;
}

static int check_exprs(struct reading *r, const struct node *n, const struct manifest_descriptor *v)
{
	int rc = check_expr(r, n, "instance_key", &v->site, &v->instance_key);

	if (!rc)
		rc = check_expr(r, n, "unit_key", &v->site, &v->unit_key);
	if (!rc)
		rc = check_expr(r, n, "target_id", &v->site, &v->target_id);
	return rc ? rc : check_expr(r, n, "when", &v->site, &v->when.lhs);
}

/* Overlapping lives are reported that never were, where the moment of the change is missed. */
static int warn_placement(struct reading *r, const struct manifest_descriptor *v)
{
	const struct manifest_site *s = &v->site;

	if (s->kind == SITE_USDT)
		return 0;
	if (v->event == EVENT_ACQUIRE && s->kind != SITE_RETURN)
		return warn(r, s->line, s->column,
			    "ACQUIRE stands at the return of the function that takes the resource, "
			    "as in %s:return; elsewhere lives seem to overlap",
			    s->symbol);
	if (v->event == EVENT_RELEASE && !at_entry(s))
		return warn(r, s->line, s->column,
			    "RELEASE stands at the entry of the function that gives the resource "
			    "up, as in %s; elsewhere lives seem to overlap",
			    s->symbol);
	return 0;
}

static int warn_lifetime(struct reading *r, const struct node *n,
			 const struct manifest_descriptor *v)
{
	const struct manifest_resource *res = &r->m.resources[v->resource];
	const struct node *at = tree_get(&r->tree, n, "event");
	const char *event = event_kind_name(v->event);

	for (uint32_t i = 0; i < res->lifetime_cnt; i++)
		if (!strncmp(res->lifetime[i], event, strlen(event)))
			return 0;
	if (!res->lifetime_cnt || !(BIT(v->event) & OF_A_LIFE))
		return 0;
	return warn(r, at->line, at->column, "%s is not in the lifetime of %s", event, res->name);
}

int rules_descriptor(struct reading *r, const struct node *n, const struct manifest_descriptor *v)
{
	const struct manifest_descriptor *same = manifest_descriptor_by_id(&r->m, v->id);
	int rc;

	if (same)
		return node_fault(r, tree_get(&r->tree, n, "id"), "another number",
				  "there is a descriptor %u already, in line %u", v->id,
				  same->line);
	if (v->unit_key.kind == EXPR_CONST && !v->unit_key.value)
		return node_fault(r, tree_get(&r->tree, n, "unit_key"), "1 or more",
				  "an event of 0 units");
	if (v->generation != GENERATION_NONE && v->instance_key.kind == EXPR_NONE)
		return node_fault(r, tree_get(&r->tree, n, "generation"),
				  "an instance_key, or generation: none",
				  "generations number the lives of an instance, and none is named");
	rc = check_exprs(r, n, v);
	if (!rc)
		rc = warn_placement(r, v);
	return rc ? rc : warn_lifetime(r, n, v);
}

/* ---- invariants ---- */

static int check_params(struct reading *r, const struct node *n, const struct rule *rule,
			const char *kind)
{
	for (unsigned p = 0; p < P_CNT; p++) {
		const struct node *at = tree_get(&r->tree, n, param_keys[p]);

		if (at && !((rule->may | rule->must) & BIT(p)))
			return node_fault(r, at, "another kind, or leave it away",
					  "%s takes no \"%s\"", kind, param_keys[p]);
		if (!at && rule->must & BIT(p))
			return node_fault(r, n, "man 5 assay-manifest lists what each kind takes",
					  "%s lacks \"%s\"", kind, param_keys[p]);
	}
	return 0;
}

static int check_of_cnt(struct reading *r, const struct node *n, const struct rule *rule,
			const struct manifest_invariant *v)
{
	const struct node *of = tree_get(&r->tree, n, "of");
	const char *kind = invariant_kind_name(v->kind);

	if (v->of_cnt < rule->of_min)
		return node_fault(r, of,
				  rule->of_min == 3   ? "of: [a, b, c]"
				  : rule->of_min == 2 ? "of: [a, b]"
						      : "of: [a]",
				  "%s compares %u descriptors, of names %u", kind, rule->of_min,
				  v->of_cnt);
	if (rule->of_max && v->of_cnt > rule->of_max)
		return node_fault(
			r, of,
			rule->of_max == 2 ? "one invariant a pair" : "one invariant for three",
			"%s compares %u descriptors, of names %u", kind, rule->of_max, v->of_cnt);
	return 0;
}

static int check_of_one(struct reading *r, const struct node *at, const struct rule *rule,
			const struct manifest_invariant *v, const struct manifest_descriptor *d)
{
	const struct manifest_descriptor *first = manifest_descriptor_by_id(&r->m, v->of[0]);
	const char *kind = invariant_kind_name(v->kind);

	if (rule->instances && d->instance_key.kind == EXPR_NONE)
		return node_fault(r, at, "an instance_key there",
				  "%s compares instances, descriptor %u names none", kind, d->id);
	if (rule->units && d->unit_key.kind == EXPR_NONE)
		return node_fault(r, at, "a unit_key there",
				  "%s looks at units, descriptor %u has none", kind, d->id);
	if (rule->one_resource && d->resource != first->resource)
		return node_fault(r, at, "descriptors of one resource",
				  "%s stays within a resource, descriptor %u is of %s, %u of %s",
				  kind, first->id, r->m.resources[first->resource].name, d->id,
				  r->m.resources[d->resource].name);
	if (v->kind == INV_GENERATION && !(BIT(d->event) & OPENING))
		return node_fault(r, at, "descriptors that begin a life, as ACQUIRE does",
				  "generation asks when lives begin, descriptor %u is %s", d->id,
				  event_kind_name(d->event));
	return 0;
}

/* Two of three are the ends of lives of one resource: the last two of exclusion, the first of
 * count; the third stands beside them. */
static int check_of_three(struct reading *r, const struct node *of,
			  const struct manifest_invariant *v)
{
	bool count = v->kind == INV_COUNT;
	const struct manifest_descriptor *open = manifest_descriptor_by_id(&r->m, v->of[!count]);
	const struct manifest_descriptor *close =
		manifest_descriptor_by_id(&r->m, v->of[2 - count]);
	const struct manifest_descriptor *third =
		manifest_descriptor_by_id(&r->m, v->of[2 * count]);
	const char *cure =
		count ? "of: [acquire, release, reading]" : "of: [use, acquire, release]";

	if (!(BIT(open->event) & OPENING) || !(BIT(close->event) & CLOSING) ||
	    open->resource != close->resource)
		return node_fault(r, of, cure, "%s needs both ends of a life of one resource",
				  invariant_kind_name(v->kind));
	if (third->resource == open->resource)
		return node_fault(r, of, cure,
				  "%s compares two resources, descriptor %u is of %s too",
				  invariant_kind_name(v->kind), third->id,
				  r->m.resources[third->resource].name);
	if (count && third->unit_key.kind == EXPR_NONE)
		return node_fault(r, of, "a unit_key there: the count to be read",
				  "count looks at units, descriptor %u has none", third->id);
	return 0;
}

static int check_of(struct reading *r, const struct node *n, const struct rule *rule,
		    const struct manifest_invariant *v)
{
	const struct node *of = tree_get(&r->tree, n, "of"), *at = tree_child(&r->tree, of);
	uint32_t events = 0;
	int rc = 0;

	for (uint32_t i = 0; i < v->of_cnt && !rc; i++, at = tree_next(&r->tree, at)) {
		const struct manifest_descriptor *d = manifest_descriptor_by_id(&r->m, v->of[i]);

		events |= BIT(d->event);
		rc = check_of_one(r, at, rule, v, d);
	}
	if (!rc && rule->pair && (!(events & OPENING) || !(events & CLOSING)))
		rc = node_fault(r, of, "of: [acquire, release]",
				"%s needs a descriptor that begins a life and one that ends it",
				invariant_kind_name(v->kind));
	if (!rc && (v->kind == INV_EXCLUSION || v->kind == INV_COUNT))
		rc = check_of_three(r, of, v);
	return rc;
}

static int check_bounds(struct reading *r, const struct node *n, const struct manifest_invariant *v)
{
	if (v->kind == INV_RATIO && !v->has_at_least && !v->has_at_most)
		return node_fault(r, n, "at_least: 0.5", "ratio lacks \"at_least\" or \"at_most\"");
	if (v->kind == INV_BALANCE && v->has_at_least && v->at_least > 1)
		return node_fault(r, tree_get(&r->tree, n, "at_least"), "at_least: 0.5",
				  "more than the capacity is never in use");
	if (v->has_at_least && v->has_at_most && v->at_least > v->at_most)
		return node_fault(r, tree_get(&r->tree, n, "at_most"), "at_least the smaller one",
				  "at_least is greater than at_most");
	if (v->kind == INV_RANGE && !v->has_min && !v->has_max)
		return node_fault(r, n, "max: 4096", "range lacks \"min\" or \"max\"");
	if (v->has_min && v->has_max && v->min > v->max)
		return node_fault(r, tree_get(&r->tree, n, "max"), "min the smaller one",
				  "min is greater than max");
	if (v->kind == INV_RATIO && v->evidence == EVIDENCE_PROOF)
		return node_fault(r, tree_get(&r->tree, n, "evidence"), "evidence: warning",
				  "a ratio only warns: loads change");
	return 0;
}

int rules_invariant(struct reading *r, const struct node *n, struct manifest_invariant *v)
{
	const struct rule *rule = &rules[v->kind];
	int rc;

	for (uint32_t i = 0; i < r->m.invariants_cnt; i++)
		if (!strcmp(r->m.invariants[i].id, v->id))
			return node_fault(r, tree_get(&r->tree, n, "id"), "another word",
					  "there is an invariant %s already, in line %u", v->id,
					  r->m.invariants[i].line);
	rc = check_params(r, n, rule, invariant_kind_name(v->kind));
	if (!rc)
		rc = check_of_cnt(r, n, rule, v);
	if (!rc)
		rc = check_of(r, n, rule, v);
	if (!rc)
		rc = check_bounds(r, n, v);
	if (!rc && v->evidence == EVIDENCE_CNT)
		v->evidence = rule->proof ? EVIDENCE_PROOF : EVIDENCE_WARNING;
	return rc;
}
