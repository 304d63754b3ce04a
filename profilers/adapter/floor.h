/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A floor: a joiner that guesses. It gets the observations that `causal` gets, and for each dst
 * names one src; of runtimes, the ends that the manifest's sites show. What is not guessed (keys,
 * receivers, times) is as observed, and every claim is made with full confidence.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_FLOOR_H
#define ASSAY_PROFILERS_ADAPTER_FLOOR_H

#include "profilers/adapter/observe.h"

struct guess {
	size_t size; /* of the floor's state, zeroed at first */
	int (*src)(void *state, const struct observation *o); /* remember it */
	/* The src that this dst came from, or NULL: none seen, the claim is an orphan. */
	const struct observation *(*dst)(void *state, const struct observation *o);
	void (*clear)(void *state); /* frees what the state holds, not the state */
};

/* Callbacks of struct joiner whose arg is a struct guess. */
void *floor_open(const struct joiner *j, const struct join_setup *setup, struct outlet *out);
int floor_record(void *state, const struct ev_rec *r);
int floor_finish(void *state);
uint32_t floor_declares(const struct joiner *j, const struct join_setup *setup);

enum {
	FLOOR_RUNTIME = 1u << HANDOFF_QUEUE | 1u << HANDOFF_SPAWN | 1u << HANDOFF_RESUME |
			1u << HANDOFF_GRANT | 1u << HANDOFF_CALL
};

#define FLOOR_JOINER(floor_name, floor_guess)                                                      \
	{                                                                                          \
		.name = floor_name, .version = "1.0", .division = "none",                          \
		.declares = 1u << HANDOFF_IO | 1u << HANDOFF_WAKE | 1u << HANDOFF_MSG |            \
			    1u << HANDOFF_WORK | 1u << HANDOFF_TIMER | FLOOR_RUNTIME,              \
		.arg = floor_guess, .open = floor_open, .record = floor_record,                    \
		.finish = floor_finish, .declares_of = floor_declares                              \
	}

#endif
