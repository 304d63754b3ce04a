/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profiler can declare that it claims (contracts §3). */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/formats/claims.h"

/* The types in the order of enum handoff_type, then the other kinds in that of enum claim_kind. */
static const char *const words[DECLARES_CNT] = {
	"handoff:io",	 "handoff:work",  "handoff:wake",   "handoff:timer", "handoff:msg",
	"handoff:queue", "handoff:spawn", "handoff:resume", "handoff:grant", "handoff:call",
	"event",	 "health",	  "effect",	    "cost",	     "profile",
	"gap",		 "diagnosis"};

const char *declares_name(unsigned bit)
{
	assert(bit < DECLARES_CNT);
	return words[bit];
}

int declares_parse(const char *s, size_t len)
{
	static const char handoff[] = "handoff";
	const size_t n = sizeof(handoff) - 1;

	for (int i = 0; i < DECLARES_CNT; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return i;
	if (len < n || memcmp(s, handoff, n))
		return -ENOENT;
	return len == n || s[n] == ':' ? -EINVAL : -ENOENT;
}
