/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates: what was checked of a mutation, and how it came out (catalogue §3).
 *
 * Steps are taken in order; one that fails ends the certificate. A step may be `not checked`, with
 * the reason; it does not count as passed. A certificate is a small text file, one "step state
 * text" a line, keyed by the hash of everything that it rests on: it is looked at again only where
 * that has changed.
 */
#ifndef ASSAY_MUTATIONS_CERTIFICATE_H
#define ASSAY_MUTATIONS_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"
#include "mutations/house.h"
#include "mutations/record.h"

enum step {
	STEP_COMPILES,	 /* each form, compiler and level; truth's lines untouched */
	STEP_SYMBOLS,	 /* the same symbols */
	STEP_SIGNATURES, /* the same types of functions, and sites that can be probed alike */
	STEP_CODE,	 /* machine code differs between the three */
	STEP_LEAKS,	 /* no word in a program tells */
	STEP_CANON,	 /* twin = base, mutant differs as declared */
	STEP_PROCESS,	 /* nothing tells in /proc and in the files near it */
	STEP_REACHED,	 /* often enough */
	STEP_WITNESS,	 /* fires on the mutant alone, k of k */
	STEP_READING,	 /* the reference that trusts everything reads it wrong */
	STEP_REPAIRED,	 /* the repaired manifest, or the old one, holds for the mutant */
	STEP_CNT,
};

enum step_state { STEP_OPEN, STEP_PASSED, STEP_FAILED, STEP_UNCHECKED, STEP_NONE, STEP_STATE_CNT };

struct certificate {
	uint64_t hash; /* of all that it rests on */
	uint8_t state[STEP_CNT];
	char text[STEP_CNT][256]; /* why it failed or was not checked; a figure where it passed */
};

const char *step_name(unsigned v);
const char *step_state_name(unsigned v);

/* Every step passed or does not apply; unchecked ones are counted in *ret_unchecked. */
bool certificate_holds(const struct certificate *c, unsigned *ret_unchecked);

/* The first step that failed, STEP_CNT: none. */
enum step certificate_failed(const struct certificate *c);

/* A witness that fired: this mutant is in the denominator of detection. */
bool certificate_witnessed(const struct certificate *c);

void certificate_set(struct certificate *c, enum step s, enum step_state state, const char *fmt,
		     ...) __attribute__((format(printf, 4, 5)));

/* -ENOENT (nothing in *d): there is none. -EINVAL: a malformed file. */
int certificate_load(const struct house *h, const char *id, struct certificate *ret,
		     struct diag *d);
int certificate_save(const struct house *h, const char *id, const struct certificate *c,
		     struct diag *d);

#endif
