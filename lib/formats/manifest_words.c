/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a manifest, and what follows from a descriptor alone. */
#include <string.h>

#include "lib/formats/manifest.h"

static const char *const kinds[INV_KIND_CNT] = {
	[INV_PAIRING] = "pairing",
	[INV_MEMBERSHIP] = "membership",
	[INV_GENERATION] = "generation",
	[INV_BALANCE] = "balance",
	[INV_RATIO] = "ratio",
	[INV_ORDER] = "order",
	[INV_RANGE] = "range",
	[INV_MONOTONE] = "monotone",
	[INV_SILENCE] = "silence",
	[INV_EMIT_RATE] = "emit-rate",
	[INV_ACTOR] = "actor",
	[INV_SYSTEM_EFFECT] = "system-effect",
	[INV_KNOWN_VALUE] = "known-value",
	[INV_EXCLUSION] = "exclusion",
	[INV_COUNT] = "count",
};
static const char *const owners[OWNER_CNT] = {"operation", "thread", "shared", "external"};
static const char *const generations[GENERATION_CNT] = {"none", "acquire_epoch", "create_epoch"};
static const char *const confidences[CONFIDENCE_CNT] = {"validated", "candidate"};
static const char *const evidences[EVIDENCE_CNT] = {"warning", "proof"};

static int find(const char *const *words, int cnt, const char *s, size_t len)
{
	for (int i = 0; i < cnt; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return i;
	return -1;
}

#define WORDS(name, words, cnt)                                                                    \
	const char *name##_name(unsigned v)                                                        \
	{                                                                                          \
		return (words)[v];                                                                 \
	}                                                                                          \
	int name##_parse(const char *s, size_t len)                                                \
	{                                                                                          \
		return find(words, cnt, s, len);                                                   \
	}

WORDS(invariant_kind, kinds, INV_KIND_CNT)
WORDS(manifest_owner, owners, OWNER_CNT)
WORDS(manifest_generation, generations, GENERATION_CNT)
WORDS(manifest_confidence, confidences, CONFIDENCE_CNT)
WORDS(manifest_evidence, evidences, EVIDENCE_CNT)

const struct manifest_descriptor *manifest_descriptor_by_id(const struct manifest *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		if (m->descriptors[i].id == id)
			return &m->descriptors[i];
	return NULL;
}

const struct manifest_resource *manifest_resource_of(const struct manifest *m,
						     const struct manifest_descriptor *d)
{
	return &m->resources[d->resource];
}

bool manifest_needs_args(const struct manifest_descriptor *d)
{
	return d->site.kind == SITE_RETURN &&
	       (d->instance_key.kind == EXPR_ARG || d->unit_key.kind == EXPR_ARG ||
		d->target_id.kind == EXPR_ARG || d->when.lhs.kind == EXPR_ARG);
}

struct desc_prog manifest_prog(const struct manifest_descriptor *d)
{
	return (struct desc_prog){
		.id = d->id,
		.event = d->event,
		.on_return = d->site.kind == SITE_RETURN,
		.needs_args = manifest_needs_args(d),
		.resource = (uint8_t)d->resource,
		.instance = d->instance_key,
		.units = d->unit_key,
		.target = d->target_id,
		.when = d->when,
	};
}

struct desc_prog manifest_capacity_prog(const struct manifest *m, uint32_t resource)
{
	const struct manifest_resource *v = &m->resources[resource];
	bool on_return = v->capacity_site.kind == SITE_RETURN;

	return (struct desc_prog){
		.id = resource,
		.event = DESC_EVENT_CAPACITY,
		.on_return = on_return,
		.needs_args = on_return,
		.instance = {.kind = EXPR_ARG, .reg = v->capacity_arg, .width = 8},
	};
}

bool manifest_invariant_judges(uint8_t kind, uint32_t of_cnt, uint32_t i)
{
	if (kind == INV_EXCLUSION)
		return i == 0;
	return kind != INV_COUNT || i + 1 < of_cnt;
}
