/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims table of contracts §3, in the order in which fields are printed. */
#include "lib/formats/claims_fields.h"

#include <string.h>

#define VOCABULARY(word, first, end, list)                                                         \
	static const struct vocab word##_vocab = {word##_parse, word##_name, first, end,           \
						  "use one of " list}

VOCABULARY(handoff_type, 0, HANDOFF_TYPE_CNT,
	   "io work wake timer msg queue spawn resume grant call");
VOCABULARY(event_kind, 0, EVENT_KIND_CNT,
	   "WAIT ACQUIRE USE RELEASE SPAWN RUN PARK PUSH POP SUBMIT HANDLE BEGIN END");
VOCABULARY(effect_kind, 0, EFFECT_KIND_CNT, "block-io page-fault sched-delay");
VOCABULARY(health_state, 0, HEALTH_STATE_CNT, "validated suspect stale refused");
VOCABULARY(profile_by, 0, PROFILE_BY_CNT, "thread function op-kind pair");
VOCABULARY(how, HOW_NONE + 1, HOW_CNT, "observed reconstructed unknown, or leave the field out");
VOCABULARY(source, SOURCE_NONE + 1, SOURCE_CNT,
	   "kernel runtime application inferred, or leave the field out");

#define NAME(name) name, name
#define AT(member) offsetof(struct claim, member)

const struct claim_shape claim_shapes[CLAIM_KIND_CNT] = {
	[CLAIM_HANDOFF] = {"handoff",
			   {
				   {NAME("type"), FORM_VOCAB, AT(type), .required = true,
				    .vocab = &handoff_type_vocab},
				   {NAME("src"), FORM_CONTEXT, AT(handoff.src_t),
				    AT(handoff.src_tid), true, true, HAS_SRC, HAS_SRC_KERNEL, NULL},
				   {NAME("dst"), FORM_CONTEXT, AT(handoff.dst_t),
				    AT(handoff.dst_tid), true, true, HAS_DST, HAS_DST_KERNEL, NULL},
				   {NAME("key"), FORM_KEY, AT(handoff.key_v), .has = HAS_KEY},
				   {NAME("gen"), FORM_U64, AT(handoff.gen), .has = HAS_GEN},
				   {NAME("conf"), FORM_PROB, AT(handoff.conf), .has = HAS_CONF},
				   {NAME("how"), FORM_VOCAB, AT(how), .vocab = &how_vocab},
				   {NAME("source"), FORM_VOCAB, AT(source), .vocab = &source_vocab},
			   }},
	[CLAIM_EVENT] = {"event",
			 {
				 {NAME("event"), FORM_VOCAB, AT(type), .required = true,
				  .vocab = &event_kind_vocab},
				 {NAME("class"), FORM_WORD, AT(event.class_str), .required = true},
				 {NAME("instance"), FORM_HEX, AT(event.instance),
				  .has = HAS_INSTANCE},
				 {NAME("gen"), FORM_U64, AT(event.gen), .has = HAS_GEN},
				 {NAME("units"), FORM_U64, AT(event.units), .has = HAS_UNITS},
				 {NAME("tid"), FORM_U32, AT(event.tid), .required = true},
				 {NAME("t"), FORM_U64, AT(event.t), .required = true},
				 {NAME("desc"), FORM_U32, AT(event.desc), .has = HAS_DESC},
				 {NAME("conf"), FORM_PROB, AT(event.conf), .has = HAS_CONF},
			 }},
	[CLAIM_HEALTH] =
		{"health",
		 {
			 {NAME("desc"), FORM_U32, AT(health.desc), .required = true},
			 {NAME("state"), FORM_VOCAB, AT(type), .required = true,
			  .vocab = &health_state_vocab},
			 {NAME("t"), FORM_U64, AT(health.t), .required = true},
			 {NAME("why"), FORM_WORD, AT(health.why_str), .has = 0},
			 {NAME("evidence"), FORM_U64, AT(health.evidence), .has = HAS_EVIDENCE},
			 {NAME("p_stale"), FORM_PROB, AT(health.p_stale), .has = HAS_P_STALE},
		 }},
	[CLAIM_EFFECT] = {"effect",
			  {
				  {NAME("cause"), FORM_CONTEXT, AT(effect.cause_t),
				   AT(effect.cause_tid), true, false, HAS_SRC, 0, NULL},
				  {NAME("kind"), FORM_VOCAB, AT(type), .required = true,
				   .vocab = &effect_kind_vocab},
				  {NAME("tid"), FORM_U32, AT(effect.tid), .required = true},
				  {NAME("t"), FORM_U64, AT(effect.t), .required = true},
				  {NAME("v"), FORM_U64, AT(effect.v), .has = HAS_V},
				  {NAME("conf"), FORM_PROB, AT(effect.conf), .has = HAS_CONF},
			  }},
	[CLAIM_COST] = {"cost",
			{
				{NAME("root"), FORM_CONTEXT, AT(cost.root_t), AT(cost.root_tid),
				 true, true, HAS_SRC, 0, NULL},
				{NAME("kind"), FORM_WORD, AT(cost.kind_str), .required = true},
				{NAME("v"), FORM_U64, AT(cost.v), .required = true},
				{NAME("ip"), FORM_PROB, AT(cost.ip), .has = HAS_IP},
			}},
	[CLAIM_PROFILE] = {"profile",
			   {
				   {NAME("by"), FORM_VOCAB, AT(type), .required = true,
				    .vocab = &profile_by_vocab},
				   {NAME("key"), FORM_WORD, AT(profile.key_str), .required = true},
				   {NAME("kind"), FORM_WORD, AT(profile.kind_str),
				    .required = true},
				   {NAME("v"), FORM_U64, AT(profile.v), .required = true},
				   {NAME("ip"), FORM_PROB, AT(profile.ip), .has = HAS_IP},
			   }},
	[CLAIM_GAP] = {"gap",
		       {
			       {NAME("from"), FORM_U64, AT(gap.from), .required = true},
			       {NAME("to"), FORM_U64, AT(gap.to), .required = true},
			       {NAME("lost"), FORM_U64, AT(gap.lost), .has = HAS_LOST},
			       {NAME("scope"), FORM_WORD, AT(gap.scope_str), .has = HAS_SCOPE},
		       }},
	[CLAIM_DIAGNOSIS] =
		{"diagnosis",
		 {
			 {NAME("label"), FORM_WORD, AT(diagnosis.label_str), .required = true},
			 {NAME("subject"), FORM_WORD, AT(diagnosis.subject_str), .has = 0},
			 {NAME("t"), FORM_U64, AT(diagnosis.t), .required = true},
			 {NAME("conf"), FORM_PROB, AT(diagnosis.conf), .has = HAS_CONF},
		 }},
};

int claim_kind_parse(const char *s, size_t len)
{
	for (int i = 0; i < CLAIM_KIND_CNT; i++)
		if (strlen(claim_shapes[i].name) == len && !memcmp(claim_shapes[i].name, s, len))
			return i;
	return -1;
}
