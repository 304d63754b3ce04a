/* SPDX-License-Identifier: BSD-2-Clause */
/* The expected counts of a made-up run: added up case by case, and printed. */
#include "groundtruth/synth_gen.h"
#include "lib/json_out.h"

static void count_claim(struct synth_counts *k, enum said said, unsigned flags)
{
	uint64_t *const at[] = {
		[SAID_RIGHT] = &k->right,
		[SAID_DUPLICATE] = &k->duplicate,
		[SAID_FALSE_JOIN] = &k->false_join,
		[SAID_HALF] = &k->half,
		[SAID_SPURIOUS] = &k->spurious,
		[SAID_ORPHAN] = &k->orphan,
		[SAID_OUT_OF_SCOPE] = &k->out_of_scope,
	};

	++*at[said];
	k->decoy_hits += (flags & SAID_DECOY) != 0;
	if (said == SAID_OUT_OF_SCOPE)
		return;
	k->claims++;
	k->two_ended += !(flags & SAID_ONE_END);
	k->credited += said == SAID_RIGHT;
	k->by_ready += (flags & SAID_BY_READY) != 0;
}

void expect_claim(struct synth_expect *e, unsigned levels, uint8_t type, enum said said,
		  unsigned flags, uint16_t marks)
{
	for (unsigned l = 0; l < SYNTH_LEVEL_CNT; l++) {
		if (!(levels >> l & 1))
			continue;
		count_claim(&e->all[l], said, flags);
		count_claim(&e->type[l][type], said, flags);
		for (unsigned m = marks; m; m &= m - 1)
			count_claim(&e->mark[l][__builtin_ctz(m)], said, flags);
	}
}

void expect_handoff(struct synth_expect *e, uint8_t type, uint16_t marks)
{
	for (unsigned l = 0; l < SYNTH_LEVEL_CNT; l++) {
		e->all[l].truth++;
		e->type[l][type].truth++;
		for (unsigned m = marks; m; m &= m - 1)
			e->mark[l][__builtin_ctz(m)].truth++;
	}
}

void expect_orphan_only(struct synth_expect *e, uint8_t type, uint16_t marks)
{
	for (unsigned l = 0; l < SYNTH_LEVEL_CNT; l++) {
		e->all[l].orphan_only++;
		e->type[l][type].orphan_only++;
		for (unsigned m = marks; m; m &= m - 1)
			e->mark[l][__builtin_ctz(m)].orphan_only++;
	}
}

/* ---- print ---- */

static void put_counts(struct json_out *o, const char *name, const struct synth_counts *k)
{
	json_out_object(o, name);
	json_out_u64(o, "truth", k->truth);
	json_out_u64(o, "claims", k->claims);
	json_out_u64(o, "two_ended", k->two_ended);
	json_out_u64(o, "right", k->right);
	json_out_u64(o, "duplicate", k->duplicate);
	json_out_u64(o, "false_join", k->false_join);
	json_out_u64(o, "half", k->half);
	json_out_u64(o, "spurious", k->spurious);
	json_out_u64(o, "orphan", k->orphan);
	json_out_u64(o, "out_of_scope", k->out_of_scope);
	json_out_u64(o, "decoy_hits", k->decoy_hits);
	json_out_u64(o, "credited", k->credited);
	json_out_u64(o, "by_ready", k->by_ready);
	json_out_u64(o, "orphan_only", k->orphan_only);
	json_out_end(o);
}

static bool is_empty(const struct synth_counts *k)
{
	return !(k->truth | k->claims | k->out_of_scope);
}

static void put_level(struct json_out *o, const char *name, const struct synth_expect *e,
		      enum synth_level l)
{
	json_out_object(o, name);
	put_counts(o, "all", &e->all[l]);
	json_out_object(o, "type");
	for (unsigned i = 0; i < HANDOFF_TYPE_CNT; i++)
		if (!is_empty(&e->type[l][i]))
			put_counts(o, handoff_type_name(i), &e->type[l][i]);
	json_out_end(o);
	json_out_object(o, "mark");
	for (unsigned i = 0; i < MARK_CNT; i++)
		if (!is_empty(&e->mark[l][i]))
			put_counts(o, mark_name(i), &e->mark[l][i]);
	json_out_end(o);
	json_out_end(o);
}

static void put_made(struct json_out *o, const struct synth_expect *e)
{
	json_out_u64(o, "seed", e->options.seed);
	json_out_u64(o, "handoffs", e->options.handoffs);
	json_out_u64(o, "claims", e->claims);
	json_out_u64(o, "decoys", e->decoys);
	json_out_object(o, "cases");
	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++)
		if (e->cases[c])
			json_out_u64(o, synth_case_name(c), e->cases[c]);
	json_out_end(o);
}

int synth_expect_print(const struct synth_expect *e, FILE *out)
{
	struct json_out o;

	json_out_init(&o, out);
	json_out_object(&o, NULL);
	put_made(&o, e);
	json_out_object(&o, "handoff");
	put_level(&o, "context", e, SYNTH_CONTEXT);
	put_level(&o, "identity", e, SYNTH_IDENTITY);
	json_out_bool(&o, "cheating", e->cheating);
	json_out_end(&o);
	json_out_object(&o, "one_ended");
	json_out_u64(&o, "truth", e->one_ended_truth);
	json_out_u64(&o, "named", e->one_ended_named);
	json_out_u64(&o, "joined", e->one_ended_joined);
	json_out_end(&o);
	json_out_end(&o);
	json_out_newline(&o);
	return json_out_error(&o);
}
