/* SPDX-License-Identifier: BSD-2-Clause */
/* The closed vocabularies of the contracts, as tables. */
#include "lib/vocab.h"

#include <assert.h>
#include <string.h>

static const char *const handoff_types[HANDOFF_TYPE_CNT] = {
	"io", "work", "wake", "timer", "msg", "queue", "spawn", "resume", "grant", "call",
};
static const char *const key_spaces[KEY_NS_CNT] = {
	"", "user_data", "uaddr", "task", "work", "fd", "timerfd", "other",
};
static const char *const marks[MARK_CNT] = {
	"punted", "inline", "multishot",  "message",  "cancelled", "linked", "stolen", "coalesced",
	"fanout", "nested", "reused_key", "spurious", "late",	   "cross",  "sqpoll", "lost",
};
static const char *const event_kinds[EVENT_KIND_CNT] = {
	"WAIT", "ACQUIRE", "USE",    "RELEASE", "SPAWN", "RUN", "PARK",
	"PUSH", "POP",	   "SUBMIT", "HANDLE",	"BEGIN", "END",
};
static const char *const effect_kinds[EFFECT_KIND_CNT] = {"block-io", "page-fault", "sched-delay"};
static const char *const hows[HOW_CNT] = {"", "observed", "reconstructed", "unknown"};
static const char *const sources[SOURCE_CNT] = {"", "kernel", "runtime", "application", "inferred"};
static const char *const health_states[HEALTH_STATE_CNT] = {"validated", "suspect", "stale",
							    "refused"};
static const char *const profile_bys[PROFILE_BY_CNT] = {"thread", "function", "op-kind", "pair"};

static const char *const diagnoses[DIAGNOSIS_CNT] = {
	"healthy",  "pool-thrash", "convoy",  "leak",		"wasteful",
	"overload", "starved",	   "slow-io", "cpu-contention",
};

/* An empty name in a table marks "absent" and is no word. */
static int table_parse(const char *const *names, int cnt, const char *s, size_t len)
{
	for (int i = 0; i < cnt; i++)
		if (names[i][0] && strlen(names[i]) == len && !memcmp(names[i], s, len))
			return i;
	return -1;
}

#define VOCAB(fn, table, cnt)                                                                      \
	const char *fn##_name(unsigned v)                                                          \
	{                                                                                          \
		assert(v < (cnt));                                                                 \
		return (table)[v];                                                                 \
	}                                                                                          \
	int fn##_parse(const char *s, size_t len)                                                  \
	{                                                                                          \
		return table_parse(table, cnt, s, len);                                            \
	}

VOCAB(handoff_type, handoff_types, HANDOFF_TYPE_CNT)
VOCAB(mark, marks, MARK_CNT)
VOCAB(event_kind, event_kinds, EVENT_KIND_CNT)
VOCAB(effect_kind, effect_kinds, EFFECT_KIND_CNT)
VOCAB(how, hows, HOW_CNT)
VOCAB(source, sources, SOURCE_CNT)
VOCAB(health_state, health_states, HEALTH_STATE_CNT)
VOCAB(profile_by, profile_bys, PROFILE_BY_CNT)
VOCAB(diagnosis, diagnoses, DIAGNOSIS_CNT)

const char *key_ns_name(unsigned v)
{
	assert(v < KEY_NS_CNT);
	return key_spaces[v];
}

int key_ns_parse(const char *s, size_t len)
{
	int v = table_parse(key_spaces, KEY_OTHER, s, len);

	return v < 0 ? KEY_OTHER : v;
}
