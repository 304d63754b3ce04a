/* SPDX-License-Identifier: BSD-2-Clause */
/* Manifests with planted resources. */
#include "harness/candidates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/folder.h"
#include "lib/files.h"
#include "lib/hash.h"

enum { PLANTED_MAX = 64 };

/* Words as those who write manifests use them: a name does not tell which were there. (Ids do,
 * which go on where the authors' end, and that nothing is said of a lifetime.) */
static const char *const nouns[] = {"slot", "lease",  "grant", "ticket", "handle",
				    "span", "region", "pin",   "ref",	 "cell"};
enum { NOUNS = sizeof(nouns) / sizeof(nouns[0]) };

static const char *const wrong_names[CANDIDATE_WRONG_CNT] = {"site", "event", "key", "unit"};

const char *candidate_wrong_name(unsigned wrong)
{
	return wrong < CANDIDATE_WRONG_CNT ? wrong_names[wrong] : "?";
}

/* Of each planted descriptor, in the order of ids. */
struct planted {
	bool wrong;
	uint32_t from; /* resource that it was copied from */
};

struct planting {
	const struct manifest *m;
	uint64_t seed, drawn;
	uint32_t from[PLANTED_MAX]; /* resources that are copied */
	enum candidate_wrong wrong[PLANTED_MAX];
	uint32_t cnt, first_id;
	char name[PLANTED_MAX][64]; /* as long as a manifest takes */
};

/* Each workload draws for itself. */
static uint64_t seed_for(const struct manifest *m, uint64_t seed, uint64_t share)
{
	return hash_u64(share, hash_bytes(m->application, strlen(m->application), seed));
}

static uint32_t draw(struct planting *p, uint32_t below)
{
	return (uint32_t)(hash_u64(++p->drawn, p->seed) >> 32) % below;
}

/* ---- what can be copied ---- */

static const struct manifest_descriptor *event_of(const struct manifest *m, uint32_t resource,
						  unsigned event)
{
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		if (m->descriptors[i].resource == resource && m->descriptors[i].event == event)
			return &m->descriptors[i];
	return NULL;
}

static bool is_pair(const struct manifest *m, uint32_t resource)
{
	return event_of(m, resource, EVENT_ACQUIRE) && event_of(m, resource, EVENT_RELEASE) &&
	       m->resources[resource].owner != OWNER_EXTERNAL;
}

static bool is_taken(const struct manifest *m, const char *name)
{
	for (uint32_t i = 0; i < m->resources_cnt; i++)
		if (!strcmp(m->resources[i].name, name))
			return true;
	return false;
}

/* Names of the planted resources: each noun that is free once, then with numbers. */
static void name_all(struct planting *p)
{
	uint32_t i = 0;

	for (uint32_t k = 0; i < p->cnt; k++) {
		const char *noun = nouns[(k + p->seed) % NOUNS];

		if (k < NOUNS)
			snprintf(p->name[i], sizeof(p->name[i]), "%.40s.%s", p->m->application,
				 noun);
		else
			snprintf(p->name[i], sizeof(p->name[i]), "%.40s.%s%u", p->m->application,
				 noun, k / NOUNS + 1);
		i += !is_taken(p->m, p->name[i]);
	}
}

/* F = planted / (planted + there). */
static int choose(struct planting *p, const struct regime *r, struct diag *d)
{
	double share = (double)r->share / 4294967296.0;
	uint32_t pairs[MANIFEST_RESOURCES_MAX], cnt = 0;

	for (uint32_t i = 0; i < p->m->resources_cnt; i++)
		if (is_pair(p->m, i))
			pairs[cnt++] = i;
	if (!cnt)
		return diag_set(d, -ENOTSUP, p->m->path, 0, "a workload whose resources have both",
				"no resource is acquired and released");
	p->cnt = (uint32_t)(cnt * share / (1 - share) + 0.5);
	p->cnt = p->cnt ? p->cnt : 1;
	p->cnt = p->cnt < PLANTED_MAX ? p->cnt : PLANTED_MAX;
	for (uint32_t i = 0; i < p->cnt; i++) {
		p->from[i] = pairs[draw(p, cnt)];
		p->wrong[i] = (enum candidate_wrong)draw(p, CANDIDATE_WRONG_CNT);
	}
	name_all(p);
	return 0;
}

/* ---- descriptors ---- */

/* A descriptor of another resource, with its own site, identity and guard. */
static const struct manifest_descriptor *elsewhere(struct planting *p, uint32_t resource)
{
	for (unsigned tries = 0; tries < 64; tries++) {
		const struct manifest_descriptor *x =
			&p->m->descriptors[draw(p, p->m->descriptors_cnt)];

		if (x->resource != resource && x->instance_key.kind != EXPR_NONE)
			return x;
	}
	return NULL;
}

static struct desc_expr argument(const struct manifest_descriptor *x)
{
	struct desc_expr e = x->instance_key;
	struct manifest_fault f;

	/* whatever it was, it is not that any more */
	if (manifest_expr_parse(e.kind == EXPR_ARG && e.reg == 0 ? "arg1" : "arg0", &e, &f))
		return x->instance_key;
	return e;
}

/* Where a site, an event, an identity or a unit of x is wrong in the copy, it is so in *x. */
static bool spoil(struct planting *p, enum candidate_wrong wrong, struct manifest_descriptor *x)
{
	const struct manifest_descriptor *other;

	switch (wrong) {
	case CANDIDATE_SITE:
		other = elsewhere(p, x->resource);
		if (!other)
			return false;
		x->site = other->site;
		x->instance_key = other->instance_key;
		x->when = other->when;
		x->unit_key = other->unit_key;
		return true;
	case CANDIDATE_EVENT:
		if (x->event != EVENT_ACQUIRE && x->event != EVENT_RELEASE)
			return false;
		x->event = x->event == EVENT_ACQUIRE ? EVENT_RELEASE : EVENT_ACQUIRE;
		return true;
	case CANDIDATE_KEY:
		if (x->event != EVENT_RELEASE)
			return false;
		x->instance_key = argument(x);
		return true;
	default:
		if (x->event != EVENT_RELEASE)
			return false;
		x->unit_key = argument(x);
		return true;
	}
}

static void put_descriptor(FILE *out, const struct manifest_descriptor *x, uint32_t id,
			   const char *resource)
{
	fprintf(out, "  - id: %u\n    resource: %s\n    event: %s\n    site: \"%s\"\n", id,
		resource, event_kind_name(x->event), manifest_site_text(&x->site).s);
	if (x->instance_key.kind != EXPR_NONE)
		fprintf(out, "    instance_key: \"%s\"\n", manifest_expr_text(&x->instance_key).s);
	if (x->unit_key.kind != EXPR_NONE)
		fprintf(out, "    unit_key: \"%s\"\n", manifest_expr_text(&x->unit_key).s);
	if (x->when.op != WHEN_ALWAYS)
		fprintf(out, "    when: \"%s\"\n", manifest_when_text(&x->when).s);
	if (x->event == EVENT_ACQUIRE)
		fputs("    generation: acquire_epoch\n", out);
	fputs("    confidence: candidate\n", out);
}

/* ---- the text ---- */

static void put_resources(const struct planting *p, FILE *out)
{
	for (uint32_t i = 0; i < p->cnt; i++) {
		const struct manifest_resource *r = &p->m->resources[p->from[i]];

		fprintf(out, "  - {resource: %s, unit: %s, owner: %s}\n", p->name[i], r->unit,
			manifest_owner_name(r->owner));
	}
}

/* Ids go on where the manifest's end, resource by resource, in the order of its descriptors. */
static void put_descriptors(struct planting *p, FILE *out, int log_fd, struct planted *all)
{
	uint32_t id = p->first_id;

	for (uint32_t i = 0; i < p->cnt; i++) {
		dprintf(log_fd, "planted: %s, a copy of %s with a wrong %s\n", p->name[i],
			p->m->resources[p->from[i]].name, candidate_wrong_name(p->wrong[i]));
		for (uint32_t k = 0; k < p->m->descriptors_cnt; k++) {
			struct manifest_descriptor x = p->m->descriptors[k];

			if (x.resource != p->from[i])
				continue;
			all[id - p->first_id] = (struct planted){.wrong = spoil(p, p->wrong[i], &x),
								 .from = p->from[i]};
			put_descriptor(out, &x, id++, p->name[i]);
		}
	}
}

/* Of what has changed places with its end no generation can be asked. */
static bool is_copied(const struct planting *p, uint32_t i, unsigned kind)
{
	if (kind == INV_GENERATION)
		return p->wrong[i] != CANDIDATE_EVENT;
	return kind == INV_PAIRING || kind == INV_MEMBERSHIP || kind == INV_BALANCE ||
	       kind == INV_ORDER;
}

/* The id of the copy of a descriptor in the i-th planted resource; 0: it has none. */
static uint32_t id_in(const struct planting *p, uint32_t i, uint32_t id)
{
	uint32_t at = p->first_id;

	for (uint32_t r = 0; r <= i; r++)
		for (uint32_t k = 0; k < p->m->descriptors_cnt; k++) {
			if (p->m->descriptors[k].resource != p->from[r])
				continue;
			if (r == i && p->m->descriptors[k].id == id)
				return at;
			at++;
		}
	return 0;
}

static void put_invariant(const struct planting *p, FILE *out, uint32_t i,
			  const struct manifest_invariant *v)
{
	for (uint32_t k = 0; k < v->of_cnt; k++)
		if (!id_in(p, i, v->of[k]))
			return;
	fprintf(out, "  - {id: c%u-%s, kind: %s, of: [", i, v->id, invariant_kind_name(v->kind));
	for (uint32_t k = 0; k < v->of_cnt; k++)
		fprintf(out, "%s%u", k ? ", " : "", id_in(p, i, v->of[k]));
	fprintf(out, "], evidence: %s}\n", manifest_evidence_name(v->evidence));
}

static void put_invariants(const struct planting *p, FILE *out)
{
	for (uint32_t i = 0; i < p->cnt; i++)
		for (uint32_t k = 0; k < p->m->invariants_cnt; k++)
			if (is_copied(p, i, p->m->invariants[k].kind))
				put_invariant(p, out, i, &p->m->invariants[k]);
}

static void put_candidate(const char *line, size_t len, FILE *out)
{
	const char *word = memmem(line, len, "confidence: validated", 21);

	if (!word) {
		fwrite(line, 1, len, out);
		return;
	}
	fwrite(line, 1, (size_t)(word - line), out);
	fputs("confidence: candidate", out);
	fwrite(word + 21, 1, len - (size_t)(word - line) - 21, out);
}

/* The manifest as its authors wrote it, each list with more at its end. */
static void put_text(struct planting *p, const char *text, FILE *out, int log_fd,
		     struct planted *all)
{
	for (const char *line = text, *next; *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line + len + (line[len] == '\n');
		if (!strncmp(line, "descriptors:", 12))
			put_resources(p, out);
		else if (!strncmp(line, "invariants:", 11))
			put_descriptors(p, out, log_fd, all);
		put_candidate(line, (size_t)(next - line), out);
	}
	put_invariants(p, out);
}

static int write_text(struct planting *p, const char *to, int log_fd, struct planted *all,
		      struct diag *d)
{
	struct file_out out = {0};
	char *text;
	size_t len;
	int rc = file_read(p->m->path, MANIFEST_BYTES_MAX, &text, &len, d);

	if (rc)
		return rc;
	rc = file_out_open(&out, to, d);
	if (!rc) {
		put_text(p, text, out.f, log_fd, all);
		rc = file_out_commit(&out, d);
	}
	free(text);
	return rc;
}

/* ---- the variant ---- */

/* Any event of the resource that a planted one was copied from shows that it is none of it. */
static int judge(struct variant *v, const struct planting *p, const struct planted *planted,
		 struct diag *d)
{
	struct trial_descriptor *all = calloc(v->old.descriptors_cnt + 1, sizeof(*all));

	if (!all)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (uint32_t i = 0; i < v->old.descriptors_cnt; i++) {
		const struct manifest_descriptor *m = &v->old.descriptors[i];
		const struct planted *x =
			m->id < p->first_id ? NULL : &planted[m->id - p->first_id];

		all[i] = (struct trial_descriptor){
			.id = m->id,
			.resource = manifest_resource_of(&v->old, m)->name,
			.valid = !x || !x->wrong,
			.shown_event = EVENT_RELEASE,
			/* its name is the same in both, and v has the longer life */
			.shown_class = x ? v->old.resources[x->from].name : NULL,
		};
	}
	free(v->descriptors);
	v->descriptors = all;
	v->descriptors_cnt = v->old.descriptors_cnt;
	return 0;
}

static uint32_t greatest_id(const struct manifest *m)
{
	uint32_t id = 0;

	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		id = m->descriptors[i].id > id ? m->descriptors[i].id : id;
	return id;
}

int candidates_plant(struct variant *v, const struct regime *r, uint64_t seed, const char *to,
		     int log_fd, struct diag *d)
{
	struct planting p = {.m = &v->old, .seed = seed_for(&v->old, seed, r->share)};
	struct manifest planted;
	struct planted *all;
	int rc = v->has_old ? choose(&p, r, d)
			    : diag_set(d, -ENOTSUP, NULL, 0, NULL, "it has no manifest");

	if (rc)
		return rc;
	p.first_id = greatest_id(&v->old) + 1;
	all = calloc((size_t)p.cnt * v->old.descriptors_cnt + 1, sizeof(*all));
	if (!all)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	rc = write_text(&p, to, log_fd, all, d);
	if (!rc)
		rc = manifest_load(to, &planted, d);
	if (!rc) {
		struct manifest before = v->old;

		v->old = planted;
		rc = judge(v, &p, all, d);
		manifest_free(&before);
	}
	if (!rc)
		rc = path_format(v->manifest, d, "%s", to);
	free(all);
	return rc;
}
