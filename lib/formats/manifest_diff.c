/* SPDX-License-Identifier: BSD-2-Clause */
/* What two manifests say differently: each thing as lines of "key: value", compared by key. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "lib/formats/manifest.h"

enum { FACTS_MAX = 16 };

/* One thing of a manifest; a fact whose value is "" is not there. */
struct facts {
	char name[96]; /* "descriptor 4" */
	size_t cnt;
	struct {
		const char *key;
		char value[320];
	} v[FACTS_MAX];
};

struct differing {
	FILE *out;
	int cnt;
};

static void fact(struct facts *f, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void fact(struct facts *f, const char *key, const char *fmt, ...)
{
	va_list ap;

	f->v[f->cnt].key = key;
	va_start(ap, fmt);
	vsnprintf(f->v[f->cnt].value, sizeof(f->v[f->cnt].value), fmt, ap);
	va_end(ap);
	f->cnt++;
}

/* Not there: as a value that no text has. */
static void fact_if(struct facts *f, const char *key, bool there, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void fact_if(struct facts *f, const char *key, bool there, const char *fmt, ...)
{
	char value[320] = "";
	va_list ap;

	va_start(ap, fmt);
	if (there)
		vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	fact(f, key, "%s", value);
}

static struct facts application_facts(const struct manifest *m)
{
	struct facts f = {.name = "manifest"};

	fact(&f, "application", "%s", m->application);
	fact(&f, "build_id", "%s", m->build_id);
	return f;
}

static void resource_name(const struct manifest *m, uint32_t i, char ret[96])
{
	snprintf(ret, 96, "resource %s", m->resources[i].name);
}

static struct facts resource_facts(const struct manifest *m, uint32_t i)
{
	const struct manifest_resource *v = &m->resources[i];
	struct facts f = {.cnt = 0};
	char lifetime[320] = "";
	size_t n = 0;

	resource_name(m, i, f.name);
	for (uint32_t k = 0; k < v->lifetime_cnt; k++)
		n += (size_t)snprintf(lifetime + n, sizeof(lifetime) - n, "%s%s", k ? " " : "",
				      v->lifetime[k]);
	fact(&f, "unit", "%s", v->unit);
	fact(&f, "owner", "%s", manifest_owner_name(v->owner));
	fact(&f, "lifetime", "%s", lifetime);
	fact_if(&f, "capacity", v->has_capacity, "arg%u at %s", v->capacity_arg,
		manifest_site_text(&v->capacity_site).s);
	return f;
}

static void descriptor_name(const struct manifest *m, uint32_t i, char ret[96])
{
	snprintf(ret, 96, "descriptor %u", m->descriptors[i].id);
}

static struct facts descriptor_facts(const struct manifest *m, uint32_t i)
{
	const struct manifest_descriptor *v = &m->descriptors[i];
	struct facts f = {.cnt = 0};

	descriptor_name(m, i, f.name);
	fact(&f, "resource", "%s", manifest_resource_of(m, v)->name);
	fact(&f, "event", "%s", event_kind_name(v->event));
	fact(&f, "site", "%s", manifest_site_text(&v->site).s);
	fact(&f, "instance_key", "%s", manifest_expr_text(&v->instance_key).s);
	fact(&f, "unit_key", "%s", manifest_expr_text(&v->unit_key).s);
	fact(&f, "target_id", "%s", manifest_expr_text(&v->target_id).s);
	fact(&f, "when", "%s", manifest_when_text(&v->when).s);
	fact(&f, "generation", "%s", manifest_generation_name(v->generation));
	fact(&f, "confidence", "%s", manifest_confidence_name(v->confidence));
	fact(&f, "by", "%s", v->by);
	fact(&f, "source", "%s", v->source);
	return f;
}

static void invariant_name(const struct manifest *m, uint32_t i, char ret[96])
{
	snprintf(ret, 96, "invariant %s", m->invariants[i].id);
}

static struct facts invariant_facts(const struct manifest *m, uint32_t i)
{
	const struct manifest_invariant *v = &m->invariants[i];
	struct facts f = {.cnt = 0};
	char of[320] = "";
	size_t n = 0;

	invariant_name(m, i, f.name);
	for (uint32_t k = 0; k < v->of_cnt; k++)
		n += (size_t)snprintf(of + n, sizeof(of) - n, "%s%u", k ? " " : "", v->of[k]);
	fact(&f, "kind", "%s", invariant_kind_name(v->kind));
	fact(&f, "of", "%s", of);
	fact(&f, "evidence", "%s", manifest_evidence_name(v->evidence));
	fact_if(&f, "effect", v->effect != EFFECT_KIND_CNT, "%s",
		v->effect != EFFECT_KIND_CNT ? effect_kind_name(v->effect) : "");
	fact_if(&f, "at_least", v->has_at_least, "%.17g", v->at_least);
	fact_if(&f, "at_most", v->has_at_most, "%.17g", v->at_most);
	fact_if(&f, "min", v->has_min, "%" PRIu64, v->min);
	fact_if(&f, "max", v->has_max, "%" PRIu64, v->max);
	fact_if(&f, "value", v->kind == INV_KNOWN_VALUE, "%" PRIu64, v->value);
	fact_if(&f, "within", v->has_within, "%" PRIu64 "ns", v->within_ns);
	fact_if(&f, "many", v->many, "%u", v->many);
	return f;
}

static void print_whole(struct differing *d, char sign, const struct facts *f)
{
	const char *sep = ":";

	fprintf(d->out, "%c %s", sign, f->name);
	for (size_t i = 0; i < f->cnt; i++) {
		if (!f->v[i].value[0])
			continue;
		fprintf(d->out, "%s %s: %s", sep, f->v[i].key, f->v[i].value);
		sep = ";";
	}
	fputc('\n', d->out);
	d->cnt++;
}

static const char *shown_value(const char *s)
{
	return s[0] ? s : "(none)";
}

/* Facts of the same kind of thing: the keys are the same, in the same order. */
static void print_changes(struct differing *d, const struct facts *a, const struct facts *b)
{
	for (size_t i = 0; i < a->cnt; i++) {
		if (!strcmp(a->v[i].value, b->v[i].value))
			continue;
		fprintf(d->out, "~ %s: %s: %s -> %s\n", a->name, a->v[i].key,
			shown_value(a->v[i].value), shown_value(b->v[i].value));
		d->cnt++;
	}
}

/* One of the lists of a manifest; names are unique in it. */
struct listing {
	uint32_t acnt, bcnt;
	void (*name)(const struct manifest *m, uint32_t i, char ret[96]);
	struct facts (*get)(const struct manifest *m, uint32_t i);
};

/* Index of the thing of m with this name; cnt where there is none. */
static uint32_t find(const struct listing *l, const struct manifest *m, uint32_t cnt,
		     const char *name)
{
	char other[96];
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		l->name(m, i, other);
		if (!strcmp(name, other))
			break;
	}
	return i;
}

static void diff_list(struct differing *d, const struct manifest *a, const struct manifest *b,
		      const struct listing *l)
{
	for (uint32_t i = 0; i < l->acnt; i++) {
		struct facts x = l->get(a, i), y;
		uint32_t k = find(l, b, l->bcnt, x.name);

		if (k == l->bcnt) {
			print_whole(d, '-', &x);
			continue;
		}
		y = l->get(b, k);
		print_changes(d, &x, &y);
	}
	for (uint32_t i = 0; i < l->bcnt; i++) {
		struct facts y = l->get(b, i);

		if (find(l, a, l->acnt, y.name) == l->acnt)
			print_whole(d, '+', &y);
	}
}

int manifest_diff(const struct manifest *a, const struct manifest *b, FILE *out)
{
	struct differing d = {.out = out};
	struct facts x = application_facts(a), y = application_facts(b);

	print_changes(&d, &x, &y);
	diff_list(&d, a, b,
		  &(struct listing){a->resources_cnt, b->resources_cnt, resource_name,
				    resource_facts});
	diff_list(&d, a, b,
		  &(struct listing){a->descriptors_cnt, b->descriptors_cnt, descriptor_name,
				    descriptor_facts});
	diff_list(&d, a, b,
		  &(struct listing){a->invariants_cnt, b->invariants_cnt, invariant_name,
				    invariant_facts});
	return ferror(out) ? -EIO : d.cnt;
}
