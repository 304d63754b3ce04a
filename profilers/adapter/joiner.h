/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A joiner: turns the stream of raw records into claims, live or from a file, by the same code.
 *
 * One const descriptor a joiner; state is made by open and freed by finish. Records come in the
 * order of the evidence; memory stays bounded whatever comes. Claims go to an outlet. Joiners see
 * nothing but records and, of a manifest, what it says. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_JOINER_H
#define ASSAY_PROFILERS_ADAPTER_JOINER_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"
#include "lib/formats/claims.h"

struct outlet {
	int (*put)(void *arg, const struct claim *c); /* negative errno stops the join */
	int64_t (*str)(void *arg, const char *word);  /* id for strN of a claim, or negative */
	void *arg;
	void (*forget)(void *arg, uint32_t id); /* no claim to come has the word; NULL: all stay */
};

struct manifest;

/* What is known before the first record. Lent: it outlives the join. */
struct join_setup {
	const struct manifest *manifest; /* NULL: none was given */
	uint8_t start;			 /* enum health_state of every descriptor at attach */
	const char *exe;		 /* the program; NULL: not given */
	const char *base;		 /* an earlier build of it; NULL: not given */
};

struct joiner {
	const char *name, *version;
	const char *division; /* "none" for floors */
	uint32_t declares;    /* enum declares */
	const void *arg;      /* the joiner's own, such as a floor's guess */
	/* NULL: no memory */
	void *(*open)(const struct joiner *j, const struct join_setup *setup, struct outlet *out);
	int (*record)(void *state, const struct ev_rec *r); /* 0 or negative errno */
	int (*finish)(void *state); /* hands on what is open, frees the state */
	/* Another manifest takes the place of the setup's; hands on what is open of the old one,
	 * which is not lent any longer. No site was watched from `from` to `to`. NULL: it cannot.
	 */
	int (*reload)(void *state, const struct join_setup *s, uint64_t from, uint64_t to);
	/* What of `declares` it can see with this setup; NULL: all. */
	uint32_t (*declares_of)(const struct joiner *j, const struct join_setup *setup);
};

#endif
