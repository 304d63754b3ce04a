/* SPDX-License-Identifier: BSD-2-Clause */
/* The object of contracts §6. */
#include <errno.h>
#include <stdio.h>

#include "lib/json_out.h"
#include "scoring/parts.h"

static void put_values(struct json_out *o, const struct value *v, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		if (v[i].is_count)
			json_out_u64(o, v[i].name, v[i].u);
		else if (v[i].r.has)
			json_out_f64(o, v[i].name, v[i].r.v);
		else
			json_out_null(o, v[i].name);
	}
}

static void put_counts(struct json_out *o, const char *name, const struct handoff_counts *c)
{
	struct value v[VALUES_MAX];

	json_out_object(o, name);
	put_values(o, v, handoff_values(c, v));
	json_out_end(o);
}

static void put_level(struct json_out *o, const char *name, const struct handoff_level *l)
{
	json_out_object(o, name);
	put_counts(o, "all", &l->all);
	put_counts(o, "declared", &l->declared);
	json_out_object(o, "type");
	for (uint32_t set = l->types; set;) {
		unsigned i = take_bit(&set);

		put_counts(o, handoff_type_name(i), &l->type[i]);
	}
	json_out_end(o);
	json_out_object(o, "mark");
	for (uint32_t set = l->marks; set;) {
		unsigned i = take_bit(&set);

		put_counts(o, mark_name(i), &l->mark[i]);
	}
	json_out_end(o);
	json_out_object(o, "source");
	for (uint32_t set = l->sources; set;) {
		unsigned i = take_bit(&set);

		put_counts(o, source_name(i), &l->source[i]);
	}
	json_out_end(o);
	json_out_end(o);
}

static void put_handoff(struct json_out *o, const struct handoff_score *s)
{
	struct value v[VALUES_MAX];

	json_out_object(o, "handoff");
	for (unsigned i = 0; i < LEVEL_CNT; i++)
		put_level(o, level_name(i), &s->level[i]);
	json_out_bool(o, "cheating", s->cheating);
	json_out_end(o);
	v[0] = coverage_value(s);
	put_values(o, v, 1);
	json_out_object(o, "one_ended");
	put_values(o, v, one_ended_values(s, v));
	json_out_end(o);
}

static void put_event(struct json_out *o, const struct event_score *s)
{
	struct value v[VALUES_MAX];
	char id[16];

	json_out_object(o, "event");
	put_values(o, v, event_values(&s->all, v));
	json_out_object(o, "desc");
	for (size_t i = 0; i < s->desc_cnt; i++) {
		snprintf(id, sizeof(id), "%u", s->desc[i].id);
		json_out_object(o, id);
		put_values(o, v, event_values(&s->desc[i].c, v));
		json_out_end(o);
	}
	json_out_end(o);
	json_out_object(o, "identity");
	put_values(o, v, identity_values(&s->identity, v));
	json_out_end(o);
	json_out_end(o);
}

static void put_profile(struct json_out *o, const struct attribution_score *s)
{
	struct value v[VALUES_MAX];

	json_out_object(o, "profile");
	for (size_t i = 0; i < s->profile_cnt; i++) {
		const struct profile_score *p = &s->profile[i];

		if (!i || p[-1].by != p->by)
			json_out_object(o, profile_by_name(p->by));
		json_out_object(o, p->kind);
		put_values(o, v, profile_values(p, v));
		json_out_end(o);
		if (i + 1 == s->profile_cnt || p[1].by != p->by)
			json_out_end(o);
	}
	json_out_end(o);
}

static void put_attribution(struct json_out *o, const struct attribution_score *s)
{
	struct value v[VALUES_MAX];

	json_out_object(o, "effect");
	put_values(o, v, effect_values(&s->effect, v));
	json_out_end(o);
	json_out_object(o, "cost");
	for (size_t i = 0; i < s->cost_cnt; i++) {
		json_out_object(o, s->cost[i].kind);
		put_values(o, v, cost_values(&s->cost[i], v));
		json_out_end(o);
	}
	json_out_end(o);
	put_profile(o, s);
}

static void put_bool_or_null(struct json_out *o, const char *name, bool has, bool x)
{
	if (has)
		json_out_bool(o, name, x);
	else
		json_out_null(o, name);
}

static void put_u64_or_null(struct json_out *o, const char *name, bool has, uint64_t x)
{
	if (has)
		json_out_u64(o, name, x);
	else
		json_out_null(o, name);
}

static void put_resource(struct json_out *o, const struct resource_score *r)
{
	json_out_object(o, r->name);
	json_out_bool(o, "valid", r->valid);
	json_out_str(o, "worst", severity_name(r->worst));
	put_bool_or_null(o, "detected", !r->valid, r->detected);
	json_out_bool(o, "false_alarm", r->false_alarm);
	put_bool_or_null(o, "early", !r->valid, r->early);
	put_bool_or_null(o, "censored", !r->valid, r->censored);
	put_u64_or_null(o, "latency_ns", r->has_latency, r->latency_ns);
	put_u64_or_null(o, "latency_events", r->has_latency, r->latency_events);
	json_out_u64(o, "raised", r->raised);
	json_out_end(o);
}

static void put_stale(struct json_out *o, const struct stale_score *s)
{
	static const char *const rows[2] = {"valid", "stale"};
	struct value v[VALUES_MAX];

	json_out_object(o, "stale");
	json_out_object(o, "resource");
	for (size_t i = 0; i < s->resource_cnt; i++)
		put_resource(o, &s->resource[i]);
	json_out_end(o);
	json_out_object(o, "matrix");
	for (unsigned row = 0; row < 2; row++) {
		json_out_object(o, rows[row]);
		for (unsigned i = 0; i < SEVERITY_CNT; i++)
			json_out_u64(o, severity_name(i), s->matrix[row][i]);
		json_out_end(o);
	}
	json_out_end(o);
	put_values(o, v, stale_values(s, v));
	json_out_end(o);
}

static void put_calibration(struct json_out *o, const struct score *s)
{
	struct value v[VALUES_MAX];

	json_out_object(o, "calibration");
	for (unsigned i = 0; i < LEVEL_CNT; i++) {
		json_out_object(o, level_name(i));
		put_values(o, v, calibration_values(&s->calibration[i], v));
		json_out_end(o);
	}
	json_out_object(o, "p_stale");
	put_values(o, v, calibration_values(&s->p_stale, v));
	json_out_end(o);
	json_out_end(o);
}

static void put_error(struct json_out *o, const struct diag *d)
{
	json_out_object(o, "error");
	json_out_str(o, "file", d->file);
	put_u64_or_null(o, "line", d->line, d->line);
	json_out_str(o, "reason", d->reason);
	json_out_end(o);
}

int score_json(const struct score *s, FILE *out)
{
	static const char *const status[] = {
		[SCORE_OK] = "ok", [SCORE_INVALID] = "invalid", [SCORE_BROKEN] = "broken"};
	struct value v[VALUES_MAX];
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	json_out_str(&o, "status", status[s->status]);
	if (s->status == SCORE_OK) {
		put_handoff(&o, &s->handoff);
		put_event(&o, &s->event);
		put_attribution(&o, &s->attribution);
		put_stale(&o, &s->stale);
		put_calibration(&o, s);
		json_out_object(&o, "loss");
		put_values(&o, v, loss_values(&s->loss, v));
		json_out_end(&o);
	} else {
		put_error(&o, &s->error);
	}
	json_out_end(&o);
	json_out_newline(&o);
	return json_out_error(&o);
}
