/* SPDX-License-Identifier: BSD-2-Clause */
/* Truth to its text form: fields in the order of contracts §2, so that import and export agree. */
#include "groundtruth/truth.h"

#include <stdlib.h>

#include "lib/json_out.h"

/* What every record writer needs. */
struct exporter {
	const struct truth *t;
	struct json_out o;
};

static void put_str(struct exporter *x, const char *name, uint32_t id)
{
	json_out_str(&x->o, name, strtab_get(x->t->strings, id));
}

static void put_window(struct exporter *x, const char *name, struct window w)
{
	json_out_array(&x->o, name);
	json_out_u64(&x->o, NULL, w.t0);
	json_out_u64(&x->o, NULL, w.t1);
	json_out_end(&x->o);
}

static void put_key(struct exporter *x, const struct truth_key *k)
{
	if (k->ns == KEY_NONE)
		return;
	json_out_object(&x->o, "key");
	if (k->ns == KEY_OTHER)
		put_str(x, "ns", k->ns_str);
	else
		json_out_str(&x->o, "ns", key_ns_name(k->ns));
	if (k->has_scope)
		json_out_u64(&x->o, "scope", k->scope);
	json_out_hex(&x->o, "v", k->v);
	json_out_end(&x->o);
}

static void put_begin(struct exporter *x, const struct truth_op *op)
{
	json_out_hex(&x->o, "op", op->id);
	put_str(x, "kind", op->kind_str);
	json_out_u64(&x->o, "tid", op->begin_tid);
	put_window(x, "t", op->begin);
}

static void put_end(struct exporter *x, const struct truth_op *op)
{
	json_out_hex(&x->o, "op", op->id);
	json_out_u64(&x->o, "tid", op->end_tid);
	put_window(x, "t", op->end);
	if (op->open)
		json_out_bool(&x->o, "open", true);
}

static void put_segment(struct exporter *x, const struct truth_segment *s)
{
	json_out_hex(&x->o, "op", s->op);
	json_out_u64(&x->o, "tid", s->tid);
	put_window(x, "t", s->t);
}

static void put_src(struct exporter *x, const struct truth_handoff *h)
{
	if (!(h->has & TH_SRC)) {
		if (h->has & TH_SRC_NULL)
			json_out_null(&x->o, "src");
		return;
	}
	json_out_object(&x->o, "src");
	json_out_hex(&x->o, "op", h->src_op);
	json_out_u64(&x->o, "tid", h->src_tid);
	put_window(x, "t", h->src_t);
	json_out_end(&x->o);
}

static void put_dst(struct exporter *x, const struct truth_handoff *h)
{
	if (!(h->has & TH_DST)) {
		if (h->has & TH_DST_NULL)
			json_out_null(&x->o, "dst");
		return;
	}
	json_out_object(&x->o, "dst");
	json_out_hex(&x->o, "op", h->dst_op);
	json_out_u64(&x->o, "tid", h->dst_tid);
	if (h->has & TH_TAKE)
		json_out_u64(&x->o, "take", h->take);
	put_window(x, "ready", h->dst_ready);
	put_window(x, "t", h->dst_t);
	json_out_end(&x->o);
}

static void put_handoff(struct exporter *x, const struct truth_handoff *h)
{
	json_out_hex(&x->o, "id", h->id);
	json_out_str(&x->o, "type", handoff_type_name(h->type));
	if (h->has & TH_SEQ)
		json_out_u64(&x->o, "seq", h->seq);
	put_key(x, &h->key);
	put_src(x, h);
	put_dst(x, h);
	if (h->has & TH_MARKS || h->marks) {
		json_out_array(&x->o, "marks");
		for (unsigned bit = 0; bit < MARK_CNT; bit++)
			if (h->marks & 1u << bit)
				json_out_str(&x->o, NULL, mark_name(bit));
		json_out_end(&x->o);
	}
	if (h->has & TH_AMB)
		json_out_hex(&x->o, "amb", h->amb);
}

static void put_event(struct exporter *x, const struct truth_event *e)
{
	json_out_str(&x->o, "event", event_kind_name(e->kind));
	put_str(x, "class", e->class_str);
	json_out_hex(&x->o, "instance", e->instance);
	json_out_hex(&x->o, "life", e->life);
	if (e->has & TE_UNITS)
		json_out_u64(&x->o, "units", e->units);
	if (e->has & TE_OP)
		json_out_hex(&x->o, "op", e->op);
	json_out_u64(&x->o, "tid", e->tid);
	put_window(x, "t", e->t);
	if (e->has & TE_DESC)
		json_out_u64(&x->o, "desc", e->desc);
}

static void put_effect(struct exporter *x, const struct truth_effect *e)
{
	json_out_hex(&x->o, "cause", e->cause);
	json_out_str(&x->o, "kind", effect_kind_name(e->kind));
	json_out_u64(&x->o, "tid", e->tid);
	put_window(x, "t", e->t);
	json_out_u64(&x->o, "v", e->v);
}

static void put_cost(struct exporter *x, const struct truth_cost *c)
{
	const char *name = truth_cost_field(c->of);

	if (name)
		put_str(x, name, c->name_str);
	else if (c->of == COST_OF_OP)
		json_out_hex(&x->o, "op", c->op);
	if (c->has_tid)
		json_out_u64(&x->o, "tid", c->tid);
	put_str(x, "kind", c->kind_str);
	json_out_u64(&x->o, "v", c->v);
}

static void put_loss(struct exporter *x, const struct truth_loss *l)
{
	json_out_u64(&x->o, "from", l->from);
	json_out_u64(&x->o, "to", l->to);
	if (l->has_lost)
		json_out_u64(&x->o, "lost", l->lost);
}

static void put_live(struct exporter *x, const struct truth_live *l)
{
	json_out_hex(&x->o, "life", l->life);
	json_out_u64(&x->o, "units", l->units);
	if (l->at_start)
		json_out_str(&x->o, "at", "start");
}

static void put_diagnosis(struct exporter *x, const struct truth_diagnosis *g)
{
	put_str(x, "label", g->label_str);
	put_str(x, "subject", g->subject_str);
	put_window(x, "t", g->t);
}

static void put_decoy(struct exporter *x, const struct truth_decoy *y)
{
	json_out_str(&x->o, "as", y->as_event ? "event" : "handoff");
	if (y->has_id)
		json_out_hex(&x->o, "id", y->id);
	if (y->as_event) {
		json_out_str(&x->o, "event", event_kind_name(y->type));
		put_str(x, "class", y->class_str);
		json_out_hex(&x->o, "instance", y->instance);
	} else {
		json_out_str(&x->o, "type", handoff_type_name(y->type));
		put_key(x, &y->key);
	}
	json_out_u64(&x->o, "tid", y->tid);
	put_window(x, "t", y->t);
}

static void put_close(struct exporter *x)
{
	const struct truth_counts *n = &x->t->counts;

	json_out_object(&x->o, "counts");
	json_out_u64(&x->o, "begin", n->begin);
	json_out_u64(&x->o, "end", n->end);
	json_out_u64(&x->o, "segment", n->segment);
	json_out_u64(&x->o, "handoff", n->handoff);
	json_out_u64(&x->o, "event", n->event);
	json_out_end(&x->o);
	json_out_bool(&x->o, "full", x->t->full);
}

static const char *const words[REC_CNT] = {
	[REC_BEGIN] = "begin",	       [REC_END] = "end",
	[REC_SEGMENT] = "segment",     [REC_HANDOFF] = "handoff",
	[REC_EVENT] = "event",	       [REC_EFFECT] = "effect",
	[REC_COST] = "cost",	       [REC_LOSS] = "loss",
	[REC_LIVE] = "live",	       [REC_DECOY] = "decoy",
	[REC_DIAGNOSIS] = "diagnosis", [REC_CLOSE] = "close",
};

static void put_fields(struct exporter *x, enum truth_record r, uint32_t i)
{
	const struct truth *t = x->t;

	switch (r) {
	case REC_BEGIN:
		return put_begin(x, &t->ops[i]);
	case REC_END:
		return put_end(x, &t->ops[i]);
	case REC_SEGMENT:
		return put_segment(x, &t->segments[i]);
	case REC_HANDOFF:
		return put_handoff(x, &t->handoffs[i]);
	case REC_EVENT:
		return put_event(x, &t->events[i]);
	case REC_EFFECT:
		return put_effect(x, &t->effects[i]);
	case REC_COST:
		return put_cost(x, &t->costs[i]);
	case REC_LOSS:
		return put_loss(x, &t->losses[i]);
	case REC_LIVE:
		return put_live(x, &t->lives[i]);
	case REC_DIAGNOSIS:
		return put_diagnosis(x, &t->diagnoses[i]);
	case REC_DECOY:
		return put_decoy(x, &t->decoys[i]);
	case REC_CLOSE:
		return put_close(x);
	case REC_CNT:
		break;
	}
}

static void put_record(struct exporter *x, uint32_t order)
{
	enum truth_record r = truth_order_record(order);

	json_out_object(&x->o, NULL);
	json_out_str(&x->o, "r", words[r]);
	put_fields(x, r, truth_order_index(order));
	json_out_end(&x->o);
	json_out_newline(&x->o);
}

static void put_descriptor(struct exporter *x, const struct truth_descriptor *v)
{
	json_out_object(&x->o, NULL);
	json_out_u64(&x->o, "id", v->id);
	put_str(x, "resource", v->resource_str);
	json_out_bool(&x->o, "valid", v->valid);
	if (v->has_since)
		json_out_u64(&x->o, "since", v->since);
	if (v->has_contradicted)
		json_out_u64(&x->o, "contradicted", v->contradicted);
	json_out_end(&x->o);
}

static void put_lists(struct exporter *x)
{
	const struct truth *t = x->t;

	json_out_array(&x->o, "threads");
	for (size_t i = 0; i < t->threads_cnt; i++)
		json_out_u64(&x->o, NULL, t->threads[i]);
	json_out_end(&x->o);
	json_out_array(&x->o, "keys");
	for (size_t i = 0; i < t->key_strs_cnt; i++)
		put_str(x, NULL, t->key_strs[i]);
	json_out_end(&x->o);
	json_out_array(&x->o, "descriptors");
	for (size_t i = 0; i < t->descriptors_cnt; i++)
		put_descriptor(x, &t->descriptors[i]);
	json_out_end(&x->o);
}

static void put_header(struct exporter *x)
{
	const struct truth *t = x->t;

	json_out_object(&x->o, NULL);
	json_out_u64(&x->o, "truth", 1);
	put_str(x, "workload", t->workload_str);
	put_str(x, "variant", t->variant_str);
	json_out_u64(&x->o, "seed", t->seed);
	json_out_str(&x->o, "clock", "monotonic");
	put_window(x, "scored", t->scored);
	put_lists(x);
	json_out_end(&x->o);
	json_out_newline(&x->o);
}

int truth_export(const struct truth *t, FILE *out)
{
	struct exporter x = {.t = t};

	json_out_init(&x.o, out);
	put_header(&x);
	for (size_t i = 0; i < t->order_cnt && !json_out_error(&x.o); i++)
		put_record(&x, t->order[i]);
	return json_out_error(&x.o);
}
