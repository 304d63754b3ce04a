/* SPDX-License-Identifier: BSD-2-Clause */
/* What a packed truth may hold: nothing in it is used as an index before it was looked at. */
#include "groundtruth/truth_pack.h"

#include <errno.h>
#include <string.h>

#include "lib/hash.h"

uint64_t pack_checksum(const struct pack_header *h, uint64_t rest)
{
	struct pack_header bare = *h;

	bare.checksum = 0;
	return hash_bytes(&bare, sizeof(bare), rest);
}

void pack_seal(void *file, size_t len)
{
	struct pack_header h;

	if (len < sizeof(h))
		return;
	memcpy(&h, file, sizeof(h));
	h.checksum = pack_checksum(&h, hash_bytes((char *)file + sizeof(h), len - sizeof(h), 0));
	memcpy(file, &h, sizeof(h));
}

static bool word_ok(const struct truth *t, uint32_t id)
{
	return id < strtab_count(t->strings);
}

static bool window_ok(struct window w)
{
	return w.t0 <= w.t1;
}

static bool key_ok(const struct truth *t, const struct truth_key *k)
{
	return k->ns < KEY_NS_CNT && k->has_scope <= 1 && word_ok(t, k->ns_str);
}

static bool key_word_ok(const struct truth *t, size_t i)
{
	const char *word;

	if (!word_ok(t, t->key_strs[i]))
		return false;
	word = strtab_get(t->strings, t->key_strs[i]);
	return key_ns_parse(word, strlen(word)) != KEY_OTHER;
}

static bool descriptor_ok(const struct truth *t, size_t i)
{
	const struct truth_descriptor *v = &t->descriptors[i];

	return word_ok(t, v->resource_str) && v->valid <= 1 && v->has_since <= 1 &&
	       v->has_contradicted <= 1 && (v->valid || v->has_since);
}

static bool op_ok(const struct truth *t, size_t i)
{
	const struct truth_op *o = &t->ops[i];

	return window_ok(o->begin) && window_ok(o->end) && word_ok(t, o->kind_str) &&
	       o->has_begin <= 1 && o->has_end <= 1 && o->open <= 1;
}

static bool segment_ok(const struct truth *t, size_t i)
{
	return window_ok(t->segments[i].t);
}

static bool handoff_ok(const struct truth *t, size_t i)
{
	const struct truth_handoff *h = &t->handoffs[i];

	return h->type < HANDOFF_TYPE_CNT && h->has & (TH_SRC | TH_DST) && key_ok(t, &h->key) &&
	       window_ok(h->src_t) && window_ok(h->dst_ready) && window_ok(h->dst_t);
}

static bool event_ok(const struct truth *t, size_t i)
{
	const struct truth_event *e = &t->events[i];

	return e->kind < EVENT_KIND_CNT && e->has & TE_OP && e->has & TE_UNITS &&
	       word_ok(t, e->class_str) && window_ok(e->t);
}

static bool effect_ok(const struct truth *t, size_t i)
{
	return t->effects[i].kind < EFFECT_KIND_CNT && window_ok(t->effects[i].t);
}

static bool cost_ok(const struct truth *t, size_t i)
{
	const struct truth_cost *c = &t->costs[i];

	return word_ok(t, c->kind_str) && word_ok(t, c->name_str) && c->has_tid <= 1 &&
	       c->of < COST_OF_CNT && !(c->of && c->op) &&
	       (truth_cost_field(c->of) || !c->name_str) && (c->of != COST_OF_THREAD || c->has_tid);
}

static bool loss_ok(const struct truth *t, size_t i)
{
	return t->losses[i].from <= t->losses[i].to && t->losses[i].has_lost <= 1;
}

static bool live_ok(const struct truth *t, size_t i)
{
	return t->lives[i].at_start <= 1;
}

static bool diagnosis_ok(const struct truth *t, size_t i)
{
	const struct truth_diagnosis *g = &t->diagnoses[i];

	return word_ok(t, g->label_str) && word_ok(t, g->subject_str) && window_ok(g->t);
}

static bool decoy_ok(const struct truth *t, size_t i)
{
	const struct truth_decoy *y = &t->decoys[i];

	return y->as_event <= 1 && y->has_id <= 1 && window_ok(y->t) && key_ok(t, &y->key) &&
	       word_ok(t, y->class_str) &&
	       y->type < (y->as_event ? (int)EVENT_KIND_CNT : (int)HANDOFF_TYPE_CNT);
}

static bool (*const element_ok[ARRAY_CNT])(const struct truth *t, size_t i) = {
	[ARRAY_KEYS] = key_word_ok,
	[ARRAY_DESCRIPTORS] = descriptor_ok,
	[ARRAY_OPS] = op_ok,
	[ARRAY_SEGMENTS] = segment_ok,
	[ARRAY_HANDOFFS] = handoff_ok,
	[ARRAY_EVENTS] = event_ok,
	[ARRAY_EFFECTS] = effect_ok,
	[ARRAY_COSTS] = cost_ok,
	[ARRAY_LOSSES] = loss_ok,
	[ARRAY_LIVES] = live_ok,
	[ARRAY_DIAGNOSES] = diagnosis_ok,
	[ARRAY_DECOYS] = decoy_ok,
};

static int fault(const char *path, struct diag *d, const char *what, size_t i)
{
	return diag_set(d, -EINVAL, path, 0,
			"the file is damaged: record the run again, or import its text form",
			"%s %zu of the packed truth is impossible", what, i);
}

/* Records other than begin and end stand in their arrays in file order. */
static int validate_order(const struct truth *t, const char *path, struct diag *d)
{
	static const enum truth_array array_of[REC_CNT] = {
		[REC_BEGIN] = ARRAY_OPS,	[REC_END] = ARRAY_OPS,
		[REC_SEGMENT] = ARRAY_SEGMENTS, [REC_HANDOFF] = ARRAY_HANDOFFS,
		[REC_EVENT] = ARRAY_EVENTS,	[REC_EFFECT] = ARRAY_EFFECTS,
		[REC_COST] = ARRAY_COSTS,	[REC_LOSS] = ARRAY_LOSSES,
		[REC_LIVE] = ARRAY_LIVES,	[REC_DIAGNOSIS] = ARRAY_DIAGNOSES,
		[REC_DECOY] = ARRAY_DECOYS,
	};
	size_t seen[REC_CNT] = {0}, cnt, begun = 0, ended = 0;

	for (size_t i = 0; i < t->order_cnt; i++) {
		unsigned r = truth_order_record(t->order[i]);
		uint32_t index = truth_order_index(t->order[i]);
		bool ok = r < REC_CNT;

		if (ok && r <= REC_END)
			ok = index < t->ops_cnt &&
			     (r == REC_BEGIN ? t->ops[index].has_begin : t->ops[index].has_end);
		else if (ok)
			ok = r == REC_CLOSE ? index == 0 && t->closed : index == seen[r];
		if (!ok)
			return fault(path, d, "record", i);
		seen[r]++;
	}
	for (size_t i = 0; i < t->ops_cnt; i++) {
		begun += t->ops[i].has_begin;
		ended += t->ops[i].has_end;
	}
	if (seen[REC_BEGIN] != begun || seen[REC_END] != ended)
		return fault(path, d, "the order of begin and end records, with operation",
			     t->ops_cnt);
	for (unsigned r = REC_SEGMENT; r < REC_CLOSE; r++) {
		truth_array_get(t, array_of[r], &cnt);
		if (seen[r] != cnt)
			return fault(path, d, "the order of records, after record", t->order_cnt);
	}
	return 0;
}

/* The mask says the same as the words, which were looked at before. */
static bool keys_ok(const struct truth *t)
{
	uint32_t keys = 0;

	for (size_t i = 0; i < t->key_strs_cnt; i++) {
		const char *word = strtab_get(t->strings, t->key_strs[i]);

		keys |= 1u << key_ns_parse(word, strlen(word));
	}
	return keys == t->keys;
}

int pack_validate(const struct truth *t, const char *path, struct diag *d)
{
	static const char *const names[ARRAY_CNT] = {
		[ARRAY_KEYS] = "key space",	 [ARRAY_DESCRIPTORS] = "descriptor",
		[ARRAY_OPS] = "operation",	 [ARRAY_SEGMENTS] = "segment",
		[ARRAY_HANDOFFS] = "handoff",	 [ARRAY_EVENTS] = "event",
		[ARRAY_EFFECTS] = "effect",	 [ARRAY_COSTS] = "cost",
		[ARRAY_LOSSES] = "loss",	 [ARRAY_LIVES] = "life",
		[ARRAY_DIAGNOSES] = "diagnosis", [ARRAY_DECOYS] = "decoy",
	};

	if (!word_ok(t, t->workload_str) || !word_ok(t, t->variant_str) || !window_ok(t->scored))
		return fault(path, d, "the header, field", 0);
	for (unsigned a = 0; a < ARRAY_CNT; a++) {
		size_t cnt;

		truth_array_get(t, a, &cnt);
		for (size_t i = 0; element_ok[a] && i < cnt; i++)
			if (!element_ok[a](t, i))
				return fault(path, d, names[a], i);
	}
	if (!keys_ok(t))
		return fault(path, d, "the header, field", 1);
	return validate_order(t, path, d);
}
