/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes a claim impossible, the same for JSON and binary, for reader and writer.
 *
 * Written out by hand, a function a kind: a mapped file of millions of records is checked at load,
 * so that each check is a few predicted branches.
 */
#include "lib/formats/claims_fields.h"

#include <math.h>

#define FAULT(name, reason, cure) static const struct claim_fault name = {reason, cure}

FAULT(bad_kind, "a claim of a kind that does not exist", "write the file with a claims writer");
FAULT(bad_vocab, "a value outside its vocabulary", "write the file with a claims writer");
FAULT(not_zero, "a field that is said to be absent is not zero",
      "zero the claim before filling it");
FAULT(bad_bit, "a presence bit that this kind of claim does not have",
      "set only the bits of fields that the kind has");
FAULT(bad_word, "a word that is not in the table of words", "take word ids from the same writer");
FAULT(no_word, "a required word is empty", "give it a name");
FAULT(no_ends, "src and dst are both null", "say at least one end, or claim nothing");
FAULT(bad_conf, "conf is outside 0 … 1", "write a probability, or leave conf out where it is 1");
FAULT(bad_p_stale, "p_stale is outside 0 … 1", "write a probability, or leave p_stale out");
FAULT(bad_ip, "ip is outside (0, 1]",
      "write the probability that the sample was taken, or leave ip out where it is 1");
FAULT(bad_gap, "from is later than to", "write the earlier moment as from");

typedef const struct claim_fault *fault_fn(const struct claim *c, uint32_t strings_cnt);

/* -0.0 equals 0 but has other bytes, and equal claims have equal bytes. */
static bool is_probability(double p)
{
	return p >= 0 && p <= 1 && !signbit(p);
}

static const struct claim_fault *prob_fault(bool has, double p, const struct claim_fault *bad)
{
	if (!has)
		return p == 0 && !signbit(p) ? NULL : &not_zero;
	return is_probability(p) ? NULL : bad;
}

static const struct claim_fault *ip_fault(bool has, double p)
{
	const struct claim_fault *f = prob_fault(has, p, &bad_ip);

	return !f && has && p == 0 ? &bad_ip : f;
}

/* The members of the head that only handoffs use. */
static const struct claim_fault *head_fault(const struct claim *c, unsigned type_cnt, unsigned bits)
{
	if (c->type >= type_cnt)
		return &bad_vocab;
	if (c->has & ~bits)
		return &bad_bit;
	return c->how | c->source | c->ns ? &not_zero : NULL;
}

static const struct claim_fault *words_fault(uint32_t strings_cnt, uint32_t required,
					     uint32_t other)
{
	if (required >= strings_cnt || other >= strings_cnt)
		return &bad_word;
	return required ? NULL : &no_word;
}

static bool absent(const struct claim *c, unsigned bit, uint64_t v)
{
	return c->has & bit || !v;
}

static const struct claim_fault *handoff_key_fault(const struct claim *c)
{
	if (!(c->has & HAS_KEY) != (c->ns == KEY_NONE))
		return &bad_bit;
	if (c->has & HAS_SCOPE && !(c->has & HAS_KEY))
		return &bad_bit;
	if (!absent(c, HAS_KEY, c->handoff.key_v) || !absent(c, HAS_SCOPE, c->handoff.key_scope))
		return &not_zero;
	return NULL;
}

static const struct claim_fault *handoff_ends_fault(const struct claim *c)
{
	if (!(c->has & (HAS_SRC | HAS_DST)))
		return &no_ends;
	if (!absent(c, HAS_SRC, c->handoff.src_t | c->handoff.src_tid | (c->has & HAS_SRC_KERNEL)))
		return &not_zero;
	if (!absent(c, HAS_DST, c->handoff.dst_t | c->handoff.dst_tid | (c->has & HAS_DST_KERNEL)))
		return &not_zero;
	return NULL;
}

static const struct claim_fault *handoff_fault(const struct claim *c, uint32_t strings_cnt)
{
	const unsigned bits = HAS_SRC | HAS_DST | HAS_SRC_KERNEL | HAS_DST_KERNEL | HAS_KEY |
			      HAS_SCOPE | HAS_GEN | HAS_CONF;
	const struct claim_fault *f;

	if (c->type >= HANDOFF_TYPE_CNT || c->how >= HOW_CNT || c->source >= SOURCE_CNT ||
	    c->ns >= KEY_NS_CNT)
		return &bad_vocab;
	if (c->has & ~bits)
		return &bad_bit;
	f = handoff_ends_fault(c);
	f = f ? f : handoff_key_fault(c);
	f = f ? f : prob_fault(c->has & HAS_CONF, c->handoff.conf, &bad_conf);
	return f || absent(c, HAS_GEN, c->handoff.gen) ? f : &not_zero;
}

static const struct claim_fault *event_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(
		c, EVENT_KIND_CNT, HAS_INSTANCE | HAS_GEN | HAS_UNITS | HAS_DESC | HAS_CONF);

	f = f ? f : words_fault(strings_cnt, c->event.class_str, 0);
	f = f ? f : prob_fault(c->has & HAS_CONF, c->event.conf, &bad_conf);
	if (f)
		return f;
	return absent(c, HAS_INSTANCE, c->event.instance) && absent(c, HAS_GEN, c->event.gen) &&
			       absent(c, HAS_UNITS, c->event.units) &&
			       absent(c, HAS_DESC, c->event.desc) && !c->event.pad
		       ? NULL
		       : &not_zero;
}

static const struct claim_fault *health_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, HEALTH_STATE_CNT, HAS_EVIDENCE | HAS_P_STALE);

	if (!f && c->health.why_str >= strings_cnt)
		f = &bad_word;
	f = f ? f : prob_fault(c->has & HAS_P_STALE, c->health.p_stale, &bad_p_stale);
	if (f)
		return f;
	return absent(c, HAS_EVIDENCE, c->health.evidence) && !(c->raw[4] | c->raw[5] | c->raw[6])
		       ? NULL
		       : &not_zero;
}

static const struct claim_fault *effect_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, EFFECT_KIND_CNT, HAS_SRC | HAS_V | HAS_CONF);

	if (!f && !(c->has & HAS_SRC))
		f = &bad_bit;
	f = f ? f : prob_fault(c->has & HAS_CONF, c->effect.conf, &bad_conf);
	if (f)
		return f;
	return absent(c, HAS_V, c->effect.v) && !(c->raw[5] | c->raw[6]) ? NULL : &not_zero;
}

static const struct claim_fault *cost_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, 1, HAS_SRC | HAS_IP);

	f = f ? f : words_fault(strings_cnt, c->cost.kind_str, 0);
	f = f ? f : ip_fault(c->has & HAS_IP, c->cost.ip);
	if (f)
		return f;
	return absent(c, HAS_SRC, c->cost.root_t | c->cost.root_tid) &&
			       !(c->raw[4] | c->raw[5] | c->raw[6])
		       ? NULL
		       : &not_zero;
}

static const struct claim_fault *profile_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, PROFILE_BY_CNT, HAS_IP);

	f = f ? f : words_fault(strings_cnt, c->profile.key_str, c->profile.kind_str);
	f = f ? f : words_fault(strings_cnt, c->profile.kind_str, 0);
	f = f ? f : ip_fault(c->has & HAS_IP, c->profile.ip);
	if (f)
		return f;
	return c->raw[3] | c->raw[4] | c->raw[5] | c->raw[6] ? &not_zero : NULL;
}

static const struct claim_fault *gap_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, 1, HAS_LOST | HAS_SCOPE);

	if (!f && c->gap.scope_str >= strings_cnt)
		f = &bad_word;
	if (!f && c->gap.from > c->gap.to)
		f = &bad_gap;
	if (!f && !(c->has & HAS_SCOPE) != !c->gap.scope_str)
		f = &bad_bit;
	if (f)
		return f;
	/* little-endian: the word's id is the low half of raw[3] */
	return absent(c, HAS_LOST, c->gap.lost) &&
			       !(c->raw[3] >> 32 | c->raw[4] | c->raw[5] | c->raw[6])
		       ? NULL
		       : &not_zero;
}

static const struct claim_fault *diagnosis_fault(const struct claim *c, uint32_t strings_cnt)
{
	const struct claim_fault *f = head_fault(c, 1, HAS_CONF);

	f = f ? f : words_fault(strings_cnt, c->diagnosis.label_str, c->diagnosis.subject_str);
	f = f ? f : prob_fault(c->has & HAS_CONF, c->diagnosis.conf, &bad_conf);
	if (f)
		return f;
	return c->raw[3] | c->raw[4] | c->raw[5] | c->raw[6] ? &not_zero : NULL;
}

static fault_fn *const fault_fns[CLAIM_KIND_CNT] = {
	[CLAIM_HANDOFF] = handoff_fault, [CLAIM_EVENT] = event_fault,
	[CLAIM_HEALTH] = health_fault,	 [CLAIM_EFFECT] = effect_fault,
	[CLAIM_COST] = cost_fault,	 [CLAIM_PROFILE] = profile_fault,
	[CLAIM_GAP] = gap_fault,	 [CLAIM_DIAGNOSIS] = diagnosis_fault,
};

const struct claim_fault *claim_fault(const struct claim *c, uint32_t strings_cnt)
{
	if (c->kind >= CLAIM_KIND_CNT)
		return &bad_kind;
	if (c->pad[0])
		return &not_zero;
	return fault_fns[c->kind](c, strings_cnt);
}

void claim_normalise(struct claim *c)
{
	switch (c->kind) {
	case CLAIM_EFFECT:
		c->has |= HAS_SRC;
		break;
	case CLAIM_HEALTH:
		c->has &= (uint16_t)~HAS_DESC;
		break;
	case CLAIM_COST:
	case CLAIM_PROFILE:
		c->has &= (uint16_t)~HAS_V;
		break;
	case CLAIM_GAP:
		c->has = (uint16_t)((c->has & ~HAS_SCOPE) | (c->gap.scope_str ? HAS_SCOPE : 0));
		break;
	default:
		break;
	}
}
